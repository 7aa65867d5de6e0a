/**
 * Determines which cell receives focus when a key is pressed. Row -1 is the header, and column 0 contains the
 * checkboxes.
 */

export interface Position {
  readonly row: number;
  readonly column: number;
}

export interface Bounds {
  readonly rows: number;
  /** The number of columns, including the checkbox column. */
  readonly columns: number;
  /** The number of the first column. 1 if the grid doesn't have checkboxes because rows can't be selected. */
  readonly firstColumn: 0 | 1;
  /** The number of rows that Page Up and Page Down skip. */
  readonly pageRows: number;
}

export interface Key {
  readonly key: string;
  readonly command: boolean;
}

/** Returns the new position, or undefined if the key doesn't move the focus. */
export function move(from: Position, { key, command }: Key, bounds: Bounds): Position | undefined {
  const { firstColumn } = bounds;
  const lastColumn = bounds.columns - 1;
  const lastRow = bounds.rows - 1;
  const at = (row: number, column: number): Position => ({
    row: clamp(row, -1, lastRow),
    column: clamp(column, firstColumn, lastColumn),
  });
  switch (key) {
    case 'ArrowUp':
      return at(command ? 0 : from.row - 1, from.column);
    case 'ArrowDown':
      return at(command ? lastRow : from.row + 1, from.column);
    case 'ArrowLeft':
      return at(from.row, command ? firstColumn : from.column - 1);
    case 'ArrowRight':
      return at(from.row, command ? lastColumn : from.column + 1);
    case 'Home':
      return at(command ? Math.min(0, lastRow) : from.row, firstColumn);
    case 'End':
      return command ? at(lastRow, lastColumn) : at(from.row, lastColumn);
    case 'PageUp':
      return at(Math.max(Math.min(0, from.row), from.row - bounds.pageRows), from.column);
    case 'PageDown':
      return at(from.row + bounds.pageRows, from.column);
    default:
      return undefined;
  }
}

const clamp = (value: number, min: number, max: number): number =>
  Math.max(min, Math.min(value, Math.max(min, max)));
