import { describe, expect, test } from 'vitest';
import type { Column } from '../../../api/types.ts';
import {
  type ColumnLayout,
  defaultLayout,
  filledWidths,
  gridColumns,
  pinnedCount,
  readLayout,
  withHidden,
  withMoved,
  withPinned,
  withWidth,
} from './columns.ts';

const column = (name: string, type = 'text'): Column => ({
  name,
  type,
  nullable: true,
  default: null,
  generated: false,
  identity: null,
  primary_key: false,
  enum_values: null,
  references: null,
  comment: null,
});
const table = [column('id', 'bigint'), column('title'), column('done', 'boolean'), column('note')];
const namesIn = (layout: ColumnLayout): string[] => gridColumns(table, layout).map(({ name }) => name);

describe('the visible columns', () => {
  test('are the table’s columns, and the first one is pinned', () => {
    expect(namesIn(defaultLayout)).toEqual(['id', 'title', 'done', 'note']);
    expect(gridColumns(table, defaultLayout).map(({ isPinned }) => isPinned)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  test('keep the index of their cells when they are moved, hidden and pinned', () => {
    const moved = withMoved(defaultLayout, table, 'note', 'title');
    expect(namesIn(moved)).toEqual(['id', 'note', 'title', 'done']);
    expect(gridColumns(table, moved)[1]?.at).toBe(3);
    expect(namesIn(withMoved(defaultLayout, table, 'id', 'done'))).toEqual(['title', 'done', 'id', 'note']);
    expect(namesIn(withHidden(moved, 'title', true))).toEqual(['id', 'note', 'done']);
    const pinned = withPinned(defaultLayout, gridColumns(table, defaultLayout), 'done', true);
    expect(namesIn(pinned)).toEqual(['id', 'done', 'title', 'note']);
    expect(namesIn(withPinned(pinned, gridColumns(table, pinned), 'done', false))).toEqual(
      namesIn(defaultLayout),
    );
  });

  test('include new columns of the table, and there is always at least one', () => {
    expect(namesIn({ ...defaultLayout, order: ['note', 'gone', 'id'] })).toEqual([
      'note',
      'id',
      'title',
      'done',
    ]);
    expect(namesIn({ ...defaultLayout, hidden: ['id', 'title', 'done', 'note'] })).toEqual(['id']);
  });
});

test('elastic columns fill the grid, except those whose width was chosen', () => {
  const layout = withWidth(defaultLayout, 'note', 100);
  const columns = gridColumns(table, layout);
  const widths = filledWidths(columns, 900);
  expect(widths.reduce((sum, width) => sum + width, 0)).toBe(900);
  expect(widths[3]).toBe(100);
  expect(filledWidths(columns, 100)).toEqual(columns.map(({ width }) => width));
  expect(Math.max(...filledWidths(columns, 5000))).toBe(640);
});

test('pinned columns never take most of the grid', () => {
  const columns = gridColumns(table, { ...defaultLayout, pinned: ['id', 'title', 'note'] });
  const widths = columns.map(({ width }) => width);
  expect(pinnedCount(columns, widths, 5000)).toBe(3);
  expect(pinnedCount(columns, widths, 300)).toBe(1);
  expect(pinnedCount(columns, widths, 100)).toBe(0);
});

test('a stored layout is read, and invalid parts are ignored', () => {
  const layout: ColumnLayout = {
    order: ['note'],
    hidden: ['done'],
    pinned: [],
    widths: [['id', 90]],
    density: 'compact',
  };
  expect(readLayout(JSON.stringify(layout))).toEqual(layout);
  expect(readLayout('{"order": 1, "widths": [["id", 1], "x"], "hidden": [2], "density": "other"}')).toEqual(
    defaultLayout,
  );
  for (const invalid of [null, '', 'null', '{', '7']) expect(readLayout(invalid)).toEqual(defaultLayout);
});
