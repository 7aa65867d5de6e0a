/** A user who leaves for good. */
import type { AuthContext } from '../context.ts';
import { isFreshSignIn } from '../core/fresh-sign-in.ts';
import { hasVerifiedFactor } from '../core/render-user.ts';
import { authError, internalError } from '../errors.ts';
import type { Principal } from '../http/authenticate.ts';
import type { Exchange } from '../http/exchange.ts';
import { isPostgresError } from '../http/render-error.ts';
import { deleteUser } from '../queries/users.ts';
import { audit } from './audit.ts';
import { forgetRecoveryCodes } from './recovery-codes.ts';

/** SQLSTATEs of rows that refer to one that is to go: foreign_key_violation, restrict_violation. */
const stillNeeded = new Set(['23503', '23001']);

/** Throws `insufficient_aal`: whoever has a second factor must have used it. */
export function requireUsedFactor({ user, session }: Principal): void {
  if (!hasVerifiedFactor(user) || session?.aal === 'aal2') return;
  throw authError('insufficient_aal', 'AAL2 session is required when MFA is enabled');
}

/**
 * Deletes the user, and what refers to them as its foreign keys say.
 * @throws {AuthError} insufficient_aal, reauthentication_needed, user_sso_managed; conflict when something still needs the user
 */
export async function deleteOwnAccount(
  ctx: AuthContext,
  exchange: Exchange,
  principal: Principal,
): Promise<void> {
  const { user, session } = principal;
  requireUsedFactor(principal);
  // The provider would make the account anew at the next sign-in.
  if (user.is_sso_user) throw authError('user_sso_managed');
  if (!session || !isFreshSignIn(session, ctx.clock.now())) {
    throw authError('reauthentication_needed', 'Deleting an account requires a recent sign-in');
  }
  try {
    await ctx.pool.transaction(async (tx) => {
      await audit(ctx, tx, user, 'user_deleted', { ip: exchange.ip, traits: { user_id: user.id } });
      await forgetRecoveryCodes(ctx, tx, user.id);
      await deleteUser(tx, user.id);
    });
  } catch (cause) {
    const isNeeded = isPostgresError(cause) && stillNeeded.has(cause.code);
    // Which table that is, is for the log.
    if (!isNeeded) throw internalError('Database error deleting user', cause);
    ctx.log.warn({ service: 'auth', userId: user.id, error: cause }, 'a user could not delete their account');
    throw authError('conflict', 'The account cannot be deleted: something still depends on it');
  }
}
