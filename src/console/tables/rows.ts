/**
 * The row grid's statements. Cells travel as PostgreSQL's text, NULL as null; long ones are cut by the server and
 * fetched whole when somebody opens them. Everything runs as `postgres`, which owns the users' tables.
 */
import type { Queryable, Setting, TransactionOptions } from '../../database/types.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import { ConsoleError } from '../errors.ts';
import type { Relation } from './catalog.ts';

/** An operator waits no longer than this for rows or counts, and never keeps the database busy for longer. */
const statementTimeout: Setting = ['statement_timeout', '20000'];

/** Functions behind views and operators change nothing while somebody only looks. */
export const reading: TransactionOptions = { readOnly: true, settings: [statementTimeout] };
export const writing: TransactionOptions = { settings: [statementTimeout] };

/** Characters of a cell that the grid gets; the side panel asks for the rest. */
export const cellChars = 400;

export const filterOperators = {
  eq: '=',
  neq: '<>',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
  like: 'like',
  ilike: 'ilike',
} as const;

export const filterOperatorNames = [
  'eq',
  'neq',
  'gt',
  'gte',
  'lt',
  'lte',
  'like',
  'ilike',
  'contains',
  'is_null',
  'not_null',
] as const;

export interface Filter {
  readonly column: string;
  readonly operator: (typeof filterOperatorNames)[number];
  readonly value: string;
}

export interface Sort {
  readonly column: string;
  readonly ascending: boolean;
}

export interface Page {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
  /** `[row, column]` of each cell that was cut. */
  readonly cut: readonly (readonly [number, number])[];
  /** True when there are more rows behind this page. */
  readonly more: boolean;
  /** The planner's guess at all rows that match; only with the first page. */
  readonly estimate: number | null;
}

export async function readPage(
  db: Queryable,
  relation: Relation,
  query: {
    readonly filters: readonly Filter[];
    readonly sort: readonly Sort[];
    readonly limit: number;
    readonly offset: number;
  },
): Promise<Page> {
  const columns = relation.columns.map((column) => column.name);
  const matching = where(query.filters.map((filter) => condition(relation, filter)));
  const cells = relation.columns.flatMap(({ name }) => [
    sql`left(${column(relation, name)}::text, ${cellChars}::int)`,
    sql`(length(${column(relation, name)}::text) > ${cellChars}::int)`,
  ]);
  const { rows } = await db.queryText(sql`
    select ${cells.length > 0 ? sql.join(cells) : sql.raw('null')} from ${table(relation)}
    ${matching}
    ${orderBy(relation, query.sort)}
    limit ${query.limit + 1}::int offset ${query.offset}::bigint`);
  const more = rows.length > query.limit;
  const estimate =
    query.offset > 0
      ? null
      : more
        ? await estimateRows(db, relation, matching)
        : Math.min(rows.length, query.limit);
  const cut: [number, number][] = [];
  const page = rows.slice(0, query.limit).map((cells, row) =>
    columns.map((_name, index) => {
      if (cells[index * 2 + 1] === 't') cut.push([row, index]);
      return cells[index * 2] ?? null;
    }),
  );
  return { columns, rows: page, cut, more, estimate };
}

/** From the plan alone: no row is read. */
async function estimateRows(db: Queryable, relation: Relation, matching: Sql): Promise<number | null> {
  const { rows } = await db.queryText(
    sql`explain (format json) select 1 from ${table(relation)} ${matching}`,
  );
  const [plan] = JSON.parse(rows[0]?.[0] ?? '[]') as { Plan?: { 'Plan Rows'?: number } }[];
  return plan?.Plan?.['Plan Rows'] ?? null;
}

/** One row, uncut, by its primary key. */
export async function readRow(
  db: Queryable,
  relation: Relation,
  key: RowKey,
): Promise<Record<string, string | null> | undefined> {
  const names = relation.columns.map(({ name }) => name);
  const { rows } = await db.queryText(sql`
    select ${sql.join(names.map((name) => sql`${column(relation, name)}::text`))} from ${table(relation)}
    where ${keyCondition(relation, key)}`);
  const [row] = rows;
  return row && Object.fromEntries(names.map((name, index) => [name, row[index] ?? null]));
}

