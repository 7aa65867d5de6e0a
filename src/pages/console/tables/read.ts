/**
 * Reads rows for the grid. Cells contain PostgreSQL's text representation, or null for NULL. Long cells are truncated.
 * The page requests the complete text when an operator opens or copies such a cell.
 */

import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import { ConsoleError } from '../errors.ts';
import type { Cursor, Filter, Page, Relation, RowKey, Sort } from './contract.ts';
import { columnOf, identifying, isRow, keyFrom, keyTexts, matching, where } from './core/filters.ts';
import { beyond, type OrderItem, orderBy } from './core/order.ts';

/** The maximum number of characters in a cell of the grid. The side panel requests the complete text of the cell. */
export const cellChars = 400;
/**
 * The maximum estimated cost of counting rows. If counting is more expensive, the number of rows is estimated. Counting
 * rows at this cost takes a few milliseconds.
 */
const maxCountCost = 2000;
/** The maximum number of rows that are counted. If there are more rows, their number is an estimate. */
const maxCountedRows = 10_000;
/** The maximum number of characters in the values of a cursor. */
const cursorChars = 1000;

export interface PageQuery {
  readonly filters: readonly Filter[];
  readonly sort: readonly Sort[];
  readonly limit: number;
  /** The number of rows to skip after the cursor. Without a cursor, the rows are skipped from the beginning. */
  readonly offset: number;
  readonly after?: Cursor | undefined;
  readonly before?: Cursor | undefined;
  /** Whether cells are returned complete, so that they can be copied. */
  readonly whole?: boolean | undefined;
}

export async function readPage(db: Queryable, relation: Relation, query: PageQuery): Promise<Page> {
  const columns = relation.columns.map((column) => column.name);
  const order = orderOf(relation, query.sort);
  const natural = isNatural(relation, query);
  const matches = matching(relation, query.filters);
  const backwards = query.before !== undefined;
  const cursor = query.before ?? query.after;
  const start = cursor && cursorCondition(order, cursor, backwards ? 'before' : 'after');
  const isByCtid = relation.key.kind === 'place';
  const cells = columns.flatMap((name) => cellOf(name, query.whole === true));
  const marks = [
    ...order.map(({ column }) => sql`left(${sql.id(column)}::text, ${cursorChars + 1}::int)`),
    ...(isByCtid ? [keyTexts(relation)] : []),
  ];
  const inner = sql`select ${isByCtid ? sql.raw('ctid, xmin, *') : sql.raw('*')} from ${table(relation)}
    ${where(matches, start)} ${natural ? sql.empty : orderBy(order, backwards)}
    limit ${query.limit + 1}::int offset ${query.offset}::bigint`;
  // The cells are computed only for the rows on the page, not for skipped rows.
  const { rows } = await db.queryText(
    sql`select ${sql.join([...cells, ...marks, sql.raw('null')])} from (${inner}) as page`,
  );
  const page = rows.slice(0, query.limit);
  if (backwards) page.reverse();
  const more = backwards || rows.length > query.limit;
  const cut: [number, number][] = [];
  const marksAt = columns.length * 2;
  const cursorFrom = (row: readonly (string | null)[] | undefined): Cursor | null => {
    // If the relation has no key, returns no cursor, because a cursor would skip other rows with the same sort values.
    if (row === undefined || relation.key.kind === 'none') return null;
    const values = row.slice(marksAt, marksAt + order.length);
    return values.some((value) => value !== null && value.length > cursorChars) ? null : values;
  };
  return {
    columns,
    rows: page.map((row, at) =>
      columns.map((_name, index) => {
        if (row[index * 2 + 1] === 't') cut.push([at, index]);
        return row[index * 2] ?? null;
      }),
    ),
    cut,
    keys: isByCtid ? page.map((row) => keyFrom(relation, row.slice(marksAt + order.length))) : null,
    first: natural ? null : cursorFrom(page[0]),
    last: cursorFrom(page.at(-1)),
    more,
    ...(query.offset > 0 || cursor !== undefined
      ? { estimate: null, isExact: false }
      : more
        ? await estimateRows(db, relation, where(matches))
        : { estimate: page.length, isExact: true }),
  };
}

