import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseSize, printSize } from './sizes.ts';

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1536, '1.5 KB'],
  [5_000_000, '5 MB'],
  [123_456_789_000, '123 GB'],
])('%i bytes are %s', (bytes, text) => {
  expect(printSize(bytes)).toBe(text);
});

test.each([
  ['5 MB', 5_000_000],
  ['5mb', 5_000_000],
  ['1.5K', 1500],
  ['17', 17],
  ['', undefined],
  ['-1', undefined],
  ['5 apples', undefined],
])('%j is %s', (text, bytes) => {
  expect(parseSize(text)).toBe(bytes);
});

test('parsing a printed size returns nearly the same value', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 ** 15 }), (bytes) => {
      const read = parseSize(printSize(bytes)) ?? Number.NaN;
      expect(Math.abs(read - bytes)).toBeLessThanOrEqual(bytes * 0.06);
    }),
  );
});
