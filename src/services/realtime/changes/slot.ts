/**
 * Manages replication slots. A permanent slot doesn't lose changes when its connection breaks or PostgreSQL restarts,
 * but it retains WAL while it is unused. Permanent slots are therefore used only if the server limits the retained WAL
 * (`max_slot_wal_keep_size`) and reports how long a slot has been idle (PostgreSQL 17). Otherwise, slots are temporary.
 */
import { randomBytes } from 'node:crypto';
import type { Logger } from '../../../base/kernel/log.ts';
import { sql } from '../../../base/kernel/sql.ts';
import type { Database, Pool, PostgresErrorShape, Queryable } from '../../../platform/database/types.ts';

const prefix = 'supabase_realtime_replication_slot_';
/** The prefix of the slot that the processes of a group share (`group/group-slot.ts`). */
export const groupSlotPrefix = `${prefix}group_`;

interface Slot {
  readonly name: string;
  readonly permanent: boolean;
}

async function newSlot(db: Queryable, serverVersion: number): Promise<Slot> {
  const [row] = await db.query<{ bounded: boolean }>(
    sql`select setting::int8 >= 0 as bounded from pg_catalog.pg_settings where name = 'max_slot_wal_keep_size'`,
  );
  const name = `${prefix}${randomBytes(4).toString('hex')}`;
  return { name, permanent: serverVersion >= 170000 && row?.bounded === true };
}

interface SlotState {
  /** False if the server has removed WAL that the slot needs. */
  readonly usable: boolean;
  /** The server process that currently uses the slot. */
  readonly active_pid: number | null;
  /** The size of the WAL that the server retains for the slot. */
  readonly retained_bytes: number;
}

/** Returns the state of a slot, or undefined if the slot doesn't exist. */
async function slotState(db: Queryable, name: string): Promise<SlotState | undefined> {
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
 * The idle time after which a slot is abandoned. A running process that can reach PostgreSQL reuses its slot or creates
 * a new one within this time. An idle slot retains WAL, so the time is short.
 */
const abandonedAfter = '30 seconds';

/**
 * Drops the slots of processes that have ended, except the slots in `kept`. `isStart` is true for the first call after this process has
 * started. Returns the names of the dropped slots.
 */
export async function dropAbandoned(
  database: Database,
  kept: readonly string[],
  isStart: boolean,
): Promise<string[]> {
  const { serverVersion, embedded } = database.info;
  // PostgreSQL before version 17 doesn't report how long a slot has been idle. Therefore, Plinth's slots are temporary
  // with these versions.
  if (serverVersion < 170000) return [];
  const db = database.pool('supabase_replication_admin');
  // Only this process uses the embedded server, so an idle slot at its start belongs to a process that has ended.
  const age = embedded && isStart ? '0' : abandonedAfter;
  const rows = await db.query<{ name: string }>(sql`
    select slot_name as name from pg_catalog.pg_replication_slots
    where database = current_database() and not active and starts_with(slot_name, ${prefix})
      and slot_name <> all (${[...kept]}::name[]) and not starts_with(slot_name, ${groupSlotPrefix})
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
async function dropSlot(db: Queryable, name: string, creatorPid: number): Promise<void> {
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

interface StreamSlotOptions {
  /** A pool whose role has REPLICATION, because only such roles can manage slots and see the slots' connections. */
  readonly pool: () => Pool;
  readonly log: Logger;
  readonly maxWalBytes: () => number;
}

const mib = (bytes: number): number => Math.round(bytes / 1024 ** 2);

export class StreamSlot {
  readonly #options: StreamSlotOptions;
  #slot: Slot | undefined;
  #retainedBytes: number | undefined;
  #warning: string | undefined;
  /** Permanent slots that are no longer needed but may still exist, each with the server process that created it. */
  readonly #leftovers = new Map<string, number>();
  /** The server process of the stream's connection. */
  serverPid = 0;

  constructor(options: StreamSlotOptions) {
    this.#options = options;
  }

  get name(): string | undefined {
    return this.#slot?.name;
  }

  /** A warning to show while the slot retains a large amount of WAL. */
  get warning(): string | undefined {
    return this.#warning;
  }

  get report() {
    const maxBytes = this.#options.maxWalBytes();
    const retainedBytes = this.#retainedBytes;
    return this.#slot && { ...this.#slot, isShared: false, isRead: true, retainedBytes, maxBytes };
  }

  /**
   * Whether the previous stream's slot can be reused. Terminates the previous stream's server process if it is still
   * running.
   */
  async isResumable(): Promise<boolean> {
    if (this.#slot === undefined) return false;
    const pool = this.#options.pool();
    const found = this.#slot.permanent ? await slotState(pool, this.#slot.name) : undefined;
    if (found?.usable !== true) {
      this.giveUp();
      return false;
    }
    if (found.active_pid !== null) await endServer(pool, found.active_pid);
    return true;
  }

  /**
   * Chooses the name of a new slot. The name is stored before the slot is created, because the server may create the
   * slot even if its response to the command is lost.
   */
  async choose(serverVersion: number): Promise<Slot> {
    const slot = await newSlot(this.#options.pool(), serverVersion);
    this.#slot = slot;
    return slot;
  }

  giveUp(): void {
    if (this.#slot?.permanent) this.#leftovers.set(this.#slot.name, this.serverPid);
    this.#slot = undefined;
  }

  async dropLeftovers(): Promise<void> {
    for (const [name, creatorPid] of [...this.#leftovers]) {
      await dropSlot(this.#options.pool(), name, creatorPid);
      this.#leftovers.delete(name);
    }
  }

  /**
   * Logs a warning if the slot retains a large amount of WAL. Abandons the slot and returns false if the slot retains
   * more WAL than the limit allows.
   */
  async checkWal(): Promise<boolean> {
    const { pool, log } = this.#options;
    const maxWalBytes = this.#options.maxWalBytes();
    const slot = this.#slot;
    const found = slot && (await slotState(pool(), slot.name));
    if (slot === undefined || found === undefined || slot !== this.#slot) return true;
    const retainedBytes = found.retained_bytes;
    this.#retainedBytes = retainedBytes;
    const facts = { slot: slot.name, retainedBytes, maxBytes: maxWalBytes };
    if (retainedBytes > maxWalBytes) {
      log.error(facts, 'PostgreSQL retains too much WAL for realtime; discarding undelivered changes');
      this.#warning = undefined;
      this.giveUp();
      return false;
    }
    if (retainedBytes > maxWalBytes / 2) {
      if (this.#warning === undefined) log.warn(facts, 'PostgreSQL retains a lot of WAL for realtime');
      this.#warning = `PostgreSQL retains ${mib(retainedBytes)} MiB of WAL for undelivered changes; above ${mib(maxWalBytes)} MiB, the changes are discarded`;
    } else this.#warning = undefined;
    return true;
  }
}
