/** Represents edits that are collected before they are saved together. */
import type { CellChange, RowKey } from '../../../api/types.ts';
import { keyText, sameChange } from '../cells.ts';
import type { CellEdit } from './edit-steps.ts';

export interface Staging {
  readonly isOn: boolean;
  /** Turns the collecting of edits on or off. Unsaved edits must be saved or discarded first. */
  turn(isOn: boolean): void;
  readonly cells: number;
  readonly rows: number;
  readonly isSaving: boolean;
  /** Whether the row has unsaved edits that aren't being saved. */
  has(key: RowKey): boolean;
  /** Saves all edits, or none of them if the server rejects an edit. */
  saveAll(): Promise<void>;
  discardAll(): void;
  /** Discards the edit of a cell. Returns whether there was one. */
  discard(key: RowKey, column: string): boolean;
}

type CellPlace = Pick<CellEdit, 'key' | 'column'>;

const cellText = ({ key, column }: CellPlace): string => JSON.stringify([keyText(key), column]);

export const isSameCell = (one: CellPlace, other: CellPlace): boolean => cellText(one) === cellText(other);

/**
 * Adds edits to the collected ones. A later edit of a cell replaces the earlier one, but still expects the value that
 * the operator saw first. An edit that restores this value removes the cell.
 */
export function withEdits(staged: readonly CellEdit[], edits: readonly CellEdit[]): readonly CellEdit[] {
  const cells = new Map(staged.map((edit) => [cellText(edit), edit]));
  for (const edit of edits) {
    const id = cellText(edit);
    const earlier = cells.get(id);
    const merged = earlier === undefined ? edit : { ...earlier, change: edit.change };
    const isRestored = merged.seen !== undefined && sameChange(merged.change, merged.seen);
    if (isRestored) cells.delete(id);
    else cells.set(id, merged);
  }
  return [...cells.values()];
}

export const withoutRow = (
  staged: readonly CellEdit[],
  { key }: Pick<CellEdit, 'key'>,
): readonly CellEdit[] => staged.filter((each) => keyText(each.key) !== keyText(key));

/** Replaces collected edits, for example after the operator has seen the values that they conflict with. */
export function withReplaced(staged: readonly CellEdit[], edits: readonly CellEdit[]): readonly CellEdit[] {
  const replacing = new Map(edits.map((edit) => [cellText(edit), edit]));
  return staged.map((each) => replacing.get(cellText(each)) ?? each);
}

/** Returns the new values by row key and column. */
export function changesByRow(
  staged: readonly CellEdit[],
): ReadonlyMap<string, ReadonlyMap<string, CellChange>> {
  const rows = new Map<string, Map<string, CellChange>>();
  for (const { key, column, change } of staged) {
    const id = keyText(key);
    rows.set(id, (rows.get(id) ?? new Map<string, CellChange>()).set(column, change));
  }
  return rows;
}
