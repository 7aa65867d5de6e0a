import { expect, test } from 'vitest';
import type { CellEdit } from './edit-steps.ts';
import { changesByRow, withEdits, withoutRow, withReplaced } from './staged.ts';

const edit = (id: string, column: string, value: string | null, seen: string | null = 'old'): CellEdit => ({
  key: { id },
  column,
  index: 0,
  change: { value },
  seen,
});

test('a later edit of a cell replaces the earlier one and expects the value that was seen first', () => {
  const first = { ...edit('1', 'a', 'x'), since: 3 };
  expect(withEdits([first], [{ ...edit('1', 'a', 'y', 'x'), since: 5 }])).toEqual([
    { ...edit('1', 'a', 'y', 'old'), since: 3 },
  ]);
});

test('an edit that restores the seen value removes the cell', () => {
  expect(withEdits([edit('1', 'a', 'x'), edit('1', 'b', 'z')], [edit('1', 'a', 'old', 'x')])).toEqual([
    edit('1', 'b', 'z'),
  ]);
  expect(withEdits([], [edit('1', 'a', 'old')])).toEqual([]);
  expect(withEdits([], [edit('1', 'a', null, null)])).toEqual([]);
});

test('an edit of a cell that was cut off is kept, because its stored value is unknown', () => {
  const { seen: _, ...cut } = edit('1', 'a', 'old');
  expect(withEdits([], [{ ...cut, seen: undefined }])).toHaveLength(1);
});

test('cells of different rows and columns are separate', () => {
  const all = withEdits([], [edit('1', 'a', 'x'), edit('1', 'b', 'y'), edit('2', 'a', 'z')]);
  expect([...changesByRow(all).values()].map((columns) => [...columns.keys()])).toEqual([['a', 'b'], ['a']]);
  expect(withoutRow(all, { key: { id: '1' } })).toEqual([edit('2', 'a', 'z')]);
  const newer = edit('1', 'b', 'y', 'theirs');
  expect(withReplaced(all, [newer, edit('9', 'a', 'q')])[1]).toEqual(newer);
  expect(withReplaced(all, [edit('9', 'a', 'q')])).toEqual(all);
});
