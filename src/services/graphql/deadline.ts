/** Cancels the statements of a request that takes too long. */
import type { Cancellation } from '../../platform/database/types.ts';

export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

/** Returns a signal that is aborted when `signal` is aborted or after `timeoutMs`. */
export function withDeadline(signal: Cancellation | undefined, timeoutMs: number): Cancellation {
  const until = performance.now() + timeoutMs;
  return {
    get aborted() {
      return signal?.aborted === true || performance.now() > until;
    },
    get reason() {
      return signal?.aborted === true
        ? signal.reason
        : new DeadlineError(`The request was canceled because it took longer than ${timeoutMs} ms`);
    },
  };
}
