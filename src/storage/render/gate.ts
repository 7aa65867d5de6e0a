/** Few at once, some waiting, the rest refused: pictures cost processor and memory that other requests need. */

export class GateFullError extends Error {
  constructor() {
    super('Too many are waiting already');
    this.name = 'GateFullError';
  }
}

/** Runs work with at most `parallel` at once. @throws {GateFullError} when `waiting` wait already. */
export type Gate = <T>(work: () => Promise<T>) => Promise<T>;

export function createGate(parallel: number, waiting: number): Gate {
  const queue: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= parallel) {
      if (queue.length >= waiting) throw new GateFullError();
      // Whoever ends hands its place on, so `running` stays as it is.
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
