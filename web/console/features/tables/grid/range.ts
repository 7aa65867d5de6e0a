/** A rectangular range of cells. Column 0 contains the checkboxes and is never part of a range. */
import type { Position } from './movement.ts';

export interface CellRange {
  readonly firstRow: number;
  readonly lastRow: number;
  /** The first column has the number 1. */
  readonly firstColumn: number;
  readonly lastColumn: number;
}

/** Returns the range between two corners, or undefined if a corner is in the header or on a checkbox. */
export function rangeOf(anchor: Position | undefined, active: Position): CellRange | undefined {
  const from = anchor ?? active;
  const firstRow = Math.max(0, Math.min(from.row, active.row));
  const lastRow = Math.max(from.row, active.row);
  const firstColumn = Math.max(1, Math.min(from.column, active.column));
  const lastColumn = Math.max(from.column, active.column);
  return lastRow < 0 || lastColumn < 1 ? undefined : { firstRow, lastRow, firstColumn, lastColumn };
}

export const contains = (range: CellRange, { row, column }: Position): boolean =>
  row >= range.firstRow && row <= range.lastRow && column >= range.firstColumn && column <= range.lastColumn;

export const cellsIn = ({ firstRow, lastRow, firstColumn, lastColumn }: CellRange): number =>
  (lastRow - firstRow + 1) * (lastColumn - firstColumn + 1);
