/** Deletes a user's own account and exports the user's data. */

import { isPostgresError } from '../../../base/shared/errors.ts';
import { audit } from '../common/audit.ts';
import type { UserCaller } from '../common/caller.ts';
import { isFreshSignIn } from '../common/proven-session.ts';
import { hasVerifiedFactor } from '../common/render-user.ts';
import type { Passkey, Session, User } from '../common/rows.ts';
import { deleteUser } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { AuthError, authError, internalError } from '../errors.ts';
import { countRecoveryCodes, type RecoveryCodeCount } from '../factors/recovery-codes.ts';
import { type GrantedClient, listConsents } from '../oauth-server/queries.ts';
import { lastOwnerError } from '../organizations/last-owner.ts';
import { listPasskeys } from '../passkeys/queries.ts';
import type { SecurityEvent } from '../security-events/events.ts';
import { notify } from '../security-events/notify.ts';
import { exportEvents } from '../security-events/record.ts';
import { listSessions } from '../sessions/queries.ts';
import { asUserEnding } from '../sessions/user-transaction.ts';
import { listUserKeys, type UserKey } from '../user-keys/queries.ts';
import { forgetUser } from './forget-user.ts';

/**
 * The SQLSTATEs of the errors raised if a foreign key prevents a deletion: foreign_key_violation and
 * restrict_violation.
 */
const stillNeeded = new Set(['23503', '23001']);

/** Throws `insufficient_aal` if the user has a second factor but didn't use it in this session. */
export function requireUsedFactor({ user, session }: UserCaller): void {
  if (!hasVerifiedFactor(user) || session?.aal === 'aal2') return;
  throw authError('insufficient_aal', 'AAL2 session is required when MFA is enabled');
}

/**
 * Deletes the user and all rows that reference the user with ON DELETE CASCADE.
 * @throws {AuthError} insufficient_aal, reauthentication_needed, user_sso_managed, or conflict if a row without CASCADE
 * still references the user
 */
export async function deleteOwnAccount(ctx: AuthContext, caller: UserCaller): Promise<void> {
  const { user, session } = caller;
  requireUsedFactor(caller);
  // SSO users can't delete their accounts, because the next sign-in would create the account again.
  if (user.is_sso_user) throw authError('user_sso_managed');
  if (!session || !isFreshSignIn(session, ctx.clock.now())) {
    throw authError('reauthentication_needed', 'Deleting an account requires a recent sign-in');
  }
  try {
    await asUserEnding(ctx, caller, async (tx) => {
      await audit(ctx, tx, user, { action: 'user_deleted', ip: caller.ip, traits: { user_id: user.id } });
      await forgetUser(ctx, tx, user.id);
      await deleteUser(tx, user.id);
    });
  } catch (cause) {
    if (cause instanceof AuthError) throw cause;
    const isNeeded = isPostgresError(cause) && stillNeeded.has(cause.code);
    // The database error in the log contains the name of the referencing table.
    if (!isNeeded) throw lastOwnerError(cause) ?? internalError('Database error deleting user', cause);
    ctx.log.warn({ service: 'auth', userId: user.id, error: cause }, "failed to delete a user's own account");
    throw authError('conflict', "The account can't be deleted because other data still depends on it");
  }
  await notify(ctx, caller, { user, kind: 'account_deleted' });
}

export interface OwnData {
  readonly user: User;
  readonly sessions: readonly Session[];
  readonly passkeys: readonly Passkey[];
  readonly grants: readonly GrantedClient[];
  /** The user's recovery codes. Null on the hosted service's databases, which have no table for recovery codes. */
  readonly recoveryCodes: RecoveryCodeCount | null;
  readonly userKeys: readonly UserKey[];
  /** The account's timeline, newest event first. */
  readonly events: readonly SecurityEvent[];
}

/**
 * Returns all data that Plinth stores about the user, except secrets and the data in the app's tables.
 * @throws {AuthError} insufficient_aal
 */
export async function exportOwnData(ctx: AuthContext, caller: UserCaller): Promise<OwnData> {
  requireUsedFactor(caller);
  const { user } = caller;
  const [sessions, passkeys, grants, recoveryCodes, userKeys, events] = await Promise.all([
    listSessions(ctx.pool, user.id),
    listPasskeys(ctx.pool, user.id),
    listConsents(ctx.pool, user.id),
    ctx.hasOwnTables ? countRecoveryCodes(ctx, user.id) : null,
    ctx.hasOwnTables ? listUserKeys(ctx.pool, user.id) : [],
    exportEvents(ctx, user.id),
  ]);
  return { user, sessions, passkeys, grants, recoveryCodes, userKeys, events };
}
