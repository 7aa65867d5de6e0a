/**
 * Limits failed attempts to enter the secrets listed in `limits/typed-secrets.ts`. All code that compares such a secret
 * must use this module.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '../../../base/kernel/clock.ts';
import { currentClient, currentDeadline } from '../common/deadline.ts';
import { Lanes, QueueFullError } from '../common/work-queue.ts';
import type { AttemptStore } from './attempt-store.ts';
import {
  type Budget,
  type ExtendedStreak,
  fullAtFrom,
  horizonMs,
  type LockoutRules,
  lockoutWaitMs,
  type StreakClaim,
} from './rules.ts';
import { type TypedSecret, type TypedSecretKind, tokenMemoryMs, typedSecrets } from './typed-secrets.ts';

export interface Guess {
  /**
   * The account that owns the secret, in the form that `limits/typed-secrets.ts` specifies for this kind of secret. The
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
   * No attempts are left. The secret wasn't compared, so the response and its time reveal nothing about the secret.
   */
  | Blocked;

interface Blocked {
  readonly kind: 'blocked';
  readonly waitMs: number;
  readonly by: 'account' | 'place';
}

/** A reserved attempt: the budget from which it was taken, and the streak that it has extended. */
interface Reserved {
  readonly budget: Budget;
  readonly streak: ExtendedStreak | undefined;
}

/** Uses up one of an issued token's attempts. Returns false if the token has no attempts left. */
export type ConsumeToken = (token: string) => Promise<boolean>;

export interface AttemptLimits {
  /**
   * Runs `compare`, which returns undefined for a wrong secret. `compare` must call `consumeToken` for each token that
   * it compares. The attempt is counted as failed before `compare` runs, and no longer counts if the secret is right.
   * Otherwise, concurrent attempts could exceed the limit, and a right secret could be told from wrong ones. If
   * `compare` throws, the attempt counts as failed, unless the server was too busy to compare the secret.
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

export interface AttemptLimitOptions {
  /** If this function returns false, all secrets are compared and attempts aren't counted. Attempts count by default. */
  readonly isLimited?: () => boolean;
  /** Called when an attempt is blocked. */
  readonly onBlocked?: () => void;
  /** Returns the current rules for waits. By default, wrong attempts don't cause waits. */
  readonly lockout?: () => LockoutRules;
}

export function createAttemptLimits(
  store: AttemptStore,
  clock: Clock,
  { isLimited = () => true, onBlocked, lockout = () => noLockout }: AttemptLimitOptions = {},
): AttemptLimits {
  const lanes = new Lanes();

  /**
   * Returns the number of milliseconds until the budget has an attempt again, or 0 if the budget has an attempt now.
   */
  const waitMs = async ({ key, rule }: Budget): Promise<number> => {
    const nowMs = clock.now();
    const full = fullAtFrom(await store.fullAt(key), rule, nowMs);
    return Math.max(0, Math.ceil(full + rule.refillMs - nowMs - horizonMs(rule)));
  };

  /** Returns the budgets that are used if the budget that all networks share is used up. */
  async function* ownBudgets(
    kind: TypedSecretKind,
    { account, isKnownNetwork, place }: Guess,
  ): AsyncGenerator<Budget> {
    const { guesses, knownNetwork }: TypedSecret = typedSecrets[kind];
    if (place?.kind === 'device') {
      // Other users can't use up this budget, even on the same network.
      yield { key: keyOf(kind, account, `device ${place.id}`), rule: knownNetwork ?? guesses };
    }
    if (knownNetwork !== undefined && isKnownNetwork !== undefined && (await isKnownNetwork()))
      yield { key: keyOf(kind, account, 'home'), rule: knownNetwork };
  }

  /** Reserves an attempt. */
  const reserve = async (
    kind: TypedSecretKind,
    guess: Guess,
    claim: StreakClaim | undefined,
  ): Promise<Reserved | Blocked> => {
    const common = { key: keyOf(kind, guess.account), rule: typedSecrets[kind].guesses };
    const reservation = await store.reserve(common, claim, clock.now());
    if (reservation.kind === 'paused') {
      const pauseMs = claim && lockoutWaitMs(await store.streak(claim.key), claim.rules, clock.now());
      return { kind: 'blocked', waitMs: Math.max(1, pauseMs ?? 0), by: 'place' };
    }
    const { streak } = reservation;
    if (reservation.kind === 'reserved') return { budget: common, streak };
    for await (const own of ownBudgets(kind, guess))
      if (await store.take(own, clock.now())) return { budget: own, streak };
    await store.release(undefined, streak);
    return { kind: 'blocked', waitMs: Math.max(1, await waitMs(common)), by: 'account' };
  };

  const consumeToken =
    (kind: TypedSecretKind): ConsumeToken =>
    async (token) => {
      const { perToken }: TypedSecret = typedSecrets[kind];
      if (perToken === undefined) throw new Error(`No tokens are issued for ${kind}`);
      const rule = { size: perToken, refillMs: tokenMemoryMs };
      return store.take({ key: keyOf(`${kind} token`, token), rule }, clock.now());
    };

  /** Reserves an attempt, compares the secret, and returns the attempt if the secret is right. */
  const attempt = async <T>(
    kind: TypedSecretKind,
    guess: Guess,
    claim: StreakClaim | undefined,
    compare: (consumeToken: ConsumeToken) => Promise<T | undefined>,
  ): Promise<AttemptResult<T>> => {
    const reserved = await reserve(kind, guess, claim);
    if ('waitMs' in reserved) {
      onBlocked?.();
      return reserved;
    }
    const { budget, streak } = reserved;
    let result: AttemptResult<T>;
    try {
      result = attemptResult(await compare(consumeToken(kind)));
    } catch (error) {
      if (isOverload(error)) await store.release(budget, streak);
      throw error;
    }
    if (result.kind === 'right') await store.refund(budget, streak?.key);
    return result;
  };

  return {
    async verify(kind, guess, compare) {
      if (!isLimited()) return attemptResult(await compare(async () => true));
      const { account, place } = guess;
      const rules = lockout();
      const placeKey = place && keyOf(kind, account, `${place.kind} ${place.id}`);
      const streak = placeKey !== undefined && rules.after > 0 ? { key: placeKey, rules } : undefined;
      const work = () => attempt(kind, guess, streak, compare);
      const { concurrency }: TypedSecret = typedSecrets[kind];
      if (concurrency === undefined) return work();
      // Attempts in a known browser never wait for the attempts of other clients.
      const key = placeKey !== undefined && place?.kind === 'device' ? placeKey : keyOf(kind, account);
      return lanes.run({
        key,
        concurrency: streak === undefined ? concurrency : Math.min(concurrency, rules.after),
        work,
        signal: currentDeadline(),
        client: currentClient(),
      });
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

/** Whether the error means that a secret wasn't compared because the server is too busy. */
const isOverload = (error: unknown): boolean =>
  error instanceof QueueFullError || (error !== undefined && error === currentDeadline()?.reason);

const hash = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** Returns the key of a count. The key for a place begins with the account's key. */
function keyOf(kind: string, subject: string, place?: string): string {
  const key = `${kind}:${hash(subject)}`;
  return place === undefined ? key : `${key}:${hash(place)}`;
}

const noLockout: LockoutRules = { after: 0, firstWaitMs: 0, maxWaitMs: 0 };
