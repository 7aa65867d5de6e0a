/**
 * The secrets that people type, and how often each may be guessed: by account and by issued token, from all addresses
 * together. `attempt-limits.ts` counts by this table, `docs/specification.md` is printed from it, and
 * `test/security/guessing.test.ts` guesses at every entry until it is refused.
 */
import type { Bucket } from './rate-limit-rules.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

export interface TypedSecret {
  readonly name: string;
  readonly typedAt: string;
  /** Who the guesses are counted for. */
  readonly account: string;
  /** Wrong guesses, from everywhere. */
  readonly guesses: Bucket;
  /** From networks where the account is signed in, beside `guesses`: strangers can't use these up. Undefined: none. */
  readonly knownNetwork?: Bucket;
  /** An issued token (the code of one email, one challenge) is dead after so many. Undefined: no token is issued. */
  readonly perToken?: number;
  /**
   * `before`: a guess is taken before the comparison, so that guesses sent together can't slip through, and given back
   * when it was right. `after`: for slow hashes, which are compared a few at a time anyway; right ones may come together.
   */
  readonly counted: 'before' | 'after';
  /** One in so many guesses is right; undefined where the user chose the secret. */
  readonly oneIn?: number;
}

/** Six digits, the default; more can be configured. */
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
    // Three time steps count at a time.
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

/** No token lives so long, so a dead one never works again. */
export const tokenMemoryMs = 7 * dayMs;

/** The most wrong guesses at one account within any 24 hours. */
export function guessesPerDay({ guesses, knownNetwork }: TypedSecret): number {
  const most = ({ size, refillMs }: Bucket): number => size + dayMs / refillMs;
  return most(guesses) + (knownNetwork === undefined ? 0 : most(knownNetwork));
}
