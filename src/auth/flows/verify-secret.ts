/** Compares user-entered secrets within the limits on wrong attempts. */
import type { Transaction } from '../../database/types.ts';
import { networkOf } from '../../shared/network-of.ts';
import type { SpendToken } from '../attempt-limits.ts';
import type { Caller } from '../caller.ts';
import type { AuthContext } from '../context.ts';
import type { TypedSecretKind } from '../core/typed-secrets.ts';
import { authError } from '../errors.ts';
import { listSessionAddresses } from '../queries/sessions.ts';

export interface SecretAttempt {
  readonly account: string;
  /**
   * The owner, if known before the comparison. Attempts from a network with one of their sessions have a separate
   * budget.
   */
  readonly ownerId?: string | undefined;
  /** The caller's transaction. Waiting for a second connection inside it could deadlock. */
  readonly tx?: Transaction;
}

/**
 * Returns undefined for a wrong secret. Throws `over_request_rate_limit` after too many wrong attempts, without
 * revealing anything about this one.
 */
export async function verifySecret<T>(
  ctx: AuthContext,
  caller: Caller,
  kind: TypedSecretKind,
  { account, ownerId, tx }: SecretAttempt,
  compare: (spendToken: SpendToken) => Promise<T | undefined>,
): Promise<T | undefined> {
  const isKnownNetwork = async (): Promise<boolean> => {
    if (ownerId === undefined) return false;
    // A user who is prompted for a second factor already has a session, so only sessions that used a second factor
    // count.
    const addresses = await listSessionAddresses(
      tx ?? ctx.pool,
      ownerId,
      kind === 'second_factor' ? 'aal2' : 'aal1',
    );
    return addresses.some((address) => networkOf(address) === networkOf(caller.ip));
  };
  const verdict = await ctx.guesses.verify(kind, { account, isKnownNetwork }, compare);
  if (verdict.kind === 'blocked') throw authError('over_request_rate_limit');
  return verdict.kind === 'right' ? verdict.value : undefined;
}
