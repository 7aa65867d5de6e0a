/** Limits how many pieces of work with the same key run concurrently. Other work with this key waits. */
import { createWorkQueue, type WorkQueue } from './work-queue.ts';

/** The maximum number of items that wait per key. */
const maxWaiting = 1000;

export interface LaneWork<T> {
  readonly key: string;
  readonly concurrency: number;
  readonly work: () => Promise<T>;
  /** If the signal is aborted before the work has started, `run` throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** The client on whose behalf the work runs. Clients with the same key take turns. */
  readonly client?: string;
}

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
