/**
 * A queue for expensive work: limits how many items run and how many wait, and runs them in order. Skips items whose
 * caller has stopped waiting.
 */
export interface WorkQueue {
  /**
   * @throws {QueueFullError} immediately if the queue is full. Throws the signal's reason if it aborts before the work
   * has started.
   */
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export class QueueFullError extends Error {
  override name = 'QueueFullError';
}

interface Waiting {
  readonly begin: () => void;
  readonly signal: AbortSignal | undefined;
  readonly onAbort: () => void;
}

export function createWorkQueue(limits: {
  readonly concurrency: number;
  readonly waiting: number;
}): WorkQueue {
  const waiting = new Set<Waiting>();
  let running = 0;

  const enter = (signal: AbortSignal | undefined): Promise<void> => {
    if (running < limits.concurrency) {
      running++;
      return Promise.resolve();
    }
    if (waiting.size >= limits.waiting) return Promise.reject(new QueueFullError('too much is waiting'));
    return new Promise((begin, fail) => {
      const place: Waiting = {
        begin,
        signal,
        onAbort() {
          waiting.delete(place);
          fail(signal?.reason);
        },
      };
      waiting.add(place);
      signal?.addEventListener('abort', place.onAbort, { once: true });
    });
  };

  /** The next waiting item takes the free slot. */
  const leave = (): void => {
    const [next] = waiting;
    if (next === undefined) {
      running--;
      return;
    }
    waiting.delete(next);
    next.signal?.removeEventListener('abort', next.onAbort);
    next.begin();
  };

  return {
    async run(work, signal) {
      signal?.throwIfAborted();
      await enter(signal);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
