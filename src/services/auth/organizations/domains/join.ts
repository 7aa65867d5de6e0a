/** Lets users with a confirmed address in a verified domain join the organization that holds it. */
import type { UserCaller } from '../../common/caller.ts';
import type { AuthContext } from '../../context.ts';
import { authError } from '../../errors.ts';
import { domainOf } from '../../sso/enforced.ts';
import { recordOrganizationEvent } from '../history.ts';
import { addMember, findOrganization, requestMembership, roleOf } from '../members.ts';
import { type DomainRow, findHolder } from './queries.ts';

export interface AvailableOrganization {
  readonly id: string;
  readonly name: string;
  readonly domain: string;
  /** Whether the user becomes a member immediately, or asks to join. */
  readonly policy: 'join' | 'request';
}

/**
 * Returns the organization that the user can join because of the address. If the project doesn't confirm addresses,
 * anyone can sign up with any address, so there is none.
 */
export async function availableOrganization(
  ctx: AuthContext,
  self: UserCaller,
): Promise<AvailableOrganization | undefined> {
  const found = await domainOfUser(ctx, self);
  if (found === undefined || found.join_policy === 'never') return undefined;
  const id = found.organization_id;
  const name = await findOrganization(ctx, id);
  if (name === undefined || (await roleOf(ctx, id, self.user.id)) !== undefined) return undefined;
  return { id, name, domain: found.domain, policy: found.join_policy };
}

async function domainOfUser(ctx: AuthContext, { user }: UserCaller): Promise<DomainRow | undefined> {
  const isProven = user.email_confirmed_at !== null && !user.is_anonymous;
  if (!isProven || (ctx.settings.email.autoconfirm && !user.is_sso_user)) return undefined;
  const domain = domainOf(user.email ?? '');
  return domain === '' ? undefined : findHolder(ctx.pool, domain);
}

/** @throws {AuthError} no_authorization if the user can't join the organization */
export async function joinAvailable(
  ctx: AuthContext,
  self: UserCaller,
  organizationId: string,
): Promise<'joined' | 'requested'> {
  const available = await availableOrganization(ctx, self);
  if (available === undefined || available.id !== organizationId) {
    throw authError('no_authorization', "You can't join this organization", { status: 403 });
  }
  const userId = self.user.id;
  if (available.policy === 'request') {
    await requestMembership(ctx, organizationId, userId);
    return 'requested';
  }
  const role = (await domainOfUser(ctx, self))?.join_role ?? 'member';
  if (await addMember(ctx, { organizationId, userId, role })) {
    const details = { domain: available.domain, role };
    const event = { organizationId, kind: 'member_added', actor: 'user', userId, details } as const;
    await recordOrganizationEvent(ctx, ctx.pool, event);
  }
  return 'joined';
}
