/** Reads pg_net's requests: waiting requests, and requests whose responses are still stored. */

import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { CompletedRow } from './contract.ts';

export interface PendingRow {
  readonly id: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, unknown>> | null;
  readonly body_bytes: number | null;
  readonly timeout_ms: number;
  /** The name of the webhook that sent the request. */
  readonly webhook: string | null;
}

/** Reads the name of a request's webhook from the webhook log. */
const hookOf = (hasHooks: boolean, id: string) =>
  hasHooks
    ? sql`(select h.hook_name from supabase_functions.hooks h where h.request_id = ${sql.raw(id)} order by h.id desc limit 1)`
    : sql`null::text`;

export const listPending = (
  db: Queryable,
  hasHooks: boolean,
  before: string | undefined,
  limit: number,
): Promise<PendingRow[]> =>
  db.query<PendingRow>(sql`
    select q.id::text, q.method::text as method, q.url, q.headers, octet_length(q.body) as body_bytes,
      q.timeout_milliseconds as timeout_ms, ${hookOf(hasHooks, 'q.id')} as webhook
    from net.http_request_queue q
    where ${before ?? null}::bigint is null or q.id < ${before ?? null}::bigint
    order by q.id desc limit ${limit}::int`);

/** Counts requests up to a maximum, because counting a long queue would be slow. */
export async function countPending(db: Queryable, max: number): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from (select from net.http_request_queue limit ${max}::int) as counted`);
  return row?.count ?? 0;
}

export async function findPending(
  db: Queryable,
  id: string,
  maxBytes: number,
): Promise<(Omit<PendingRow, 'webhook'> & { body: Buffer | null }) | undefined> {
  const [row] = await db.query<Omit<PendingRow, 'webhook'> & { body: Buffer | null }>(sql`
    select id::text, method::text as method, url, headers, octet_length(body) as body_bytes,
      timeout_milliseconds as timeout_ms, substring(body for ${maxBytes}::int) as body
    from net.http_request_queue where id = ${id}::bigint`);
  return row;
}

export async function deletePending(db: Queryable, id: string): Promise<boolean> {
  const rows = await db.query(sql`delete from net.http_request_queue where id = ${id}::bigint returning id`);
  return rows.length > 0;
}

const completedColumns = sql`r.id::text, to_jsonb(r.created) as answered_at, r.status_code as status,
  coalesce(r.timed_out, false) as timed_out, r.error_msg as error, r.content_type, octet_length(r.content) as content_bytes`;

export const listCompleted = (
  db: Queryable,
  hasHooks: boolean,
  { before, failed }: { readonly before?: string | undefined; readonly failed: boolean },
  limit: number,
): Promise<CompletedRow[]> => {
  const [time = null, id = null] = before?.split(',') ?? [];
  return db.query<CompletedRow>(sql`
    select ${completedColumns}, ${hookOf(hasHooks, 'r.id')} as webhook from net._http_response r
    where (${time}::timestamptz is null or (r.created, r.id) < (${time}::timestamptz, ${id}::bigint))
      and (not ${failed}::boolean or r.timed_out or r.error_msg is not null or r.status_code >= 400)
    order by r.created desc, r.id desc limit ${limit}::int`);
};

export async function findCompleted(
  db: Queryable,
  id: string,
  maxChars: number,
): Promise<
  | (Omit<CompletedRow, 'webhook'> & { headers: Record<string, unknown> | null; content: string | null })
  | undefined
> {
  const [row] = await db.query<
    Omit<CompletedRow, 'webhook'> & { headers: Record<string, unknown> | null; content: string | null }
  >(sql`
    select ${completedColumns}, r.headers, left(r.content, ${maxChars}::int) as content from net._http_response r
    where r.id = ${id}::bigint order by r.created desc limit 1`);
  return row;
}

/** Returns the value of the setting for how long responses are stored, as text. */
export async function readTtl(db: Queryable): Promise<string | null> {
  const [row] = await db.query<{ ttl: string | null }>(
    sql`select nullif(current_setting('pg_net.ttl', true), '') as ttl`,
  );
  return row?.ttl ?? null;
}
