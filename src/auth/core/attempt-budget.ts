/** The types that limit attempts to enter secrets. See `attempt-limits.ts`. */
import type { LockoutRules } from './lockout.ts';
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

/**
 * The result of a reservation. `paused`: the streak's wait applies, and nothing has changed. `used_up`: the attempt
 * has extended the streak, but the budget has no attempts left.
 */
export type Reservation = 'reserved' | 'paused' | 'used_up';
