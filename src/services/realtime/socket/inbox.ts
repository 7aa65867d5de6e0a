/** Processes a client's messages on a channel in order. Messages that arrive during a database query are queued. */
import type { ClientMessage } from '../core/frame.ts';

export interface InboxOptions {
  /** Processes a message. Returns a promise if a query to PostgreSQL is necessary. */
  readonly work: (message: ClientMessage) => Promise<void> | undefined;
  readonly failed: (message: ClientMessage, error: unknown) => void;
  /**
   * The queue length at which reading from the socket pauses. `stall` is called with 1 when reading pauses and with -1
   * when it resumes.
   */
  readonly maxWaiting: number;
  readonly stall: (by: 1 | -1) => void;
}

export class Inbox {
  readonly #options: InboxOptions;
  readonly #waiting: ClientMessage[] = [];
  /** True until {@link open} is called at the end of the join, and while a message is being processed. */
  #busy = true;
  #stalls = false;
  #closed = false;

  constructor(options: InboxOptions) {
    this.#options = options;
  }

  receive(message: ClientMessage): void {
    if (this.#closed) return;
    if (!this.#busy && this.#waiting.length === 0) {
      this.#work(message);
      return;
    }
    this.#waiting.push(message);
    if (!this.#stalls && this.#waiting.length >= this.#options.maxWaiting) {
      this.#stalls = true;
      this.#options.stall(1);
    }
  }

  /** Starts processing messages. */
  open(): void {
    this.#busy = false;
    while (!this.#busy && !this.#closed) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      this.#work(next);
    }
    if (this.#waiting.length === 0) this.#unstall();
  }

  /** Discards queued messages and ignores messages that arrive later. */
  close(): void {
    this.#closed = true;
    this.#waiting.length = 0;
    this.#unstall();
  }

  #work(message: ClientMessage): void {
    const pending = this.#options.work(message);
    if (pending === undefined) return;
    this.#busy = true;
    pending
      .catch((error: unknown) => this.#options.failed(message, error))
      .then(() => {
        if (!this.#closed) this.open();
      });
  }

  #unstall(): void {
    if (!this.#stalls) return;
    this.#stalls = false;
    this.#options.stall(-1);
  }
}
