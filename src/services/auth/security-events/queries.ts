/** Statements on _plinth.security_events and _plinth.known_devices. */
import { randomUUID } from 'node:crypto';
import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { JsonObject } from '../common/json.ts';
import { fromMs } from '../common/times.ts';
import { additions, contactChanges, type EventKind, type SecurityEvent } from './events.ts';

const columns = sql`id, user_id, kind, actor, details, user_agent, network, created_at`;

export interface NewEvent {
  readonly userId: string;
  readonly kind: EventKind;
  readonly actor: SecurityEvent['actor'];
  readonly details: JsonObject;
  readonly userAgent: string | null;
  readonly network: string | null;
}

export async function insertEvent(db: Queryable, event: NewEvent, nowMs: number): Promise<SecurityEvent> {
  const row = {
    id: randomUUID(),
    user_id: event.userId,
    kind: event.kind,
    actor: event.actor,
    details: event.details,
    user_agent: event.userAgent,
    network: event.network,
    created_at: fromMs(nowMs),
  };
  await db.query(sql`
    insert into _plinth.security_events (${columns})
    values (${row.id}, ${row.user_id}, ${row.kind}, ${row.actor}, ${row.details}, ${row.user_agent}, ${row.network},
            ${row.created_at})`);
  return row;
}

/**
 * Records a sign-in and the device in a single statement. The event's details contain `new_device` if the user has
 * signed in before, but not on this device.
 */
export async function insertSignIn(
  db: Queryable,
  event: Omit<NewEvent, 'kind' | 'actor'>,
  device: string,
  nowMs: number,
): Promise<SecurityEvent> {
  const now = fromMs(nowMs);
  const [row] = await db.query<SecurityEvent>(sql`
    with known as (
      select device from _plinth.known_devices where user_id = ${event.userId}
    ), seen as (
      insert into _plinth.known_devices (user_id, device, created_at, last_seen_at)
      values (${event.userId}, ${device}, ${now}, ${now})
      on conflict (user_id, device) do update set last_seen_at = excluded.last_seen_at
    )
    insert into _plinth.security_events (${columns})
    select ${randomUUID()}::uuid, ${event.userId}::uuid, 'sign_in', 'user',
           ${event.details}::jsonb || case
             when exists (select from known) and not exists (select from known where device = ${device})
             then '{"new_device": true}'::jsonb else '{}'::jsonb end,
           ${event.userAgent}::text, ${event.network}::text, ${now}::timestamptz
    returning ${columns}`);
  if (row === undefined) throw new Error('the sign-in was not recorded');
  return row;
}

/** Lists a user's events, newest first. If `before` is set, lists only events older than the event with this ID. */
export function listEvents(
  db: Queryable,
  userId: string,
  page: { readonly before: string | undefined; readonly limit: number },
): Promise<SecurityEvent[]> {
  const older =
    page.before === undefined
      ? sql.empty
      : sql`and (created_at, id) < (
          select e.created_at, e.id from _plinth.security_events e
          where e.id = ${page.before} and e.user_id = ${userId})`;
  return db.query<SecurityEvent>(sql`
    select ${columns} from _plinth.security_events where user_id = ${userId} ${older}
    order by created_at desc, id desc limit ${page.limit}`);
}

/**
 * Lists the reversible changes that the user made since an event, including that event. The list contains each addition
 * once, but only the first change to the email address and the first change to the phone number, so that an attacker
 * can't make the list long.
 */
export function listReversibleEvents(db: Queryable, event: SecurityEvent): Promise<SecurityEvent[]> {
  return db.query<SecurityEvent>(sql`
    select distinct on (kind, subject) ${columns}
    from (
      select ${columns}, case when kind = any(${[...contactChanges]}) then '{}'::jsonb else details end as subject
      from _plinth.security_events
      where user_id = ${event.user_id} and created_at >= ${event.created_at}::timestamptz and actor = 'user'
        and kind = any(${[...additions, ...contactChanges]})
    ) e
    order by kind, subject, created_at, id`);
}

/** Returns the user's latest event of the given kind. */
export async function findLatestEvent(
  db: Queryable,
  userId: string,
  kind: EventKind,
): Promise<SecurityEvent | undefined> {
  const [event] = await db.query<SecurityEvent>(sql`
    select ${columns} from _plinth.security_events where user_id = ${userId} and kind = ${kind}
    order by created_at desc, id desc limit 1`);
  return event;
}

/** The maximum number of recent events that are read to find out why a session ended. */
const maxEndings = 10;

/** Lists the user's events since the given time that ended sessions, newest first. */
export function listEndings(db: Queryable, userId: string, since: string): Promise<SecurityEvent[]> {
  return db.query<SecurityEvent>(sql`
    select ${columns} from _plinth.security_events
    where user_id = ${userId} and created_at >= ${since}::timestamptz
      and kind in ('password_changed', 'secured', 'factors_reset', 'sessions_ended')
    order by created_at desc, id desc limit ${maxEndings}`);
}

/** The maximum number of changes that are listed on the page where the user can undo them. */
const maxListedChanges = 10;

/**
 * Lists the changes that the user made after an event, oldest first, for the page that describes what a link would
 * undo.
 */
export function listChangesSince(db: Queryable, event: SecurityEvent): Promise<SecurityEvent[]> {
  return db.query<SecurityEvent>(sql`
    select ${columns} from _plinth.security_events
    where user_id = ${event.user_id} and id <> ${event.id} and created_at >= ${event.created_at}::timestamptz
      and actor = 'user' and kind = any(${[...additions, ...contactChanges, 'password_changed']})
    order by created_at, id limit ${maxListedChanges}`);
}

export async function isKnownDevice(db: Queryable, userId: string, device: string): Promise<boolean> {
  const rows = await db.query(
    sql`select from _plinth.known_devices where user_id = ${userId} and device = ${device}`,
  );
  return rows.length > 0;
}

export async function rememberDevice(
  db: Queryable,
  userId: string,
  device: string,
  nowMs: number,
): Promise<void> {
  const now = fromMs(nowMs);
  await db.query(sql`
    insert into _plinth.known_devices (user_id, device, created_at, last_seen_at)
    values (${userId}, ${device}, ${now}, ${now})
    on conflict (user_id, device) do update set last_seen_at = excluded.last_seen_at`);
}

/** Deletes the user's devices that were first seen at or after this time. */
export async function forgetDevicesSince(db: Queryable, userId: string, since: string): Promise<void> {
  await db.query(
    sql`delete from _plinth.known_devices where user_id = ${userId} and created_at >= ${since}::timestamptz`,
  );
}

export async function deleteSecurityData(db: Queryable, userId: string): Promise<void> {
  await db.query(sql`delete from _plinth.security_events where user_id = ${userId}`);
  await db.query(sql`delete from _plinth.known_devices where user_id = ${userId}`);
}

/** Deletes expired links, deleted users' data, and events and devices that are older than the retention period. */
export async function deleteOldSecurityData(
  db: Queryable,
  retentionMs: number,
  nowMs: number,
): Promise<void> {
  const oldest = fromMs(nowMs - retentionMs);
  await db.query(sql`delete from _plinth.event_reversals where expires_at < ${fromMs(nowMs)}`);
  await db.query(sql`delete from _plinth.security_events where created_at < ${oldest}`);
  await db.query(sql`delete from _plinth.known_devices where last_seen_at < ${oldest}`);
  for (const table of ['security_events', 'known_devices']) {
    await db.query(sql`
      delete from ${sql.id('_plinth', table)} e where not exists (select from auth.users u where u.id = e.user_id)`);
  }
}
