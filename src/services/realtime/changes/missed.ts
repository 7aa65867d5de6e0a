/**
 * Reads the changes that the subscribers of a process that has ended have missed. They are read from the process's slot,
 * without consuming them, because subscribers return to several processes at different times.
 */
import { sql } from '../../../base/kernel/sql.ts';
import type { Database, PostgresErrorShape, Queryable } from '../../../platform/database/types.ts';
import { type Change, changeOf } from '../core/change.ts';
import { createDecoder, type Relation } from '../core/pgoutput.ts';
import { isAfter, lsnText, type Place, Progress, parseLsn } from '../core/progress.ts';
import type { Resumed } from '../handover/queries.ts';
import { existingPublications, textFormats } from './replication.ts';
import { endServer } from './slot.ts';

export interface MissedChange {
  readonly relation: Relation;
  readonly change: Change;
  readonly xid: number;
  readonly place: Place;
}

export interface Missed {
  readonly changes: readonly MissedChange[];
  /** The place up to which the changes were read. The stream delivers all changes after it. */
  readonly fence: Place;
  /** Why changes may be missing. Undefined if none are missing. */
  readonly gap: string | undefined;
}

export type IsWanted = (relation: Relation) => boolean;

export const unavailable = (fence: Place, gap = "they aren't available anymore"): Missed => ({
  changes: [],
  fence,
  gap,
});

/** Collects the changes after a place from pgoutput messages. */
export class MissedChanges {
  readonly changes: MissedChange[] = [];
  readonly #from: Place;
  readonly #decoder: ReturnType<typeof createDecoder>;
  readonly #progress = new Progress();
  #committedAt = 0;
  #xid = 0;

  constructor(from: Place, isWanted: IsWanted) {
    this.#from = from;
    this.#decoder = createDecoder(isWanted);
  }

  get place(): Place {
    return this.#progress.place;
  }

  add(message: Buffer, rowsBefore = 0): void {
    if (!this.#progress.admits(message, rowsBefore)) return;
    const event = this.#decoder.decode(message);
    if (event === undefined) return;
    if (event.kind === 'begin') {
      this.#committedAt = Number(event.commitMicros / 1000n);
      this.#xid = event.xid;
      return;
    }
    if (event.kind === 'commit' || event.kind === 'relation' || !isAfter(this.#progress.place, this.#from))
      return;
    this.changes.push({
      relation: event.relation,
      change: changeOf(event, this.#committedAt),
      xid: this.#xid,
      place: this.#progress.place,
    });
  }
}

/** The maximum number of messages that are read from a slot, so that the memory for them is limited. */
const maxMessages = 200_000;
const readTimeoutMs = 20_000;
const busyRetryMs = 50;
/** Another process reads the slot, or the connection of the process that was killed still exists. */
const isBusy = (error: unknown): boolean => (error as PostgresErrorShape).code === '55006';

/** Returns the place after all changes that are committed now. */
export async function currentPlace(db: Queryable): Promise<Place> {
  const [now] = await db.query<{ lsn: string }>(sql`select pg_current_wal_flush_lsn()::text as lsn`);
  return { lsn: parseLsn(now?.lsn ?? '0/0'), row: 0 };
}

/** Reads a slot from a place up to the changes that are committed now. */
export async function readSlot(database: Database, resumed: Resumed, isWanted: IsWanted): Promise<Missed> {
  const pool = database.pool('supabase_replication_admin');
  const fence = await currentPlace(pool);
  if (resumed.slot === null) return unavailable(fence);
  const names = (await existingPublications(database)).map((name) => `"${name}"`).join(',');
  const missed = new MissedChanges(resumed.place, isWanted);
  for (const deadline = performance.now() + readTimeoutMs; ; ) {
    try {
      const rows = await pool.transaction(
        (tx) =>
          tx.query<{ data: Buffer }>(sql`
            select data from pg_logical_slot_peek_binary_changes(
              ${resumed.slot}::name, ${lsnText(fence.lsn)}::pg_lsn, ${maxMessages}::int,
              'proto_version', '1', 'publication_names', ${names}::text
            )`),
        { settings: [...textFormats, ['statement_timeout', String(readTimeoutMs)]] },
      );
      for (const { data } of rows) missed.add(data);
      const gap = rows.length >= maxMessages ? 'there are too many of them' : undefined;
      return { changes: missed.changes, fence, gap };
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) {
        if ((error as PostgresErrorShape).code === undefined) throw error;
        return unavailable(fence);
      }
      const [slot] = await pool.query<{ pid: number | null; is_sender: boolean }>(sql`
        select s.active_pid as pid, a.backend_type = 'walsender' as is_sender
        from pg_catalog.pg_replication_slots s left join pg_catalog.pg_stat_activity a on a.pid = s.active_pid
        where s.slot_name = ${resumed.slot}`);
      // The process has ended, so its own connection is of no use anymore.
      if (slot?.is_sender === true && slot.pid !== null) await endServer(pool, slot.pid);
      await new Promise((resolve) => setTimeout(resolve, busyRetryMs));
    }
  }
}
