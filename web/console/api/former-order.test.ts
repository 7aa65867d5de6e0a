/** Tests the order of rows without a primary key after they are fetched again. */
import { expect, test } from 'vitest';
import { inFormerOrder } from './former-order.ts';
import type { RowPage } from './types.ts';

const page = (names: string, cut: RowPage['cut'] = []): RowPage => ({
  columns: ['name'],
  rows: [...names].map((name) => [name]),
  keys: [...names].map((name) => ({ ctid: name })),
  cut,
  first: null,
  last: null,
  more: false,
  estimate: null,
  isExact: true,
});
const shown = (result: RowPage): string => result.rows.flat().join('');

test.each([
  ['nothing has changed', 'abcd', 'abcd', 'abcd'],
  ['a row moved', 'abcd', 'acdb', 'abcd'],
  ['a row has another identifier', 'abcd', 'acdx', 'axcd'],
  ['a row was deleted', 'abcd', 'acd', 'acd'],
  ['rows were inserted', 'ab', 'xaby', 'abxy'],
  ['all rows are new', 'ab', 'xyz', 'xyz'],
  ['the page is empty', 'ab', '', ''],
])('if %s, the known rows stay in place', (_what, before, after, expected) => {
  const result = inFormerOrder(page(before), page(after));
  expect(shown(result)).toBe(expected);
  expect(result.keys?.map(({ ctid }) => ctid).join('')).toBe(expected);
});

test('truncated cells move with their rows', () => {
  expect(inFormerOrder(page('abc'), page('acb', [[2, 0]])).cut).toEqual([[1, 0]]);
});

test('the first page and pages of tables with a primary key are unchanged', () => {
  expect(inFormerOrder(undefined, page('ab'))).toEqual(page('ab'));
  const keyed = { ...page('ba'), keys: null };
  expect(inFormerOrder(page('ab'), keyed)).toBe(keyed);
});
