/** Selects rows with the grid's checkboxes. */
import { useRef } from 'react';
import type { RowKey } from '../../../api/types.ts';
import { keyText } from '../cells.ts';
import type { Rows } from '../rows/use-rows.ts';

/** The maximum number of rows that the checkbox in the header selects. */
const maxSelected = 1000;

type Selected = ReadonlyMap<string, RowKey>;

export function useRowToggle(rows: Rows, selected: Selected, onSelect: (selected: Selected) => void) {
  const lastToggled = useRef<number>(undefined);
  const rowKeyAt = (index: number): RowKey | undefined => rows.row(index)?.key;

  /**
   * Selects or deselects a row. With `extend`, also changes all rows between this row and the row that was changed
   * last.
   */
  function toggle(index: number, extend: boolean): void {
    const key = rowKeyAt(index);
    if (key === undefined) return;
    const next = new Map(selected);
    const from = extend ? (lastToggled.current ?? index) : index;
    if (from === index && !next.delete(keyText(key))) next.set(keyText(key), key);
    for (let each = Math.min(from, index); from !== index && each <= Math.max(from, index); each++) {
      const between = rowKeyAt(each);
      if (between !== undefined) next.set(keyText(between), between);
    }
    lastToggled.current = index;
    onSelect(next);
  }

  /** Selects the first rows, or deselects all rows if there is a selection. */
  function toggleAll(): void {
    const next = new Map<string, RowKey>();
    const end = selected.size === 0 ? Math.min(rows.total.rows, maxSelected) : 0;
    for (let index = 0; index < end; index++) {
      const key = rowKeyAt(index);
      if (key !== undefined) next.set(keyText(key), key);
    }
    onSelect(next);
  }

  return { toggle, toggleAll };
}
