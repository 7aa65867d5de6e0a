/** Stores the budgets of attempts and the streaks of wrong attempts for `limits/attempts.ts`. */
import type { Queryable } from '../../../platform/database/types.ts';
import {
  clearAttempts,
  consumeAttempt,
  deleteFullAttempts,
  endStreak,
  findFullAt,
  findStreak,
  reserveAttempt,
  returnAttempt,
  shortenStreak,
} from './queries.ts';
import {
  type Budget,
  type ExtendedStreak,
  fullAtFrom,
  horizonMs,
  lockoutWaitMs,
  type Reservation,
  type Streak,
  type StreakClaim,
  streakMemoryMs,
} from './rules.ts';

export interface AttemptStore {
  /** Uses up an attempt. Returns false if no attempts are left. */
  take(budget: Budget, nowMs: number): Promise<boolean>;
  /** Extends the streak and uses up an attempt in one step, so that concurrent attempts can't both use the last one. */
  reserve(budget: Budget, streak: StreakClaim | undefined, nowMs: number): Promise<Reservation>;
  /** Returns an attempt after a correct guess, and ends the streak. */
  refund(budget: Budget, streakKey: string | undefined): Promise<void>;
  /**
   * Undoes a reservation for which no secret was compared, so it doesn't prolong the streak's wait. If `budget` is
   * undefined, no attempt is returned.
   */
  release(budget: Budget | undefined, streak: ExtendedStreak | undefined): Promise<void>;
  fullAt(key: string): Promise<number | undefined>;
  /** Returns the streak of consecutive wrong attempts. */
  streak(key: string): Promise<Streak | undefined>;
  /** Deletes all counts and streaks whose key begins with this prefix. */
  clear(prefix: string): Promise<void>;
  sweep(nowMs: number): Promise<void>;
}

/**
 * Stores budgets in the database, which all processes share. `db` must not be the connection of a request's
 * transaction.
 */
export function sharedAttempts(db: Queryable): AttemptStore {
  return {
    take: ({ key, rule }, nowMs) => consumeAttempt(db, key, rule, nowMs),
    async reserve(budget, streak, nowMs) {
      if (streak !== undefined) return reserveAttempt(db, budget, streak, nowMs);
      const isTaken = await consumeAttempt(db, budget.key, budget.rule, nowMs);
      return { kind: isTaken ? 'reserved' : 'used_up', streak: undefined };
    },
    async refund({ key, rule }, streakKey) {
      if (streakKey === undefined) await returnAttempt(db, key, rule);
      else await endStreak(db, streakKey, { key, rule });
    },
    async release(budget, streak) {
      if (streak !== undefined) await shortenStreak(db, streak);
      if (budget !== undefined) await returnAttempt(db, budget.key, budget.rule);
    },
    fullAt: (key) => findFullAt(db, key),
    streak: (key) => findStreak(db, key),
    clear: (prefix) => clearAttempts(db, prefix),
    sweep: (nowMs) => deleteFullAttempts(db, nowMs),
  };
}

/** Stores budgets in this process, for databases without Plinth's own tables. */
export function localAttempts(): AttemptStore {
  const fullAtMs = new Map<string, number>();
  const streaks = new Map<string, Streak>();
  const take = ({ key, rule }: Budget, nowMs: number): boolean => {
    const next = fullAtFrom(fullAtMs.get(key), rule, nowMs) + rule.refillMs;
    if (next > nowMs + horizonMs(rule)) return false;
    fullAtMs.set(key, next);
    return true;
  };
  const extended = (key: string, known: Streak | undefined, nowMs: number): ExtendedStreak => {
    const isOld = known === undefined || known.lastAtMs < nowMs - streakMemoryMs;
    const failures = isOld ? 1 : known.failures + 1;
    return { key, failures, atMs: nowMs, previousAtMs: known?.lastAtMs };
  };
  const giveBack = ({ key, rule }: Budget): void => {
    const full = fullAtMs.get(key);
    if (full !== undefined) fullAtMs.set(key, full - rule.refillMs);
  };
  return {
    take: async (budget, nowMs) => take(budget, nowMs),
    async reserve(budget, claim, nowMs) {
      const known = claim && streaks.get(claim.key);
      if (claim !== undefined && lockoutWaitMs(known, claim.rules, nowMs) > 0) return { kind: 'paused' };
      const streak = claim && extended(claim.key, known, nowMs);
      if (streak !== undefined) streaks.set(streak.key, { failures: streak.failures, lastAtMs: nowMs });
      return { kind: take(budget, nowMs) ? 'reserved' : 'used_up', streak };
    },
    async refund(budget, streakKey) {
      giveBack(budget);
      if (streakKey !== undefined) streaks.delete(streakKey);
    },
    async release(budget, own) {
      if (budget !== undefined) giveBack(budget);
      const known = own && streaks.get(own.key);
      if (own === undefined || known === undefined) return;
      const isLatest = known.failures === own.failures && known.lastAtMs === own.atMs;
      const lastAtMs = isLatest ? (own.previousAtMs ?? known.lastAtMs) : known.lastAtMs;
      streaks.set(own.key, { failures: Math.max(0, known.failures - 1), lastAtMs });
    },
    fullAt: async (key) => fullAtMs.get(key),
    streak: async (key) => streaks.get(key),
    async clear(prefix) {
      for (const counts of [fullAtMs, streaks])
        for (const key of counts.keys()) if (key.startsWith(prefix)) counts.delete(key);
    },
    async sweep(nowMs) {
      for (const [key, { lastAtMs }] of streaks) if (lastAtMs < nowMs - streakMemoryMs) streaks.delete(key);
      for (const [key, full] of fullAtMs) if (full < nowMs) fullAtMs.delete(key);
    },
  };
}
