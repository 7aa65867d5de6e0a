/**
 * Runs tasks in the background if their duration or result would reveal whether an account exists. The response doesn't
 * wait for these tasks.
 */
import type { Logger } from '../../../base/kernel/log.ts';

export interface BackgroundWork {
  /**
   * Runs the task without delaying the response, and logs the task's error. If `isHidden` is false, waits until the
   * task ends and throws its error.
   */
  do(isHidden: boolean, work: () => Promise<unknown>): Promise<void>;
  /** Resolves when all background tasks have ended. */
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
      const responded = new Promise<void>((resolve) => setImmediate(resolve));
      const done = responded.then(work).then(() => undefined, warn);
      pending.add(done);
      void done.then(() => pending.delete(done));
    },
    async settled() {
      await Promise.all(pending);
    },
  };
}
