import { expect, test } from 'vitest';
import { cellsIn, rangeOf } from './range.ts';

test('a range lies between two corners in any order', () => {
  const range = { firstRow: 1, lastRow: 4, firstColumn: 2, lastColumn: 3 };
  expect(rangeOf({ row: 4, column: 2 }, { row: 1, column: 3 })).toEqual(range);
  expect(cellsIn(range)).toBe(8);
  expect(rangeOf(undefined, { row: 0, column: 1 })).toEqual({
    firstRow: 0,
    lastRow: 0,
    firstColumn: 1,
    lastColumn: 1,
  });
});

test('the header and the checkboxes aren’t part of a range', () => {
  expect(rangeOf(undefined, { row: -1, column: 2 })).toBeUndefined();
  expect(rangeOf(undefined, { row: 3, column: 0 })).toBeUndefined();
  expect(rangeOf({ row: 2, column: 0 }, { row: -1, column: 2 })).toEqual({
    firstRow: 0,
    lastRow: 2,
    firstColumn: 1,
    lastColumn: 2,
  });
});
