/** Work that depends on who has an account: neither its time nor its outcome shows in the response. */
import type { Logger } from '../kernel/log.ts';

export interface BackgroundWork {
  /** Does the work after the response, and logs what it throws. Where accounts aren't hidden it is awaited and throws. */
  do(isHidden: boolean, work: () => Promise<unknown>): Promise<void>;
  /** Resolves when no work is pending. */
  settled(): Promise<void>;
}

export function createBackgroundWork(log: Logger): BackgroundWork {
  const pending = new Set<Promise<void>>();
  const warn = (error: unknown) =>
    log.warn({ service: 'auth', error }, 'A requested code, link or message could not be sent');
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
