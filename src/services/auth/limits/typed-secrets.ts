/**
 * Lists the secrets that users enter. For each secret, this table defines how many failed attempts are allowed per
 * account and per issued token. Attempts from all IP addresses count together. `limits/attempts.ts` enforces these
 * limits, a part of `docs/specification.md` is generated from the table, and `test/security/guessing.test.ts` makes
 * wrong attempts for every entry until further attempts are blocked.
 */
import type { Bucket } from './rules.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

export interface TypedSecret {
  readonly name: string;
  readonly typedAt: string;
  /** Describes the account whose attempts are counted. */
  readonly account: string;
  /** The budget for failed attempts from all networks. */
  readonly guesses: Bucket;
  /**
   * A separate budget for attempts from networks on which the account has a session. Other users can't use up this
   * budget. The budget is undefined if the secret has no such budget.
   */
  readonly knownNetwork?: Bucket;
  /**
   * The number of attempts per issued token. Examples of such tokens are the code in an email and a challenge. The
   * number is undefined if no token is issued for the secret.
   */
  readonly perToken?: number;
  /**
   * The number of attempts per account that each process compares concurrently. Further attempts wait. Each running
   * attempt uses up part of the budget until the secret turns out to be right, so without this limit, many concurrent
   * attempts with the right secret would use up the budget. Undefined for secrets with fast comparisons.
   */
  readonly concurrency?: number;
  /**
   * The number of possible values divided by the number of correct values. If this number is N, on average one in N
   * random guesses is correct. The number is undefined for secrets that users choose.
   */
  readonly oneIn?: number;
}

/** The number of six-digit codes. Codes have six digits by default, and operators can configure longer codes. */
const sixDigits = 1_000_000;

export const typedSecrets = {
  password: {
    name: 'password',
    typedAt:
      '`POST /token?grant_type=password`, `current_password` of `PUT /user`, sign-in on the Account pages',
    account: 'user; an unknown address is counted like a user',
    guesses: { size: 20, refillMs: 5 * minuteMs },
    knownNetwork: { size: 10, refillMs: 5 * minuteMs },
    concurrency: 4,
  },
  one_time_code: {
    name: 'code from an email or text message',
    typedAt: '`POST /verify` with `token`',
    account: 'address or number to which it was sent',
    guesses: { size: 10, refillMs: hourMs },
    knownNetwork: { size: 5, refillMs: hourMs },
    perToken: 5,
    oneIn: sixDigits,
  },
  reauthentication_nonce: {
    name: 'code of `/reauthenticate`',
    typedAt: '`nonce` of `PUT /user`',
    account: 'user',
    guesses: { size: 10, refillMs: hourMs },
    perToken: 5,
    oneIn: sixDigits,
  },
  second_factor: {
    name: 'code from an authenticator app or for a phone factor',
    typedAt: '`POST /factors/{id}/verify`',
    account: 'user, across all factors and sessions',
    guesses: { size: 10, refillMs: hourMs },
    knownNetwork: { size: 5, refillMs: hourMs },
    perToken: 5,
    // The server accepts the codes of three time steps, so three codes are valid at any time.
    oneIn: sixDigits / 3,
  },
  recovery_code: {
    name: 'recovery code',
    typedAt: '`POST /factors/recovery-codes/verify`',
    account: 'user',
    guesses: { size: 5, refillMs: 5 * minuteMs },
    oneIn: 2 ** 80 / 10,
  },
  operator_factor: {
    name: "code from an operator's authenticator app, or recovery code",
    typedAt: '`/console/api/factor/confirm`, `/prove` and `DELETE /console/api/factor`',
    account: 'operator, across all sessions',
    guesses: { size: 5, refillMs: 30 * minuteMs },
    oneIn: sixDigits / 3,
  },
} as const satisfies Readonly<Record<string, TypedSecret>>;

export type TypedSecretKind = keyof typeof typedSecrets;

/**
 * How long the server remembers used tokens. This duration is longer than the lifetime of any token, so a used token
 * never becomes valid again.
 */
export const tokenMemoryMs = 7 * dayMs;

/** Returns the maximum number of failed attempts per account within any 24 hours. */
export function guessesPerDay({ guesses, knownNetwork }: TypedSecret): number {
  const max = ({ size, refillMs }: Bucket): number => size + dayMs / refillMs;
  return max(guesses) + (knownNetwork === undefined ? 0 : max(knownNetwork));
}
