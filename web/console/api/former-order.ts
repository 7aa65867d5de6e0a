/** Keeps the rows of a table without a primary key in place when the table is read again. */
import { hashKey } from '@tanstack/react-query';
import type { RowPage } from './types.ts';

/**
 * Returns the page `after` with its rows in the order of the page `before`. A table without a primary key is read in
 * storage order, and every update moves the row in that order. New rows replace missing rows, because an update also
 * changes a row's identifier. Pages of tables with a primary key are returned unchanged.
 */
export function inFormerOrder(before: RowPage | undefined, after: RowPage): RowPage {
  const { keys } = after;
  if (before?.keys == null || keys === null) return after;
  const indexes = new Map(keys.map((key, index) => [hashKey([key]), index]));
  const known = before.keys.map((key) => indexes.get(hashKey([key])));
  const isKnown = new Set(known);
  const added = after.rows.flatMap((_row, index) => (isKnown.has(index) ? [] : [index]));
  const order = known.flatMap((index) => index ?? added.shift() ?? []);
  order.push(...added);
  const places = new Map(order.map((index, place) => [index, place]));
  return {
    ...after,
    rows: order.flatMap((index) => after.rows.slice(index, index + 1)),
    keys: order.flatMap((index) => keys.slice(index, index + 1)),
    cut: after.cut.map(([index, column]) => [places.get(index) ?? index, column] as const),
  };
}
