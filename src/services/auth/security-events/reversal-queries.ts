/** Statements on _plinth.event_reversals. */

import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import { fromMs } from '../common/times.ts';
import { additions, contactChanges, type SecurityEvent } from './events.ts';

export async function insertReversal(
  db: Queryable,
  reversal: { readonly hash: string; readonly eventId: string; readonly expiresAtMs: number },
): Promise<void> {
  await db.query(sql`
    insert into _plinth.event_reversals (hash, event_id, expires_at)
    values (${reversal.hash}, ${reversal.eventId}, ${fromMs(reversal.expiresAtMs)})`);
}

/** The event that a link undoes. `used_at` is set if the link no longer has any effect. */
export type ReversibleEvent = SecurityEvent & { readonly used_at: string | null };

/** Returns the event that a link undoes, or undefined if the link is unknown or expired. */
export async function findReversal(
  db: Queryable,
  hash: string,
  nowMs: number,
): Promise<ReversibleEvent | undefined> {
  const [event] = await db.query<ReversibleEvent>(sql`
    select e.id, e.user_id, e.kind, e.actor, e.details, e.user_agent, e.network, e.created_at, r.used_at
    from _plinth.event_reversals r join _plinth.security_events e on e.id = r.event_id
    where r.hash = ${hash} and r.expires_at > ${fromMs(nowMs)}`);
  return event;
}

/**
 * Returns the time at which the account was secured by a reversal that covers the event. A reversal covers an earlier
 * event only if nothing was added or changed between that event and the first change that the reversal undid.
 * Otherwise, an attacker who received a later notice could use that notice's link to disable the link in the owner's
 * earlier notice.
 */
export async function findSecured(db: Queryable, event: ReversibleEvent): Promise<string | undefined> {
  if (event.used_at !== null) return event.used_at;
  const [row] = await db.query<{ created_at: string }>(sql`
    select s.created_at from _plinth.security_events s
    where s.user_id = ${event.user_id} and s.kind = 'secured' and s.created_at >= ${event.created_at}::timestamptz
      and s.details ? 'event_id' and not exists (
        select from _plinth.security_events e
        where e.user_id = s.user_id and e.actor = 'user' and e.created_at >= ${event.created_at}::timestamptz
          and e.created_at <= (s.details ->> 'since')::timestamptz and e.id::text <> s.details ->> 'event_id'
          and e.kind = any(${[...additions, ...contactChanges]}))
    order by s.created_at desc limit 1`);
  return row?.created_at;
}

/**
 * Uses up a link that unlocks an account. Keeps the row so that the link's page can show that the account is already
 * unlocked. Returns false if another request has already used up the link.
 */
export async function spendReversal(db: Queryable, hash: string, nowMs: number): Promise<boolean> {
  const rows = await db.query(sql`
    update _plinth.event_reversals set used_at = ${fromMs(nowMs)} where hash = ${hash} and used_at is null
    returning hash`);
  return rows.length > 0;
}

/**
 * Invalidates the links for the user's events since the given time, because these links may have been sent to an
 * attacker. Keeps the rows so that a link's page can show that the account is already secured.
 */
export async function spendReversalsSince(
  db: Queryable,
  userId: string,
  since: string,
  nowMs: number,
): Promise<void> {
  await db.query(sql`
    update _plinth.event_reversals r set used_at = ${fromMs(nowMs)} from _plinth.security_events e
    where e.id = r.event_id and e.user_id = ${userId} and r.used_at is null
      and e.created_at >= ${since}::timestamptz`);
}

/** Invalidates the links for all of the user's events. */
export async function deleteReversals(db: Queryable, userId: string): Promise<void> {
  await db.query(sql`
    delete from _plinth.event_reversals r using _plinth.security_events e
    where e.id = r.event_id and e.user_id = ${userId}`);
}
