/** Work that is done after the answer, so that neither its time nor its outcome tells who has an account. */
import type { Logger } from '../kernel/log.ts';

export interface Afterwards {
  /** Begins the work when the caller has answered; without delay it is done first, and what it throws is thrown. */
  do(work: () => Promise<unknown>): Promise<void>;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
}

/** `isDelayed` is false in development: whoever has the answer can read the mail. */
export function createAfterwards({ isDelayed, log }: { isDelayed: boolean; log: Logger }): Afterwards {
  const underWay = new Set<Promise<void>>();
  return {
    async do(work) {
      if (!isDelayed) {
        await work();
        return;
      }
      const answered = new Promise<void>((resolve) => setImmediate(resolve));
      const done = answered.then(work).then(
        () => undefined,
        (error: unknown) => log.warn({ service: 'auth', error }, 'what was asked for could not be sent'),
      );
      underWay.add(done);
      void done.then(() => underWay.delete(done));
    },
    async settled() {
      await Promise.all(underWay);
    },
  };
}
