/**
 * The replication slot that a group shares. It is permanent, so a process that takes over continues where the previous
 * reader's changes were confirmed. PostgreSQL lets only one connection read a slot, so the process that reads it is the
 * group's reader. The end of the slot's name is its generation. A new generation means that changes may have been missed.
 */
import { randomBytes } from 'node:crypto';
import { sql } from '../../../../base/kernel/sql.ts';
import type { Pool, PostgresErrorShape, Queryable } from '../../../../platform/database/types.ts';
import { groupSlotPrefix } from '../slot.ts';
import { isSlotWanted, type NodeSession } from './node-session.ts';

export interface GroupSlot {
  readonly name: string;
  /** False if the server has removed WAL that the slot needs. */
  readonly usable: boolean;
  /** Whether the slot contains all changes that are committed from now on. False while it is being created. */
  readonly ready: boolean;
  readonly activePid: number | null;
  readonly retainedBytes: number;
  /** Whether no process has read the slot for half a minute. */
  readonly idle: boolean;
}

export const generationOf = (slotName: string): string => slotName.slice(groupSlotPrefix.length);

export const newGroupSlotName = (): string => `${groupSlotPrefix}${randomBytes(4).toString('hex')}`;

/** Returns the group's slot, or undefined if it doesn't exist. */
export async function findGroupSlot(db: Queryable): Promise<GroupSlot | undefined> {
  const [row] = await db.query<GroupSlot>(sql`
    select slot_name as name, coalesce(wal_status, 'lost') <> 'lost' as usable,
      confirmed_flush_lsn is not null as ready, active_pid as "activePid",
      coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)::int8 as "retainedBytes",
      coalesce(inactive_since < now() - interval '30 seconds', false) as idle
    from pg_catalog.pg_replication_slots
    where database = current_database() and starts_with(slot_name, ${groupSlotPrefix})
    order by (wal_status = 'lost'), slot_name limit 1`);
  return row;
}

/** Whether the server supports a permanent slot, as described in `slot.ts`. */
export async function allowsGroupSlot(db: Queryable, serverVersion: number): Promise<boolean> {
  if (serverVersion < 170000) return false;
  const [row] = await db.query<{ bounded: boolean }>(
    sql`select setting::int8 >= 0 as bounded from pg_catalog.pg_settings where name = 'max_slot_wal_keep_size'`,
  );
  return row?.bounded === true;
}

export async function dropGroupSlot(db: Queryable, { name }: Pick<GroupSlot, 'name'>): Promise<void> {
  try {
    await db.query(sql`select pg_drop_replication_slot(${name})`);
  } catch (error) {
    // These SQLSTATEs mean that another process has dropped the slot or is using it.
    if (!['42704', '55006'].includes((error as PostgresErrorShape).code)) throw error;
  }
}

/**
 * Drops the group's slot if no process needs it. `onlyIdle` is true for regular checks, and false if this process was the
 * last one that needed the slot. Returns whether the slot was dropped.
 */
export async function dropUnwantedSlot(
  pool: Pool,
  session: NodeSession,
  onlyIdle: boolean,
): Promise<boolean> {
  const isUnwanted = async (): Promise<GroupSlot | undefined> => {
    const slot = await findGroupSlot(pool);
    if (slot === undefined || slot.activePid !== null || (onlyIdle && !slot.idle)) return undefined;
    return (await isSlotWanted(pool)) ? undefined : slot;
  };
  if ((await isUnwanted()) === undefined) return false;
  const dropped = await session.alone(async () => {
    const slot = await isUnwanted();
    if (slot === undefined) return false;
    await dropGroupSlot(pool, slot);
    return true;
  });
  return dropped === true;
}
