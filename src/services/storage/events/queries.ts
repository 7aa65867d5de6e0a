/** Statements on `_plinth.storage_events`. */

import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';

export interface StoredEvent {
  readonly id: string;
  readonly type: string;
  readonly payload: Record<string, unknown>;
  /** The time at which the event happened, in milliseconds since the epoch. */
  readonly happened_at_ms: number;
  /** The number of attempts to deliver the event, including the current one. */
  readonly attempts: number;
}

/**
 * Leases the due events, which prevents other processes from delivering them. Also increments each event's number of
 * attempts.
 */
export async function leaseEvents(
  db: Queryable,
  limit: number,
  leaseSeconds: number,
): Promise<StoredEvent[]> {
  const rows = await db.query<StoredEvent>(sql`
    update _plinth.storage_events e
    set attempts = e.attempts + 1, next_attempt_at = now() + make_interval(secs => ${leaseSeconds})
    where e.id in (
      select id from _plinth.storage_events where next_attempt_at <= now()
      order by id limit ${limit} for update skip locked
    )
    returning e.id::text, e.type, e.payload, extract(epoch from e.happened_at)::float8 * 1000 as happened_at_ms, e.attempts`);
  return rows.sort((a, b) => Number(a.id) - Number(b.id));
}

export async function forgetEvent(db: Queryable, id: string): Promise<void> {
  await db.query(sql`delete from _plinth.storage_events where id = ${id}::bigint`);
}

export async function postponeEvent(db: Queryable, id: string, seconds: number): Promise<void> {
  await db.query(sql`
    update _plinth.storage_events set next_attempt_at = now() + make_interval(secs => ${seconds})
    where id = ${id}::bigint`);
}
