/**
 * Determines the order of the rows in the grid, and where each page begins. Pages are found by keyset cursors, so page
 * 1000 loads as fast as page 1. OFFSET is used only if the operator skips pages.
 */
import { type Sql, sql } from '../../../../base/kernel/sql.ts';
import type { Cursor } from '../contract.ts';

export interface OrderItem {
  readonly column: string;
  readonly ascending: boolean;
  readonly nullable: boolean;
}

/**
 * Returns an ORDER BY clause. NULLs have the position that they have by default in PostgreSQL: last in ascending order,
 * first in descending order.
 */
export function orderBy(order: readonly OrderItem[], reverse = false): Sql {
  if (order.length === 0) return sql.empty;
  const items = order.map(
    ({ column, ascending }) => sql`${sql.id(column)} ${sql.raw(ascending === reverse ? 'desc' : 'asc')}`,
  );
  return sql`order by ${sql.join(items)}`;
}

/**
 * Returns a condition that selects the rows after or before a cursor. The condition is a row comparison if possible,
 * because PostgreSQL can then begin an index scan at the cursor.
 */
export function beyond(order: readonly OrderItem[], cursor: Cursor, side: 'after' | 'before'): Sql {
  const items = order.map((item, index) => ({
    name: sql.id(item.column),
    value: cursor[index] ?? null,
    // In ascending order, the rows that come later have larger values.
    larger: item.ascending === (side === 'after'),
    nullable: item.nullable,
  }));
  const [first] = items;
  if (first === undefined) return sql`false`;
  const isPlain = items.every(({ larger, nullable }) => larger === first.larger && !nullable);
  if (isPlain) {
    const names = sql.join(items.map(({ name }) => name));
    const values = sql.join(items.map(({ value }) => sql`${value}`));
    return sql`(${names}) ${sql.raw(first.larger ? '>' : '<')} (${values})`;
  }
  const steps = items.map((item, index) => {
    const same = items
      .slice(0, index)
      .map(({ name, value }) => (value === null ? sql`${name} is null` : sql`${name} = ${value}`));
    return sql`(${sql.join([...same, further(item)], ' and ')})`;
  });
  return sql`(${sql.join(steps, ' or ')})`;
}

/** Returns the condition for a single sort column. NULL is treated as larger than every value. */
function further(item: { name: Sql; value: string | null; larger: boolean; nullable: boolean }): Sql {
  const { name, value, larger, nullable } = item;
  if (value === null) return larger ? sql`false` : sql`${name} is not null`;
  if (!larger) return sql`${name} < ${value}`;
  return nullable ? sql`(${name} > ${value} or ${name} is null)` : sql`${name} > ${value}`;
}
