/**
 * When the next batch of changes is looked at. A batch that asked PostgreSQL about many claim sets was expensive; the
 * next one then waits, so that it holds more changes at the same price. Cheap batches follow at once.
 */

export interface PaceOptions {
  /** A check may take one part in this many of the time. */
  readonly idleRatio: number;
  readonly maxWaitMs: number;
}

export const defaultPace: PaceOptions = { idleRatio: 3, maxWaitMs: 100 };

/** Milliseconds to wait after a batch whose checks took `checkMs`. */
export function waitAfter(checkMs: number, options: PaceOptions = defaultPace): number {
  // Below this a wait costs more in latency than it saves.
  if (checkMs < 2) return 0;
  return Math.min(options.maxWaitMs, checkMs * options.idleRatio);
}
