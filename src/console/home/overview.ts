/** The figures of the home page: traffic, users and sizes. Counts of large tables are estimated. */
import type { Pool, Queryable } from '../../database/types.ts';
import { sql } from '../../kernel/sql.ts';
import type { Telemetry } from '../../telemetry/types.ts';
import type { Overview } from './contract.ts';

export interface OverviewDeps {
  readonly pool: Pool;
  readonly telemetry: Pick<Telemetry, 'metrics'>;
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
}

const hourMs = 3_600_000;
/** All open Console windows share the figures for this time. */
const reuseMs = 10_000;
/** Tables with up to this many rows are counted. */
const maxCountedRows = 100_000;
/** The number of objects whose sizes are read to estimate the size of all objects. */
const sampledObjects = 10_000;
export const userDays = 14;

/** Returns a function that reads the figures. A figure that can't be read is null. */
export function createOverview({ pool, telemetry, now }: OverviewDeps): () => Promise<Overview> {
  let last: { readonly at: number; readonly overview: Promise<Overview> } | undefined;
  const read = async (): Promise<Overview> => {
    const [users, database, storage] = await Promise.all(
      [usersOf, databaseOf, storageOf].map((source) => source(pool).catch(() => null)),
    );
    return { traffic: trafficOf(telemetry), users, database, storage } as Overview;
  };
  return () => {
    if (last === undefined || now() - last.at >= reuseMs) last = { at: now(), overview: read() };
    return last.overview;
  };
}

/** Adds up the requests of all services, except those to the Console. */
function trafficOf(telemetry: Pick<Telemetry, 'metrics'>): Overview['traffic'] {
  const { start, stepMs, services } = telemetry.metrics(hourMs);
  const own = services.filter(({ service }) => service !== 'console');
  const steps = services[0]?.points.length ?? 0;
  const sums = (value: 'requests' | 'refused' | 'failed'): number[] =>
    Array.from({ length: steps }, (_none, step) =>
      own.reduce((sum, { points }) => sum + (points[step]?.[value] ?? 0), 0),
    );
  return { start, stepMs, requests: sums('requests'), refused: sums('refused'), failed: sums('failed') };
}

async function estimateOf(db: Queryable, table: 'auth.users' | 'storage.objects'): Promise<number> {
  const [row] = await db.query<{ rows: number }>(sql`
    select greatest(c.reltuples, 0)::float8 as rows from pg_catalog.pg_class c where c.oid = ${table}::regclass`);
  return row?.rows ?? 0;
}

async function usersOf(db: Queryable): Promise<NonNullable<Overview['users']>> {
  const estimate = await estimateOf(db, 'auth.users');
  const isEstimate = estimate > maxCountedRows;
  const [row] = isEstimate
    ? []
    : await db.query<{ total: number }>(sql`select count(*)::int as total from auth.users`);
  const isFast = !isEstimate || (await hasCreatedAtIndex(db));
  return {
    total: row?.total ?? Math.round(estimate),
    isEstimate,
    perDay: isFast ? await usersPerDay(db) : null,
  };
}

/** Whether an index finds the latest users. Without one, the whole table would be read. */
async function hasCreatedAtIndex(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>(sql`
    select exists (
      select from pg_catalog.pg_index i
        join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
      where i.indrelid = 'auth.users'::regclass and a.attname = 'created_at'
        and i.indisvalid and i.indpred is null) as found`);
  return row?.found ?? false;
}

/** Returns the number of users created on each of the last days (UTC), today last. */
async function usersPerDay(db: Queryable): Promise<number[]> {
  const rows = await db.query<{ created: number }>(sql`
    with days as (
      select generate_series(0, ${userDays - 1}::int) as day,
        date_trunc('day', now() at time zone 'UTC') as today
    ), recent as (
      select date_trunc('day', created_at at time zone 'UTC') as day, count(*)::int as created
      from auth.users
      where created_at >= (date_trunc('day', now() at time zone 'UTC') - make_interval(days => ${userDays - 1}::int))
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
  const estimate = await estimateOf(db, 'storage.objects');
  const isEstimate = estimate > maxCountedRows;
  const percent = isEstimate ? Math.min(100, (100 * sampledObjects) / estimate) : 100;
  const [row] = await db.query<{ objects: number; bytes: number }>(sql`
    select count(*)::int as objects,
      coalesce(sum(case when jsonb_typeof(metadata -> 'size') = 'number' then (metadata ->> 'size')::float8 end), 0)
        as bytes
    from storage.objects tablesample system (${percent}::float4)`);
  const { objects = 0, bytes = 0 } = row ?? {};
  if (!isEstimate) return { objects, bytes, isEstimate };
  return {
    objects: Math.round(estimate),
    bytes: objects === 0 ? 0 : Math.round((bytes / objects) * estimate),
    isEstimate,
  };
}
