/** Work that depends on who has an account: neither its time nor its outcome shows in the response. */
import type { Logger } from '../kernel/log.ts';
import { AuthError } from './errors.ts';

export interface Afterwards {
  /**
   * Does the work out of sight, unless accounts aren't hidden: then it is awaited and throws what it throws. Hidden work
   * starts after the response; in development before it, because whoever has the response can read the mail.
   */
  do(isHidden: boolean, work: () => Promise<unknown>): Promise<void>;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
}

/** What depends on the account alone. Developers see every other failure, such as a mail server that is down. */
const tellingCodes: readonly (string | undefined)[] = [
  'over_email_send_rate_limit',
  'over_sms_send_rate_limit',
  'signup_disabled',
];

export function createAfterwards({ isDelayed, log }: { isDelayed: boolean; log: Logger }): Afterwards {
  const underWay = new Set<Promise<void>>();
  const warn = (error: unknown) =>
    log.warn({ service: 'auth', error }, 'what was asked for could not be sent');
  return {
    async do(isHidden, work) {
      if (!isHidden) {
        await work();
        return;
      }
      if (!isDelayed) {
        await work().catch((error: unknown) => {
          if (!(error instanceof AuthError && tellingCodes.includes(error.code))) throw error;
          warn(error);
        });
        return;
      }
      const answered = new Promise<void>((resolve) => setImmediate(resolve));
      const done = answered.then(work).then(() => undefined, warn);
      underWay.add(done);
      void done.then(() => underWay.delete(done));
    },
    async settled() {
      await Promise.all(underWay);
    },
  };
}
