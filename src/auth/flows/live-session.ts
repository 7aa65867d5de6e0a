/** Checks the caller's session again before a request changes the account. */
import type { Transaction } from '../../database/types.ts';
import type { UserCaller } from '../caller.ts';
import { authError } from '../errors.ts';
import { findSession } from '../queries/sessions.ts';
import { awaitUser } from '../queries/users.ts';

/**
 * Locks the user's row and checks that the session hasn't ended since the caller was authenticated. Otherwise, an
 * attacker's request could change the account immediately after "This wasn't me" has secured the account.
 * @throws {AuthError} session_not_found
 */
export async function requireLiveSession(tx: Transaction, { user, session }: UserCaller): Promise<void> {
  await awaitUser(tx, user.id);
  if (session !== undefined && !(await findSession(tx, session.id))) throw authError('session_not_found');
}
