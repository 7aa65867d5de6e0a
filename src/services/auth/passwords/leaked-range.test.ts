import fc from 'fast-check';
import { expect, test } from 'vitest';
import { leakHashOf, listHolds, rangeHolds, type SortedList } from './leaked-range.ts';

test('a known password has the expected hash', () => {
  expect(leakHashOf('password')).toBe('5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8');
});

test.each([
  ['1E4C9B93F3F0682250B6CF8331B7EE68FD8:3861493', true],
  ['00A:1\r\n1e4c9b93f3f0682250b6cf8331b7ee68fd8:2\r\n', true],
  ['1E4C9B93F3F0682250B6CF8331B7EE68FD8:0', false],
  ['1E4C9B93F3F0682250B6CF8331B7EE68FD', false],
  ['', false],
  ['<html>', false],
])('range %j', (response, holds) => {
  expect(rangeHolds(response, leakHashOf('password'))).toBe(holds);
});

const listOf = (text: string): SortedList => {
  const bytes = Buffer.from(text);
  return { sizeBytes: bytes.length, read: async (from, length) => bytes.subarray(from, from + length) };
};

test('every line of a list is found, and no other hash is', async () => {
  const hash = fc.nat(50).map((seed) => leakHashOf(String(seed)));
  const line = fc.tuple(hash, fc.constantFrom('', ':1', ':123456789012'));
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(line, { selector: ([value]) => value }),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      async (lines, ending, endsWithNewline) => {
        const sorted = lines.toSorted(([a], [b]) => (a < b ? -1 : 1));
        const text = sorted.map(([value, count]) => value + count).join(ending);
        const list = listOf(text + (endsWithNewline && text !== '' ? ending : ''));
        for (let seed = 0; seed <= 50; seed++) {
          const expected = leakHashOf(String(seed));
          const isThere = lines.some(([value]) => value === expected);
          expect(await listHolds(list, expected)).toBe(isThere);
        }
      },
    ),
    { numRuns: 50 },
  );
});

test.each(['password\n123456\n', 'x'.repeat(1000)])(
  'a file that isn’t a hash list is rejected',
  async (text) => {
    await expect(listHolds(listOf(text), leakHashOf('password'))).rejects.toThrow(
      'the list of leaked passwords',
    );
  },
);
