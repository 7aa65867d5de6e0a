/** Cell edits as data: grouped by row, how they are undone, and how our own earlier saves affect waiting edits. */
import type { Cell, CellChange, EditedRow, RowKey } from '../../api/types.ts';
import { keyText } from './cells.ts';

export interface CellEdit {
  readonly key: RowKey;
  readonly column: string;
  /** The row's index in the grid, to show which edit was rejected. -1 if the row wasn't shown. */
  readonly index: number;
  readonly change: CellChange;
  /** The value that the operator saw. Undefined if the cell was truncated or not shown. */
  readonly seen: Cell | undefined;
  /**
   * The number of saves that were complete when the edit started. If undefined, the number at the time of the save is
   * used.
   */
  readonly since?: number;
}

export interface RowOfEdits {
  readonly key: RowKey;
  readonly changes: Map<string, CellChange>;
  readonly seen: Map<string, Cell>;
}

/** The result of a save: its rows by their former key. */
export type Made = ReadonlyMap<string, EditedRow>;

export function byRow(edits: readonly CellEdit[]): RowOfEdits[] {
  const rows = new Map<string, RowOfEdits>();
  for (const { key, column, change, seen } of edits) {
    const row = rows.get(keyText(key)) ?? { key, changes: new Map(), seen: new Map() };
    row.changes.set(column, change);
    if (seen !== undefined) row.seen.set(column, seen);
    rows.set(keyText(key), row);
  }
  return [...rows.values()];
}

/** Returns the edits that restore the previous values. */
export function stepBack(edits: readonly CellEdit[], made: Made): CellEdit[] {
  return edits.flatMap(({ key, column, index }) => {
    const done = made.get(keyText(key));
    if (done === undefined) return [];
    const change = { value: done.before[column] ?? null };
    return [{ key: done.key, column, index, change, seen: done.row[column] ?? null }];
  });
}

/**
 * Adjusts an edit that started before some of our own saves had returned: its row may have a new key, and only our own
 * save replaced the value that the operator saw.
 */
export function caughtUp({ since, ...edit }: CellEdit, saves: readonly Made[]): CellEdit {
  let { key, seen } = edit;
  for (const save of saves.slice(since ?? saves.length)) {
    const done = save.get(keyText(key));
    if (done === undefined) continue;
    key = done.key;
    if (seen !== undefined && edit.column in done.before && done.before[edit.column] === seen)
      seen = done.row[edit.column] ?? null;
  }
  return { ...edit, key, seen };
}
