import fc from 'fast-check';
import { expect, test } from 'vitest';
import { flattenConditions } from './normalize.ts';

test.each([
  ['CHECK ((((x >= 1) AND (x <= 2)) AND (y <> 0)))', 'CHECK (((x >= 1) AND (x <= 2) AND (y <> 0)))'],
  ['((x IS NULL) OR (((a) AND (b)) AND (c)))', '((x IS NULL) OR ((a) AND (b) AND (c)))'],
  ['(((((a) AND (b)) AND (c)) AND (d)))', '(((a) AND (b) AND (c) AND (d)))'],
  ['((((a) OR (b)) OR (c)))', '(((a) OR (b) OR (c)))'],
])('flattens %s', (text, expected) => {
  expect(flattenConditions(text)).toBe(expected);
});

test.each([
  '((((a) OR (b)) AND (c)))',
  '((c) AND ((a) AND (b)))',
  "((x = '((a) AND (b)) AND (c)'::text) AND (y))",
  'CHECK ((a > 0))',
  '(sum(x) OVER (ROWS BETWEEN 1 PRECEDING AND CURRENT ROW))',
  '((NOT ((a) AND (b))) AND (c))',
])('%s is unchanged', (text) => {
  expect(flattenConditions(text)).toBe(text);
});

test('flattening the result again doesn’t change it', () => {
  const part = fc.constantFrom('(', ')', ' AND ', ' OR ', 'a', "'('", '"("', ' ');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const once = flattenConditions(parts.join(''));
      expect(once.length).toBeLessThanOrEqual(parts.join('').length);
    }),
  );
});
