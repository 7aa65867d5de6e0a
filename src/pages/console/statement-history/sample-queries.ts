/** The statements of the sampler. Statistics are read as `postgres`, and the history is written as the superuser. */
import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import { ownText } from '../queries-page/queries.ts';
import type { Counter, Totals } from './core/totals.ts';

/** The number of characters of a statement that are stored. */
const storedChars = 5000;
/** The maximum number of migrations whose versions are compared. */
const maxMigrations = 1000;

/** An entry of pg_stat_statements. Nested and outermost calls of a statement have separate entries. */
export interface Entry extends Counter {
  readonly id: string;
  readonly role: string;
  readonly isOutermost: boolean;
}

/** Whether pg_stat_statements records when an entry was created. */
export async function hasEntryTimes(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>(sql`
    select exists (select from pg_catalog.pg_attribute
      where attrelid = pg_catalog.to_regclass('extensions.pg_stat_statements') and attname = 'stats_since') as found`);
  return row?.found ?? false;
}

/** Returns the entries of this database without their texts, whose file PostgreSQL would have to read. */
export function readEntries(db: Queryable, withTimes: boolean): Promise<Entry[]> {
  const since = withTimes
    ? sql`pg_catalog.round(extract(epoch from s.stats_since) * 1000000)::float8 / 1000`
    : sql`null::float8`;
  return db.query<Entry>(sql`
    select s.queryid::text as id, pg_catalog.pg_get_userbyid(s.userid)::text as role, s.toplevel as "isOutermost",
      s.calls::float8 as calls, s.rows::float8 as rows, s.total_exec_time as "totalMs",
      s.stddev_exec_time * s.stddev_exec_time * s.calls as squares, ${since} as since
    from extensions.pg_stat_statements(false) s
    where s.dbid = (select oid from pg_catalog.pg_database where datname = pg_catalog.current_database())
      and s.calls > 0 and s.queryid is not null`);
}

export interface StatementText {
  readonly id: string;
  readonly role: string;
  readonly text: string;
  /** Whether the statement is one of Plinth's own, which the history doesn't include. */
  readonly isOwn: boolean;
}

export function readTexts(db: Queryable, ids: readonly string[]): Promise<StatementText[]> {
  return db.query<StatementText>(sql`
    select s.queryid::text as id, pg_catalog.pg_get_userbyid(s.userid)::text as role,
      pg_catalog.left(pg_catalog.min(s.query), ${storedChars}) as text,
      pg_catalog.bool_or(s.query ~* ${ownText}) as "isOwn"
    from extensions.pg_stat_statements s
    where s.dbid = (select oid from pg_catalog.pg_database where datname = pg_catalog.current_database())
      and s.queryid = any (${ids}::bigint[])
    group by s.queryid, s.userid`);
}

/** Returns the versions of the newest applied migrations. */
export async function readMigrations(db: Queryable): Promise<string[]> {
  const [found] = await db.query<{ exists: boolean }>(sql`
    select pg_catalog.to_regclass('supabase_migrations.schema_migrations') is not null as exists`);
  if (found?.exists !== true) return [];
  const rows = await db.query<{ version: string }>(sql`
    select version from supabase_migrations.schema_migrations order by version desc limit ${maxMigrations}::int`);
  return rows.map(({ version }) => version);
}

export interface Lease {
  /** Whether no samples have been taken in this database before. */
  readonly isFirst: boolean;
}

/**
 * Takes or renews the lease of the sampler. Returns undefined if another process holds it.
 *
 * @param options.takesOver whether to take the lease from any other holder, because only this process can be running
 */
export async function takeLease(
  db: Queryable,
  {
    holder,
    leaseMs,
    takesOver,
  }: { readonly holder: string; readonly leaseMs: number; readonly takesOver: boolean },
): Promise<Lease | undefined> {
  const [row] = await db.query<Lease>(sql`
    insert into _plinth.history_sampler as s (holder, held_until)
    values (${holder}::uuid, pg_catalog.now() + pg_catalog.make_interval(secs => ${leaseMs / 1000}::float8))
    on conflict (is_only) do update set holder = excluded.holder, held_until = excluded.held_until
      where s.holder = excluded.holder or s.held_until < pg_catalog.now() or ${takesOver}::bool
    returning s.began_at = pg_catalog.now() as "isFirst"`);
  return row;
}

export async function endLease(db: Queryable, holder: string): Promise<void> {
  await db.query(sql`
    update _plinth.history_sampler set held_until = pg_catalog.now() where holder = ${holder}::uuid`);
}

/** Locks the lease until the transaction ends. Returns false if another process has taken it. */
export async function lockLease(tx: Queryable, holder: string): Promise<boolean> {
  const rows = await tx.query(sql`
    select from _plinth.history_sampler where holder = ${holder}::uuid for update`);
  return rows.length > 0;
}

export interface Sample extends Totals {
  readonly id: string;
  readonly role: string;
}

