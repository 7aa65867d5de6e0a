/**
 * Replication slots. One that outlives its connection loses nothing when the connection breaks or PostgreSQL starts anew,
 * but holds back WAL for as long as nobody comes for it: it is made only where the server itself bounds that
 * (`max_slot_wal_keep_size`) and tells since when a slot is idle (PostgreSQL 17). Elsewhere slots are temporary.
 */
import { randomBytes } from 'node:crypto';
import type { Database, PostgresErrorShape, Queryable } from '../../database/types.ts';
import { sql } from '../../kernel/sql.ts';

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
  /** False: the server has thrown away what the slot needs. */
  readonly usable: boolean;
  /** The server process that still serves it. */
  readonly active_pid: number | null;
  /** WAL that the server keeps because of it. */
  readonly retained_bytes: number;
}

/** Undefined: there is no such slot. */
export async function slotState(db: Queryable, name: string): Promise<SlotState | undefined> {
  const [row] = await db.query<SlotState>(sql`
    select coalesce(wal_status, 'lost') <> 'lost' as usable, active_pid,
      coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)::int8 as retained_bytes
    from pg_catalog.pg_replication_slots where slot_name = ${name}`);
  return row;
}

/**
 * What is left of a broken connection is ended; it holds the slot, or may even make it, until the server notices by itself.
 */
export async function endServer(db: Queryable, pid: number): Promise<void> {
  await db.query(sql`
    select pg_terminate_backend(pid, 5000) from pg_catalog.pg_stat_activity
    where pid = ${pid} and backend_type = 'walsender'`);
}

/** A live process comes back for its slot within this time, or begins with a fresh one. */
const abandonedAfter = '10 minutes';

/** Slots of processes that died are dropped. Returns their names. */
export async function dropAbandoned(database: Database, own: string | undefined): Promise<string[]> {
  const { serverVersion, embedded } = database.info;
  // Before 17 nobody knows since when a slot is idle, and none of ours outlives its connection.
  if (serverVersion < 170000) return [];
  const db = database.pool('supabase_replication_admin');
  // Nobody else uses the embedded server: an idle slot is that of a process before this one.
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
      // Somebody was quicker, or it is in use again.
      if (!['42704', '55006'].includes((error as PostgresErrorShape).code)) throw error;
    }
  }
  return dropped;
}

/** Drops a slot once the server process `maker` is over, which may still be making it, and whoever is served from it. */
export async function dropSlot(db: Queryable, name: string, maker: number): Promise<void> {
  await endServer(db, maker);
  const found = await slotState(db, name);
  if (found === undefined) return;
  if (found.active_pid !== null) await endServer(db, found.active_pid);
  try {
    await db.query(sql`select pg_drop_replication_slot(${name})`);
  } catch (error) {
    // Somebody was quicker.
    if ((error as PostgresErrorShape).code !== '42704') throw error;
  }
}
