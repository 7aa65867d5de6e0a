/** Gives the members whom SCIM manages the roles of their groups. Never changes an owner. */
import type { AuthContext } from '../../context.ts';
import { findConnectionOf } from '../connections/queries.ts';
import { roleOfGroups, usableRole } from '../connections/sign-in.ts';
import { recordOrganizationEvent } from '../history.ts';
import { changeRole } from '../members.ts';
import { listGroupsOfUsers } from './queries.ts';

/** @param ids the SCIM users whose roles may have changed. Undefined for all of them. */
export async function applyGroupRoles(
  ctx: AuthContext,
  organizationId: string,
  ids?: readonly string[],
): Promise<void> {
  const connection = await findConnectionOf(ctx.pool, organizationId);
  // Without rules, the roles that members were given on the page remain.
  if (connection === undefined || connection.groupRoles.length === 0) return;
  for (const { user_id: userId, groups } of await listGroupsOfUsers(ctx.pool, organizationId, ids)) {
    const wanted = roleOfGroups(connection.groupRoles, groups) ?? connection.defaultRole;
    const role = await usableRole(ctx, organizationId, [wanted]);
    if (role === undefined || !(await changeRole(ctx, { organizationId, userId, role }))) continue;
    const event = { organizationId, kind: 'role_changed', actor: 'scim', userId, details: { role } } as const;
    await recordOrganizationEvent(ctx, ctx.pool, event);
  }
}

/** Returns the role of a new member. */
export async function roleForNew(ctx: AuthContext, organizationId: string): Promise<string | undefined> {
  const connection = await findConnectionOf(ctx.pool, organizationId);
  return usableRole(ctx, organizationId, [connection?.defaultRole ?? 'member', 'member']);
}
