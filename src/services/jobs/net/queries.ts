/**
 * The queue of pg_net. A session claims a request with an advisory lock, which is released when the session ends for
 * any reason. The request remains in the queue for other sessions until its response is committed.
 */

import { sql } from '../../../base/kernel/sql.ts';
import type { Pool, Queryable } from '../../../platform/database/types.ts';

export interface QueuedRequest {
  /** A bigint as text. */
  readonly id: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, unknown>> | null;
  readonly body: Buffer | null;
  readonly timeoutMs: number;
}

/** A row in `net._http_response`. */
export interface NetResponse {
  readonly id: string;
  readonly status_code: number | null;
  readonly content_type: string | null;
  readonly headers: Readonly<Record<string, string>> | null;
  readonly content: string | null;
  readonly timed_out: boolean;
  readonly error_msg: string | null;
}

export interface NetSettings {
  /**
   * Whether the installed pg_net is Plinth's own implementation. False if pg_net isn't installed, or if another
   * provider's pg_net with its own worker is installed.
   */
  readonly ours: boolean;
  readonly ttl: string | null;
  readonly batchSize: string | null;
}

/** The first key of the advisory locks, which is `pnet` in ASCII. */
const lockClass = 0x706e6574;
const key = sql.raw('(id % 2147483647)::int');

/**
 * Reads pg_net's settings for the server, the database and the role `postgres`. The most specific of these settings
 * applies. This query returns the current values, whereas `current_setting` alone would return the values that applied
 * when the session started.
 */
export async function readSettings(db: Queryable): Promise<NetSettings> {
  const setting = (name: string) => sql`coalesce((
    select split_part(entry, '=', 2)
    from pg_catalog.pg_db_role_setting s, unnest(s.setconfig) as entry
    where s.setdatabase in (0, (select oid from pg_catalog.pg_database where datname = current_database()))
      and s.setrole in (0, to_regrole('postgres'))
      and split_part(entry, '=', 1) = ${name}
    order by s.setrole <> 0 desc, s.setdatabase <> 0 desc
    limit 1
  ), current_setting(${name}, true))`;
  const [row] = await db.query<NetSettings>(sql`
    select
      to_regprocedure('net._enqueue(text,text,jsonb,jsonb,bytea,integer)') is not null as ours,
      ${setting('pg_net.ttl')} as ttl,
      ${setting('pg_net.batch_size')} as "batchSize"`);
  return row as NetSettings;
}

/** Claims up to `limit` requests that no other session has claimed, oldest first. */
export async function claim(db: Queryable, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    with free as materialized (
      select id from net.http_request_queue
      where ${key} not in (
        select objid::bigint from pg_catalog.pg_locks
        where locktype = 'advisory' and classid = ${lockClass} and objsubid = 2
          and database = (select oid from pg_catalog.pg_database where datname = current_database())
      )
      order by id
      limit ${limit}
    )
    select id::text from free where pg_try_advisory_lock(${lockClass}, ${key})`);
  return rows.map(({ id }) => id);
}

/** The highest queue length that is counted, because counting a longer queue takes time. */
const maxCounted = 10_000;

/** Counts the requests in the queue. Returns undefined if the extension isn't installed. */
export async function queuedRequests(pool: Pick<Pool, 'transaction'>): Promise<number | undefined> {
  return await pool.transaction(
    async (tx) => {
      const [found] = await tx.query<{ exists: boolean }>(
        sql`select pg_catalog.to_regclass('net.http_request_queue') is not null as exists`,
      );
      if (found?.exists !== true) return undefined;
      const [row] = await tx.query<{ count: number }>(sql`
        select pg_catalog.count(*)::int as count from (select from net.http_request_queue limit ${maxCounted}) as part`);
      return row?.count;
    },
    {
      readOnly: true,
      settings: [
        ['statement_timeout', '1s'],
        ['lock_timeout', '100ms'],
      ],
    },
  );
}

/**
 * Reads the claimed requests. Reading is a separate statement because a claim can include a request that another
 * process has just completed. Only rows that are read after the lock was acquired are reliable.
 */
export function readClaimed(db: Queryable, ids: readonly string[]): Promise<QueuedRequest[]> {
  return db.query<QueuedRequest>(sql`
    select id::text, method::text, url, headers, body, timeout_milliseconds as "timeoutMs"
    from net.http_request_queue where id = any(${ids}::bigint[]) order by id`);
}

/** Stores responses in a single transaction. A response isn't stored if its request has been removed from the queue. */
export async function recordResponses(db: Queryable, responses: readonly NetResponse[]): Promise<void> {
  await db.query(sql`
    with answer as (
      select * from jsonb_to_recordset(${JSON.stringify(responses)}::jsonb) as each (
        id bigint, status_code int, content_type text, headers jsonb, content text, timed_out boolean, error_msg text
      )
    ), done as (
      delete from net.http_request_queue q using answer where q.id = answer.id returning q.id
    )
    insert into net._http_response (id, status_code, content_type, headers, content, timed_out, error_msg)
    select a.id, a.status_code, a.content_type, a.headers, a.content, a.timed_out, a.error_msg
    from answer a join done using (id)`);
}

/** Releases the claims. Must be called after the transaction is committed, never before. */
export async function unlock(db: Queryable, ids: readonly string[]): Promise<void> {
  await db.query(sql`
    select pg_advisory_unlock(${lockClass}, ${key}) from unnest(${ids}::bigint[]) as each (id)`);
}

/** Deletes up to `limit` responses and returns the number of deleted responses. */
export async function deleteExpired(db: Queryable, ttl: string, limit: number): Promise<number> {
  const rows = await db.query(sql`
    delete from net._http_response where ctid = any(array(
      select ctid from net._http_response where created < now() - ${ttl}::interval
      order by created limit ${limit} for update skip locked
    )) returning 1`);
  return rows.length;
}
