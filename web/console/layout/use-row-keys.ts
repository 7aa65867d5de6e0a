/**
 * In tables of links, buttons and checkboxes, the up and down arrow keys move to the same control in another row.
 * Keyboard users then don't have to pass every control with Tab. The grid handles its own keys.
 */
import { useEffect } from 'react';

const controls = 'a[href], button:enabled, input[type=checkbox]:enabled';
const elsewhere = '[role=grid], [role=menu], [role=tablist], [aria-haspopup]';

export function useRowKeys(): void {
  useEffect(() => {
    document.addEventListener('keydown', moveToRow);
    return () => document.removeEventListener('keydown', moveToRow);
  }, []);
}

function moveToRow(event: KeyboardEvent): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  const isPlain = !(event.ctrlKey || event.metaKey || event.altKey || event.shiftKey);
  const control = event.target;
  if (step === 0 || !isPlain || event.defaultPrevented || !(control instanceof HTMLElement)) return;
  if (!control.matches(controls) || control.closest(elsewhere) !== null) return;
  const row = control.closest('tr');
  const index = row === null ? -1 : controlsIn(row).indexOf(control);
  for (let next = sibling(row, step); next !== null; next = sibling(next, step)) {
    const all = controlsIn(next);
    const target = all[index] ?? all.at(-1);
    if (target === undefined) continue;
    event.preventDefault();
    target.focus();
    return;
  }
}

const controlsIn = (row: Element): HTMLElement[] => [...row.querySelectorAll<HTMLElement>(controls)];

const sibling = (row: Element | null, step: number): Element | null =>
  (step > 0 ? row?.nextElementSibling : row?.previousElementSibling) ?? null;
