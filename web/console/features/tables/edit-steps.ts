/** Edits of cells as data: by row, how they are taken back, and what our own earlier ones did to those that waited. */
import type { Cell, CellChange, EditedRow, RowKey } from '../../api/types.ts';
import { keyText } from './cells.ts';

export interface CellEdit {
  readonly key: RowKey;
  readonly column: string;
  /** Of the row in the grid, to tell which one was refused; -1 where nobody looked at it. */
  readonly index: number;
  readonly change: CellChange;
  /** What the operator saw there; undefined: the cell was cut, or not looked at. */
  readonly seen: Cell | undefined;
  /** How many saves the operator could see when they began; without it, those done by the time of the save. */
  readonly since?: number;
}

export interface RowOfEdits {
  readonly key: RowKey;
  readonly changes: Map<string, CellChange>;
  readonly seen: Map<string, Cell>;
}

/** What one save made of its rows, by the name that each had before. */
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

/** The edits that bring back what was there. */
export function stepBack(edits: readonly CellEdit[], made: Made): CellEdit[] {
  return edits.flatMap(({ key, column, index }) => {
    const done = made.get(keyText(key));
    if (done === undefined) return [];
    const change = { value: done.before[column] ?? null };
    return [{ key: done.key, column, index, change, seen: done.row[column] ?? null }];
  });
}

/**
 * An edit that was begun before some of our own saves (all there were) had come back: its row may have another name now,
 * and what was seen in its cell was replaced by nobody else.
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
