/** The grid's visible rows and columns. */
import { defaultRangeExtractor, type Range, useVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useEffect, useMemo } from 'react';
import type { Column } from '../../../api/types.ts';
import { widthOf } from '../cells.ts';
import { boxWidth, headHeight, rowHeight, withItem } from './layout.ts';
import type { Position } from './movement.ts';
import { type RowWindow, useRowWindow } from './use-row-window.ts';

export interface GridWindow {
  readonly rows: RowWindow;
  readonly columns: readonly VirtualItem[];
  /** The width of all columns, in pixels. */
  readonly width: number;
  /** Scrolls to a cell. */
  show(position: Position): void;
}

export function useGridWindow(
  scroller: RefObject<HTMLElement | null>,
  {
    rows,
    columns,
    at,
    onVisible,
  }: {
    rows: number;
    columns: readonly Column[];
    at: Position;
    onVisible: (first: number, last: number) => void;
  },
): GridWindow {
  const widths = useMemo(() => columns.map(widthOf), [columns]);
  const rowWindow = useRowWindow(scroller, { rows, rowHeight, headHeight });
  const activeColumn = at.column - 1;
  // The function changes only when the focus moves to another cell, so that the list of columns doesn't change more
  // often.
  const columnsInView = useCallback(
    (shown: Range) => withItem(defaultRangeExtractor(shown), activeColumn, shown.count),
    [activeColumn],
  );
  const columnVirtual = useVirtualizer({
    horizontal: true,
    count: columns.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => widths[index] ?? 200,
    overscan: 2,
    scrollPaddingStart: boxWidth,
    rangeExtractor: columnsInView,
  });
  const { first, last } = rowWindow;
  useEffect(() => onVisible(first, last), [first, last, onVisible]);
  return {
    rows: rowWindow,
    columns: columnVirtual.getVirtualItems(),
    width: boxWidth + columnVirtual.getTotalSize(),
    show(position) {
      if (position.row >= 0) rowWindow.show(position.row);
      if (position.column > 0) columnVirtual.scrollToIndex(position.column - 1);
      else if (scroller.current !== null) scroller.current.scrollLeft = 0;
    },
  };
}
