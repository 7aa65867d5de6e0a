/** Statements on the tables of user events. */
import { sql } from '../../../base/kernel/sql.ts';
import type { Pool, Queryable } from '../../../platform/database/types.ts';
import type { Endpoint } from './endpoint.ts';
import { settingsHash } from './endpoint.ts';

/** A delivery that this process has leased. */
export interface LeasedDelivery {
  readonly id: string;
  readonly endpoint: string;
  /** The number of attempts, including the current one. */
  readonly attempts: number;
  readonly event_id: string;
  readonly type: string;
  readonly created_at: string;
  readonly data: unknown;
}

/**
 * Stores that these webhooks are in the settings. A webhook whose URL or secret has changed is enabled again.
 */
export async function registerEndpoints(db: Queryable, endpoints: readonly Endpoint[]): Promise<void> {
  await db.query(sql`
    insert into _plinth.user_event_endpoints as e (name, settings_hash)
    select * from unnest(${endpoints.map(({ name }) => name)}::text[], ${endpoints.map(settingsHash)}::text[])
      as given (name, settings_hash)
    order by name
    on conflict (name) do update set seen_at = now(), settings_hash = excluded.settings_hash,
      failing_since = case when e.settings_hash = excluded.settings_hash then e.failing_since end,
      disabled_at = case when e.settings_hash = excluded.settings_hash then e.disabled_at end,
      note = case when e.settings_hash = excluded.settings_hash then e.note end`);
}

/**
 * Creates the deliveries of up to `limit` new events, and returns the number of these events. Only one process does so
 * at a time, because a user's events must become deliverable in order.
 */
export async function createDeliveries(
  db: Pool,
  endpoints: readonly Endpoint[],
  limit: number,
): Promise<number> {
  const [found] = await db.query<{ any: boolean }>(
    sql`select exists (select from _plinth.user_events where is_new) as any`,
  );
  if (found?.any !== true) return 0;
  const pairs = endpoints.flatMap(({ name, types }) => types.map((type) => ({ name, type })));
  return db.transaction(async (tx) => {
    await tx.query(sql`select from _plinth.user_event_endpoints order by name for update`);
    const rows = await tx.query(sql`
      with fresh as (
        select id, type, user_id from _plinth.user_events where is_new order by id limit ${limit}
      ), made as (
        insert into _plinth.user_event_deliveries (event, endpoint, user_id)
        select f.id, p.name, f.user_id
        from fresh f
          join unnest(${pairs.map(({ name }) => name)}::text[], ${pairs.map(({ type }) => type)}::text[])
            as p (name, type) on p.type = f.type
          join _plinth.user_event_endpoints e on e.name = p.name and e.disabled_at is null
        order by f.id
        on conflict do nothing
      )
      update _plinth.user_events set is_new = false where id in (select id from fresh) returning id`);
    return rows.length;
  });
}

/**
 * Leases the due deliveries of a webhook, oldest first. A delivery is due only after the earlier deliveries for the same
 * user, unless an earlier one has been tried often.
 */
export function leaseDeliveries(
  db: Queryable,
  endpoint: string,
  {
    limit,
    leaseSeconds,
    orderedAttempts,
  }: { readonly limit: number; readonly leaseSeconds: number; readonly orderedAttempts: number },
): Promise<LeasedDelivery[]> {
  return db.query<LeasedDelivery>(sql`
    with due as (
      select d.id from _plinth.user_event_deliveries d
      where d.endpoint = ${endpoint} and d.status = 'waiting' and d.next_attempt_at <= now()
        and not exists (
          select from _plinth.user_event_deliveries earlier
          where earlier.endpoint = ${endpoint} and earlier.user_id = d.user_id and earlier.status = 'waiting'
            and earlier.event < d.event and earlier.attempts < ${orderedAttempts})
      order by d.event limit ${limit} for update of d skip locked
    ), leased as (
      update _plinth.user_event_deliveries d
      set attempts = d.attempts + 1, last_attempt_at = now(),
        next_attempt_at = now() + make_interval(secs => ${leaseSeconds})
      where d.id in (select id from due)
      returning d.id, d.event, d.endpoint, d.attempts
    )
    select l.id::text, l.endpoint, l.attempts, e.event_id::text, e.type, e.data,
      to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
    from leased l join _plinth.user_events e on e.id = l.event
    order by l.event`);
}

export interface AttemptResult {
  readonly status: 'delivered' | 'waiting' | 'failed';
  readonly durationMs: number;
  readonly responseStatus: number | null;
  readonly responseExcerpt: string | null;
  readonly error: string | null;
  /** The delay before the next attempt, if the status is `waiting`. */
  readonly retryMs: number;
}

