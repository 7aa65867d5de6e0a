/** Manages whether the list of tables is shown next to an open table. The choice is stored in the browser. */
import { useSyncExternalStore } from 'react';

const key = 'plinth.table-list';
const hidden = 'hidden';
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const isShown = (): boolean => localStorage.getItem(key) !== hidden;

export function useListVisibility(): readonly [isShown: boolean, show: (isShown: boolean) => void] {
  return [useSyncExternalStore(subscribe, isShown), show];
}

function show(next: boolean): void {
  if (next) localStorage.removeItem(key);
  else localStorage.setItem(key, hidden);
  for (const listener of listeners) listener();
}
