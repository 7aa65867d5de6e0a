/** Copies cells from the grid, and converts pasted text to edits. */
import { fetchWholeRows, type RowView, type TableName } from '../../../api/queries.ts';
import type { Cell } from '../../../api/types.ts';
import { isEditable, typedChange } from '../cells.ts';
import type { CellEdit } from '../edits/edit-steps.ts';
import type { Rows } from '../rows/use-rows.ts';
import type { GridColumn } from './columns.ts';
import type { CellRange } from './range.ts';
import { parseTsv, printTsv } from './tsv.ts';

/** The maximum number of rows in one request to the server. For more rows, the operator must import a file. */
export const maxPastedRows = 5000;
/** The maximum number of rows that can be copied. For more rows, the operator must export a file. */
export const maxCopiedRows = 20_000;
const rowsPerCall = 500;

/** Returns the text of the range, or undefined if some of its cells are truncated or not loaded. */
export function loadedText(rows: Rows, columns: readonly GridColumn[], range: CellRange): string | undefined {
  const lines: Cell[][] = [];
  for (let index = range.firstRow; index <= range.lastRow; index++) {
    const row = rows.row(index);
    if (row === undefined) return undefined;
    const copied = columnsIn(columns, range);
    if (copied.some(({ at }) => row.cut.includes(at))) return undefined;
    lines.push(copied.map(({ at }) => row.cells[at] ?? null));
  }
  return printTsv(lines);
}

/** Fetches the complete cells of the range from the server and returns their text. */
export async function fetchedText(
  name: TableName,
  view: RowView,
  columns: readonly GridColumn[],
  range: CellRange,
): Promise<string> {
  const copied = columnsIn(columns, range);
  const lines: (readonly Cell[])[] = [];
  const end = Math.min(range.lastRow + 1, range.firstRow + maxCopiedRows);
  for (let offset = range.firstRow; offset < end; offset += rowsPerCall) {
    const rows = await fetchWholeRows(name, view, offset, Math.min(rowsPerCall, end - offset));
    lines.push(...rows.map((cells) => copied.map(({ at }) => cells[at] ?? null)));
    if (rows.length === 0) break;
  }
  return printTsv(lines);
}

const columnsIn = (columns: readonly GridColumn[], range: CellRange): readonly GridColumn[] =>
  columns.slice(range.firstColumn - 1, range.lastColumn);

export interface Paste {
  readonly edits: readonly CellEdit[];
  /** The number of pasted lines that don't have a corresponding row in the table. */
  readonly left: number;
}

/** Returns the number of rows that a paste affects. */
export function pasteHeight(range: CellRange, text: string): number {
  const lines = parseTsv(text);
  return isOneCell(lines) ? range.lastRow - range.firstRow + 1 : lines.length;
}

const isOneCell = (lines: readonly (readonly Cell[])[]): boolean =>
  lines.length === 1 && lines[0]?.length === 1;

/**
 * Converts pasted text to edits. A single pasted cell fills the whole range. Several cells are pasted starting at the
 * first cell of the range. Cells that can't be edited are skipped.
 */
export function pasteEdits(
  rows: Rows,
  columns: readonly GridColumn[],
  range: CellRange,
  text: string,
): Paste {
  const lines = parseTsv(text);
  const [[only] = []] = lines;
  const isOne = isOneCell(lines);
  const height = isOne ? range.lastRow - range.firstRow + 1 : lines.length;
  const edits: CellEdit[] = [];
  let left = 0;
  for (let line = 0; line < height; line++) {
    const index = range.firstRow + line;
    const row = rows.row(index);
    if (row?.key === undefined) {
      left++;
      continue;
    }
    const width = isOne ? range.lastColumn - range.firstColumn + 1 : (lines[line]?.length ?? 0);
    for (let at = 0; at < width; at++) {
      const column = columns[range.firstColumn - 1 + at];
      if (column === undefined || !isEditable(column)) continue;
      const cell = isOne ? (only ?? null) : (lines[line]?.[at] ?? null);
      // In text from another program, an empty cell may mean NULL or an empty string. An empty cell is pasted as NULL
      // if the column is nullable.
      const change = cell === null && !column.nullable ? typedChange(column, '') : { value: cell };
      const seen = row.cut.includes(column.at) ? undefined : (row.cells[column.at] ?? null);
      edits.push({ key: row.key, column: column.name, index, change, seen });
    }
  }
  return { edits, left };
}
