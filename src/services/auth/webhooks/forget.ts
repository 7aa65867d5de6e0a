/** Deletes a user's events. Apart from the other statements, which are loaded only in projects with webhooks. */
import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';

/**
 * Deletes a user's events that have been delivered or have failed. The others remain until they are delivered, for
 * example the one for the deletion.
 */
export async function deleteSentEvents(db: Queryable, userId: string): Promise<void> {
  await db.query(sql`
    delete from _plinth.user_events e
    where e.user_id = ${userId} and not e.is_new and not exists (
      select from _plinth.user_event_deliveries d where d.event = e.id and d.status = 'waiting')`);
}
