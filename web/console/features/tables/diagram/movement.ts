/** Finds the table to which a key moves the focus. This module doesn't depend on React. */

import { idOf } from './graph.ts';
import type { PlacedEdge, PlacedTable } from './place.ts';

/**
 * The right arrow key moves to a referenced table, and the left arrow key to a table that references this one. If there
 * are several such tables, the closest one is chosen. The other keys move in the order of the names, so that every table
 * can be reached. Returns undefined if the key doesn't move the focus.
 */
export function nextTable(
  tables: readonly PlacedTable[],
  edges: readonly PlacedEdge[],
  current: string,
  key: string,
): string | undefined {
  const index = tables.findIndex(({ id }) => id === current);
  const last = tables.length - 1;
  switch (key) {
    case 'ArrowDown':
      return tables[Math.min(last, index + 1)]?.id;
    case 'ArrowUp':
      return tables[Math.max(0, index - 1)]?.id;
    case 'Home':
      return tables[0]?.id;
    case 'End':
      return tables[last]?.id;
    case 'ArrowRight':
    case 'ArrowLeft':
      return closest(tables, current, relatedTo(edges, current, key === 'ArrowRight')) ?? current;
    default:
      return undefined;
  }
}

function relatedTo(
  edges: readonly PlacedEdge[],
  current: string,
  isReferenced: boolean,
): ReadonlySet<string> {
  const ids = edges.flatMap(({ relationship: { from, to } }) => {
    const [start, end] = [idOf(from), idOf(to)];
    return isReferenced ? (start === current ? [end] : []) : end === current ? [start] : [];
  });
  return new Set(ids.filter((id) => id !== current));
}

function closest(
  tables: readonly PlacedTable[],
  current: string,
  ids: ReadonlySet<string>,
): string | undefined {
  const box = tables.find(({ id }) => id === current)?.box;
  if (box === undefined) return undefined;
  const distance = (table: PlacedTable): number => Math.hypot(table.box.x - box.x, (table.box.y - box.y) * 2);
  return tables.filter(({ id }) => ids.has(id)).toSorted((left, right) => distance(left) - distance(right))[0]
    ?.id;
}
