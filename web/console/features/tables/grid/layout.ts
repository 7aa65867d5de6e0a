/** Computes the sizes in the grid in pixels, and which rows and columns are rendered. */
import type { Density } from './columns.ts';

export const rowHeights: Readonly<Record<Density, number>> = { comfortable: 33, compact: 26 };
export const headHeight = 36;
export const boxWidth = 40;

/** Adds the focused item to the rendered items, because removing the item would lose the focus. */
export function withItem(items: number[], index: number, count: number): number[] {
  if (index < 0 || index >= count || items.includes(index)) return items;
  return [...items, index].sort((left, right) => left - right);
}

export function shownIndexes(
  { first, last, overscan }: { first: number; last: number; overscan: number },
  total: number,
  active: number,
): number[] {
  const indexes: number[] = [];
  const end = Math.min(total - 1, last + overscan);
  for (let index = Math.max(0, first - overscan); index <= end; index++) indexes.push(index);
  return withItem(indexes, active, total);
}
