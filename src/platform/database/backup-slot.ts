/**
 * The replication slot through which backups receive the WAL. The slot outlives the backups, so this module drops it
 * without loading the code of the backups.
 */
import type { Logger } from '../../base/kernel/log.ts';
import { sql } from '../../base/kernel/sql.ts';
import type { Database, Queryable } from './types.ts';

export const backupSlot = 'plinth_backup';

/**
 * Drops the slot at startup if archiving has been turned off, so that the slot no longer retains WAL. A failure is only
 * logged, because the server can work without the disk space that the slot occupies.
 */
export async function dropUnusedBackupSlot(database: Database, log: Logger): Promise<void> {
  try {
    const dropped = await dropInactiveSlot(database.pool('supabase_admin'));
    if (dropped > 0) log.info({}, 'backup: dropped the replication slot because WAL archiving is off');
  } catch (cause) {
    log.warn({ error: String(cause) }, 'backup: the unused replication slot could not be dropped');
  }
}

async function dropInactiveSlot(db: Queryable): Promise<number> {
  const rows = await db.query(sql`
    select pg_catalog.pg_drop_replication_slot(slot_name)
    from pg_catalog.pg_replication_slots
    where slot_name = ${backupSlot} and slot_type = 'physical' and not active`);
  return rows.length;
}
