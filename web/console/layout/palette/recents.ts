/** Stores the results that the operator has selected, newest first, in this browser. */
import type { Group, Item, SearchTarget } from './types.ts';

export interface Recent {
  readonly id: string;
  readonly group: Group;
  readonly title: string;
  readonly detail?: string;
  readonly target?: SearchTarget;
}

const key = (operator: string): string => `plinth-recent-${operator}`;
const maxRecents = 8;

export function readRecents(operator: string): readonly Recent[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key(operator)) ?? '[]');
    return Array.isArray(value) ? value.filter(isRecent) : [];
  } catch {
    return [];
  }
}

function isRecent(value: unknown): value is Recent {
  const { id, title, target } = (value ?? {}) as Partial<Recent>;
  return (
    typeof id === 'string' &&
    typeof title === 'string' &&
    (target === undefined || typeof target?.to === 'string')
  );
}

export function remember(operator: string, { id, group, title, detail, target }: Item): void {
  const chosen: Recent = {
    id,
    group,
    title,
    ...(detail === undefined ? {} : { detail }),
    ...(target === undefined ? {} : { target }),
  };
  const rest = readRecents(operator).filter((recent) => recent.id !== id);
  try {
    localStorage.setItem(key(operator), JSON.stringify([chosen, ...rest].slice(0, maxRecents)));
  } catch {
    // If browser storage is full or disabled, the selected results aren't stored.
  }
}
