/** Finds users for administrators, and lists users and the entries of the audit log. */
import { listAuditEntries } from '../common/audit-queries.ts';
import { type AdminCaller, audienceOf } from '../common/caller.ts';
import type { Page } from '../common/pagination.ts';
import type { User } from '../common/rows.ts';
import { findUserById, listUsers } from '../common/user-queries.ts';
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

export function listUsersByAdmin(
  ctx: AuthContext,
  caller: AdminCaller,
  page: Page,
  options: { readonly ascending: boolean; readonly filter: string },
): ReturnType<typeof listUsers> {
  return listUsers(ctx.pool, audienceOf(ctx, caller, caller.claims), page, options);
}

export function listAuditLog(
  ctx: AuthContext,
  page: Page,
  filter: Parameters<typeof listAuditEntries>[2],
): ReturnType<typeof listAuditEntries> {
  return listAuditEntries(ctx.pool, page, filter);
}
