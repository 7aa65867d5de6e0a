/** The grid's focused cell and the range around it. */
import { useState } from 'react';
import type { Position } from './movement.ts';
import { type CellRange, rangeOf } from './range.ts';

export interface GridPosition {
  readonly at: Position;
  /** The selected range. Undefined if the focus is in the header or on a checkbox. */
  readonly range: CellRange | undefined;
  /** Whether the user has extended the range to more than the focused cell. */
  readonly isExtended: boolean;
  /** Moves the focus to a cell. With `extend`, the range is extended to this cell. */
  moveTo(to: Position, extend: boolean): void;
  /** Moves the focus to a cell. The opposite corner of the range doesn't move. */
  setActive(to: Position): void;
  clearRange(): void;
}

export function useGridPosition(rows: number, columns: number): GridPosition {
  const [active, setActive] = useState<Position>({ row: rows > 0 ? 0 : -1, column: 1 });
  /** The corner of the range that is opposite to the focused cell. */
  const [anchor, setAnchor] = useState<Position>();
  const at: Position = { row: Math.min(active.row, rows - 1), column: Math.min(active.column, columns) };
  return {
    at,
    range: rangeOf(anchor, at),
    isExtended: anchor !== undefined,
    moveTo(to, extend) {
      setAnchor(extend ? (anchor ?? at) : undefined);
      setActive(to);
    },
    setActive,
    clearRange: () => setAnchor(undefined),
  };
}