/** Returns two expressions: the text of a cell, and whether the text was truncated. */
function cellOf(name: string, whole: boolean): Sql[] {
  const text = sql`${sql.id(name)}::text`;
  return whole
    ? [text, sql`false`]
    : [sql`left(${text}, ${cellChars}::int)`, sql`(length(${text}) > ${cellChars}::int)`];
}

/** Returns the requested order followed by the key columns, so that pages don't overlap. */
export function orderOf(relation: Relation, sort: readonly Sort[]): OrderItem[] {
  const item = (column: string, ascending: boolean): OrderItem => ({
    column,
    ascending,
    nullable: relation.columns.find(({ name }) => name === column)?.nullable ?? false,
  });
  for (const { column } of sort) columnOf(relation, column);
  const rest =
    relation.key.kind === 'place'
      ? ['ctid']
      : identifying(relation).filter((name) => !sort.some(({ column }) => column === name));
  return [
    ...sort.map(({ column, ascending }) => item(column, ascending)),
    ...rest.map((name) => item(name, true)),
  ];
}

/**
 * Whether rows are returned in the order in which they are stored. A table without a key is read in this way if no sort
 * order was requested, because sorting by location would require reading the whole table first. With a filter, the
 * order is unknown, because PostgreSQL may use an index that returns the rows in a different order.
 */
const isNatural = (relation: Relation, { sort, filters }: Pick<PageQuery, 'sort' | 'filters'>): boolean =>
  relation.key.kind === 'place' && sort.length === 0 && filters.length === 0;

function cursorCondition(order: readonly OrderItem[], cursor: Cursor, side: 'after' | 'before'): Sql {
  if (cursor.length !== order.length)
    throw new ConsoleError('bad_request', { message: "The cursor doesn't match this sort order." });
  return beyond(order, cursor, side);
}

/**
 * Estimates the number of rows from the query plan without reading any rows. If reading all rows is cheap, counts them
 * instead, because the estimate is very inaccurate for tables that were never analyzed.
 */
async function estimateRows(
  db: Queryable,
  relation: Relation,
  condition: Sql,
): Promise<Pick<Page, 'estimate' | 'isExact'>> {
  const from = sql`from ${table(relation)} ${condition}`;
  const { rows } = await db.queryText(sql`explain (format json) select 1 ${from}`);
  const [plan] = JSON.parse(rows[0]?.[0] ?? '[]') as {
    Plan?: { 'Plan Rows'?: number; 'Total Cost'?: number };
  }[];
  const estimate = plan?.Plan?.['Plan Rows'] ?? null;
  const cost = plan?.Plan?.['Total Cost'] ?? Number.POSITIVE_INFINITY;
  // The estimated cost for a foreign table doesn't include the time that the other server needs.
  if (cost > maxCountCost || relation.kind === 'foreign table') return { estimate, isExact: false };
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from (select ${from} limit ${maxCountedRows + 1}::int) counted`);
  const count = row?.count ?? 0;
  return count > maxCountedRows
    ? { estimate: Math.max(count, estimate ?? 0), isExact: false }
    : { estimate: count, isExact: true };
}

/** Reads a single row without truncating its cells. */
export async function readRow(
  db: Queryable,
  relation: Relation,
  key: RowKey,
): Promise<Record<string, string | null> | undefined> {
  const names = relation.columns.map(({ name }) => name);
  const { rows } = await db.queryText(sql`
    select ${sql.join(names.map((name) => sql`${sql.id(name)}::text`))} from ${table(relation)}
    where ${isRow(relation, key)}`);
  const [row] = rows;
  return row && Object.fromEntries(names.map((name, index) => [name, row[index] ?? null]));
}

export async function countRows(
  db: Queryable,
  relation: Relation,
  filters: readonly Filter[],
): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::float8 as count from ${table(relation)} ${where(matching(relation, filters))}`);
  return row?.count ?? 0;
}

export const table = (relation: Relation): Sql => sql.id(relation.schema, relation.name);
