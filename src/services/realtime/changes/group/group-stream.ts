/**
 * The stream of changes of a process whose group shares one replication slot. One process of the group reads the slot
 * and publishes each change to the group's log, and each process reads the log. A process continues in the log where it
 * stopped, so neither the end of the reader nor an interruption of NATS makes it miss changes.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogOpener } from '../../core/bus-seal.ts';
import { type BatchEntry, isRelation, readBatch } from '../../core/change-batch.ts';
import { createDecoder } from '../../core/pgoutput.ts';
import { isAfter, type Place, Progress, type StreamPlace } from '../../core/progress.ts';
import type { Resumed } from '../../handover/queries.ts';
import type { StreamReport } from '../../types.ts';
import { currentPlace, type IsWanted, type Missed, MissedChanges, readSlot, unavailable } from '../missed.ts';
import { shortageText } from '../replication.ts';
import { dropAbandoned, groupSlotPrefix } from '../slot.ts';
import { type Stream, type StreamOptions, withSnapshot } from '../stream.ts';
import type { ChangeLog, LogMessage } from './change-log.ts';
import { GroupReader } from './group-reader.ts';
import { dropUnwantedSlot, findGroupSlot, generationOf } from './group-slot.ts';
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
  readonly #progress = new Progress();
  readonly #open: (chunk: Buffer) => Buffer | undefined;
  #decoder: ReturnType<typeof createDecoder>;
  /** The version of each relation's description that was decoded last. */
  readonly #versions = new Map<number, number>();
  #state: 'closed' | 'opening' | 'live' = 'closed';
  #closing: Promise<void> | undefined;
  #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #trouble: string | undefined;
  #generation: string | undefined;
  /** The position of the next message in the log. Undefined if the next reading begins at the log's end. */
  #next: number | undefined;
  #floor: Place = { lsn: 0n, row: 0 };
  #paused: PromiseWithResolvers<void> | undefined;

  constructor(options: GroupStreamOptions) {
    const { database, log, changeLog, secret, maxSlotWalBytes, maxWaitingBytes, isWanted } = options;
    this.#options = options;
    this.#open = createLogOpener(secret);
    this.#decoder = createDecoder(isWanted);
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
    return { lsn: 0n, row: 0, sequence: this.#next ?? 0 };
  }

  get floor(): Place {
    return this.#floor;
  }

  async readMissed(resumed: Resumed, isWanted: IsWanted): Promise<Missed> {
    const { changeLog, database, secret } = this.#options;
    const { slot, place } = resumed;
    if (slot?.startsWith(groupSlotPrefix) !== true) return readSlot(database, resumed, isWanted);
    const from = place.sequence ?? 0;
    const { first, last } = await changeLog.range();
    if (generationOf(slot) !== this.#generation || from < first) return unavailable(this.#progress.place);
    const missed = new MissedChanges(place, isWanted);
    if (last < from) return { changes: [], fence: place, gap: undefined };
    const open = createLogOpener(secret);
    const versions = new Map<number, number>();
    const reading = await changeLog.read(from, ({ sequence, data }) => {
      const bytes = open(data);
      const batch = bytes && readBatch(bytes);
      if (batch?.generation === this.#generation)
        for (const entry of batch?.entries ?? []) addNew(missed, versions, entry);
      if (sequence >= last) reading.stop();
    });
    await reading.ended;
    // After a takeover, the log can end with changes that were published before.
    const fence = isAfter(missed.place, place) ? missed.place : place;
    return { changes: missed.changes, fence, gap: undefined };
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
    this.#next = undefined;
    this.#generation = undefined;
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
    const seamless = this.#next !== undefined && this.#next >= first && this.#next <= last + 1;
    if (!seamless) this.#next = last + 1;
    const reading = await changeLog.read(this.#next as number, (message) => this.#receive(message));
    const stop = (): void => reading.stop();
    stopping.addEventListener('abort', stop);
    try {
      if (!seamless) await Promise.race([this.#prepare(stopping), reading.ended]);
      if (stopping.aborted) return;
      this.#state = 'live';
      this.#trouble = undefined;
      onLive(seamless);
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
    while (slot?.ready !== true && !stopping.aborted) {
      await sleep(slotPollMs);
      if (this.#trouble === undefined && performance.now() - startedAt > slotWarningAfterMs) {
        this.#trouble = 'the stream of changes is waiting for open transactions that have written data';
        log.warn({}, this.#trouble);
      }
      slot = await findGroupSlot(pool);
    }
    if (slot === undefined || stopping.aborted) return;
    this.#generation ??= generationOf(slot.name);
    this.#floor = await currentPlace(pool);
    // A commit becomes visible to other sessions shortly after it was written.
    await sleep(visibilityMs);
    await withSnapshot(database, undefined, onSnapshot);
  }

  async #receive({ sequence, data }: LogMessage): Promise<void> {
    await this.#paused?.promise;
    // Messages are missing if JetStream has discarded them because of the log's limits.
    const isGap = this.#next !== undefined && sequence !== this.#next;
    this.#next = sequence + 1;
    if (isGap && this.#state === 'live') this.#restart('changes were discarded before they were read');
    const bytes = this.#open(data);
    if (bytes === undefined) return;
    const { generation, entries } = readBatch(bytes);
    if (generation !== this.#generation && !(await this.#adopt(generation))) return;
    for (const entry of entries) this.#process(entry, sequence);
  }

  /** Whether the generation is that of the current slot. Positions of another slot can't be compared. */
  async #adopt(generation: string): Promise<boolean> {
    const slot = await findGroupSlot(this.#options.database.pool('supabase_replication_admin'));
    if (slot === undefined || generationOf(slot.name) !== generation) return false;
    const isFirst = this.#generation === undefined;
    this.#generation = generation;
    this.#progress.restart();
    if (!isFirst) this.#restart('a new slot was created');
    return true;
  }

  /** Reports that changes may have been missed. */
  #restart(reason: string): void {
    this.#options.log.warn({ reason }, 'subscribers may have missed changes');
    if (this.#state === 'live') this.#options.onLive(false);
  }

  #process(entry: BatchEntry, sequence: number): void {
    const { message, number } = entry;
    if (isRelation(entry)) {
      const oid = message.readUInt32BE(1);
      if (this.#versions.get(oid) === number) return;
      this.#versions.set(oid, number);
    } else if (!this.#progress.admits(message, number)) return;
    const event = this.#decoder.decode(message);
    if (event !== undefined) this.#options.onEvent(event, { ...this.#progress.place, sequence });
  }
}

/** Adds a message, unless it is a description of a relation that was already added. */
function addNew(missed: MissedChanges, versions: Map<number, number>, entry: BatchEntry): void {
  const { message, number } = entry;
  if (!isRelation(entry)) {
    missed.add(message, number);
    return;
  }
  const oid = message.readUInt32BE(1);
  if (versions.get(oid) !== number) missed.add(message);
  versions.set(oid, number);
}
