/** Reads PostgreSQL's statistics as `postgres`. The role `postgres` can read all statistics, but isn't a superuser. */

import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import { ownMark } from '../mark-statements.ts';
import type { ActivityRow, StatementDetails, StatementOrder, StatementRow } from './contract.ts';
import type { TableColumns } from './core/index-for.ts';

export const maxStatements = 200;
const listedChars = 300;
/** The number of characters at the beginning of a statement that are used to create the statement's outline. */
const outlinedChars = 5000;
/**
 * The minimum number of rows in a table that is considered large. Reading a smaller table completely is as fast as
 * using an index.
 */
const bigTableRows = 10_000;

/** The database roles that Plinth's services use. */
export const serviceRoles = '^(supabase_|authenticator$|pgbouncer$)';
/**
 * Matches statements that Plinth itself runs: for the Console, for schema caches, and to begin or end a transaction.
 */
export const ownText =
  '\\m(pg_catalog|information_schema|pg_class|pg_stat_statements|pg_stat_activity|_plinth|plinth_plan)\\M' +
  `|/\\* ${ownMark} \\*/` +
  '|^\\s*(begin|commit|rollback|savepoint|release|discard|deallocate|set|show)\\M|^\\s*select (pg_catalog\\.)?set_config\\(';

export async function hasStatistics(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>(sql`
    select pg_catalog.to_regclass('extensions.pg_stat_statements') is not null as found`);
  return row?.found ?? false;
}

/** Returns when the statistics were last reset. Returns null if the PostgreSQL server doesn't record this time. */
export async function resetTime(db: Queryable): Promise<string | null> {
  const [row] = await db.query<{ at: string | null }>(sql`
    select pg_catalog.to_char(stats_reset at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as at
    from extensions.pg_stat_statements_info`);
  return row?.at ?? null;
}

/**
 * The statistics, with one row for each combination of statement and role. Nested calls of a statement are included
 * because their text is the same.
 */
const grouped = sql`
  select s.queryid::text as id, pg_catalog.pg_get_userbyid(s.userid)::text as role, min(s.query) as text,
    sum(s.calls)::float8 as calls, sum(s.total_exec_time) as "totalMs",
    sum(s.total_exec_time) / nullif(sum(s.calls), 0) as "meanMs", max(s.max_exec_time) as "maxMs",
    min(s.min_exec_time) as "minMs", max(s.stddev_exec_time) as "stddevMs", sum(s.rows)::float8 as rows,
    coalesce(sum(s.total_exec_time) / nullif(sum(sum(s.total_exec_time)) over (), 0), 0) as share,
    sum(s.shared_blks_hit)::float8 / nullif(sum(s.shared_blks_hit + s.shared_blks_read), 0)::float8 as "cacheHits",
    (sum(s.temp_blks_written) * pg_catalog.current_setting('block_size')::int)::float8 as "temporaryBytes",
    sum(s.wal_bytes)::float8 as "walBytes"
  from extensions.pg_stat_statements s
  where s.dbid = (select oid from pg_catalog.pg_database where datname = pg_catalog.current_database())
  group by s.queryid, s.userid`;

const orders: Readonly<Record<StatementOrder, string>> = {
  total: '"totalMs"',
  mean: '"meanMs"',
  calls: 'calls',
  rows: 'rows',
  max: '"maxMs"',
};

export interface StatementFilter {
  readonly order: StatementOrder;
  readonly search?: string | undefined;
  readonly role?: string | undefined;
  readonly services: boolean;
  readonly minCalls?: number | undefined;
}

export interface ListedStatement extends Omit<StatementRow, 'outline'> {
  /** The beginning of the original text. */
  readonly head: string;
}

export function listStatements(db: Queryable, filter: StatementFilter): Promise<ListedStatement[]> {
  const conditions: Sql[] = [sql`true`];
  if (filter.search !== undefined)
    conditions.push(sql`pg_catalog.strpos(lower(g.text), lower(${filter.search})) > 0`);
  if (filter.role !== undefined) conditions.push(sql`g.role = ${filter.role}`);
  else if (!filter.services) conditions.push(sql`g.role !~ ${serviceRoles}`);
  if (!filter.services) conditions.push(sql`g.text !~* ${ownText}`);
  if (filter.minCalls !== undefined) conditions.push(sql`g.calls >= ${filter.minCalls}::int`);
  return db.query<ListedStatement>(sql`
    select g.id, g.role, pg_catalog.left(pg_catalog.regexp_replace(g.text, '\\s+', ' ', 'g'), ${listedChars}) as text,
      pg_catalog.left(g.text, ${outlinedChars}) as head,
      g.calls, g."totalMs", g."meanMs", g."maxMs", g."minMs", g."stddevMs", g.rows, g.share, g."cacheHits"
    from (${grouped}) as g
    where ${sql.join(conditions, ' and ')}
    order by ${sql.raw(orders[filter.order])} desc nulls last, g.id limit ${maxStatements}`);
}

