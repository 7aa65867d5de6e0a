/**
 * Determines when the next batch of changes is processed. The first change after a quiet period is processed
 * immediately. Changes that follow are batched for a short time, so that each query covers several changes. After
 * expensive queries (many claim sets), they are batched for longer.
 */

export interface PaceOptions {
  /** The wait is this multiple of the last queries' duration, within the limits. */
  readonly idleRatio: number;
  readonly minWaitMs: number;
  readonly maxWaitMs: number;
}

export const defaultPace: PaceOptions = { idleRatio: 2, minWaitMs: 10, maxWaitMs: 50 };

/** A shorter duration means that no query ran. */
const nothingAskedMs = 0.3;

/** Returns how long to wait after a batch whose queries took `checkMs`, in milliseconds. */
export function waitAfter(checkMs: number, options: PaceOptions = defaultPace): number {
  if (checkMs < nothingAskedMs) return 0;
  return Math.min(options.maxWaitMs, Math.max(options.minWaitMs, checkMs * options.idleRatio));
}
