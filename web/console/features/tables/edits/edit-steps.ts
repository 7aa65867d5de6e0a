/**
 * Represents cell edits as data. Determines how edits are grouped by row, how edits are undone, and how a completed
 * save changes edits that are waiting to be saved.
 */
import type { Cell, CellChange, EditedRow, RowKey } from '../../../api/types.ts';
import { keyText, valueIn } from '../cells.ts';

export interface CellEdit {
  readonly key: RowKey;
  readonly column: string;
  /** The row's index in the grid, which is needed to show a rejected edit. -1 if the row isn't shown. */
  readonly index: number;
  readonly change: CellChange;
  /** The value that the operator saw before editing. Undefined if the cell was truncated or not shown. */
  readonly seen: Cell | undefined;
  /**
   * The number of saves that had finished when the edit started. If undefined, the edit is assumed to take into account
   * all saves that have finished by the time the edit is saved.
   */
  readonly since?: number;
}

export interface RowOfEdits {
  readonly key: RowKey;
  readonly changes: Map<string, CellChange>;
  readonly seen: Map<string, Cell>;
}

/** The rows that a save returned, keyed by the key that they had before the save. */
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

/** Returns the edits that undo the given edits. */
export function stepBack(edits: readonly CellEdit[], made: Made): CellEdit[] {
  return edits.flatMap(({ key, column, index }) => {
    const done = made.get(keyText(key));
    if (done === undefined) return [];
    const change = { value: valueIn(done.before, column) };
    return [{ key: done.key, column, index, change, seen: valueIn(done.row, column) }];
  });
}

/**
 * Updates an edit for saves from this page that finished after the edit had started. The row may have a new key. If one
 * of these saves replaced the value that the operator saw, the expected value is replaced too.
 */
export function caughtUp({ since, ...edit }: CellEdit, saves: readonly Made[]): CellEdit {
  let { key, seen } = edit;
  for (const save of saves.slice(since ?? saves.length)) {
    const done = save.get(keyText(key));
    if (done === undefined) continue;
    key = done.key;
    if (seen !== undefined && Object.hasOwn(done.before, edit.column) && done.before[edit.column] === seen)
      seen = valueIn(done.row, edit.column);
  }
  return { ...edit, key, seen };
}
