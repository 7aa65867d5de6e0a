/**
 * The logical decoding stream of this process. The stream delivers rows of the user-managed publication and of
 * realtime.messages in commit order. PostgreSQL creates a slot only after all open write transactions in the cluster
 * have ended. To prevent startup from waiting for these transactions, the stream opens only when the first channel
 * needs it. When the stream ends, it is reopened on the same slot, so that no changes are missed. If the slot no longer
 * exists, a new one is created.
 */

import type { Logger } from '../../../base/kernel/log.ts';
import { quoteLiteral, sql } from '../../../base/kernel/sql.ts';
import type {
  Database,
  PostgresErrorShape,
  ReplicationConnection,
} from '../../../platform/database/types.ts';
import { createDecoder, type Relation, type ReplicationEvent } from '../core/pgoutput.ts';
import { type Place, Progress, type StreamPlace } from '../core/progress.ts';
import type { Resumed } from '../handover/queries.ts';
import type { StreamReport } from '../types.ts';
import { type IsWanted, type Missed, readSlot } from './missed.ts';
import {
  existingPublications,
  heartbeatMs,
  prepareSession,
  rejections,
  shortages,
  shortageText,
  silenceMs,
  startReplication,
  writeHeartbeat,
} from './replication.ts';
import { dropAbandoned, StreamSlot } from './slot.ts';

export interface StreamOptions {
  readonly database: Database;
  readonly log: Logger;
  /**
   * The maximum size of the WAL that PostgreSQL retains for this stream. If the limit is exceeded, the stream restarts
   * and skips the missed changes.
   */
  readonly maxSlotWalBytes: () => number;
  readonly isWanted: (relation: Relation) => boolean;
  /** Called for each event, with the place in the stream after the event. */
  readonly onEvent: (event: ReplicationEvent, place: StreamPlace) => void;
  /**
   * Runs in a transaction with the slot's initial snapshot. Rows that are visible in the snapshot were committed before
   * the stream began, and all other rows are received through the stream.
   */
  readonly onSnapshot: (command: ReplicationConnection['command']) => Promise<void>;
  /**
   * Called when the stream is live. `seamless` is true if the stream continues where the previous stream ended, without
   * missing changes.
   */
  readonly onLive: (seamless: boolean) => void;
  /** Called if the server rejects an attempt to open the stream for a reason that retrying won't fix. */
  readonly onRejected: () => void;
}

export interface Stream {
  /** Opens the stream if it is closed. */
  open(): void;
  /** Closes the stream and drops its slot, because no channel needs the stream anymore. */
  close(): void;
  readonly live: boolean;
  /**
   * Resolves with whether PostgreSQL has a free replication slot and WAL sender for the stream, as far as this is known
   * within a second. The server creates a slot only after open transactions have ended, so `true` doesn't mean that the
   * stream is live.
   */
  hasCapacity(): Promise<boolean>;
  /** A sentence for operators if PostgreSQL has rejected the stream because it has no capacity. Otherwise, undefined. */
  readonly shortage: string | undefined;
  /** The error message while the stream is needed but isn't live, or while the stream retains too much WAL. */
  readonly trouble: string | undefined;
  readonly report: StreamReport;
  acknowledge(lsn: bigint): void;
  /** Stops reading. PostgreSQL retains later changes until the stream is read again. A reopened stream isn't paused. */
  pause(): void;
  resume(): void;
  /** Checks the retained WAL and drops abandoned slots, except the slots in `kept`. */
  checkSlots(kept: readonly string[]): Promise<void>;
  /** The permanent slot that contains the changes after the last acknowledged one, if there is one. */
  readonly lastingSlot: string | undefined;
  /** The place at which the stream began. */
  readonly origin: StreamPlace;
  /**
   * A stream that other processes have used can first deliver older changes, for subscribers that missed them. New
   * subscribers receive only changes after this place.
   */
  readonly floor: Place;
  /** Reads the changes that subscribers of a process that has ended have missed, up to now. The stream must be live. */
  readMissed(resumed: Resumed, isWanted: IsWanted): Promise<Missed>;
  /** If `keepsSlot` is true, the slot is left to other processes. */
  stop(keepsSlot: boolean): Promise<void>;
}

const firstRetryMs = 200;
const lastRetryMs = 5_000;
const slotWarningAfterMs = 5_000;
const farewellMs = 3_000;
const capacityPatienceMs = 1_000;

export const createStream = (options: StreamOptions): Stream => new ReplicationStream(options);

class ReplicationStream implements Stream {
  readonly #options: StreamOptions;
  readonly #slot: StreamSlot;
  readonly #progress = new Progress();
  #state: 'closed' | 'opening' | 'live' | 'closing' | 'stopped' = 'closed';
  #closing: Promise<void> | undefined;
  #isShort = false;
  #hasChecked = false;
  /** Called when an attempt to open the stream has succeeded or failed. */
  readonly #attempted = new Set<() => void>();
  #connection: ReplicationConnection | undefined;
  #trouble: string | undefined;
  #retry: NodeJS.Timeout | undefined;
  #retryMs = firstRetryMs;
  #running: Promise<void> | undefined;
  #paused = false;
  /** Whether the current attempt to open the stream still has to create its slot. */
  #isBeginning = false;
  #heardAt = 0;

