/** Moves the focus from the list of tables to the rows of a table and back. */
import { type RefObject, useLayoutEffect } from 'react';
import type { TableName } from '../../../api/queries.ts';
import type { Relation } from '../../../api/types.ts';

let awaited: TableName | undefined;
let abort: AbortController | undefined;

/**
 * Focuses the first cell of a table as soon as its rows are shown. The next key press or click cancels the focus
 * change, so that a field in which the operator is already typing keeps the focus.
 */
export function focusRowsOf(table: TableName): void {
  forget();
  awaited = table;
  abort = new AbortController();
  const options = { capture: true, signal: abort.signal };
  for (const type of ['keydown', 'pointerdown']) document.addEventListener(type, forget, options);
}

/** Calls `onFocus` when the rows of the table should receive focus. */
export function useRowsFocus(
  grid: RefObject<HTMLElement | null>,
  { schema, name }: Relation,
  onFocus: () => void,
): void {
  useLayoutEffect(() => {
    if (awaited?.schema !== schema || awaited.table !== name) return;
    // While a dialog is open, the page can't have focus.
    if (grid.current?.closest('[inert]') !== null) return;
    forget();
    onFocus();
  });
}

/** Focuses the active cell of the table that is shown. Returns false if no rows are shown. */
export function focusShownRows(): boolean {
  const cell = document.querySelector<HTMLElement>('[role=grid] [data-cell][tabindex="0"]');
  cell?.focus();
  return cell !== null;
}

/** Focuses the table's entry in the list, if the list is shown. */
export function focusListEntry(): void {
  document.querySelector<HTMLElement>(':has(+ [data-details]) [aria-current=page]')?.focus();
}

function forget(): void {
  abort?.abort();
  awaited = undefined;
}
