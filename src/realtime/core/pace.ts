/**
 * When the next batch of changes is looked at. The first change after a quiet moment is looked at at once; as long as more
 * follow, they gather for a moment, so that each question to PostgreSQL is about several. After expensive questions
 * (many claim sets) they gather longer.
 */

export interface PaceOptions {
  /** The wait is this many times what the last questions took, within the bounds. */
  readonly idleRatio: number;
  readonly minWaitMs: number;
  readonly maxWaitMs: number;
}

export const defaultPace: PaceOptions = { idleRatio: 2, minWaitMs: 10, maxWaitMs: 50 };

/** Below this nothing was asked. */
const nothingAskedMs = 0.3;

/** Milliseconds to wait after a batch whose questions took `checkMs`. */
export function waitAfter(checkMs: number, options: PaceOptions = defaultPace): number {
  if (checkMs < nothingAskedMs) return 0;
  return Math.min(options.maxWaitMs, Math.max(options.minWaitMs, checkMs * options.idleRatio));
}
