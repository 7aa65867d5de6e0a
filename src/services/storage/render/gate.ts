/**
 * Limits the concurrency and the queue length of image processing, which uses CPU time and memory that other requests
 * need.
 */

export class GateFullError extends Error {
  constructor() {
    super('Too many image transformations are already waiting');
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
      // When a task ends, its slot passes to the next task in the queue, so `running` doesn't change.
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