export async function countRows(
  db: Queryable,
  relation: Relation,
  filters: readonly Filter[],
): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::float8 as count from ${table(relation)} ${where(filters.map((filter) => condition(relation, filter)))}`);
  return row?.count ?? 0;
}

/** Values of the primary key's columns, as text. */
export type RowKey = Readonly<Record<string, string>>;
/** A new value as text, NULL, or the column's default. */
export type CellChange = { readonly value: string | null } | { readonly default: true };

/**
 * Changes one row if the cells in `seen` still hold what the operator saw; returns the row as it is afterwards.
 * @throws {ConsoleError} no_primary_key, conflict (with the row as it is now), not_changed, gone
 */
export async function updateRow(
  tx: Queryable,
  relation: Relation,
  key: RowKey,
  changes: Readonly<Record<string, CellChange>>,
  seen: Readonly<Record<string, string | null>>,
): Promise<Record<string, string | null>> {
  const names = Object.keys(changes);
  if (names.length === 0) throw new ConsoleError('bad_request', { message: 'Nothing was changed.' });
  const expected = Object.entries(seen).map(
    ([name, value]) => sql`${column(relation, name)}::text is not distinct from ${value}::text`,
  );
  const keys = keyNames(relation);
  const { rows } = await tx.queryText(sql`
    update ${table(relation)}
    set ${sql.join(names.map((name) => sql`${column(relation, name)} = ${newValue(changes[name])}`))}
    where ${sql.join([keyCondition(relation, key), ...expected], ' and ')}
    returning ${sql.join(keys.map((name) => sql`${column(relation, name)}::text`))}`);
  const [changed] = rows;
  if (changed === undefined) {
    const current = await readRow(tx, relation, key);
    if (current === undefined) throw new ConsoleError('gone');
    const differs = Object.entries(seen).some(([name, value]) => current[name] !== value);
    throw new ConsoleError(differs ? 'conflict' : 'not_changed', { current });
  }
  // Read again: triggers that run after the change may have changed the row once more.
  const moved = Object.fromEntries(keys.map((name, index) => [name, changed[index] ?? '']));
  const row = await readRow(tx, relation, moved);
  if (row === undefined) throw new ConsoleError('gone');
  return row;
}

/** Returns the row as the database made it. @throws {ConsoleError} not_changed */
export async function insertRow(
  tx: Queryable,
  relation: Relation,
  values: Readonly<Record<string, CellChange>>,
): Promise<Record<string, string | null>> {
  const names = Object.keys(values);
  const all = relation.columns.map(({ name }) => name);
  const columns =
    names.length > 0
      ? sql`(${sql.join(names.map((name) => column(relation, name)))}) values (${sql.join(names.map((name) => newValue(values[name])))})`
      : sql`default values`;
  const { rows } = await tx.queryText(sql`
    insert into ${table(relation)} ${columns} returning ${sql.join(all.map((name) => sql`${column(relation, name)}::text`))}`);
  const [row] = rows;
  if (row === undefined) throw new ConsoleError('not_changed');
  return Object.fromEntries(all.map((name, index) => [name, row[index] ?? null]));
}

/** All or none of them; returns how many there were. */
export async function deleteRows(
  tx: Queryable,
  relation: Relation,
  keys: readonly RowKey[],
): Promise<number> {
  const anyKey = sql.join(
    keys.map((key) => sql`(${keyCondition(relation, key)})`),
    ' or ',
  );
  const { rows } = await tx.queryText(sql`delete from ${table(relation)} where ${anyKey} returning 1`);
  return rows.length;
}

const table = (relation: Relation): Sql => sql.id(relation.schema, relation.name);

/** A column by name, only if the relation has it. */
function column(relation: Relation, name: string): Sql {
  if (!relation.columns.some((each) => each.name === name))
    throw new ConsoleError('bad_request', { message: `${relation.name} has no column ${name}.` });
  return sql.id(name);
}

function newValue(change: CellChange | undefined): Sql {
  if (change === undefined || 'default' in change) return sql.raw('default');
  return sql`${change.value}`;
}

const where = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? sql.empty : sql`where ${sql.join(conditions, ' and ')}`;

function condition(relation: Relation, { column: name, operator, value }: Filter): Sql {
  const left = column(relation, name);
  if (operator === 'is_null') return sql`${left} is null`;
  if (operator === 'not_null') return sql`${left} is not null`;
  if (operator === 'contains') return sql`strpos(lower(${left}::text), lower(${value}::text)) > 0`;
  const symbol = sql.raw(filterOperators[operator]);
  // Patterns are for text; other types are compared as text then.
  return operator === 'like' || operator === 'ilike'
    ? sql`${left}::text ${symbol} ${value}`
    : sql`${left} ${symbol} ${value}`;
}

/** What was asked for, then the primary key, so that pages do not overlap. */
function orderBy(relation: Relation, sort: readonly Sort[]): Sql {
  const keys = relation.columns.filter(
    (each) => each.primary_key && !sort.some(({ column: name }) => name === each.name),
  );
  const items = [
    ...sort.map(
      ({ column: name, ascending }) => sql`${column(relation, name)} ${sql.raw(ascending ? 'asc' : 'desc')}`,
    ),
    ...keys.map(({ name }) => sql`${column(relation, name)}`),
  ];
  return items.length === 0 ? sql.empty : sql`order by ${sql.join(items)}`;
}

function keyNames(relation: Relation): string[] {
  const names = relation.columns.filter((each) => each.primary_key).map(({ name }) => name);
  if (names.length === 0) throw new ConsoleError('no_primary_key');
  return names;
}

function keyCondition(relation: Relation, key: RowKey): Sql {
  return sql.join(
    keyNames(relation).map((name) => {
      const value = key[name];
      if (value === undefined) throw new ConsoleError('bad_request', { message: `The key lacks ${name}.` });
      return sql`${column(relation, name)} = ${value}`;
    }),
    ' and ',
  );
}
