/**
 * Limits failed attempts to enter the secrets listed in `core/typed-secrets.ts`. All code that compares such a secret
 * must use this module.
 */
import { createHash } from 'node:crypto';
import type { Queryable } from '../database/types.ts';
import type { Clock } from '../kernel/clock.ts';
import { type LockoutRules, lockoutWaitMs, type Streak, streakMemoryMs } from './core/lockout.ts';
import { type Bucket, fullAtFrom, horizonMs } from './core/rate-limit-rules.ts';
import { type TypedSecret, type TypedSecretKind, tokenMemoryMs, typedSecrets } from './core/typed-secrets.ts';
import {
  addAttempt,
  clearAttempts,
  consumeAttempt,
  deleteFullAttempts,
  endStreak,
  extendStreak,
  findFullAt,
  findStreak,
  returnAttempt,
} from './queries/attempts.ts';

export interface Guess {
  /**
   * The account that owns the secret, in the form that `core/typed-secrets.ts` specifies for this kind of secret. The
   * account might not exist.
   */
  readonly account: string;
  /**
   * Returns whether the account has a session on this attempt's network. This function is called only when the budget
   * that all networks share is used up.
   */
  readonly isKnownNetwork?: () => Promise<boolean>;
  /**
   * The origin of the attempt: the client's network, or a browser in which the user has signed in before. Consecutive
   * wrong attempts with the same origin cause increasing waits. If the origin is undefined, wrong attempts don't cause
   * waits.
   */
  readonly place?: { readonly kind: 'network' | 'device'; readonly id: string };
}

export type AttemptResult<T> =
  | { readonly kind: 'right'; readonly value: T }
  | { readonly kind: 'wrong' }
  /**
   * No attempts are left. Either the secret wasn't compared, or the result of the comparison is withheld. The caller
   * therefore learns nothing about the secret.
   */
  | { readonly kind: 'blocked'; readonly waitMs: number; readonly by: 'account' | 'place' };

/** Uses up one of an issued token's attempts. Returns false if the token has no attempts left. */
export type ConsumeToken = (token: string) => Promise<boolean>;

export interface AttemptLimits {
  /**
   * Runs `compare`, which returns undefined for a wrong secret. `compare` must call `consumeToken` for each token that
   * it compares. If `compare` throws, the attempt counts as failed.
   * @example await guesses.verify('second_factor', { account: user.id }, async () => (isRight ? true : undefined))
   */
  verify<T>(
    kind: TypedSecretKind,
    guess: Guess,
    compare: (consumeToken: ConsumeToken) => Promise<T | undefined>,
  ): Promise<AttemptResult<T>>;
  /** Resets all limits on attempts to enter the account's secrets, for all networks and browsers. */
  unlock(account: string): Promise<void>;
  /** Deletes budgets that have refilled completely. */
  sweep(): Promise<void>;
}

export interface AttemptStore {
  /** Uses up an attempt. Returns false if no attempts are left. */
  take(key: string, rule: Bucket, nowMs: number): Promise<boolean>;
  /** Counts an attempt even if no attempts are left. */
  add(key: string, rule: Bucket, nowMs: number): Promise<void>;
  refund(key: string, rule: Bucket): Promise<void>;
  fullAt(key: string): Promise<number | undefined>;
  /** Returns the streak of consecutive wrong attempts. */
  streak(key: string): Promise<Streak | undefined>;
  extendStreak(key: string, nowMs: number): Promise<void>;
  endStreak(key: string): Promise<void>;
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
    take: (key, rule, nowMs) => consumeAttempt(db, key, rule, nowMs),
    add: (key, rule, nowMs) => addAttempt(db, key, rule, nowMs),
    refund: (key, rule) => returnAttempt(db, key, rule),
    fullAt: (key) => findFullAt(db, key),
    streak: (key) => findStreak(db, key),
    extendStreak: (key, nowMs) => extendStreak(db, key, nowMs),
    endStreak: (key) => endStreak(db, key),
    clear: (prefix) => clearAttempts(db, prefix),
    sweep: (nowMs) => deleteFullAttempts(db, nowMs),
  };
}

