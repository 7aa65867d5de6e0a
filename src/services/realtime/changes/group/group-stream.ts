/**
 * The stream of changes of a process whose group shares one replication slot. One process of the group reads the slot
 * and publishes each change to the group's log, and each process reads the log. A process continues in the log where it
 * stopped, so neither the end of the reader nor an interruption of NATS makes it miss changes.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Place, StreamPlace } from '../../core/progress.ts';
import type { Resumed } from '../../handover/queries.ts';
import type { StreamReport } from '../../types.ts';
import { currentPlace, type IsWanted, type Missed, readSlot, unavailable } from '../missed.ts';
import { shortageText } from '../replication.ts';
import { dropAbandoned, groupSlotPrefix } from '../slot.ts';
import { withSnapshot } from '../snapshot.ts';
import type { Stream, StreamOptions } from '../stream.ts';
import type { ChangeLog } from './change-log.ts';
import { GroupReader } from './group-reader.ts';
import { dropUnwantedSlot, findGroupSlot, type GroupSlot, generationOf } from './group-slot.ts';
import { LogDecoder } from './log-decoder.ts';
import { readMissedInLog } from './missed-in-log.ts';
import { createNodeSession, type NodeSession } from './node-session.ts';

export interface GroupStreamOptions extends StreamOptions {
  readonly changeLog: ChangeLog;
  readonly secret: string;
  readonly maxWaitingBytes: () => number;
}

const retryMs = 500;
const slotPollMs = 50;
const visibilityMs = 10;
const slotWarningAfterMs = 5_000;
const capacityPatienceMs = 1_000;

export const createGroupStream = (options: GroupStreamOptions): Stream => new GroupStream(options);

class GroupStream implements Stream {
  readonly #options: GroupStreamOptions;
  readonly #session: NodeSession;
  readonly #reader: GroupReader;
  readonly #decoder: LogDecoder;
  #state: 'closed' | 'opening' | 'live' = 'closed';
  #closing: Promise<void> | undefined;
  #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #trouble: string | undefined;
  /** Whether changes were missing while the stream wasn't live. */
  #hasGap = false;
  /** Whether the stream continues for subscribers of an earlier reading. */
  #isResuming = false;
  #floor: Place = { lsn: 0n, row: 0 };
  #paused: PromiseWithResolvers<void> | undefined;

  constructor(options: GroupStreamOptions) {
    const { database, log, changeLog, secret, maxSlotWalBytes, maxWaitingBytes } = options;
    this.#options = options;
    this.#decoder = new LogDecoder({
      ...options,
      currentGeneration: async () => {
        const slot = await findGroupSlot(database.pool('supabase_replication_admin'));
        return slot && generationOf(slot.name);
      },
      onGap: (reason) => this.#onGap(reason),
    });
    this.#session = createNodeSession({ pool: () => database.pool('supabase_replication_admin'), log });
    this.#reader = new GroupReader({
      database,
      log,
      changeLog,
      session: this.#session,
      secret,
      maxSlotWalBytes,
      maxWaitingBytes,
      onRejected: options.onRejected,
    });
  }

  get live(): boolean {
    return this.#state === 'live';
  }

  get trouble(): string | undefined {
    if (this.#state === 'closed') return undefined;
    if (this.#state === 'live' && !this.#options.changeLog.isConnected)
      return 'changes are delayed because NATS is unreachable';
    return this.#trouble ?? this.#reader.trouble;
  }

  get shortage(): string | undefined {
    return this.#reader.isShort ? `${shortageText}.` : undefined;
  }

  get report(): StreamReport {
    const slot = this.#state === 'closed' ? undefined : this.#reader.slot;
    return {
      state: this.#state,
      trouble: this.trouble,
      slot: slot && {
        name: slot.name,
        isShared: true,
        isRead: this.#reader.isReading,
        permanent: true,
        retainedBytes: slot.retainedBytes,
        maxBytes: this.#options.maxSlotWalBytes(),
      },
    };
  }

  open(): void {
    if (this.#closing !== undefined) void this.#closing.then(() => this.open());
    if (this.#state !== 'closed' || this.#stopping.signal.aborted) return;
    this.#state = 'opening';
    this.#running = this.#run(this.#stopping.signal);
  }

  close(): void {
    if (this.#state === 'closed' || this.#closing !== undefined) return;
    this.#closing = this.#end().finally(() => {
      this.#closing = undefined;
      this.#stopping = new AbortController();
    });
  }

  async hasCapacity(): Promise<boolean> {
    const deadline = performance.now() + capacityPatienceMs;
    while (this.#state !== 'live' && !this.#reader.isShort && performance.now() < deadline)
      await sleep(slotPollMs);
    return this.#state === 'live' || !this.#reader.isShort;
  }

  /** Does nothing, because the reader confirms positions to PostgreSQL. */
  acknowledge(): void {}

  pause(): void {
    this.#paused ??= Promise.withResolvers();
  }

  resume(): void {
    this.#paused?.resolve();
    this.#paused = undefined;
  }

  get lastingSlot(): string | undefined {
    return this.#reader.slot?.name;
  }

  get origin(): StreamPlace {
    return { lsn: 0n, row: 0, sequence: this.#decoder.next ?? 0 };
  }

  get floor(): Place {
    return this.#floor;
  }

  async readMissed(resumed: Resumed, isWanted: IsWanted): Promise<Missed> {
    const { changeLog, database, secret } = this.#options;
    const { slot } = resumed;
    if (slot?.startsWith(groupSlotPrefix) !== true) return readSlot(database, resumed, isWanted);
    const { generation, place } = this.#decoder;
    const missed =
      generationOf(slot) === generation
        ? await readMissedInLog({ changeLog, secret, generation }, resumed, isWanted)
        : undefined;
    return missed ?? unavailable(place);
  }

  async checkSlots(kept: readonly string[]): Promise<void> {
    const { database, log } = this.#options;
    const dropped = await dropAbandoned(database, kept, false);
    if (dropped.length > 0) log.info({ slots: dropped }, 'dropped abandoned replication slots');
    const pool = database.pool('supabase_replication_admin');
    if (kept.some((name) => name.startsWith(groupSlotPrefix))) return;
    if (this.#state === 'closed' && (await dropUnwantedSlot(pool, this.#session, true)))
      log.info({}, 'dropped the shared replication slot, which no process needs');
  }

  async stop(keepsSlot: boolean): Promise<void> {
    await this.#closing;
    await this.#end(keepsSlot);
    await this.#options.changeLog.close();
  }

  async #end(keepsSlot = false): Promise<void> {
    const { database, log } = this.#options;
    const wasOpen = this.#state !== 'closed';
    this.#stopping.abort();
    this.resume();
    await this.#running;
    await this.#reader.stop();
    await this.#session.release();
    this.#state = 'closed';
    this.#trouble = undefined;
    this.#decoder.reset();
    if (!wasOpen || keepsSlot) return;
    await dropUnwantedSlot(database.pool('supabase_replication_admin'), this.#session, false).catch(
      (error: unknown) => log.warn({ error }, 'failed to drop the shared replication slot'),
    );
  }

  async #run(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      try {
        await this.#follow(stopping);
        if (stopping.aborted) return;
        throw new Error('the log of changes ended');
      } catch (error) {
        if (stopping.aborted) return;
        this.#state = 'opening';
        const reason = error instanceof Error ? error.message : String(error);
        this.#trouble = `can't read changes from the group's log: ${reason}`;
        this.#options.log.warn({ reason }, "can't read changes from the group's log; retrying");
      }
      await sleep(retryMs, undefined, { signal: stopping }).catch(() => undefined);
    }
  }

  /** Reads the log until it ends or the stream is closed. */
  async #follow(stopping: AbortSignal): Promise<void> {
    const { changeLog, onLive } = this.#options;
    await changeLog.open();
    await this.#session.want();
    this.#reader.start();
    const { first, last } = await changeLog.range();
    const { next } = this.#decoder;
    this.#hasGap = next !== undefined && (next < first || next > last + 1);
    const seamless = next !== undefined && !this.#hasGap;
    this.#isResuming = next !== undefined;
    const from = seamless ? next : last + 1;
    this.#decoder.continueAt(from);
    const reading = await changeLog.read(from, async (message) => {
      await this.#paused?.promise;
      await this.#decoder.receive(message);
    });
    const stop = (): void => reading.stop();
    stopping.addEventListener('abort', stop);
    try {
      if (!seamless) await Promise.race([this.#prepare(stopping), reading.ended]);
      if (stopping.aborted) return;
      this.#state = 'live';
      this.#trouble = undefined;
      if (this.#hasGap) this.#warnOfGap('changes were discarded before they were read');
      onLive(seamless && !this.#hasGap);
      await reading.ended;
    } finally {
      stopping.removeEventListener('abort', stop);
      reading.stop();
    }
  }

  /** Waits until the slot contains all later changes, and fetches the broadcasts from before. */
  async #prepare(stopping: AbortSignal): Promise<void> {
    const { database, log, onSnapshot } = this.#options;
    const pool = database.pool('supabase_replication_admin');
    const startedAt = performance.now();
    let slot = await findGroupSlot(pool);
    while (!this.#isReady(slot) && !stopping.aborted) {
      await sleep(slotPollMs);
      if (this.#trouble === undefined && performance.now() - startedAt > slotWarningAfterMs) {
        this.#trouble = 'the stream of changes is waiting for open transactions that have written data';
        log.warn({}, this.#trouble);
      }
      slot = await findGroupSlot(pool);
    }
    if (slot === undefined || stopping.aborted) return;
    this.#decoder.expect(generationOf(slot.name));
    this.#floor = await currentPlace(pool);
    // A commit becomes visible to other sessions shortly after it was written.
    await sleep(visibilityMs);
    await withSnapshot(database, undefined, onSnapshot);
  }

  /** Whether the slot contains all later changes. A reader replaces a slot that can't be used anymore. */
  #isReady(slot: GroupSlot | undefined): boolean {
    return slot?.ready === true && slot.usable && slot.retainedBytes <= this.#options.maxSlotWalBytes();
  }

  /** Reports that changes may have been missed. Before the stream is live, no subscriber relies on it. */
  #onGap(reason: string): void {
    if (this.#state !== 'live') {
      this.#hasGap ||= this.#isResuming;
      return;
    }
    this.#warnOfGap(reason);
    this.#options.onLive(false);
  }

  #warnOfGap(reason: string): void {
    this.#options.log.warn({ reason }, 'subscribers may have missed changes');
  }
}
