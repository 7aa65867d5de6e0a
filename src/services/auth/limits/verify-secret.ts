/** Compares secrets that users enter, and enforces the limits on failed attempts. */

import { networkOf } from '../../../base/shared/network/network-of.ts';
import type { Transaction } from '../../../platform/database/types.ts';
import type { Caller } from '../common/caller.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { reportLockout } from '../security-events/notify.ts';
import { isKnownDevice } from '../security-events/queries.ts';
import { deviceKey } from '../security-events/record.ts';
import { listSessionAddresses } from '../sessions/queries.ts';
import type { ConsumeToken, Guess } from './attempts.ts';
import type { TypedSecretKind } from './typed-secrets.ts';

export interface SecretAttempt {
  readonly kind: TypedSecretKind;
  readonly account: string;
  /**
   * The user who owns the secret, if known before the comparison. Attempts from networks in which this user has a
   * session have a separate budget.
   */
  readonly ownerId?: string | undefined;
  /**
   * The caller's transaction, in which all queries run, because waiting for a second connection could cause a deadlock.
   */
  readonly tx?: Transaction;
}

/**
 * Compares a secret. Returns undefined if the secret is wrong. After too many failed attempts, throws
 * `over_request_rate_limit`, even if the secret is correct.
 */
export async function verifySecret<T>(
  ctx: AuthContext,
  caller: Caller,
  attempt: SecretAttempt,
  compare: (consumeToken: ConsumeToken) => Promise<T | undefined>,
): Promise<T | undefined> {
  const { kind, account, ownerId } = attempt;
  const db = attempt.tx ?? ctx.pool;
  const isKnownNetwork = async (): Promise<boolean> => {
    if (ownerId === undefined) return false;
    // A user who must enter a second factor already has a session, so only sessions that used a second factor count.
    const aal = kind === 'second_factor' ? 'aal2' : 'aal1';
    const addresses = await listSessionAddresses(db, ownerId, aal);
    return addresses.some((address) => networkOf(address) === networkOf(caller.ip));
  };
  const place = await placeOf(ctx, caller, attempt);
  const result = await ctx.guesses.verify(kind, { account, isKnownNetwork, place }, compare);
  if (result.kind === 'blocked') {
    if (ownerId !== undefined && result.by === 'account') await reportLockout(ctx, caller, ownerId);
    throw authError('over_request_rate_limit', undefined, { retryAfterMs: result.waitMs });
  }
  return result.kind === 'right' ? result.value : undefined;
}

const noUser = '00000000-0000-0000-0000-000000000000';

/** The secrets with which users sign in. Users enter all other secrets in an existing session. */
const signInSecrets: ReadonlySet<TypedSecretKind> = new Set(['password', 'one_time_code']);

/**
 * Returns the browser if its cookie shows that the user has signed in with this browser. Otherwise, returns the
 * caller's network. Ignores unknown cookies, because an attacker could send a new cookie with every attempt. Ignores
 * all cookies for secrets that are entered after a sign-in, such as a second factor or recovery code, because an
 * attacker who has the password can sign in and get any number of cookies.
 */
async function placeOf(
  ctx: AuthContext,
  caller: Caller,
  { kind, ownerId = noUser, tx }: SecretAttempt,
): Promise<NonNullable<Guess['place']>> {
  const network = { kind: 'network', id: networkOf(caller.ip) } as const;
  if (!signInSecrets.has(kind) || caller.deviceId === undefined || !ctx.hasOwnTables) return network;
  // Runs the query even if the account doesn't exist, so that the response time doesn't reveal whether it exists.
  const isKnown = await isKnownDevice(tx ?? ctx.pool, ownerId, deviceKey(caller));
  return isKnown ? { kind: 'device', id: caller.deviceId } : network;
}
