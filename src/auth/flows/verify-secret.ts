/** Compares secrets that users enter, and enforces the limits on failed attempts. */
import type { Transaction } from '../../database/types.ts';
import { networkOf } from '../../shared/network-of.ts';
import type { ConsumeToken } from '../attempt-limits.ts';
import type { Caller } from '../caller.ts';
import type { AuthContext } from '../context.ts';
import type { TypedSecretKind } from '../core/typed-secrets.ts';
import { authError } from '../errors.ts';
import { listSessionAddresses } from '../queries/sessions.ts';

export interface SecretAttempt {
  readonly account: string;
  /**
   * The user who owns the secret, if they are known before the comparison. Attempts from a network where this user has
   * a session have a separate budget.
   */
  readonly ownerId?: string | undefined;
  /**
   * The caller's transaction, which is used for queries. Waiting for a second connection within the transaction could
   * deadlock.
   */
  readonly tx?: Transaction;
}

/**
 * Compares a secret. Returns undefined if the secret is wrong. Throws `over_request_rate_limit` after too many failed
 * attempts, without revealing whether this attempt was correct.
 */
export async function verifySecret<T>(
  ctx: AuthContext,
  caller: Caller,
  kind: TypedSecretKind,
  { account, ownerId, tx }: SecretAttempt,
  compare: (consumeToken: ConsumeToken) => Promise<T | undefined>,
): Promise<T | undefined> {
  const isKnownNetwork = async (): Promise<boolean> => {
    if (ownerId === undefined) return false;
    // A user who must enter a second factor already has a session, so only sessions that used a second factor count.
    const addresses = await listSessionAddresses(
      tx ?? ctx.pool,
      ownerId,
      kind === 'second_factor' ? 'aal2' : 'aal1',
    );
    return addresses.some((address) => networkOf(address) === networkOf(caller.ip));
  };
  const result = await ctx.guesses.verify(kind, { account, isKnownNetwork }, compare);
  if (result.kind === 'blocked')
    throw authError('over_request_rate_limit', undefined, { retryAfterMs: result.waitMs });
  return result.kind === 'right' ? result.value : undefined;
}
