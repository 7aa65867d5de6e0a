/** What a client sends on a channel, worked off in order: whatever arrives while PostgreSQL is asked waits. */
import type { ClientMessage } from '../core/frame.ts';

export interface InboxOptions {
  /** A promise when PostgreSQL has to be asked first. */
  readonly work: (message: ClientMessage) => Promise<void> | undefined;
  readonly failed: (message: ClientMessage, error: unknown) => void;
  /** Beyond this many waiting frames the socket is not read: told once with 1, and with -1 when it is over. */
  readonly maxWaiting: number;
  readonly stall: (by: 1 | -1) => void;
}

export class Inbox {
  readonly #options: InboxOptions;
  readonly #waiting: ClientMessage[] = [];
  /** Until {@link open}: the join is under way. */
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

  /** Begins to work. */
  open(): void {
    this.#busy = false;
    while (!this.#busy && !this.#closed) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      this.#work(next);
    }
    if (this.#waiting.length === 0) this.#unstall();
  }

  /** Forgets what waits and takes nothing more. */
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