/** Adds the calls to those of the current minute (the formula is that of `added` in `core/totals.ts`). */
export async function addSamples(tx: Queryable, samples: readonly Sample[]): Promise<void> {
  await tx.query(sql`
    insert into _plinth.history_samples as s (step, at, id, role, calls, rows, total_ms, squares)
    select 'minute', pg_catalog.date_trunc('minute', pg_catalog.now()), n.id, n.role, n.calls, n.rows, n."totalMs", n.squares
    from pg_catalog.jsonb_to_recordset(${JSON.stringify(samples)}::jsonb)
      as n (id bigint, role text, calls float8, rows float8, "totalMs" float8, squares float8)
    on conflict (step, at, id, role) do update set
      calls = s.calls + excluded.calls, rows = s.rows + excluded.rows, total_ms = s.total_ms + excluded.total_ms,
      squares = s.squares + excluded.squares
        + (s.total_ms / s.calls - excluded.total_ms / excluded.calls)
        * (s.total_ms / s.calls - excluded.total_ms / excluded.calls)
        * s.calls * excluded.calls / (s.calls + excluded.calls)`);
}

/** Stores new statements, and when known statements were last seen. */
export async function saveStatements(
  tx: Queryable,
  statements: readonly Pick<StatementText, 'id' | 'role' | 'text'>[],
): Promise<void> {
  await tx.query(sql`
    insert into _plinth.history_statements as s (id, role, text, first_seen_at, last_seen_at)
    select n.id, n.role, n.text, pg_catalog.now(), pg_catalog.now()
    from pg_catalog.jsonb_to_recordset(${JSON.stringify(statements)}::jsonb) as n (id bigint, role text, text text)
    on conflict (id, role) do update set last_seen_at = excluded.last_seen_at`);
}

/** Marks migrations that have no mark. If these are the first samples, the time of the migrations is unknown. */
export async function markMigrations(
  tx: Queryable,
  versions: readonly string[],
  isFirst: boolean,
): Promise<void> {
  await tx.query(sql`
    insert into _plinth.history_marks (kind, name, at)
    select 'migration', v.version, case when ${isFirst}::bool then '-infinity' else pg_catalog.now() end
    from pg_catalog.unnest(${versions}::text[]) as v (version)
    on conflict do nothing`);
}

export async function markStart(db: Queryable, name: string, atMs: number): Promise<void> {
  await db.query(sql`
    insert into _plinth.history_marks (kind, name, at)
    values ('start', ${name}, pg_catalog.to_timestamp(${atMs / 1000}::float8)) on conflict do nothing`);
}

/** The number of statements that are kept for each hour. The others are added up. */
const maxPerHour = 200;

/** Adds up the minutes of each hour that has ended. */
export async function addUpHours(tx: Queryable): Promise<void> {
  await tx.query(sql`
    insert into _plinth.history_samples (step, at, id, role, calls, rows, total_ms, squares)
    select 'hour', r.hour, r.kept, r.role, pg_catalog.sum(r.calls), pg_catalog.sum(r.rows), pg_catalog.sum(r.total_ms),
      case when pg_catalog.bool_and(r.squares is not null) then greatest(0, pg_catalog.sum(r.squares)
        + pg_catalog.sum(r.total_ms * r.total_ms / r.calls)
        - pg_catalog.sum(r.total_ms) * pg_catalog.sum(r.total_ms) / pg_catalog.sum(r.calls)) end
    from (
      select h.*, case when pg_catalog.dense_rank() over (
          partition by h.hour order by h.statement_ms desc, h.id, h.role) <= ${maxPerHour}::int then h.id else 0 end as kept
      from (
        select m.*, pg_catalog.date_trunc('hour', m.at) as hour, pg_catalog.sum(m.total_ms) over (
          partition by pg_catalog.date_trunc('hour', m.at), m.id, m.role) as statement_ms
        from _plinth.history_samples m
        where m.step = 'minute' and m.at < pg_catalog.date_trunc('hour', pg_catalog.now())
          and m.at >= coalesce((select pg_catalog.max(e.at) + interval '1 hour'
            from _plinth.history_samples e where e.step = 'hour'), '-infinity')
      ) h
    ) r
    group by r.hour, r.kept, r.role
    on conflict do nothing`);
}

/** Deletes samples, statements and marks that are older than the charts show. */
export async function deleteOld(tx: Queryable): Promise<void> {
  for (const statement of [
    sql`delete from _plinth.history_samples
      where step = 'minute' and at < pg_catalog.date_trunc('hour', pg_catalog.now()) - interval '25 hours'`,
    sql`delete from _plinth.history_samples where step = 'hour' and at < pg_catalog.now() - interval '31 days'`,
    sql`delete from _plinth.history_statements where last_seen_at < pg_catalog.now() - interval '31 days'`,
    sql`delete from _plinth.history_marks where kind = 'start' and at < pg_catalog.now() - interval '31 days'`,
  ])
    await tx.query(statement);
}
