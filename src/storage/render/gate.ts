/** Limits concurrency and queue length, because image processing uses CPU and memory that other requests need. */

export class GateFullError extends Error {
  constructor() {
    super('Too many are waiting already');
    this.name = 'GateFullError';
  }
}

/** Runs up to `parallel` tasks concurrently. @throws {GateFullError} if `waiting` tasks are already queued */
export type Gate = <T>(work: () => Promise<T>) => Promise<T>;

export function createGate(parallel: number, waiting: number): Gate {
  const queue: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= parallel) {
      if (queue.length >= waiting) throw new GateFullError();
      // A finished task passes its slot to the next one, so `running` is unchanged.
      await new Promise<void>((resolve) => queue.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
