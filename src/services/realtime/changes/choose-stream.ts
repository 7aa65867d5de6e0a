/**
 * Chooses between a stream of this process and the shared stream of a group. The choice requires answers from NATS and
 * PostgreSQL, so it is made when the stream is first opened.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Place, StreamPlace } from '../core/progress.ts';
import type { Resumed } from '../handover/queries.ts';
import type { StreamReport } from '../types.ts';
import { type ChangeLog, isWithoutJetStream } from './group/change-log.ts';
import { allowsGroupSlot } from './group/group-slot.ts';
import { createGroupStream } from './group/group-stream.ts';
import { type IsWanted, type Missed, unavailable } from './missed.ts';
import { createStream } from './replication-stream.ts';
import type { Stream, StreamOptions } from './stream.ts';

export interface GroupOptions {
  readonly changeLog: ChangeLog;
  /** The secret that all processes of the group share. */
  readonly secret: string;
  readonly maxWaitingBytes: () => number;
}

const retryMs = 1_000;
const capacityPatienceMs = 1_000;

/** Creates the stream of a process whose group shares one, unless NATS or PostgreSQL don't allow that. */
export const createSharedStream = (options: StreamOptions, group: GroupOptions): Stream =>
  new SharedStream(options, group);

class SharedStream implements Stream {
  readonly #options: StreamOptions;
  readonly #group: GroupOptions;
  #chosen: Stream | undefined;
  #choosing: Promise<void> | undefined;
  #isOpen = false;
  #stopped = false;
  #trouble: string | undefined;

  constructor(options: StreamOptions, group: GroupOptions) {
    this.#options = options;
    this.#group = group;
  }

  get live(): boolean {
    return this.#chosen?.live === true;
  }

  get trouble(): string | undefined {
    return this.#chosen === undefined ? this.#trouble : this.#chosen.trouble;
  }

  get shortage(): string | undefined {
    return this.#chosen?.shortage;
  }

  get report(): StreamReport {
    const state = this.#isOpen ? 'opening' : 'closed';
    return this.#chosen?.report ?? { state, trouble: this.#trouble, slot: undefined };
  }

  open(): void {
    this.#isOpen = true;
    if (this.#chosen !== undefined) this.#chosen.open();
    else this.#choosing ??= this.#choose();
  }

  close(): void {
    this.#isOpen = false;
    this.#chosen?.close();
  }

  async hasCapacity(): Promise<boolean> {
    await Promise.race([this.#choosing, sleep(capacityPatienceMs)]);
    return this.#chosen === undefined || this.#chosen.hasCapacity();
  }

  acknowledge(lsn: bigint): void {
    this.#chosen?.acknowledge(lsn);
  }

  pause(): void {
    this.#chosen?.pause();
  }

  resume(): void {
    this.#chosen?.resume();
  }

  get lastingSlot(): string | undefined {
    return this.#chosen?.lastingSlot;
  }

  get origin(): StreamPlace {
    return this.#chosen?.origin ?? { lsn: 0n, row: 0 };
  }

  get floor(): Place {
    return this.#chosen?.floor ?? { lsn: 0n, row: 0 };
  }

  async readMissed(resumed: Resumed, isWanted: IsWanted): Promise<Missed> {
    return this.#chosen?.readMissed(resumed, isWanted) ?? unavailable(resumed.place);
  }

  async checkSlots(kept: readonly string[]): Promise<void> {
    this.#choosing ??= this.#choose();
    await this.#chosen?.checkSlots(kept);
  }

  async stop(keepsSlot: boolean): Promise<void> {
    this.#stopped = true;
    this.#isOpen = false;
    await this.#choosing;
    await (this.#chosen === undefined ? this.#group.changeLog.close() : this.#chosen.stop(keepsSlot));
  }

  /** Retries until NATS and PostgreSQL can be reached. */
  async #choose(): Promise<void> {
    const { database, log } = this.#options;
    while (!this.#stopped) {
      try {
        this.#chosen = await this.#tryToChoose();
        this.#trouble = undefined;
        if (this.#isOpen) this.#chosen.open();
        return;
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        if (this.#trouble === undefined)
          log.warn({ reason, version: database.info.serverVersion }, "can't open the group's log; retrying");
        this.#trouble = `can't open the group's log of changes: ${reason}`;
        await sleep(retryMs, undefined, { ref: false });
      }
    }
  }

  async #tryToChoose(): Promise<Stream> {
    const { database, log } = this.#options;
    const { changeLog } = this.#group;
    const pool = database.pool('supabase_replication_admin');
    if (!(await allowsGroupSlot(pool, database.info.serverVersion))) {
      log.info(
        {},
        'each process reads changes itself, because a shared slot needs PostgreSQL 17 and a limit in max_slot_wal_keep_size',
      );
      await changeLog.close();
      return createStream(this.#options);
    }
    try {
      await changeLog.open();
    } catch (error) {
      if (!isWithoutJetStream(error)) throw error;
      log.warn({}, 'each process reads changes itself, because the NATS server runs without JetStream');
      await changeLog.close();
      return createStream(this.#options);
    }
    return createGroupStream({ ...this.#options, ...this.#group });
  }
}
