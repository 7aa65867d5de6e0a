/** Lists and ends a user's sessions. */

import type { Transaction } from '../../database/types.ts';
import type { Caller, UserCaller } from '../caller.ts';
import type { AuthContext } from '../context.ts';
import { isUuid } from '../core/uuid.ts';
import { authError, internalError } from '../errors.ts';
import { deleteOwnSession, deleteSession, deleteSessions, listSessions } from '../queries/sessions.ts';
import type { Session, User } from '../rows.ts';
import { audit } from './audit.ts';
import { isClient, rejectClient } from './authenticate.ts';

export type SignOutScope = 'global' | 'local' | 'others';

/**
 * Ends the sessions in this scope.
 * @throws {AuthError} no_authorization if an OAuth client tries to end sessions other than its own
 */
export async function signOut(ctx: AuthContext, caller: UserCaller, scope: SignOutScope): Promise<void> {
  const { user, session } = caller;
  // An OAuth client can end its own session, but not the user's other sessions.
  const isOwnOnly = isClient(caller) && !ctx.settings.clientsActAsUsers;
  if (isOwnOnly && scope === 'others') throw rejectClient();
  const endsOne = session && (scope === 'local' || isOwnOnly);
  await logOut(ctx, user, (tx) =>
    endsOne
      ? deleteSession(tx, session.id)
      : deleteSessions(tx, user.id, scope === 'others' ? session?.id : undefined),
  );
}

export function endAllSessions(ctx: AuthContext, user: User): Promise<void> {
  return logOut(ctx, user, (tx) => deleteSessions(tx, user.id));
}

async function logOut(
  ctx: AuthContext,
  user: User,
  end: (tx: Transaction) => Promise<unknown>,
): Promise<void> {
  try {
    await ctx.pool.transaction(async (tx) => {
      await audit(ctx, tx, user, 'logout');
      await end(tx);
    });
  } catch (cause) {
    throw internalError('Error logging out user', cause);
  }
}

export function listUserSessions(ctx: AuthContext, user: Pick<User, 'id'>): Promise<Session[]> {
  return listSessions(ctx.pool, user.id);
}

/** Ends one of the user's sessions. @throws {AuthError} validation_failed with status 404 for an unknown session */
export async function endSession(ctx: AuthContext, caller: Caller, user: User, id: string): Promise<void> {
  if (!isUuid(id)) throw authError('validation_failed', 'session id must be an UUID', { status: 404 });
  const wasDeleted = await ctx.pool.transaction(async (tx) => {
    const isOwn = await deleteOwnSession(tx, id, user.id);
    if (isOwn) await audit(ctx, tx, user, 'logout', { traits: { session_id: id }, ip: caller.ip });
    return isOwn;
  });
  // The error code isn't session_not_found, because clients drop their own session when they receive that code.
  if (!wasDeleted) throw authError('validation_failed', 'Session not found', { status: 404 });
}
