/** Changes the width and the position of columns. */
import type { Relation } from '../../../api/types.ts';
import { type ColumnLayout, type GridColumn, withMoved, withWidth } from './columns.ts';
import type { ColumnWindow } from './use-column-window.ts';

export function useColumnChanges(
  {
    relation,
    columns,
    layout,
    onLayout,
  }: {
    readonly relation: Relation;
    readonly columns: readonly GridColumn[];
    readonly layout: ColumnLayout;
    readonly onLayout: (layout: ColumnLayout) => void;
  },
  { pinned, scrolling }: ColumnWindow,
  /** Moves the focus to the header of a column. */
  onMoved: (column: number) => void,
) {
  /** Columns are numbered from 1, because column 0 contains the checkboxes. */
  function resize(number: number, width: number): void {
    const column = columns[number - 1];
    if (column !== undefined) onLayout(withWidth(layout, column.name, width));
  }

  return {
    resize,
    /** Makes a column wider or, with a negative number of pixels, narrower. */
    widen(number: number, by: number): void {
      const place = [...pinned, ...scrolling].find(({ index }) => index === number - 1);
      if (place !== undefined) resize(number, place.width + by);
    },
    /** Moves a column to another column's position. The focus follows the moved column. */
    reorder(from: number, to: number): void {
      const [column, target] = [columns[from - 1], columns[to - 1]];
      if (column === undefined || target === undefined || column.isPinned !== target.isPinned) return;
      onLayout(withMoved(layout, relation.columns, column.name, target.name));
      onMoved(to);
    },
  };
}
