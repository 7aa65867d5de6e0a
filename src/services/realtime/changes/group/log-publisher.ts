/**
 * Publishes the changes of the group's slot to the group's log. Batches are published one after another, because their
 * order must be that of the stream even after a failure. A position is confirmed to PostgreSQL only after JetStream has
 * stored the changes before it.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../../../base/kernel/log.ts';
import type { ReplicationConnection } from '../../../../platform/database/types.ts';
import { createSealer, type Sealer } from '../../core/bus-seal.ts';
import { type Batch, BatchBuilder } from '../../core/change-batch.ts';
import type { ChangeLog } from './change-log.ts';

export interface LogPublisherOptions {
  readonly changeLog: ChangeLog;
  readonly secret: string;
  /** The generation of the slot that is read. */
  readonly generation: string;
  readonly connection: Pick<ReplicationConnection, 'acknowledge' | 'pause' | 'resume'>;
  readonly maxWaitingBytes: () => number;
  readonly log: Logger;
}

const maxBatchBytes = 480 * 1024;
const maxChunkBytes = 512 * 1024;
const firstRetryMs = 50;
const lastRetryMs = 1_000;

export class LogPublisher {
  readonly #options: LogPublisherOptions;
  readonly #sealer: Sealer;
  /** An ID identifies a chunk, not its changes: after a takeover, a batch with the same first change can be longer. */
  readonly #idPrefix: string;
  readonly #builder: BatchBuilder;
  readonly #full: Batch[] = [];
  #published = 0;
  #fullBytes = 0;
  #isPublishing = false;
  #isPaused = false;
  #isStopped = false;
  #trouble: string | undefined;

  constructor(options: LogPublisherOptions) {
    this.#options = options;
    const origin = randomBytes(16);
    this.#sealer = createSealer(options.secret, origin, maxChunkBytes, 'changes');
    this.#idPrefix = origin.toString('hex');
    this.#builder = new BatchBuilder(options.generation, randomInt(2 ** 32));
  }

  /** The error message while changes can't be published. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** Whether reading pauses because too many changes aren't published yet. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  add(message: Buffer): void {
    const { connection, maxWaitingBytes } = this.#options;
    this.#builder.add(message);
    if (this.#builder.size > maxBatchBytes) {
      const batch = this.#builder.take() as Batch;
      this.#full.push(batch);
      this.#fullBytes += batch.bytes.length;
    }
    if (!this.#isPaused && this.#waitingBytes > maxWaitingBytes()) {
      this.#isPaused = true;
      connection.pause();
    }
    if (!this.#isPublishing && this.#waitingBytes > 0) void this.#publishAll();
  }

  stop(): void {
    this.#isStopped = true;
  }

  get #waitingBytes(): number {
    return this.#fullBytes + this.#builder.size;
  }

  async #publishAll(): Promise<void> {
    const { connection, maxWaitingBytes } = this.#options;
    this.#isPublishing = true;
    try {
      // Waits until all messages from the same socket read have arrived, so they form one batch.
      await new Promise(setImmediate);
      for (;;) {
        const batch = this.#full.shift() ?? this.#builder.take();
        if (batch === undefined) return;
        this.#fullBytes = Math.max(0, this.#fullBytes - batch.bytes.length);
        for (const chunk of this.#sealer.seal(batch.bytes)) {
          const id = `${this.#idPrefix}.${this.#published++}`;
          if (!(await this.#publish(id, chunk))) return;
        }
        if (batch.endLsn !== undefined) connection.acknowledge(batch.endLsn);
        if (this.#isPaused && this.#waitingBytes < maxWaitingBytes() / 2) {
          this.#isPaused = false;
          connection.resume();
        }
      }
    } finally {
      this.#isPublishing = false;
    }
  }

  /** Retries until JetStream has stored the chunk. Returns false if the publisher was stopped before. */
  async #publish(id: string, chunk: Buffer): Promise<boolean> {
    const { changeLog, log } = this.#options;
    for (let delayMs = firstRetryMs; !this.#isStopped; delayMs = Math.min(lastRetryMs, delayMs * 2)) {
      try {
        await changeLog.publish(id, chunk);
        if (this.#trouble !== undefined) log.info({}, 'changes are published again');
        this.#trouble = undefined;
        return true;
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        if (this.#trouble === undefined) log.warn({ reason }, "can't publish changes; retrying");
        this.#trouble = `can't publish changes over NATS: ${reason}`;
        await sleep(delayMs);
      }
    }
    return false;
  }
}
