/**
 * Determines when the next batch of changes is processed. The first change after a quiet period is processed
 * immediately. Subsequent changes are batched for a short time so that each query covers several changes. After
 * expensive queries, which occur with many claim sets, changes are batched for longer.
 */

export interface PaceOptions {
  /** The wait is the last queries' duration times this factor, within the limits below. */
  readonly idleRatio: number;
  readonly minWaitMs: number;
  readonly maxWaitMs: number;
}

export const defaultPace: PaceOptions = { idleRatio: 2, minWaitMs: 10, maxWaitMs: 50 };

/** A duration below this value means that the batch didn't need any query. */
const noQueryMs = 0.3;

/** Returns how long to wait after a batch whose queries took `checkMs`, in milliseconds. */
export function waitAfter(checkMs: number, options: PaceOptions = defaultPace): number {
  if (checkMs < noQueryMs) return 0;
  return Math.min(options.maxWaitMs, Math.max(options.minWaitMs, checkMs * options.idleRatio));
}
