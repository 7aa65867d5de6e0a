import { ManagementError } from './handlers.ts';

/** Returns a function that runs at most `max` operations at the same time. Others wait for their turn. */
export function createTurns(max: number, maxQueued: number) {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= max) {
      if (waiting.length >= maxQueued)
        throw new ManagementError(429, 'Too many queries are running. Try again later.', { waitSeconds: 1 });
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push(resolve);
      await promise;
    } else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
