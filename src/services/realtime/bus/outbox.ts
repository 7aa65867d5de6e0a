/**
 * Queues the messages that this process sends to other processes. Sends them in order, in batches, and retries while
 * the transport is interrupted.
 */
import type { Logger } from '../../../base/kernel/log.ts';
import { type BusMessage, encodeMessage, type TopicEntries } from '../core/bus-message.ts';
import type { Sealer } from '../core/bus-seal.ts';
import type { Transport } from './types.ts';

/**
 * The maximum total size of the messages that are queued while the transport is interrupted. If the limit is exceeded,
 * the queue is dropped.
 */
const maxWaitingBytes = 16 * 1024 * 1024;
/** A batch is complete once it reaches this size. */
const maxBatchBytes = 512 * 1024;
export const firstRetryMs = 100;
export const lastRetryMs = 5_000;

export interface OutboxOptions {
  readonly transport: Transport;
  readonly sealer: Sealer;
  readonly log: Logger;
  readonly ownPresence: () => readonly TopicEntries[];
}

export class Outbox {
  readonly #options: OutboxOptions;
  #queue: Buffer[] = [];
  #waitingBytes = 0;
  #dropped = 0;
  /** Whether the next batch must contain the complete presence state. */
  #stateDue = false;
  #sending: Promise<void> | undefined;
  #trouble: string | undefined;
  #retries = true;
  #closed = false;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#queue.length === 0;
  }

  /** Resolves when the queue has been sent. Undefined if no messages are being sent. */
  get sending(): Promise<void> | undefined {
    return this.#sending;
  }

  /** The error message while batches can't be sent. Otherwise, undefined. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  add(message: BusMessage): void {
    if (this.#closed) return;
    const bytes = encodeMessage(message);
    this.#waitingBytes += bytes.length;
    this.#queue.push(bytes);
    if (this.#waitingBytes > maxWaitingBytes) this.#overflow();
    this.#sending ??= this.#flush().finally(() => {
      this.#sending = undefined;
    });
  }

  /** Sends the complete presence state, followed by the message. */
  addWithState(message: BusMessage): void {
    this.#stateDue = true;
    this.add(message);
  }

  /** Stops retrying, so that batches that can't be sent are dropped. */
  stopRetrying(): void {
    this.#retries = false;
  }

  close(): void {
    this.#closed = true;
  }

  /** Drops the queued messages. The complete presence state is sent once other processes are reachable again. */
  #overflow(): void {
    this.#dropped += this.#queue.length;
    this.#queue = [];
    this.#waitingBytes = 0;
    this.#stateDue = true;
    this.#options.log.warn(
      { dropped: this.#dropped },
      "can't reach other processes; dropping broadcasts to their clients",
    );
  }

  async #flush(): Promise<void> {
    // Combines all messages from the same turn of the event loop into batches.
    await new Promise(setImmediate);
    while ((this.#queue.length > 0 || this.#stateDue) && !this.#closed) {
      if (this.#stateDue) {
        this.#stateDue = false;
        const bytes = encodeMessage({ kind: 'presence-state', rooms: this.#options.ownPresence() });
        // The presence state includes all previous changes, so older changes that are still queued have no effect.
        this.#queue.unshift(bytes);
        this.#waitingBytes += bytes.length;
      }
      await this.#deliver(this.#options.sealer.seal(Buffer.concat(this.#takeBatch())));
    }
  }

  #takeBatch(): Buffer[] {
    let bytes = 0;
    let count = 0;
    while (count < this.#queue.length && (count === 0 || bytes < maxBatchBytes))
      bytes += (this.#queue[count++] as Buffer).length;
    this.#waitingBytes -= bytes;
    return this.#queue.splice(0, count);
  }

  /**
   * Retries until the transport accepts the chunks. Chunks keep their numbers, so no receiver processes a chunk twice.
   */
  async #deliver(chunks: readonly Buffer[]): Promise<void> {
    const { transport, log } = this.#options;
    for (let delayMs = firstRetryMs; !this.#closed; delayMs = Math.min(lastRetryMs, delayMs * 2)) {
      try {
        await transport.send(chunks);
        if (this.#trouble !== undefined) log.info({}, 'other processes are reachable again');
        this.#trouble = undefined;
        return;
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        if (this.#trouble === undefined) log.warn({ reason }, "can't reach other processes");
        this.#trouble = `can't reach other processes over ${transport.name}: ${reason}`;
        if (!this.#retries) return;
        await new Promise((resolve) => setTimeout(resolve, delayMs));
      }
    }
  }
}
