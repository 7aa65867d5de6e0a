/** Manages the cell that is being edited in place. */
import { useState } from 'react';
import type { Cell, CellChange, RowKey } from '../../../../api/types.ts';
import { collectTyped } from '../../../../components/keyboard/typed-ahead.ts';
import { editorOf, isEditable, isStructured, toggled } from '../../cells.ts';
import type { Edits } from '../../edits/use-edits.ts';
import type { Rows } from '../../rows/use-rows.ts';
import type { GridColumn } from '../columns.ts';
import type { Position } from '../movement.ts';

export interface Editing extends Position {
  readonly typed: string | undefined;
  /** The row's key. The key is stored because a different row may be at this position when the edit is saved. */
  readonly key: RowKey;
  readonly seen: Cell;
  /** The value in the cell, which may still be waiting to be saved. */
  readonly value: Cell;
  readonly since: number;
  readonly isPopup: boolean;
}

export function useCellEdit({
  columns,
  rows,
  edits,
  canWrite,
  onOpen,
}: {
  columns: readonly GridColumn[];
  rows: Rows;
  edits: Edits;
  canWrite: boolean;
  /** Opens the panel of a row and scrolls to a column. */
  onOpen: (key: RowKey, column: string) => void;
}) {
  const [editing, setEditing] = useState<Editing>();

  /** Starts an edit in the cell, or in the panel if the value doesn't fit on one line. */
  function begin(position: Position, typed?: string): void {
    const column = columns[position.column - 1];
    const row = rows.row(position.row);
    if (column === undefined || row?.key === undefined) return;
    const { key } = row;
    const seen = row.cells[column.at] ?? null;
    const kind = editorOf(column, seen, row.cut.includes(column.at));
    if (!canWrite || !isEditable(column) || kind === 'panel') {
      onOpen(key, column.name);
      return;
    }
    const change = edits.pending(key)?.get(column.name);
    const value = change !== undefined && 'value' in change ? change.value : seen;
    const replaced = kind === 'text' || !isStructured(column) ? typed : undefined;
    if (kind === 'popup') collectTyped();
    setEditing({
      ...position,
      typed: kind === 'choice' ? undefined : replaced,
      key,
      seen,
      value,
      since: edits.count(),
      isPopup: kind === 'popup',
    });
  }

  /** Changes a boolean to its next value. */
  function toggle(position: Position): void {
    const column = columns[position.column - 1];
    const row = rows.row(position.row);
    if (!canWrite || column === undefined || row?.key === undefined || !isEditable(column)) return;
    const seen = row.cells[column.at] ?? null;
    const change = edits.pending(row.key)?.get(column.name);
    const value = change !== undefined && 'value' in change ? change.value : seen;
    const edit = { key: row.key, column: column.name, index: position.row, seen };
    void edits.save([{ ...edit, change: { value: toggled(column, value) } }]);
  }

  /** Saves the change. Returns the position of the edited cell, or undefined if the cell no longer exists. */
  function save(change: CellChange): Position | undefined {
    setEditing(undefined);
    const column = editing && columns[editing.column - 1];
    if (editing === undefined || column === undefined) return undefined;
    const { key, row: index, seen, since } = editing;
    void edits.save([{ key, column: column.name, index, change, seen, since }]);
    return editing;
  }

  return { editing, begin, toggle, save, cancel: (): void => setEditing(undefined) };
}
