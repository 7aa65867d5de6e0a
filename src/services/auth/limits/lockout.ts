/** Computes the increasing waits after consecutive wrong attempts. */

export interface LockoutRules {
  /** The number of consecutive wrong attempts that causes the first wait. The value 0 disables the waits. */
  readonly after: number;
  readonly firstWaitMs: number;
  readonly maxWaitMs: number;
}

export interface Streak {
  readonly failures: number;
  readonly lastAtMs: number;
}

/** A streak of wrong attempts ends if no attempt is made for this duration. */
export const streakMemoryMs = 24 * 3_600_000;

/** Returns how long the next attempt must wait. The wait doubles with every wrong attempt. */
export function lockoutWaitMs(streak: Streak | undefined, rules: LockoutRules, nowMs: number): number {
  if (streak === undefined || rules.after === 0 || streak.failures < rules.after) return 0;
  const wait = Math.min(
    rules.maxWaitMs,
    rules.firstWaitMs * 2 ** Math.min(30, streak.failures - rules.after),
  );
  // The wait is limited, because the clock may have been set back since the last attempt.
  return Math.min(wait, Math.max(0, streak.lastAtMs + wait - nowMs));
}
