/** The home page's statistics: traffic, number of users, and sizes. The row counts of large tables are estimates. */

import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Pool, Queryable } from '../../../platform/database/types.ts';
import type { MetricsReport } from '../logs/contract.ts';
import type { Overview } from './contract.ts';

export interface OverviewDeps {
  readonly pool: Pool;
  /** Returns the requests of all nodes. */
  readonly metrics: (rangeMs: number) => Promise<MetricsReport>;
  /** Returns the current time in milliseconds since the epoch. */
  readonly now: () => number;
}

const hourMs = 3_600_000;
/** How long the statistics are cached. The cached statistics are shared by all open Console windows. */
const reuseMs = 10_000;
/** The maximum number of rows to count. */
const maxCountedRows = 100_000;
/** The number of objects whose sizes are read in order to estimate the total size. */
const sampledObjects = 10_000;
const userDays = 14;

/** Returns a function that reads the statistics. Statistics that can't be read are null. */
export function createOverview({ pool, metrics, now }: OverviewDeps): () => Promise<Overview> {
  let last: { readonly at: number; readonly overview: Promise<Overview> } | undefined;
  const read = async (): Promise<Overview> => {
    const [report, users, database, storage] = await Promise.all([
      metrics(hourMs),
      ...[usersOf, databaseOf, storageOf].map((source) => source(pool).catch(() => null)),
    ]);
    return { traffic: trafficOf(report), users, database, storage } as Overview;
  };
  return () => {
    if (last === undefined || now() - last.at >= reuseMs) last = { at: now(), overview: read() };
    return last.overview;
  };
}

/** Adds up the requests to all services except the Console. */
function trafficOf({ start, stepMs, services }: MetricsReport): Overview['traffic'] {
  const own = services.filter(({ service }) => service !== 'console');
  const steps = services[0]?.points.length ?? 0;
  const sums = (value: 'requests' | 'refused' | 'failed'): number[] =>
    Array.from({ length: steps }, (_none, step) =>
      own.reduce((sum, { points }) => sum + (points[step]?.[value] ?? 0), 0),
    );
  return { start, stepMs, requests: sums('requests'), refused: sums('refused'), failed: sums('failed') };
}

/**
 * Estimates a table's row count from the table's current size, so the estimate is also available for tables that were
 * never analyzed.
 */
async function estimateOf(db: Queryable, table: Sql): Promise<number> {
  const [row] = await db.query<{ 'QUERY PLAN': readonly { Plan: { 'Plan Rows': number } }[] }>(
    sql`explain (format json) select from ${table}`,
  );
  return row?.['QUERY PLAN'][0]?.Plan['Plan Rows'] ?? 0;
}

async function usersOf(db: Queryable): Promise<NonNullable<Overview['users']>> {
  const estimate = await estimateOf(db, sql.id('auth', 'users'));
  let total = Math.round(estimate);
  if (estimate <= maxCountedRows) {
    // The estimate can be much too low, so the query that counts the rows has a limit as well.
    const [row] = await db.query<{ counted: number }>(sql`
      select count(*)::int as counted from (select from auth.users limit ${maxCountedRows + 1}::int) counted`);
    total = row?.counted ?? 0;
  }
  const isEstimate = total > maxCountedRows;
  const isFast = !isEstimate || (await hasListIndex(db));
  return { total, isEstimate, perDay: isFast ? await usersPerDay(db) : null };
}

/**
 * Whether the index for finding the latest users is valid (src/services/auth/sql/0001_users.sql). Without this
 * index, counting the latest users would require reading the whole table.
 */
async function hasListIndex(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>(sql`
    select exists (select from pg_catalog.pg_index i
      where i.indexrelid = to_regclass('auth.users_list_created_idx') and i.indisvalid) as found`);
  return row?.found ?? false;
}

/**
 * Returns the number of users created on each of the last days (UTC), including today. The condition uses the same
 * expression as the index for the users page.
 */
async function usersPerDay(db: Queryable): Promise<number[]> {
  const rows = await db.query<{ created: number }>(sql`
    with days as (
      select generate_series(0, ${userDays - 1}::int) as day,
        date_trunc('day', now() at time zone 'UTC') as today
    ), recent as (
      select date_trunc('day', created_at at time zone 'UTC') as day, count(*)::int as created
      from auth.users
      where coalesce(created_at, '-infinity'::timestamptz) >= (date_trunc('day', now() at time zone 'UTC') - make_interval(days => ${userDays - 1}::int))
        at time zone 'UTC'
      group by 1
    )
    select coalesce(r.created, 0) as created
    from days d left join recent r on r.day = d.today - make_interval(days => d.day)
    order by d.day desc`);
  return rows.map(({ created }) => created);
}

async function databaseOf(db: Queryable): Promise<NonNullable<Overview['database']>> {
  const [row] = await db.query<{ bytes: number; connections: number; max: number }>(sql`
    select pg_database_size(current_database())::float8 as bytes,
      (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
      current_setting('max_connections')::int as max`);
  return { bytes: row?.bytes ?? 0, connections: row?.connections ?? 0, maxConnections: row?.max ?? 0 };
}

async function storageOf(db: Queryable): Promise<NonNullable<Overview['storage']>> {
  const estimate = await estimateOf(db, sql.id('storage', 'objects'));
  const percent = estimate > maxCountedRows ? Math.min(100, (100 * sampledObjects) / estimate) : 100;
  const [row] = await db.query<{ objects: number; bytes: number }>(sql`
    select count(*)::int as objects,
      coalesce(sum(case when jsonb_typeof(metadata -> 'size') = 'number' then (metadata ->> 'size')::float8 end), 0)
        as bytes
    from (
      select metadata from storage.objects tablesample system (${percent}::float4) limit ${maxCountedRows + 1}::int
    ) counted`);
  const { objects = 0, bytes = 0 } = row ?? {};
  if (percent === 100 && objects <= maxCountedRows) return { objects, bytes, isEstimate: false };
  const total = Math.max(Math.round(estimate), objects);
  return {
    objects: total,
    bytes: objects === 0 ? 0 : Math.round((bytes / objects) * total),
    isEstimate: true,
  };
}
