/**
 * Reads rows for the grid. Cells contain PostgreSQL's text representation, or null for NULL. Long cells are truncated,
 * and the page requests the complete text when an operator opens or copies them.
 */
import type { Queryable } from '../../database/types.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import { ConsoleError } from '../errors.ts';
import type { Cursor, Filter, Page, Relation, RowKey, Sort } from './contract.ts';
import { columnOf, matching, where } from './core/filters.ts';
import { identifying, isRow, keyFrom, keyTexts } from './core/identity.ts';
import { beyond, type OrderItem, orderBy } from './core/order.ts';

/** The maximum number of characters of a cell in the grid. The side panel requests the complete cell. */
export const cellChars = 400;
/** Rows are counted only if the estimated cost is at most this value. Such a count takes a few milliseconds. */
const maxCountCost = 2000;
/** Counting stops above this number. The number of rows is then an estimate. */
const maxCountedRows = 10_000;
/** The maximum number of characters in a cursor's values. */
const cursorChars = 1000;

export interface PageQuery {
  readonly filters: readonly Filter[];
  readonly sort: readonly Sort[];
  readonly limit: number;
  /** The number of rows to skip after the cursor. Without a cursor, they are skipped from the beginning. */
  readonly offset: number;
  readonly after?: Cursor | undefined;
  readonly before?: Cursor | undefined;
  /** Whether cells are returned without truncation, so that they can be copied. */
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
  // Computes the cells only for rows on the page, not for skipped rows.
  const { rows } = await db.queryText(
    sql`select ${sql.join([...cells, ...marks, sql.raw('null')])} from (${inner}) as page`,
  );
  const page = rows.slice(0, query.limit);
  if (backwards) page.reverse();
  const more = backwards || rows.length > query.limit;
  const cut: [number, number][] = [];
  const marksAt = columns.length * 2;
  const cursorFrom = (row: readonly (string | null)[] | undefined): Cursor | null => {
    // Without a key, a cursor would skip other rows with the same sort values.
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

/** Returns expressions for a cell's text and for whether it was truncated. */
function cellOf(name: string, whole: boolean): Sql[] {
  const text = sql`${sql.id(name)}::text`;
  return whole
    ? [text, sql`false`]
    : [sql`left(${text}, ${cellChars}::int)`, sql`(length(${text}) > ${cellChars}::int)`];
}

/** Returns the requested order with the key appended, so that pages don't overlap. */
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
 * Whether rows are returned in physical order. This is the case for tables without a key if no sort order was
 * requested, because sorting by location would first read the whole table. With a filter, the order is unknown, because
 * an index could return the rows in another order.
 */
const isNatural = (relation: Relation, { sort, filters }: Pick<PageQuery, 'sort' | 'filters'>): boolean =>
  relation.key.kind === 'place' && sort.length === 0 && filters.length === 0;

function cursorCondition(order: readonly OrderItem[], cursor: Cursor, side: 'after' | 'before'): Sql {
  if (cursor.length !== order.length)
    throw new ConsoleError('bad_request', { message: "The cursor doesn't match this sort order." });
  return beyond(order, cursor, side);
}

/**
 * Estimates the number of rows from the plan without reading any. If reading all rows is cheap, counts them instead,
 * because the estimate is far off for a table that was never analyzed.
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
  // A foreign table's cost doesn't include the other server's time.
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
