/**
 * Drops the archiver's replication slot after archiving has been turned off, so that the slot no longer retains WAL.
 */

import type { Logger } from '../../../base/kernel/log.ts';
import { sql } from '../../../base/kernel/sql.ts';
import type { Database, Queryable } from '../../../platform/database/types.ts';

export const slotName = 'plinth_backup';

/**
 * Drops the slot at startup if the WAL isn't archived. A failure is only logged, because the server can work without
 * the disk space that the slot occupies.
 */
export async function dropUnusedSlot(database: Database, log: Logger): Promise<void> {
  try {
    const dropped = await dropInactiveSlot(database.pool('supabase_admin'));
    if (dropped > 0)
      log.info({}, 'backup: dropped the replication slot because the WAL is no longer archived');
  } catch (cause) {
    log.warn({ error: String(cause) }, 'backup: the unused replication slot could not be dropped');
  }
}

async function dropInactiveSlot(db: Queryable): Promise<number> {
  const rows = await db.query(sql`
    select pg_catalog.pg_drop_replication_slot(slot_name)
    from pg_catalog.pg_replication_slots
    where slot_name = ${slotName} and slot_type = 'physical' and not active`);
  return rows.length;
}
