import { expect, test } from 'vitest';
import { rowTotal } from './row-total.ts';

const full = (page: number) => ({ page, rows: 100, more: true });

test('the last page makes the count exact', () => {
  expect(rowTotal([full(0), { page: 1, rows: 7, more: false }], 5000, undefined, 100)).toEqual({
    rows: 107,
    exact: true,
  });
  expect(rowTotal([{ page: 0, rows: 0, more: false }], null, undefined, 100)).toEqual({
    rows: 0,
    exact: true,
  });
});

test('before that, it is the estimate, but at least one more than the rows seen', () => {
  expect(rowTotal([full(0)], 5000, undefined, 100)).toEqual({ rows: 5000, exact: false });
  expect(rowTotal([full(0), full(1)], 10, undefined, 100)).toEqual({ rows: 201, exact: false });
  expect(rowTotal([full(0)], null, undefined, 100)).toEqual({ rows: 101, exact: false });
});

test('an empty page beyond the end limits an estimate that was too high', () => {
  expect(rowTotal([full(0), { page: 40, rows: 0, more: false }], 5000, undefined, 100).rows).toBe(4000);
});

test('a count is exact', () => {
  expect(rowTotal([full(0)], 5000, 4321, 100)).toEqual({ rows: 4321, exact: true });
});
