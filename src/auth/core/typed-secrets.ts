/**
 * User-entered secrets, and how many wrong attempts at each are allowed, per account and per issued token, from all
 * addresses together. `attempt-limits.ts` applies this table, `docs/specification.md` is generated from it, and
 * `test/security/guessing.test.ts` tries every entry until it is blocked.
 */
import type { Bucket } from './rate-limit-rules.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

export interface TypedSecret {
  readonly name: string;
  readonly typedAt: string;
  /** The account that the attempts count for. */
  readonly account: string;
  /** Wrong attempts from all networks. */
  readonly guesses: Bucket;
  /**
   * A separate budget for networks where the account is signed in, which strangers can't use up. Undefined if there is
   * none.
   */
  readonly knownNetwork?: Bucket;
  /** Attempts per issued token (the code of one email, or one challenge). Undefined if no token is issued. */
  readonly perToken?: number;
  /**
   * `before`: an attempt is counted before the comparison, so that concurrent attempts can't exceed the limit, and
   * given back if the secret was correct. `after`: for slow hashes, whose concurrency is limited anyway, so that
   * correct attempts may arrive together.
   */
  readonly counted: 'before' | 'after';
  /** One in this many guesses is correct. Undefined if the user chose the secret. */
  readonly oneIn?: number;
}

/** The default length is six digits. More can be configured. */
const sixDigits = 1_000_000;

export const typedSecrets = {
  password: {
    name: 'password',
    typedAt:
      '`POST /token?grant_type=password`, `current_password` of `PUT /user`, sign-in on the Account pages',
    account: 'user; an unknown address counts as one',
    guesses: { size: 20, refillMs: 5 * minuteMs },
    knownNetwork: { size: 10, refillMs: 5 * minuteMs },
    counted: 'after',
  },
  one_time_code: {
    name: 'code of an email or text message',
    typedAt: '`POST /verify` with `token`',
    account: 'address or number it was sent to',
    guesses: { size: 10, refillMs: hourMs },
    knownNetwork: { size: 5, refillMs: hourMs },
    perToken: 5,
    counted: 'before',
    oneIn: sixDigits,
  },
  reauthentication_nonce: {
    name: 'code of `/reauthenticate`',
    typedAt: '`nonce` of `PUT /user`',
    account: 'user',
    guesses: { size: 10, refillMs: hourMs },
    perToken: 5,
    counted: 'before',
    oneIn: sixDigits,
  },
  second_factor: {
    name: 'code of an authenticator app, or of a phone factor',
    typedAt: '`POST /factors/{id}/verify`',
    account: 'user, over all factors and sessions',
    guesses: { size: 10, refillMs: hourMs },
    knownNetwork: { size: 5, refillMs: hourMs },
    perToken: 5,
    counted: 'before',
    // Three time steps are accepted at a time.
    oneIn: sixDigits / 3,
  },
  recovery_code: {
    name: 'recovery code',
    typedAt: '`POST /factors/recovery-codes/verify`',
    account: 'user',
    guesses: { size: 5, refillMs: 5 * minuteMs },
    counted: 'before',
    oneIn: 2 ** 80 / 10,
  },
  operator_factor: {
    name: "code of an operator's authenticator app, or recovery code",
    typedAt: '`/console/api/factor/confirm`, `/prove` and `DELETE /console/api/factor`',
    account: 'operator, over all sessions',
    guesses: { size: 5, refillMs: 30 * minuteMs },
    counted: 'before',
    oneIn: sixDigits / 3,
  },
} as const satisfies Readonly<Record<string, TypedSecret>>;

export type TypedSecretKind = keyof typeof typedSecrets;

/** Longer than the lifetime of any token, so a used-up token never works again. */
export const tokenMemoryMs = 7 * dayMs;

/** The maximum number of wrong attempts at one account within any 24 hours. */
export function guessesPerDay({ guesses, knownNetwork }: TypedSecret): number {
  const most = ({ size, refillMs }: Bucket): number => size + dayMs / refillMs;
  return most(guesses) + (knownNetwork === undefined ? 0 : most(knownNetwork));
}
