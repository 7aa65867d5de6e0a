/** The types that limit attempts to enter secrets. See `limits/attempts.ts`. */
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
