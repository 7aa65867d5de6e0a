/** Statements on _plinth.event_reversals. */
import type { Queryable } from '../../database/types.ts';
import { sql } from '../../kernel/sql.ts';
import type { SecurityEvent } from '../core/security-events.ts';
import { fromMs } from '../core/times.ts';

export async function insertReversal(
  db: Queryable,
  reversal: { readonly hash: string; readonly eventId: string; readonly expiresAtMs: number },
): Promise<void> {
  await db.query(sql`
    insert into _plinth.event_reversals (hash, event_id, expires_at)
    values (${reversal.hash}, ${reversal.eventId}, ${fromMs(reversal.expiresAtMs)})`);
}

/** Returns the event that a link undoes. Returns undefined if the link is unknown, used or expired. */
export async function findReversal(
  db: Queryable,
  hash: string,
  nowMs: number,
): Promise<SecurityEvent | undefined> {
  const [event] = await db.query<SecurityEvent>(sql`
    select e.id, e.user_id, e.kind, e.actor, e.details, e.user_agent, e.network, e.created_at
    from _plinth.event_reversals r join _plinth.security_events e on e.id = r.event_id
    where r.hash = ${hash} and r.expires_at > ${fromMs(nowMs)}`);
  return event;
}

/** Uses up a link. Returns false if another request has used it first. */
export async function consumeReversal(db: Queryable, hash: string): Promise<boolean> {
  const rows = await db.query(sql`delete from _plinth.event_reversals where hash = ${hash} returning hash`);
  return rows.length > 0;
}

/** Invalidates the links of the user's events since a time, because they may have been sent to an attacker. */
export async function deleteReversalsSince(db: Queryable, userId: string, since: string): Promise<void> {
  await db.query(sql`
    delete from _plinth.event_reversals r using _plinth.security_events e
    where e.id = r.event_id and e.user_id = ${userId} and e.created_at >= ${since}::timestamptz`);
}

/** Invalidates the links of all events of the user. */
export async function deleteReversals(db: Queryable, userId: string): Promise<void> {
  await db.query(sql`
    delete from _plinth.event_reversals r using _plinth.security_events e
    where e.id = r.event_id and e.user_id = ${userId}`);
}
