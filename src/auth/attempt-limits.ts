/**
 * Limits wrong attempts at the secrets listed in `core/typed-secrets.ts`. Every comparison with such a secret goes
 * through this module.
 */
import { createHash } from 'node:crypto';
import type { Queryable } from '../database/types.ts';
import type { Clock } from '../kernel/clock.ts';
import { type Bucket, horizonMs } from './core/rate-limit-rules.ts';
import { type TypedSecret, type TypedSecretKind, tokenMemoryMs, typedSecrets } from './core/typed-secrets.ts';
import {
  addAttempt,
  deleteFullAttempts,
  findFullAt,
  returnAttempt,
  takeAttempt,
} from './queries/attempts.ts';

export interface Guess {
  /** The secret's owner, as its entry in `core/typed-secrets.ts` describes. The account may not exist. */
  readonly account: string;
  /**
   * Whether the account has a session on the network that the attempt comes from. Called only when the common budget is
   * used up.
   */
  readonly isKnownNetwork?: () => Promise<boolean>;
}

export type Verdict<T> =
  | { readonly kind: 'right'; readonly value: T }
  | { readonly kind: 'wrong' }
  /** The attempt wasn't compared, or was compared too late, so the result reveals nothing about the secret. */
  | { readonly kind: 'blocked'; readonly waitMs: number };

/** Uses one attempt at an issued token. Returns false if the token has no attempts left. */
export type SpendToken = (token: string) => Promise<boolean>;

export interface AttemptLimits {
  /**
   * Runs `compare`, which returns undefined for a wrong secret. It calls `spendToken` for each token that it compares.
   * An error counts as a wrong attempt.
   *
   * @example await guesses.verify('second_factor', { account: user.id }, async () => (isRight ? true : undefined))
   */
  verify<T>(
    kind: TypedSecretKind,
    guess: Guess,
    compare: (spendToken: SpendToken) => Promise<T | undefined>,
  ): Promise<Verdict<T>>;
  /** Deletes budgets that are full again. */
  sweep(): Promise<void>;
}

export interface AttemptStore {
  /** Returns false if no attempt is left. */
  take(key: string, rule: Bucket, nowMs: number): Promise<boolean>;
  /** Takes an attempt even if none is left. */
  add(key: string, rule: Bucket, nowMs: number): Promise<void>;
  giveBack(key: string, rule: Bucket): Promise<void>;
  fullAt(key: string): Promise<number | undefined>;
  sweep(nowMs: number): Promise<void>;
}

/**
 * Stores budgets in the database, where all processes share them. `db` must not be the connection of a request's
 * transaction.
 */
export function sharedAttempts(db: Queryable): AttemptStore {
  return {
    take: (key, rule, nowMs) => takeAttempt(db, key, rule, nowMs),
    add: (key, rule, nowMs) => addAttempt(db, key, rule, nowMs),
    giveBack: (key, rule) => returnAttempt(db, key, rule),
    fullAt: (key) => findFullAt(db, key),
    sweep: (nowMs) => deleteFullAttempts(db, nowMs),
  };
}

/** Stores budgets in this process, for databases without our own tables. */
export function localAttempts(): AttemptStore {
  const fullAtMs = new Map<string, number>();
  const after = (key: string, { refillMs }: Bucket, nowMs: number): number =>
    Math.max(fullAtMs.get(key) ?? nowMs, nowMs) + refillMs;
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
    async giveBack(key, { refillMs }) {
      const full = fullAtMs.get(key);
      if (full !== undefined) fullAtMs.set(key, full - refillMs);
    },
    fullAt: async (key) => fullAtMs.get(key),
    async sweep(nowMs) {
      for (const [key, full] of fullAtMs) if (full < nowMs) fullAtMs.delete(key);
    },
  };
}

interface Budget {
  readonly key: string;
  readonly rule: Bucket;
}

/** If `isLimited` is false, every secret is compared and no attempt is counted. */
export function createAttemptLimits(store: AttemptStore, clock: Clock, isLimited: boolean): AttemptLimits {
  /** Milliseconds until an attempt is available again. 0 if one is left. */
  const waitMs = async ({ key, rule }: Budget): Promise<number> => {
    const nowMs = clock.now();
    const full = Math.max((await store.fullAt(key)) ?? nowMs, nowMs);
    return Math.max(0, Math.ceil(full + rule.refillMs - nowMs - horizonMs(rule)));
  };

  /** Returns a budget with an attempt left, or the number of milliseconds until the common budget has one. */
  const open = async (
    kind: TypedSecretKind,
    { account, isKnownNetwork }: Guess,
    hasOne: (budget: Budget) => Promise<boolean>,
  ): Promise<Budget | number> => {
    const { guesses, knownNetwork }: TypedSecret = typedSecrets[kind];
    const common = { key: keyOf(kind, account), rule: guesses };
    if (await hasOne(common)) return common;
    if (knownNetwork !== undefined && isKnownNetwork !== undefined && (await isKnownNetwork())) {
      const own = { key: keyOf(`${kind} at home`, account), rule: knownNetwork };
      if (await hasOne(own)) return own;
    }
    return Math.max(1, await waitMs(common));
  };

  const spendToken =
    (kind: TypedSecretKind): SpendToken =>
    async (token) => {
      const { perToken }: TypedSecret = typedSecrets[kind];
      if (perToken === undefined) throw new Error(`No tokens are issued for ${kind}`);
      const rule = { size: perToken, refillMs: tokenMemoryMs };
      return store.take(keyOf(`${kind} token`, token), rule, clock.now());
    };

  return {
    async verify(kind, guess, compare) {
      if (!isLimited) return verdictOf(await compare(async () => true));
      const isCountedAfter = typedSecrets[kind].counted === 'after';
      const isLeft = async (budget: Budget): Promise<boolean> => (await waitMs(budget)) === 0;
      const take = ({ key, rule }: Budget): Promise<boolean> => store.take(key, rule, clock.now());
      const budget = await open(kind, guess, isCountedAfter ? isLeft : take);
      if (typeof budget === 'number') return { kind: 'blocked', waitMs: budget };
      const verdict = verdictOf(await compare(spendToken(kind)));
      if (!isCountedAfter) {
        if (verdict.kind === 'right') await store.giveBack(budget.key, budget.rule);
        return verdict;
      }
      if (verdict.kind === 'wrong') {
        await store.add(budget.key, budget.rule, clock.now());
        return verdict;
      }
      // Concurrent attempts that were compared first may have used up the budget.
      const wait = await waitMs(budget);
      return wait === 0 ? verdict : { kind: 'blocked', waitMs: wait };
    },
    sweep: () => store.sweep(clock.now()),
  };
}

function verdictOf<T>(value: T | undefined): Verdict<T> {
  return value === undefined ? { kind: 'wrong' } : { kind: 'right', value };
}

function keyOf(kind: string, subject: string): string {
  return `${kind}:${createHash('sha256').update(subject).digest('base64url')}`;
}
