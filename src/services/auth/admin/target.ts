/** Finds the user to whom an administrator's request refers. */

import type { User } from '../common/rows.ts';
import { findUserById } from '../common/user-queries.ts';
import { isUuid } from '../common/uuid.ts';
import type { AuthContext } from '../context.ts';
import { authError, internalError } from '../errors.ts';

/**
 * Finds a user by ID.
 * @throws {AuthError} validation_failed with status 404 for an invalid ID, user_not_found
 */
export async function requireTarget(ctx: AuthContext, id: string): Promise<User> {
  if (!isUuid(id)) throw authError('validation_failed', 'user_id must be an UUID', { status: 404 });
  let user: User | undefined;
  try {
    user = await findUserById(ctx.pool, id);
  } catch (cause) {
    throw internalError('Database error loading user', cause);
  }
  if (!user) throw authError('user_not_found');
  return user;
}
