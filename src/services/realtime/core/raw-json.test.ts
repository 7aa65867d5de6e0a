import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isTooDeep, maxDepth } from './raw-json.ts';

const nested = (depth: number): string => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;

it('the limit is the deepest accepted level', () => {
  expect(isTooDeep(nested(maxDepth))).toBe(false);
  expect(isTooDeep(nested(maxDepth + 2))).toBe(true);
});

it('brackets in strings aren’t levels, and escaped quotes don’t end a string', () => {
  expect(isTooDeep(JSON.stringify({ a: '['.repeat(5000), b: `"${'{'.repeat(5000)}\\` }))).toBe(false);
  expect(isTooDeep(`["\\"",${nested(maxDepth + 2)}]`)).toBe(true);
});

it('ordinary JSON is accepted', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { minLength: 100 }), (value) => !isTooDeep(JSON.stringify(value))),
    { numRuns: 30 },
  );
});
