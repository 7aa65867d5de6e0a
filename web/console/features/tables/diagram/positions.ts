/**
 * Stores the positions of tables that the operator has moved, in the browser. The first move in a view stores the
 * positions of all of its tables, so that the diagram stays the same when the schema changes. This module doesn't depend
 * on React.
 */
import { type Box, bounds, type Point, type Size } from './geometry.ts';

const storageKey = 'plinth.diagram';
/** The number of views whose positions are kept. */
const maxViews = 20;

export type Positions = ReadonlyMap<string, Point>;

type StoredView = readonly [
  view: string,
  positions: readonly (readonly [id: string, x: number, y: number])[],
];

export function readPositions(view: string): Positions | undefined {
  const found = readViews().find(([name]) => name === view);
  return found && new Map(found[1].map(([id, x, y]) => [id, { x, y }]));
}

/** Stores the positions. Without positions, the view is arranged automatically again. */
export function keepPositions(view: string, positions: Positions | undefined): void {
  const others = readViews().filter(([name]) => name !== view);
  const stored: readonly StoredView[] =
    positions === undefined
      ? others
      : [
          [view, [...positions].map(([id, { x, y }]) => [id, Math.round(x), Math.round(y)] as const)],
          ...others,
        ];
  try {
    localStorage.setItem(storageKey, JSON.stringify(stored.slice(0, maxViews)));
  } catch {
    // Without browser storage, the tables are arranged automatically again on the next visit.
  }
}

function readViews(): readonly StoredView[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isView) : [];
  } catch {
    return [];
  }
}

const isView = (value: unknown): value is StoredView =>
  Array.isArray(value) &&
  typeof value[0] === 'string' &&
  Array.isArray(value[1]) &&
  value[1].every(
    (each: unknown) =>
      Array.isArray(each) &&
      typeof each[0] === 'string' &&
      Number.isFinite(each[1]) &&
      Number.isFinite(each[2]),
  );

const gap = 32;

/** Places the tables that were created after the positions were stored in a row below the other tables. */
export function withNewTables(
  stored: Positions,
  nodes: readonly (Size & { readonly id: string })[],
): Positions {
  const known = nodes.flatMap(({ id, ...size }): Box[] => {
    const point = stored.get(id);
    return point === undefined ? [] : [{ ...size, ...point }];
  });
  const box = bounds(known);
  const positions = new Map<string, Point>();
  let x = box.x;
  for (const { id, width } of nodes) {
    const point = stored.get(id);
    positions.set(id, point ?? { x, y: box.y + box.height + gap });
    if (point === undefined) x += width + gap;
  }
  return positions;
}
