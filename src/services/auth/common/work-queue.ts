/**
 * Implements a queue for expensive work. The queue limits how many items run concurrently and how many items wait.
 * Clients take turns. The queue skips an item whose caller has stopped waiting, and rejects an item that would wait too
 * long.
 */
import type { QueueLoad } from '../../../base/kernel/service.ts';
import { FairQueue, WaitEstimate, type Waiter } from '../../../base/shared/fair-queue.ts';

interface WorkQueue {
  /**
   * Runs the work once a slot is free. If the signal is aborted before the work has started, throws the signal's
   * reason.
   * @throws {QueueFullError} if the queue is full or the estimated wait is too long
   */
  run<T>(work: () => Promise<T>, signal?: AbortSignal, client?: string): Promise<T>;
  load(): QueueLoad;
}

export class QueueFullError extends Error {
  override name = 'QueueFullError';
  readonly retryAfterSeconds: number;

  constructor(waitMs: number) {
    super('the queue is full');
    this.retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  }
}

interface Waiting extends Waiter {
  readonly since: number;
  readonly begin: () => void;
  readonly fail: (error: unknown) => void;
  readonly signal: AbortSignal | undefined;
  readonly onAbort: () => void;
}

export interface WorkLimits {
  readonly concurrency: number;
  readonly waiting: number;
  /** The maximum estimated wait. Items that would wait longer are rejected. */
  readonly maxWaitMs: () => number;
}

/** Creates a queue. `now` returns milliseconds. */
export function createWorkQueue(limits: WorkLimits, now: () => number): WorkQueue {
  const queue = new FairQueue<Waiting>(limits.waiting);
  const estimate = new WaitEstimate();
  let running = 0;
  const counts = { waited: 0, waitedMs: 0, rejected: 0 };

  const enter = (signal: AbortSignal | undefined, client: string): Promise<void> => {
    if (running < limits.concurrency) {
      running++;
      return Promise.resolve();
    }
    const waitMs = estimate.waitMs(queue.ahead(client), limits.concurrency);
    if (waitMs > limits.maxWaitMs()) {
      counts.rejected++;
      return Promise.reject(new QueueFullError(waitMs));
    }
    return new Promise((begin, fail) => {
      const item: Waiting = {
        since: now(),
        client,
        begin,
        fail,
        signal,
        onAbort() {
          queue.remove(item);
          fail(signal?.reason);
        },
      };
      signal?.addEventListener('abort', item.onAbort, { once: true });
      const rejected = queue.push(item);
      if (rejected === undefined) return;
      counts.rejected++;
      rejected.signal?.removeEventListener('abort', rejected.onAbort);
      rejected.fail(new QueueFullError(waitMs));
    });
  };

  /** Passes the free slot to the next waiting item. */
  const leave = (): void => {
    const next = queue.next();
    if (next === undefined) {
      running--;
      return;
    }
    queue.start(next);
    counts.waited++;
    counts.waitedMs += now() - next.since;
    next.signal?.removeEventListener('abort', next.onAbort);
    next.begin();
  };

  return {
    load: () => ({ waiting: queue.size, ...counts }),
    async run(work, signal, client = '') {
      signal?.throwIfAborted();
      await enter(signal, client);
      const startedAt = now();
      try {
        return await work();
      } finally {
        estimate.record(now() - startedAt);
        leave();
      }
    },
  };
}

/** The maximum number of items that wait per key of {@link Lanes}. */
const maxWaiting = 1000;

interface LaneWork<T> {
  readonly key: string;
  readonly concurrency: number;
  readonly work: () => Promise<T>;
  /** If the signal is aborted before the work has started, `run` throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** The client on whose behalf the work runs. Clients with the same key take turns. */
  readonly client?: string;
}

/** Limits how many pieces of work with the same key run concurrently. Other work with this key waits. */
export class Lanes {
  readonly #lanes = new Map<string, { readonly queue: WorkQueue; users: number }>();

  /** @throws {QueueFullError} if too many items are waiting for this key */
  async run<T>({ key, concurrency, work, signal, client }: LaneWork<T>): Promise<T> {
    const lane = this.#lanes.get(key) ?? {
      queue: createWorkQueue(
        { concurrency, waiting: maxWaiting, maxWaitMs: () => Number.POSITIVE_INFINITY },
        () => performance.now(),
      ),
      users: 0,
    };
    this.#lanes.set(key, lane);
    lane.users++;
    try {
      return await lane.queue.run(work, signal, client);
    } finally {
      lane.users--;
      if (lane.users === 0) this.#lanes.delete(key);
    }
  }

  /** The number of keys for which work is running. */
  get size(): number {
    return this.#lanes.size;
  }
}
