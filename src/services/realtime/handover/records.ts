/**
 * Records the channels of this process and the change that it delivered last, so that other processes can continue for
 * its clients. The records are written in batches. While the process runs, the recorded position is up to a second old.
 * When the process stops, it records the exact position.
 */
import { createHash, randomInt } from 'node:crypto';
import type { Logger } from '../../../base/kernel/log.ts';
import { sql } from '../../../base/kernel/sql.ts';
import type { Pool, Session } from '../../../platform/database/types.ts';
import {
  type ChannelRecord,
  type Delivered,
  deleteNode,
  keepRecords,
  nodeLockClass,
  type Resumed,
  takeRecord,
  writeNode,
} from './queries.ts';

export interface Records {
  /** Records a channel. Returns a function that removes the record, unless the process is ending. */
  add(identity: Buffer, ref: number): () => void;
  /** Takes the record of a client's channel in a process that has ended. */
  take(identity: Buffer, ref: number): Promise<Resumed | undefined>;
  /** Records that this process has ended at this position. Returns whether there are channels to hand over. */
  end(delivered: Delivered): Promise<boolean>;
  /** Returns the slots that other processes or channels still need. */
  keep(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

export interface RecordsOptions {
  readonly pool: () => Pool;
  /** A pool for the session that shows that this process is running. */
  readonly lockPool: () => Pool;
  readonly log: Logger;
  readonly delivered: () => Delivered;
}

const flushMs = 100;
const positionMs = 1_000;
const endTimeoutMs = 2_000;
const maxNode = 2 ** 31 - 1;

/** Hashes what identifies a client's channel. The parts aren't stored, because they include the user's ID. */
export function identityOf(parts: readonly unknown[]): Buffer {
  return createHash('sha256').update(JSON.stringify(parts)).digest();
}

export const createRecords = (options: RecordsOptions): Records => new DatabaseRecords(options);

class DatabaseRecords implements Records {
  readonly #options: RecordsOptions;
  readonly #node = randomInt(1, maxNode);
  #count = 0;
  readonly #channels = new Set<number>();
  #added = new Map<number, ChannelRecord>();
  #removed: number[] = [];
  #written = '';
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #lock: Session | undefined;
  #isEnding = false;

  constructor(options: RecordsOptions) {
    this.#options = options;
  }

  add(identity: Buffer, ref: number): () => void {
    const channel = ++this.#count;
    this.#channels.add(channel);
    this.#added.set(channel, { channel, identity, ref });
    this.#schedule(flushMs);
    return () => {
      if (this.#isEnding || !this.#channels.delete(channel)) return;
      if (!this.#added.delete(channel)) this.#removed.push(channel);
    };
  }

  async take(identity: Buffer, ref: number): Promise<Resumed | undefined> {
    return takeRecord(this.#options.pool(), { node: this.#node, identity, ref });
  }

  async end(delivered: Delivered): Promise<boolean> {
    this.#isEnding = true;
    clearTimeout(this.#timer);
    if (this.#channels.size === 0) return false;
    const written = (async () => {
      await this.#writing;
      await this.#write(delivered, true);
      return true;
    })().catch((error: unknown) => {
      this.#options.log.warn({ error }, 'failed to record which changes were delivered');
      return false;
    });
    const late = new Promise<boolean>((resolve) => setTimeout(() => resolve(true), endTimeoutMs).unref());
    return Promise.race([written, late]);
  }

  keep(): Promise<readonly string[]> {
    return keepRecords(this.#options.pool());
  }

  async stop(): Promise<void> {
    const hasEnded = this.#isEnding && this.#channels.size > 0;
    this.#isEnding = true;
    clearTimeout(this.#timer);
    await this.#writing;
    if (!hasEnded && this.#written !== '')
      await deleteNode(this.#options.pool(), this.#node).catch((error: unknown) =>
        this.#options.log.debug({ error }, 'failed to delete the record of this process'),
      );
    this.#lock?.destroy();
  }

  #schedule(ms: number): void {
    if (this.#timer !== undefined || this.#isEnding) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#writing ??= this.#flush().finally(() => {
        this.#writing = undefined;
        if (this.#channels.size > 0) this.#schedule(this.#added.size > 0 ? flushMs : positionMs);
      });
    }, ms).unref();
  }

  async #flush(): Promise<void> {
    try {
      await this.#holdLock();
      const delivered = this.#options.delivered();
      const isNew = this.#written !== textOf(delivered);
      if (isNew || this.#added.size > 0 || this.#removed.length > 0) await this.#write(delivered, false);
    } catch (error) {
      this.#options.log.debug({ error }, 'failed to record channels; retrying');
      this.#lock?.destroy();
      this.#lock = undefined;
    }
  }

  async #write(delivered: Delivered, ends: boolean): Promise<void> {
    const [added, removed] = [this.#added, this.#removed];
    this.#added = new Map();
    this.#removed = [];
    try {
      const records = [...added.values()];
      await writeNode(this.#options.pool(), { node: this.#node, delivered, added: records, removed, ends });
      this.#written = textOf(delivered);
    } catch (error) {
      this.#added = new Map([...added, ...this.#added]);
      this.#removed = [...removed, ...this.#removed];
      throw error;
    }
  }

  async #holdLock(): Promise<void> {
    if (this.#lock !== undefined) {
      await this.#lock.query(sql`select 1`);
      return;
    }
    const session = await this.#options.lockPool().connect();
    try {
      await session.query(
        sql`select pg_catalog.pg_try_advisory_lock_shared(${nodeLockClass}::int, ${this.#node}::int)`,
      );
      this.#lock = session;
      // Other processes may have concluded in the meantime that this process has ended.
      this.#written = '';
    } catch (error) {
      session.destroy();
      throw error;
    }
  }
}

const textOf = ({ slot, place }: Delivered): string => `${slot} ${place.lsn} ${place.row} ${place.sequence}`;
