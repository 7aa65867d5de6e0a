/**
 * Manages replication slots. A permanent slot doesn't lose changes when its connection breaks or PostgreSQL restarts,
 * but it retains WAL while it is unused. Permanent slots are therefore used only if the server limits the retained WAL
 * (`max_slot_wal_keep_size`) and reports how long a slot has been idle (PostgreSQL 17). Otherwise, slots are temporary.
 */
import { randomBytes } from 'node:crypto';
import { sql } from '../../../base/kernel/sql.ts';
import type { Database, PostgresErrorShape, Queryable } from '../../../platform/database/types.ts';

const prefix = 'supabase_realtime_replication_slot_';

export interface Slot {
  readonly name: string;
  readonly permanent: boolean;
}

export async function newSlot(db: Queryable, serverVersion: number): Promise<Slot> {
  const [row] = await db.query<{ bounded: boolean }>(
    sql`select setting::int8 >= 0 as bounded from pg_catalog.pg_settings where name = 'max_slot_wal_keep_size'`,
  );
  const name = `${prefix}${randomBytes(4).toString('hex')}`;
  return { name, permanent: serverVersion >= 170000 && row?.bounded === true };
}

export interface SlotState {
  /** False if the server has removed WAL that the slot needs. */
  readonly usable: boolean;
  /** The server process that currently uses the slot. */
  readonly active_pid: number | null;
  /** The size of the WAL that the server retains for the slot. */
  readonly retained_bytes: number;
}

/** Returns the state of a slot, or undefined if the slot doesn't exist. */
export async function slotState(db: Queryable, name: string): Promise<SlotState | undefined> {
  const [row] = await db.query<SlotState>(sql`
    select coalesce(wal_status, 'lost') <> 'lost' as usable, active_pid,
      coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)::int8 as retained_bytes
    from pg_catalog.pg_replication_slots where slot_name = ${name}`);
  return row;
}

/**
 * Terminates the server process of a broken connection, because that process would keep using or creating the slot
 * until the server detects the broken connection.
 */
export async function endServer(db: Queryable, pid: number): Promise<void> {
  await db.query(sql`
    select pg_terminate_backend(pid, 5000) from pg_catalog.pg_stat_activity
    where pid = ${pid} and backend_type = 'walsender'`);
}

/**
 * The idle time after which a slot is abandoned. A running process reuses its slot or creates a new one within this
 * time.
 */
const abandonedAfter = '10 minutes';

/** Drops the slots of processes that are no longer running. Returns the names of the dropped slots. */
export async function dropAbandoned(database: Database, own: string | undefined): Promise<string[]> {
  const { serverVersion, embedded } = database.info;
  // PostgreSQL before version 17 doesn't report how long a slot has been idle. Therefore, Plinth's slots are temporary
  // with these versions.
  if (serverVersion < 170000) return [];
  const db = database.pool('supabase_replication_admin');
  // Only this process uses the embedded server, so an idle slot belongs to a process that has ended.
  const age = embedded ? '0' : abandonedAfter;
  const rows = await db.query<{ name: string }>(sql`
    select slot_name as name from pg_catalog.pg_replication_slots
    where database = current_database() and not active and starts_with(slot_name, ${prefix})
      and slot_name is distinct from ${own ?? null}
      and (inactive_since < now() - ${age}::interval or wal_status = 'lost')`);
  const dropped: string[] = [];
  for (const { name } of rows) {
    try {
      await db.query(sql`select pg_drop_replication_slot(${name})`);
      dropped.push(name);
    } catch (error) {
      // These SQLSTATEs mean that another process has dropped the slot or is using it.
      if (!['42704', '55006'].includes((error as PostgresErrorShape).code)) throw error;
    }
  }
  return dropped;
}

/**
 * Terminates the server process that uses the slot and the server process `creatorPid`, which may still be creating the
 * slot. Then drops the slot.
 */
export async function dropSlot(db: Queryable, name: string, creatorPid: number): Promise<void> {
  await endServer(db, creatorPid);
  const found = await slotState(db, name);
  if (found === undefined) return;
  if (found.active_pid !== null) await endServer(db, found.active_pid);
  try {
    await db.query(sql`select pg_drop_replication_slot(${name})`);
  } catch (error) {
    // This SQLSTATE means that another process has dropped the slot.
    if ((error as PostgresErrorShape).code !== '42704') throw error;
  }
}
