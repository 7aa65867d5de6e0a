/** Background work whose duration or result would reveal who has an account, so the response doesn't wait for it. */
import type { Logger } from '../kernel/log.ts';

export interface BackgroundWork {
  /**
   * Runs the work after the response and logs its error. If accounts aren't hidden, waits for the work and throws its
   * error.
   */
  do(isHidden: boolean, work: () => Promise<unknown>): Promise<void>;
  /** Resolves when no work is pending. */
  settled(): Promise<void>;
}

export function createBackgroundWork(log: Logger): BackgroundWork {
  const pending = new Set<Promise<void>>();
  const warn = (error: unknown) =>
    log.warn({ service: 'auth', error }, 'Failed to send a requested code, link or message');
  return {
    async do(isHidden, work) {
      if (!isHidden) {
        await work();
        return;
      }
      const answered = new Promise<void>((resolve) => setImmediate(resolve));
      const done = answered.then(work).then(() => undefined, warn);
      pending.add(done);
      void done.then(() => pending.delete(done));
    },
    async settled() {
      await Promise.all(pending);
    },
  };
}
