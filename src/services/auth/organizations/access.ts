/** Who may manage the domains, single sign-on and SCIM of an organization. The project's tables decide, read as the user. */
import { sql } from '../../../base/kernel/sql.ts';
import { requireUsedFactor } from '../account/own-account.ts';
import type { Caller, UserCaller } from '../common/caller.ts';
import { limitChanges } from '../common/limit-changes.ts';
import { isUuid } from '../common/uuid.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { requirePerson } from '../sessions/authenticate.ts';
import { ownerRole, requireOrganizationSso } from './availability.ts';
import { inProject } from './project.ts';

/** The rank from which members manage the organization. */
const managingRank = 50;

export interface Manager {
  readonly self: UserCaller;
  readonly organizationId: string;
  readonly organization: string;
  readonly rank: number;
  readonly isOwner: boolean;
}

/**
 * Returns the caller, who manages the organization. For a change, the session must have used the user's second factor,
 * and the changes of each session are limited.
 * @throws {AuthError} feature_disabled, user_not_found (404) if the user isn't a member, no_authorization (403)
 */
export async function requireManager(
  ctx: AuthContext,
  caller: Caller,
  organizationId: string,
  need: 'read' | 'manage' | 'own',
): Promise<Manager> {
  requireOrganizationSso(ctx);
  const self = await requirePerson(ctx, caller);
  if (need !== 'read') {
    requireUsedFactor(self);
    await limitChanges(ctx, self);
  }
  const [row] = isUuid(organizationId)
    ? await inProject(
        ctx,
        self.claims,
        (tx) =>
          tx.query<{ role: string; rank: number; name: string }>(sql`
            select m.role, r.rank, o.name
            from public.organization_memberships m
            join public.organizations o on o.id = m.organization_id
            join public.organization_roles r on r.organization_id = m.organization_id and r.key = m.role
            where m.user_id = ${self.user.id}::uuid and m.organization_id = ${organizationId}::uuid`),
        { readOnly: true },
      )
    : [];
  if (row === undefined)
    throw authError('user_not_found', 'You are not a member of this organization', { status: 404 });
  const isOwner = row.role === ownerRole;
  if (row.rank < managingRank || (need === 'own' && !isOwner)) {
    const who = need === 'own' ? 'an owner' : 'a member who manages the organization';
    throw authError('no_authorization', `Only ${who} can do this`, { status: 403 });
  }
  return { self, organizationId, organization: row.name, rank: row.rank, isOwner };
}
