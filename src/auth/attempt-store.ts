/** Stores the budgets of attempts and the streaks of wrong attempts for `attempt-limits.ts`. */
import type { Queryable } from '../database/types.ts';
import type { Budget, Reservation, StreakClaim } from './core/attempt-budget.ts';
import { lockoutWaitMs, type Streak, streakMemoryMs } from './core/lockout.ts';
import { fullAtFrom, horizonMs } from './core/rate-limit-rules.ts';
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
} from './queries/attempts.ts';

export interface AttemptStore {
  /** Uses up an attempt. Returns false if no attempts are left. */
  take(budget: Budget, nowMs: number): Promise<boolean>;
  /** Extends the streak and uses up an attempt in one step, so that concurrent attempts can't both use the last one. */
  reserve(budget: Budget, streak: StreakClaim | undefined, nowMs: number): Promise<Reservation>;
  /** Returns an attempt after a correct guess, and ends the streak. */
  refund(budget: Budget, streakKey: string | undefined): Promise<void>;
  /** Undoes a reservation for which no secret was compared. If `budget` is undefined, no attempt is returned. */
  release(budget: Budget | undefined, streakKey: string | undefined): Promise<void>;
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
      return (await consumeAttempt(db, budget.key, budget.rule, nowMs)) ? 'reserved' : 'used_up';
    },
    async refund({ key, rule }, streakKey) {
      if (streakKey === undefined) await returnAttempt(db, key, rule);
      else await endStreak(db, streakKey, { key, rule });
    },
    async release(budget, streakKey) {
      if (streakKey !== undefined) await shortenStreak(db, streakKey);
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
  const giveBack = ({ key, rule }: Budget): void => {
    const full = fullAtMs.get(key);
    if (full !== undefined) fullAtMs.set(key, full - rule.refillMs);
  };
  return {
    take: async (budget, nowMs) => take(budget, nowMs),
    async reserve(budget, streak, nowMs) {
      if (streak !== undefined) {
        const known = streaks.get(streak.key);
        if (lockoutWaitMs(known, streak.rules, nowMs) > 0) return 'paused';
        const isOld = known === undefined || known.lastAtMs < nowMs - streakMemoryMs;
        streaks.set(streak.key, { failures: isOld ? 1 : known.failures + 1, lastAtMs: nowMs });
      }
      return take(budget, nowMs) ? 'reserved' : 'used_up';
    },
    async refund(budget, streakKey) {
      giveBack(budget);
      if (streakKey !== undefined) streaks.delete(streakKey);
    },
    async release(budget, streakKey) {
      if (budget !== undefined) giveBack(budget);
      const streak = streakKey === undefined ? undefined : streaks.get(streakKey);
      if (streakKey === undefined || streak === undefined) return;
      streaks.set(streakKey, { ...streak, failures: Math.max(0, streak.failures - 1) });
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