/** Stores budgets in this process, for databases without Plinth's own tables. */
export function localAttempts(): AttemptStore {
  const fullAtMs = new Map<string, number>();
  const streaks = new Map<string, Streak>();
  const after = (key: string, rule: Bucket, nowMs: number): number =>
    fullAtFrom(fullAtMs.get(key), rule, nowMs) + rule.refillMs;
  return {
    async take(key, rule, nowMs) {
      const next = after(key, rule, nowMs);
      if (next > nowMs + horizonMs(rule)) return false;
      fullAtMs.set(key, next);
      return true;
    },
    async add(key, rule, nowMs) {
      fullAtMs.set(key, Math.min(after(key, rule, nowMs), nowMs + rule.size * rule.refillMs));
    },
    async refund(key, { refillMs }) {
      const full = fullAtMs.get(key);
      if (full !== undefined) fullAtMs.set(key, full - refillMs);
    },
    fullAt: async (key) => fullAtMs.get(key),
    streak: async (key) => streaks.get(key),
    async extendStreak(key, nowMs) {
      const known = streaks.get(key);
      const isOld = known === undefined || known.lastAtMs < nowMs - streakMemoryMs;
      streaks.set(key, { failures: isOld ? 1 : known.failures + 1, lastAtMs: nowMs });
    },
    async endStreak(key) {
      streaks.delete(key);
    },
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

interface Budget {
  readonly key: string;
  readonly rule: Bucket;
}

/**
 * Creates the limits. If `isLimited` returns false, all secrets are compared and attempts aren't counted. The callback
 * `onBlocked` is called when an attempt is blocked.
 */
export function createAttemptLimits(
  store: AttemptStore,
  clock: Clock,
  isLimited: () => boolean,
  onBlocked: () => void = () => undefined,
  lockout: () => LockoutRules = () => noLockout,
): AttemptLimits {
  /**
   * Returns the number of milliseconds until the budget has an attempt again, or 0 if the budget has an attempt now.
   */
  const waitMs = async ({ key, rule }: Budget): Promise<number> => {
    const nowMs = clock.now();
    const full = fullAtFrom(await store.fullAt(key), rule, nowMs);
    return Math.max(0, Math.ceil(full + rule.refillMs - nowMs - horizonMs(rule)));
  };

  /**
   * Returns a budget that has an attempt left. If no budget has an attempt left, returns the number of milliseconds
   * until the budget that all networks share has an attempt again.
   */
  const open = async (
    kind: TypedSecretKind,
    { account, isKnownNetwork, place }: Guess,
    hasOne: (budget: Budget) => Promise<boolean>,
  ): Promise<Budget | number> => {
    const { guesses, knownNetwork }: TypedSecret = typedSecrets[kind];
    const common = { key: keyOf(kind, account), rule: guesses };
    if (await hasOne(common)) return common;
    if (place?.kind === 'device') {
      // Other users can't use up this budget, even on the same network.
      const own = { key: keyOf(kind, account, `device ${place.id}`), rule: knownNetwork ?? guesses };
      if (await hasOne(own)) return own;
    }
    if (knownNetwork !== undefined && isKnownNetwork !== undefined && (await isKnownNetwork())) {
      const own = { key: keyOf(kind, account, 'home'), rule: knownNetwork };
      if (await hasOne(own)) return own;
    }
    return Math.max(1, await waitMs(common));
  };

  /** Returns how long the next attempt with this streak's origin must wait because of consecutive wrong attempts. */
  const pauseOf = async (streakKey: string | undefined): Promise<number> => {
    const rules = lockout();
    if (streakKey === undefined || rules.after === 0) return 0;
    return lockoutWaitMs(await store.streak(streakKey), rules, clock.now());
  };

  const consumeToken =
    (kind: TypedSecretKind): ConsumeToken =>
    async (token) => {
      const { perToken }: TypedSecret = typedSecrets[kind];
      if (perToken === undefined) throw new Error(`No tokens are issued for ${kind}`);
      const rule = { size: perToken, refillMs: tokenMemoryMs };
      return store.take(keyOf(`${kind} token`, token), rule, clock.now());
    };

  return {
    async verify(kind, guess, compare) {
      if (!isLimited()) return attemptResult(await compare(async () => true));
      const streakKey = guess.place && keyOf(kind, guess.account, `${guess.place.kind} ${guess.place.id}`);
      const pauseMs = await pauseOf(streakKey);
      if (pauseMs > 0) {
        onBlocked();
        return { kind: 'blocked', waitMs: pauseMs, by: 'place' };
      }
      const isCountedAfter = typedSecrets[kind].counted === 'after';
      const isLeft = async (budget: Budget): Promise<boolean> => (await waitMs(budget)) === 0;
      const take = ({ key, rule }: Budget): Promise<boolean> => store.take(key, rule, clock.now());
      const budget = await open(kind, guess, isCountedAfter ? isLeft : take);
      if (typeof budget === 'number') {
        onBlocked();
        return { kind: 'blocked', waitMs: budget, by: 'account' };
      }
      const result = attemptResult(await compare(consumeToken(kind)));
      if (streakKey !== undefined) {
        if (result.kind === 'wrong') await store.extendStreak(streakKey, clock.now());
        else await store.endStreak(streakKey);
      }
      if (!isCountedAfter) {
        if (result.kind === 'right') await store.refund(budget.key, budget.rule);
        return result;
      }
      if (result.kind === 'wrong') {
        await store.add(budget.key, budget.rule, clock.now());
        return result;
      }
      // Concurrent attempts may have used up the budget while the secret was compared.
      const wait = await waitMs(budget);
      if (wait === 0) return result;
      onBlocked();
      return { kind: 'blocked', waitMs: wait, by: 'account' };
    },
    async unlock(account) {
      for (const kind of Object.keys(typedSecrets)) await store.clear(keyOf(kind, account));
    },
    sweep: () => store.sweep(clock.now()),
  };
}

function attemptResult<T>(value: T | undefined): AttemptResult<T> {
  return value === undefined ? { kind: 'wrong' } : { kind: 'right', value };
}

const hash = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** Returns the key of a count. The key for a place begins with the account's key. */
function keyOf(kind: string, subject: string, place?: string): string {
  const key = `${kind}:${hash(subject)}`;
  return place === undefined ? key : `${key}:${hash(place)}`;
}

const noLockout: LockoutRules = { after: 0, firstWaitMs: 0, maxWaitMs: 0 };
