import { expect, test } from 'vitest';
import { rowTotal } from './row-total.ts';

const about = (estimate: number) => ({ estimate, isExact: false });
const full = (page: number) => ({ page, rows: 100, more: true });

test('the last page makes the count exact', () => {
  expect(rowTotal([full(0), { page: 1, rows: 7, more: false }], about(5000), undefined, 100)).toEqual({
    rows: 107,
    exact: true,
  });
  expect(rowTotal([{ page: 0, rows: 0, more: false }], undefined, undefined, 100)).toEqual({
    rows: 0,
    exact: true,
  });
});

test('before that, the count is the estimate, but at least one more than the known rows', () => {
  expect(rowTotal([full(0)], about(5000), undefined, 100)).toEqual({ rows: 5000, exact: false });
  expect(rowTotal([full(0), full(1)], about(10), undefined, 100)).toEqual({ rows: 201, exact: false });
  expect(rowTotal([full(0)], undefined, undefined, 100)).toEqual({ rows: 101, exact: false });
});

test('an empty page beyond the end limits an estimate that was too high', () => {
  expect(rowTotal([full(0), { page: 40, rows: 0, more: false }], about(5000), undefined, 100).rows).toBe(
    4000,
  );
});

test('a count is exact', () => {
  expect(rowTotal([full(0)], about(5000), 4321, 100)).toEqual({ rows: 4321, exact: true });
  const first = { estimate: 196, isExact: true };
  expect(rowTotal([full(0)], first, undefined, 100)).toEqual({ rows: 196, exact: true });
  expect(rowTotal([full(0), full(1)], first, undefined, 100)).toEqual({ rows: 201, exact: false });
});