  constructor(options: StreamOptions) {
    const { database, log, maxSlotWalBytes } = options;
    this.#options = options;
    this.#slot = new StreamSlot({
      pool: () => database.pool('supabase_replication_admin'),
      log,
      maxWalBytes: maxSlotWalBytes,
    });
  }

  get live(): boolean {
    return this.#state === 'live';
  }

  get trouble(): string | undefined {
    return this.#trouble ?? this.#slot.warning;
  }

  get report(): StreamReport {
    const state = this.#isEnding ? 'closed' : this.#state;
    return { state: state as StreamReport['state'], trouble: this.trouble, slot: this.#slot.report };
  }

  open(): void {
    if (this.#closing !== undefined && !this.#isStopped) void this.#closing.then(() => this.open());
    if (this.#state !== 'closed') return;
    clearTimeout(this.#retry);
    this.#state = 'opening';
    this.#running = this.#run()
      .then(() => 'the server ended the stream')
      .catch((error: unknown) => {
        const { code } = error as PostgresErrorShape;
        const isRejected = this.#isBeginning && rejections.has(code);
        this.#isShort = this.#isBeginning && shortages.has(code);
        if (isRejected && !this.#isEnding) this.#options.onRejected();
        if (this.#isShort) return shortageText;
        return error instanceof Error ? error.message : String(error);
      })
      .then((reason) => this.#onEnd(reason));
  }

  close(): void {
    if (this.#isEnding) return;
    this.#state = 'closing';
    this.#closing = this.#end().finally(() => {
      this.#closing = undefined;
      this.#isShort = false;
      this.#trouble = undefined;
      if (!this.#isStopped) this.#state = 'closed';
    });
  }

  get shortage(): string | undefined {
    return this.#isShort ? `${shortageText}.` : undefined;
  }

  async hasCapacity(): Promise<boolean> {
    // While PostgreSQL has no capacity, every attempt fails immediately, so the result of the last attempt counts.
    if (this.#state === 'live' || this.#isShort) return !this.#isShort;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#attempted.add(resolve);
      timer = setTimeout(() => {
        this.#attempted.delete(resolve);
        resolve();
      }, capacityPatienceMs);
    });
    clearTimeout(timer);
    return !this.#isShort;
  }

  acknowledge(lsn: bigint): void {
    this.#connection?.acknowledge(lsn);
  }

  pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    this.#connection?.pause();
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#heardAt = performance.now();
    this.#connection?.resume();
  }

  get lastingSlot(): string | undefined {
    const slot = this.#slot.report;
    return slot?.permanent === true ? slot.name : undefined;
  }

  get origin(): StreamPlace {
    return { lsn: 0n, row: 0 };
  }

  get floor(): Place {
    return { lsn: 0n, row: 0 };
  }

  readMissed(resumed: Resumed, isWanted: IsWanted): Promise<Missed> {
    return readSlot(this.#options.database, resumed, isWanted);
  }

  async checkSlots(kept: readonly string[]): Promise<void> {
    const { database, log } = this.#options;
    const isStart = !this.#hasChecked;
    this.#hasChecked = true;
    const dropped = await dropAbandoned(database, [this.#slot.name ?? '', ...kept], isStart);
    if (dropped.length > 0) log.info({ slots: dropped }, 'dropped abandoned replication slots');
    await this.#checkWal();
  }

  async stop(keepsSlot: boolean): Promise<void> {
    this.#state = 'stopped';
    await this.#closing;
    await this.#end(keepsSlot);
  }

  async #end(keepsSlot = false): Promise<void> {
    clearTimeout(this.#retry);
    this.#connection?.destroy();
    await this.#running;
    if (!keepsSlot) this.#slot.giveUp();
    await this.#dropInTime();
  }

  get #isStopped(): boolean {
    return this.#state === 'stopped';
  }

  get #isEnding(): boolean {
    return this.#state === 'closing' || this.#state === 'stopped';
  }

  #onAttempted(): void {
    for (const resolve of this.#attempted) resolve();
    this.#attempted.clear();
  }

  async #run(): Promise<void> {
    const { database } = this.#options;
    this.#isBeginning = true;
    const publications = await existingPublications(database);
    const opened = await database.connectReplication();
    this.#connection = opened;
    if (this.#isEnding) return;
    const serverPid = await prepareSession(opened);
    const seamless = await this.#slot.isResumable();
    this.#slot.serverPid = serverPid;
    if (!seamless) await this.#makeSlot(opened);
    this.#isBeginning = false;
    if (this.#isEnding) return;
    const ended = this.#read(opened, publications);
    this.#state = 'live';
    this.#trouble = undefined;
    this.#isShort = false;
    this.#retryMs = firstRetryMs;
    this.#onAttempted();
    const heart = setInterval(() => this.#beat(opened), heartbeatMs).unref();
    this.#options.onLive(seamless);
    try {
      await ended;
    } catch (error) {
      if (seamless && isRejection(error)) this.#slot.giveUp();
      throw error;
    } finally {
      clearInterval(heart);
    }
  }

  #onEnd(reason: string): void {
    this.#connection?.destroy();
    this.#connection = undefined;
    this.#onAttempted();
    if (this.#isEnding) return;
    this.#state = 'closed';
    this.#trouble = `the stream of changes is interrupted: ${reason}`;
    const retryMs = this.#retryMs;
    this.#options.log.warn({ reason, retryMs }, 'the change stream ended; reopening it');
    this.#retry = setTimeout(() => this.open(), retryMs);
    this.#retryMs = Math.min(lastRetryMs, retryMs * 2);
  }

  /** Starts the stream. The returned promise settles when the stream ends. */
  #read(opened: ReplicationConnection, publications: readonly string[]): Promise<void> {
    const { isWanted, onEvent } = this.#options;
    const decoder = createDecoder(isWanted);
    this.#heardAt = performance.now();
    this.#paused = false;
    const { ended } = opened.stream(
      startReplication(this.#slot.name as string, this.#progress.received, publications),
      (payload) => {
        this.#heardAt = performance.now();
        if (!this.#progress.admits(payload)) return;
        const event = decoder.decode(payload);
        if (event !== undefined) onEvent(event, this.#progress.place);
      },
    );
    return ended;
  }

  /** Creates the slot. The server responds once all write transactions that were open at this time have ended. */
  async #makeSlot(opened: ReplicationConnection): Promise<void> {
    const { database, log, onSnapshot } = this.#options;
    await this.#slot.dropLeftovers();
    const { name, permanent } = await this.#slot.choose(database.info.serverVersion);
    const warning = setTimeout(() => {
      this.#trouble = 'the stream of changes is waiting for open transactions that have written data';
      log.warn({}, this.#trouble);
    }, slotWarningAfterMs);
    try {
      const [answer] = await opened.command(
        `CREATE_REPLICATION_SLOT ${name} ${permanent ? '' : 'TEMPORARY '}LOGICAL pgoutput (SNAPSHOT 'export')`,
      );
      this.#progress.restart();
      await withSnapshot(database, answer?.snapshot_name ?? '', onSnapshot);
    } catch (error) {
      this.#slot.giveUp();
      throw error;
    } finally {
      clearTimeout(warning);
    }
  }

  #beat(opened: ReplicationConnection): void {
    const { database, log } = this.#options;
    if (!this.#paused && performance.now() - this.#heardAt > silenceMs) {
      log.warn({ silenceMs }, 'the change stream is silent');
      opened.destroy();
      return;
    }
    writeHeartbeat(database)
      .then(() => this.#checkWal())
      .catch((error: unknown) => log.debug({ error }, 'failed to write a heartbeat'));
  }

  /** If the slot retains too much WAL, the stream ends and the next stream begins with a new slot. */
  async #checkWal(): Promise<void> {
    if (!(await this.#slot.checkWal())) this.#connection?.destroy();
  }

  async #dropInTime(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, farewellMs);
    });
    await Promise.race([this.#slot.dropLeftovers(), late]).catch((error: unknown) =>
      this.#options.log.warn({ error }, 'failed to drop the replication slot; the next start drops it'),
    );
    clearTimeout(timer);
  }
}

/**
 * Runs `work` with the exported snapshot, or with a new snapshot if `name` is undefined, as the tables' owner. Policies and indexes contain project code, which must
 * not run as a role that can create slots. The snapshot is valid until the next command on the connection that exported
 * it.
 */
export async function withSnapshot(
  database: Database,
  name: string | undefined,
  work: StreamOptions['onSnapshot'],
): Promise<void> {
  const session = await database.pool('supabase_realtime_admin').connect();
  try {
    const chosen = name === undefined ? '' : `; set transaction snapshot ${quoteLiteral(name)}`;
    await session.exec(`begin isolation level repeatable read read only${chosen}`);
    await work(async (text) => {
      const { columns, rows } = await session.queryText(sql`${sql.raw(text)}`);
      return rows.map((row) =>
        Object.fromEntries(columns.map((column, index) => [column.name, row[index] ?? null])),
      );
    });
    await session.exec('commit');
  } finally {
    session.release();
  }
}

/** Whether PostgreSQL rejected the use of the slot. */
function isRejection(error: unknown): boolean {
  return /^(42704|55000|58P01)$/.test((error as Partial<PostgresErrorShape>).code ?? '');
}