export async function statementRoles(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ role: string }>(sql`
    select distinct pg_catalog.pg_get_userbyid(s.userid)::text as role from extensions.pg_stat_statements s order by 1`);
  return rows.map(({ role }) => role);
}

export async function findStatement(
  db: Queryable,
  { id, role }: { readonly id: string; readonly role: string },
): Promise<Omit<StatementDetails, 'hasPlan'> | undefined> {
  const [row] = await db.query<Omit<StatementDetails, 'hasPlan'>>(sql`
    select * from (${grouped}) as g where g.id = ${id} and g.role = ${role}`);
  return row;
}

export async function resetStatistics(db: Queryable): Promise<void> {
  await db.query(sql`
    select extensions.pg_stat_statements_reset(0, d.oid, 0)
    from pg_catalog.pg_database d where d.datname = pg_catalog.current_database()`);
}

export function listActivity(db: Queryable): Promise<Omit<ActivityRow, 'outline'>[]> {
  return db.query<Omit<ActivityRow, 'outline'>>(sql`
    select a.pid, pg_catalog.to_char(a.backend_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as began,
      coalesce(a.usename::text, '') as role, a.application_name as program, coalesce(a.state, '') as state,
      case when a.state = 'active' then a.wait_event_type || ': ' || a.wait_event end as "waitsFor",
      case when a.state = 'active' then
        extract(epoch from pg_catalog.clock_timestamp() - a.query_start)::float8 * 1000 end as "statementMs",
      extract(epoch from pg_catalog.clock_timestamp() - a.xact_start)::float8 * 1000 as "transactionMs",
      pg_catalog.pg_blocking_pids(a.pid) as "blockedBy", a.query as text
    from pg_catalog.pg_stat_activity a
    where a.datname = pg_catalog.current_database() and a.backend_type = 'client backend'
      and a.pid <> pg_catalog.pg_backend_pid() and a.state <> 'idle'
    order by a.xact_start nulls last, a.pid limit 200`);
}

/**
 * Signals a session. Returns false if the session has ended or if its process ID now belongs to a different session.
 */
export async function signalSession(
  db: Queryable,
  signal: 'cancel' | 'terminate',
  { pid, began }: { readonly pid: number; readonly began: string },
): Promise<boolean> {
  const call = sql.raw(
    signal === 'cancel' ? 'pg_catalog.pg_cancel_backend' : 'pg_catalog.pg_terminate_backend',
  );
  const rows = await db.query<{ sent: boolean }>(sql`
    select ${call}(a.pid) as sent from pg_catalog.pg_stat_activity a
    where a.pid = ${pid} and a.backend_type = 'client backend' and a.datname = pg_catalog.current_database()
      and pg_catalog.date_trunc('milliseconds', a.backend_start)
        = pg_catalog.date_trunc('milliseconds', ${began}::timestamptz)`);
  return rows[0]?.sent === true;
}

export interface BigTable extends TableColumns {
  readonly name: string;
  /** The estimated number of rows. */
  readonly rows: number;
}

/** Returns the large tables with their columns and indexes, by `schema.table`. */
export async function bigTables(
  db: Queryable,
  names: readonly { readonly schema: string; readonly table: string }[],
): Promise<ReadonlyMap<string, BigTable>> {
  const rows = await db.query<BigTable>(sql`
    select n.nspname || '.' || c.relname as name, c.reltuples::float8 as rows,
      (select coalesce(json_agg(json_build_object('name', a.attname, 'isSortable', exists (
          select from pg_catalog.pg_opclass o join pg_catalog.pg_am m on m.oid = o.opcmethod and m.amname = 'btree'
          join pg_catalog.pg_type t on t.oid = a.atttypid
          where o.opcdefault and (o.opcintype in (t.oid, t.typbasetype) or t.typname = 'varchar'
            or (t.typtype = 'e' and o.opcintype = 'pg_catalog.anyenum'::regtype)
            or (t.typcategory = 'A' and o.opcintype = 'pg_catalog.anyarray'::regtype))))), '[]')
        from pg_catalog.pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
      (select coalesce(json_agg((
          select json_agg(a.attname order by u.place) from pg_catalog.unnest(i.indkey) with ordinality u (number, place)
          join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = u.number)), '[]')
        from pg_catalog.pg_index i
        where i.indrelid = c.oid and i.indisvalid and i.indpred is null and i.indkey[0] <> 0) as indexes
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.reltuples >= ${bigTableRows}
      and n.nspname || '.' || c.relname = any (${names.map(({ schema, table }) => `${schema}.${table}`)}::text[])`);
  return new Map(rows.map((table) => [table.name, table]));
}
