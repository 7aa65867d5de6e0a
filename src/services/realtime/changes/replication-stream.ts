/**
 * The logical decoding stream of this process. The stream delivers rows of the user-managed publication and of
 * realtime.messages in commit order. PostgreSQL creates a slot only after all open write transactions in the cluster
 * have ended. To prevent startup from waiting for these transactions, the stream opens only when the first channel
 * needs it. When the stream ends, it is reopened on the same slot, so that no changes are missed. If the slot no longer
 * exists, a new one is created.
 */

import type { PostgresErrorShape, ReplicationConnection } from '../../../platform/database/types.ts';
import { createDecoder } from '../core/pgoutput.ts';
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
import { withSnapshot } from './snapshot.ts';
import type { Stream, StreamOptions } from './stream.ts';

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

/** Whether PostgreSQL rejected the use of the slot. */
function isRejection(error: unknown): boolean {
  return /^(42704|55000|58P01)$/.test((error as Partial<PostgresErrorShape>).code ?? '');
}
