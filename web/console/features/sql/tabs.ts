/** Manages the queries that are open in this browser. Each draft is kept until its tab is closed. */
import { useSyncExternalStore } from 'react';
import type { QueryView, SavedQuery } from './api.ts';

export interface Tab {
  readonly id: string;
  /** The name of a saved query. */
  readonly name?: string;
  readonly text: string;
  /** The ID of the saved query that the tab was opened from or saved as. */
  readonly savedId?: string;
  /** The values of parameters, and the chart of each result. */
  readonly view?: QueryView;
  /** The text that a model has proposed. While the tab's text is the same, it runs in read-only mode. */
  readonly proposed?: string | undefined;
}

/** The content of a new tab. */
export type TabContent = Partial<Omit<Tab, 'id'>>;

export const contentOf = ({ id, name, text, view }: SavedQuery): TabContent => ({
  name,
  text,
  savedId: id,
  view,
});

const key = 'plinth-sql-tabs';
const listeners = new Set<() => void>();
let tabs: readonly Tab[] = read();

function read(): readonly Tab[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(value) ? value.filter(isTab) : [];
  } catch {
    return [];
  }
}

function isTab(value: unknown): value is Tab {
  const { id, name, text, savedId, view } = (value ?? {}) as Partial<Tab>;
  return (
    typeof id === 'string' &&
    typeof text === 'string' &&
    (name === undefined || typeof name === 'string') &&
    (savedId === undefined || typeof savedId === 'string') &&
    (view === undefined || (typeof view === 'object' && view !== null))
  );
}

function write(next: readonly Tab[]): void {
  tabs = next;
  try {
    localStorage.setItem(key, JSON.stringify(next));
  } catch {
    // If browser storage is full or disabled, drafts are lost when the page is closed.
  }
  for (const listener of listeners) listener();
}

// This event means that another Console window has changed the tabs, because all windows store the tabs under the same
// key.
addEventListener('storage', (event) => {
  if (event.key !== key) return;
  tabs = read();
  for (const listener of listeners) listener();
});

export const useTabs = (): readonly Tab[] =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => tabs,
  );

/** Opens a tab and returns its ID. */
export function openTab(content: TabContent = {}): string {
  const id = crypto.randomUUID().slice(0, 8);
  write([...tabs, { text: '', ...content, id }]);
  return id;
}

/** Changes a tab. Creates the tab if it doesn't exist, because a URL can refer to a tab from another browser. */
export function changeTab(id: string, change: Partial<Omit<Tab, 'id'>>): void {
  const known = tabs.some((tab) => tab.id === id);
  write(
    known
      ? tabs.map((tab) => (tab.id === id ? { ...tab, ...change } : tab))
      : [...tabs, { id, text: '', ...change }],
  );
}

/** Closes a tab and returns the ID of the tab to show next. */
export function closeTab(id: string): string | undefined {
  const index = tabs.findIndex((tab) => tab.id === id);
  const rest = tabs.filter((tab) => tab.id !== id);
  write(rest);
  return (rest[index] ?? rest[index - 1])?.id;
}
