/**
 * Defines the budgets and streaks that limit attempts to enter secrets (see `limits/attempts.ts`), and computes the
 * increasing waits after consecutive wrong attempts.
 */
import type { Bucket } from './rate-limit-rules.ts';

export interface Budget {
  readonly key: string;
  readonly rule: Bucket;
}

/** A streak that the next attempt extends unless the streak's wait applies. */
export interface StreakClaim {
  readonly key: string;
  readonly rules: LockoutRules;
}

/** A streak after an attempt has extended it. */
export interface ExtendedStreak {
  readonly key: string;
  readonly failures: number;
  /** The time of the attempt. */
  readonly atMs: number;
  /** The time of the attempt before this one. Undefined if there was none. */
  readonly previousAtMs: number | undefined;
}

export type Reservation =
  /** The attempt was taken from the budget and has extended the streak, if there is one. */
  | { readonly kind: 'reserved'; readonly streak: ExtendedStreak | undefined }
  /** The attempt has extended the streak, but the budget has no attempts left. */
  | { readonly kind: 'used_up'; readonly streak: ExtendedStreak | undefined }
  /** The streak's wait applies, and nothing has changed. */
  | { readonly kind: 'paused' };

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
