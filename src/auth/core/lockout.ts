/** The growing waits after wrong guesses in a row. */

export interface LockoutRules {
  /** The number of wrong guesses in a row after which the first wait begins. 0 disables the waits. */
  readonly after: number;
  readonly firstWaitMs: number;
  readonly maxWaitMs: number;
}

export interface Streak {
  readonly failures: number;
  readonly lastAtMs: number;
}

/** A streak without guesses for this long is forgotten. */
export const streakMemoryMs = 24 * 3_600_000;

/** Returns how long the next guess must wait. The wait doubles with every wrong guess. */
export function lockoutWaitMs(streak: Streak | undefined, rules: LockoutRules, nowMs: number): number {
  if (streak === undefined || rules.after === 0 || streak.failures < rules.after) return 0;
  const wait = Math.min(
    rules.maxWaitMs,
    rules.firstWaitMs * 2 ** Math.min(30, streak.failures - rules.after),
  );
  // If the clock was set back, the wait is never longer than after the last guess.
  return Math.min(wait, Math.max(0, streak.lastAtMs + wait - nowMs));
}
