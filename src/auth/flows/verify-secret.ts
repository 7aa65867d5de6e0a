/** Comparing what somebody typed with a secret, as this service's requests do it. */
import type { Transaction } from '../../database/types.ts';
import { networkOf } from '../../kernel/network-of.ts';
import type { SpendToken } from '../attempt-limits.ts';
import type { Caller } from '../caller.ts';
import type { AuthContext } from '../context.ts';
import type { TypedSecretKind } from '../core/typed-secrets.ts';
import { authError } from '../errors.ts';
import { listSessionAddresses } from '../queries/sessions.ts';

export interface SecretAttempt {
  readonly account: string;
  /** The owner, where known before the comparison: guesses from networks with one of their sessions have a budget of their own. */
  readonly ownerId?: string | undefined;
  /** For those who are in a transaction: a second connection beside it could be waited for without end. */
  readonly tx?: Transaction;
}

/**
 * Undefined: it was wrong. Throws `over_request_rate_limit` where too many were; then nothing has been said about this one.
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
    // Who is asked for a second factor has a session already: only one that has shown it counts.
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