/**
 * Stores the result of an attempt, unless the lease has ended and another process has sent the delivery again. Returns
 * whether the result was stored.
 */
export async function recordAttempt(
  db: Queryable,
  { id, attempts }: Pick<LeasedDelivery, 'id' | 'attempts'>,
  result: AttemptResult,
): Promise<boolean> {
  const rows = await db.query(sql`
    update _plinth.user_event_deliveries set
      status = ${result.status}, duration_ms = ${result.durationMs}, response_status = ${result.responseStatus},
      response_excerpt = ${result.responseExcerpt}, error = ${result.error},
      next_attempt_at = now() + make_interval(secs => ${result.retryMs / 1000})
    where id = ${id}::bigint and attempts = ${attempts} and status = 'waiting'
    returning id`);
  return rows.length > 0;
}

export const noteSuccess = (db: Queryable, endpoint: string): Promise<unknown> =>
  db.query(sql`
    update _plinth.user_event_endpoints set failing_since = null
    where name = ${endpoint} and failing_since is not null`);

/**
 * Notes that an attempt failed, and disables the webhook if it has failed for too long, or immediately if
 * `disableAfterMs` is 0. Returns whether the webhook was disabled. The waiting deliveries of a disabled webhook fail.
 */
export async function noteFailure(
  db: Queryable,
  endpoint: string,
  { disableAfterMs, note }: { readonly disableAfterMs: number; readonly note: string },
): Promise<boolean> {
  const [row] = await db.query<{ disabled: boolean }>(sql`
    update _plinth.user_event_endpoints set
      failing_since = coalesce(failing_since, now()),
      disabled_at = case
        when coalesce(failing_since, now()) <= now() - make_interval(secs => ${disableAfterMs / 1000}) then now() end,
      note = case
        when coalesce(failing_since, now()) <= now() - make_interval(secs => ${disableAfterMs / 1000})
        then ${note} end
    where name = ${endpoint} and disabled_at is null
    returning disabled_at is not null as disabled`);
  if (row?.disabled !== true) return false;
  await db.query(sql`
    update _plinth.user_event_deliveries set status = 'failed', error = coalesce(error, 'The webhook was disabled.')
    where endpoint = ${endpoint} and status = 'waiting'`);
  return true;
}

export async function enableEndpoint(db: Queryable, endpoint: string): Promise<void> {
  await db.query(sql`
    update _plinth.user_event_endpoints set failing_since = null, disabled_at = null, note = null
    where name = ${endpoint}`);
}

/** Returns the milliseconds until the next delivery of one of these webhooks is due. Undefined if none is waiting. */
export async function untilNextMs(db: Queryable, endpoints: readonly string[]): Promise<number | undefined> {
  const [row] = await db.query<{ ms: number | null }>(sql`
    select extract(epoch from min(next_attempt_at) - now())::float8 * 1000 as ms
    from _plinth.user_event_deliveries
    where status = 'waiting' and endpoint = any(${endpoints}::text[])`);
  return row?.ms == null ? undefined : Math.max(0, row.ms);
}

/** Deletes a batch of old events with their deliveries, and returns the number of deleted events. */
export async function deleteOldEvents(
  db: Queryable,
  {
    retentionMs,
    maxEvents,
    limit,
  }: { readonly retentionMs: number; readonly maxEvents: number; readonly limit: number },
): Promise<number> {
  const rows = await db.query(sql`
    with surplus as (
      select id from _plinth.user_events order by id desc offset ${maxEvents} limit 1
    )
    delete from _plinth.user_events where id in (
      select e.id from _plinth.user_events e
      where e.created_at < now() - make_interval(secs => ${retentionMs / 1000})
        or (e.id <= (select id from surplus) and not e.is_new and not exists (
          select from _plinth.user_event_deliveries d where d.event = e.id and d.status = 'waiting'))
      order by e.id limit ${limit} for update of e skip locked)
    returning id`);
  return rows.length;
}

/** Whether a process has had any webhook in its settings within this duration. */
export async function wereEndpointsSeen(db: Queryable, withinMs: number): Promise<boolean> {
  const [row] = await db.query<{ seen: boolean }>(sql`
    select exists (
      select from _plinth.user_event_endpoints where seen_at > now() - make_interval(secs => ${withinMs / 1000})
    ) as seen`);
  return row?.seen === true;
}

/** Deletes everything, after the last webhook was removed from the settings. */
export const deleteEverything = (db: Pool): Promise<unknown> =>
  db.statements([sql`delete from _plinth.user_events`, sql`delete from _plinth.user_event_endpoints`]);
