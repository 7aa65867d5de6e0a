import { expect, test } from 'vitest';
import { findDeno } from './binary.ts';
import { findSyntaxFault, parseFault } from './syntax.ts';

const deno = findDeno() ?? '';

test.each([
  ['index.ts', 'const a: number = ;\nfoo(', { message: 'Expression expected', line: 1, column: 19 }],
  ['index.ts', 'enum A { b }\nconst x   =  A.b as number', undefined],
  ['page.tsx', 'export const x = <div>hi</div>;', undefined],
  ['deno.json', '{\n  "imports": {},\n  oops\n', { line: 4 }],
  ['readme.md', '# const = ;', undefined],
  ['index.ts', '', undefined],
])('%s %j', async (path, text, expected) => {
  const found = await findSyntaxFault(deno, path, text);
  if (expected === undefined) expect(found).toBeUndefined();
  else expect(found).toMatchObject(expected);
});

test('text is parsed, not run, and a large text is read completely', async () => {
  expect(await findSyntaxFault(deno, 'a.ts', `${'// a comment\n'.repeat(20_000)}let = = 1`)).toMatchObject({
    line: 20_001,
  });
});

test('output without an error contains no fault', () => {
  expect(parseFault('Not formatted stdin')).toBeUndefined();
  expect(parseFault('error: something unexpected')).toBeUndefined();
});
