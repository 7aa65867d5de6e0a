/** Lists the requests that were queued by SQL and their responses, and cancels requests that haven't been sent. */

import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import { may } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import { type Api, parseAs } from '../routes/api.ts';
import type { CompletedRow, Parts } from './contract.ts';
import { shownPairs, shownUrl } from './core/webhook.ts';
import { type JobDeps, readParts } from './parts.ts';

const requestsPerPage = 50;
/** The maximum size in bytes of a request or response body shown on a page. */
const shownBodyBytes = 65_536;
/** Requests are counted only up to this number. */
const maxCounted = 10_000;

const contract = () => import('./contract.ts');

export function requestRoutes(api: Api, { database, audit }: JobDeps): void {
  const route = api.feature(contract);
  const pool = database.pool('postgres');

  /** Checks that pg_net is enabled. @throws {ConsoleError} refused */
  async function requireNet(): Promise<Parts> {
    const parts = await readParts(pool);
    if (parts.net !== 'ready') throw new ConsoleError('refused', { message: "pg_net isn't enabled." });
    return parts;
  }
  const gone = () => new ConsoleError('not_found', { message: "This request doesn't exist." });

  route('GET /jobs/requests/waiting', 'read', async (call) => {
    const { before } = await call.query();
    const { hooks } = await requireNet();
    const maySee = may(call.operator.role, 'secrets');
    const rows = await listPending(pool, hooks, before, requestsPerPage + 1);
    return {
      count: await countPending(pool, maxCounted),
      requests: rows.slice(0, requestsPerPage).map(({ headers, url, ...row }) => ({
        ...row,
        url: shownUrl(url, maySee),
        headers: shownPairs(headers, false),
      })),
      more: rows.length > requestsPerPage,
    };
  });
  route('GET /jobs/requests/waiting/:id', 'secrets', async ({ request }) => {
    const { id } = await parseAs((await contract()).idParam, request.params);
    await requireNet();
    const row = await findPending(pool, id, shownBodyBytes);
    if (row === undefined) throw gone();
    return { ...row, headers: shownPairs(row.headers, true), body: row.body?.toString('utf8') ?? null };
  });
  route('DELETE /jobs/requests/waiting/:id', 'write', async (call) => {
    const { id } = await parseAs((await contract()).idParam, call.request.params);
    await requireNet();
    if (!(await deletePending(pool, id))) throw gone();
    await audit(call, 'request.cancel', id);
  });
  route('GET /jobs/requests/answered', 'read', async (call) => {
    const filter = await call.query();
    const { hooks } = await requireNet();
    const maySee = may(call.operator.role, 'secrets');
    const rows = await listCompleted(pool, hooks, filter, requestsPerPage + 1);
    return {
      kept: await readTtl(pool),
      // All operators can see that a request failed, but the error message may come from another server and contain
      // secrets.
      requests: rows.slice(0, requestsPerPage).map((row) => (maySee ? row : { ...row, error: null })),
      more: rows.length > requestsPerPage,
    };
  });
  route('GET /jobs/requests/answered/:id', 'secrets', async ({ request }) => {
    const { id } = await parseAs((await contract()).idParam, request.params);
    await requireNet();
    const row = await findCompleted(pool, id, shownBodyBytes);
    if (row === undefined) throw gone();
    return { ...row, headers: shownPairs(row.headers, true) };
  });
}

/** Reads pg_net's requests: waiting requests, and requests whose responses are still stored. */
interface PendingRow {
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

const listPending = (
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
async function countPending(db: Queryable, max: number): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from (select from net.http_request_queue limit ${max}::int) as counted`);
  return row?.count ?? 0;
}

async function findPending(
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

async function deletePending(db: Queryable, id: string): Promise<boolean> {
  const rows = await db.query(sql`delete from net.http_request_queue where id = ${id}::bigint returning id`);
  return rows.length > 0;
}

const completedColumns = sql`r.id::text, to_jsonb(r.created) as answered_at, r.status_code as status,
  coalesce(r.timed_out, false) as timed_out, r.error_msg as error, r.content_type, octet_length(r.content) as content_bytes`;

const listCompleted = (
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

async function findCompleted(
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
async function readTtl(db: Queryable): Promise<string | null> {
  const [row] = await db.query<{ ttl: string | null }>(
    sql`select nullif(current_setting('pg_net.ttl', true), '') as ttl`,
  );
  return row?.ttl ?? null;
}
