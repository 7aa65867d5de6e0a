/** Provides the grid's visible rows and columns. */
import { type RefObject, useEffect } from 'react';
import type { ColumnLayout, GridColumn } from './columns.ts';
import { boxWidth, headHeight, rowHeights } from './layout.ts';
import type { Position } from './movement.ts';
import { type ColumnWindow, useColumnWindow } from './use-column-window.ts';
import { type RowWindow, useRowWindow } from './use-row-window.ts';

export interface GridWindow {
  readonly rows: RowWindow;
  readonly rowHeight: number;
  readonly columns: ColumnWindow;
  /** Scrolls to a cell. */
  show(position: Position): void;
}

export function useGridWindow(
  scroller: RefObject<HTMLElement | null>,
  {
    rows,
    columns,
    canWrite,
    layout: { density },
    at,
    onVisible,
  }: {
    rows: number;
    columns: readonly GridColumn[];
    canWrite: boolean;
    layout: Pick<ColumnLayout, 'density'>;
    at: Position;
    onVisible: (first: number, last: number) => void;
  },
): GridWindow {
  const rowHeight = rowHeights[density];
  const rowWindow = useRowWindow(scroller, { rows, rowHeight, headHeight });
  const columnWindow = useColumnWindow(scroller, columns, canWrite ? boxWidth : 0, at.column - 1);
  const { first, last } = rowWindow;
  useEffect(() => onVisible(first, last), [first, last, onVisible]);
  return {
    rows: rowWindow,
    rowHeight,
    columns: columnWindow,
    show(position) {
      if (position.row >= 0) rowWindow.show(position.row);
      if (position.column > 0) columnWindow.show(position.column - 1);
      else if (scroller.current !== null) scroller.current.scrollLeft = 0;
    },
  };
}
