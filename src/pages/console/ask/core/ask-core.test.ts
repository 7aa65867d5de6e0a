import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseAnswer } from './answer.ts';
import { EventReader } from './chunks.ts';
import { type AskTable, maxSchemaChars, schemaText } from './schema-text.ts';

test('any answer is parsed', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.string(), fc.constantFrom('```', '\n', 'sql', '~~~', 'chart', '{', '<think>'))),
      (parts) => {
        const { text, sql } = parseAnswer(parts.join(''));
        expect(text + (sql ?? '')).not.toMatch(/[\u202a-\u202e]/);
      },
    ),
  );
});

test('events are the same, however their text is divided', () => {
  const chunk = fc.oneof(
    fc.string().map((content) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`),
    fc.constantFrom(': comment\n', 'data: [DONE]\n\n', 'event: x\r\n', '\r\n', 'data: {\n', 'data: }\n\n'),
  );
  fc.assert(
    fc.property(fc.array(chunk), fc.array(fc.nat(200)), (chunks, cuts) => {
      const text = chunks.join('');
      const whole = new EventReader();
      const expected = [...whole.read(text), ...whole.finish()];
      const parted = new EventReader();
      const points = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length];
      const found = points.slice(1).flatMap((end, index) => parted.read(text.slice(points[index], end)));
      expect([...found, ...parted.finish()]).toEqual(expected);
    }),
  );
});

test('the description of any schema is bounded, and a question’s tables come first', () => {
  const table = (name: string, references: AskTable['references'] = []): AskTable => ({
    schema: 'public',
    name,
    kind: 'table',
    comment: 'x'.repeat(1000),
    columns: [{ name: 'id', type: 'bigint', nullable: false, comment: null }],
    primaryKey: ['id'],
    references,
    policies: [],
  });
  const tables = [
    ...Array.from({ length: 500 }, (_, index) => table(`other_${index}`)),
    table('invoices', [{ text: '(customer) references customers (id)', table: 'public.customers' }]),
    table('customers'),
  ];
  const text = schemaText(tables, 'all open invoices');
  expect(text.length).toBeLessThan(maxSchemaChars + 5000);
  expect(text.indexOf('table public.invoices')).toBe(0);
  expect(text.indexOf('table public.customers')).toBeGreaterThan(0);
});
