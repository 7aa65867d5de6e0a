/**
 * The queue of requests that wait for a slot, and the count of each client's concurrent requests. When a slot might be
 * available, the waiting requests try again. Clients take turns.
 */
import type { QueueLoad } from '../../base/kernel/service.ts';
import { FairQueue, type Waiter } from '../../base/shared/fair-queue.ts';

interface Waiting extends Waiter {
  readonly retry: () => void;
  readonly reject: (error: Error) => void;
}

export class WaitingRequests {
  readonly #queue: FairQueue<Waiting>;
  readonly #onFull: () => Error;
  #waited = 0;
  #waitedMs = 0;
  #rejected = 0;

  /**
   * If more than `limit` requests are waiting, a request from the client with the most waiting requests is rejected
   * with the result of `onFull`.
   */
  constructor(limit: number, onFull: () => Error) {
    this.#queue = new FairQueue(limit);
    this.#onFull = onFull;
  }

  /** Resolves when a slot might be available. After `timeoutMs`, rejects with the result of `onTimeout`. */
  wait(client: string, timeoutMs: number, onTimeout: () => Error): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = setTimeout(
        () => {
          this.#queue.remove(item);
          this.#rejected += 1;
          reject(onTimeout());
        },
        Math.max(0, timeoutMs),
      );
      const item: Waiting = {
        client,
        retry() {
          clearTimeout(end);
          resolve();
        },
        reject(error) {
          clearTimeout(end);
          reject(error);
        },
      };
      const rejected = this.#queue.push(item);
      if (rejected === undefined) return;
      this.#rejected += 1;
      rejected.reject(this.#onFull());
    });
  }

  wakeAll(): void {
    const order: Waiting[] = [];
    for (let item = this.#queue.next(); item !== undefined; item = this.#queue.next()) {
      this.#queue.start(item);
      order.push(item);
    }
    for (const { retry } of order) retry();
  }

  /** Records the time that a request waited before it started. */
  started(waitedMs: number): void {
    this.#waited += 1;
    this.#waitedMs += waitedMs;
  }

  load(): QueueLoad {
    return {
      waiting: this.#queue.size,
      waited: this.#waited,
      waitedMs: this.#waitedMs,
      rejected: this.#rejected,
    };
  }
}

/**
 * Counts the concurrent requests per function and client, so that one client can't occupy all of a function's workers.
 */
export class ClientShares {
  readonly #limit: () => number;
  readonly #counts = new Map<string, number>();

  constructor(limit: () => number) {
    this.#limit = limit;
  }

  /**
   * Whether another request from the client may start.
   * @param client The client's key. Undefined for clients that aren't limited.
   */
  mayStart(slug: string, client: string | undefined): boolean {
    return client === undefined || (this.#counts.get(keyOf(slug, client)) ?? 0) < this.#limit();
  }

  enter(slug: string, client: string | undefined): void {
    if (client === undefined) return;
    const key = keyOf(slug, client);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  leave(slug: string, client: string | undefined): void {
    if (client === undefined) return;
    const key = keyOf(slug, client);
    const count = (this.#counts.get(key) ?? 0) - 1;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
  }
}

/** The function and the client in a key are separated by a space, because slugs don't contain spaces. */
const keyOf = (slug: string, client: string): string => `${slug} ${client}`;
