/** Lets users with a confirmed address in a verified domain join the organization that holds it. */
import { sql } from '../../../../base/kernel/sql.ts';
import type { Transaction } from '../../../../platform/database/types.ts';
import { requireUsedFactor } from '../../account/own-account.ts';
import type { Caller, UserCaller } from '../../common/caller.ts';
import { limitChanges } from '../../common/limit-changes.ts';
import { isUuid } from '../../common/uuid.ts';
import type { AuthContext } from '../../context.ts';
import { authError } from '../../errors.ts';
import { listProviders } from '../../providers/queries.ts';
import { requirePerson } from '../../sessions/authenticate.ts';
import { asUser } from '../../sessions/user-transaction.ts';
import { domainOf } from '../../sso/enforced.ts';
import { requireOrganizationSso } from '../availability.ts';
import { findConnectionOf } from '../connections/queries.ts';
import { usableRole } from '../connections/sign-in.ts';
import { recordOrganizationEvent } from '../history.ts';
import { addMember, requestMembership, roleOf, standingOf } from '../members.ts';
import { type DomainRow, findHolder } from './queries.ts';

export interface AvailableOrganization {
  readonly id: string;
  readonly name: string;
  readonly domain: string;
  /** Whether the user becomes a member immediately, or asks to join. */
  readonly policy: 'join' | 'request';
  /** Whether the user has asked to join, and no one has answered. */
  readonly requested: boolean;
}

/** Returns the organization that the user can join because of the address. */
export async function availableOrganization(
  ctx: AuthContext,
  self: UserCaller,
): Promise<AvailableOrganization | undefined> {
  return (await findAvailable(ctx, self))?.shown;
}

interface Available {
  readonly row: DomainRow;
  readonly shown: AvailableOrganization;
}

async function findAvailable(ctx: AuthContext, self: UserCaller): Promise<Available | undefined> {
  const row = await domainOfUser(ctx, self);
  if (row === undefined || row.join_policy === 'never') return undefined;
  const { organization_id: id, domain } = row;
  const userId = self.user.id;
  // Only the identity provider adds the users again whom it has removed.
  const [removed] = await ctx.pool.query(sql`
    select from _plinth.scim_users
    where organization_id = ${id} and user_id = ${userId} and (not active or removed_at is not null)`);
  if (removed !== undefined) return undefined;
  const standing = await standingOf(ctx, id, userId);
  if (standing === undefined || standing.isMember) return undefined;
  const policy = standing.wasRemoved ? 'request' : row.join_policy;
  return { row, shown: { id, name: standing.name, domain, policy, requested: standing.hasAsked } };
}

/** Returns the verified domain of the user's address, if the user has proved to receive emails there. */
async function domainOfUser(ctx: AuthContext, { user }: UserCaller): Promise<DomainRow | undefined> {
  if (user.email_confirmed_at === null || user.is_anonymous) return undefined;
  // If the project doesn't confirm addresses, anyone can sign up with any address.
  if (!user.is_sso_user && ctx.settings.email.autoconfirm) return undefined;
  const domain = domainOf(user.email ?? '');
  const row = domain === '' ? undefined : await findHolder(ctx.pool, domain);
  if (row === undefined || !user.is_sso_user) return row;
  // Another connection can assert any address, or held the domain before.
  const connection = await findConnectionOf(ctx.pool, row.organization_id);
  const isOwn =
    connection !== undefined && (await listProviders(ctx.pool, user.id)).includes(`sso:${connection.id}`);
  return isOwn ? row : undefined;
}

/** Joins as the caller, or asks to join. @throws {AuthError} no_authorization, insufficient_aal */
export async function joinAs(
  ctx: AuthContext,
  caller: Caller,
  organizationId: string,
): Promise<'joined' | 'requested'> {
  requireOrganizationSso(ctx);
  const self = await limitChanges(ctx, await requirePerson(ctx, caller));
  requireUsedFactor(self);
  const found = await findAvailable(ctx, self);
  if (found?.shown.id === organizationId) return asUser(ctx, self, (tx) => join(ctx, tx, self, found));
  // The user may have sent the form twice.
  if (isUuid(organizationId) && (await roleOf(ctx, organizationId, self.user.id)) !== undefined)
    return 'joined';
  throw notAvailable();
}

const notAvailable = () => authError('no_authorization', "You can't join this organization", { status: 403 });

/**
 * Checks the conditions again, with locks that make changes of the domain and of SCIM wait. The user's row is locked, so the
 * address can't change either.
 */
async function join(
  ctx: AuthContext,
  tx: Transaction,
  { user }: UserCaller,
  { row, shown }: Available,
): Promise<'joined' | 'requested'> {
  const organizationId = shown.id;
  const still = await tx.query(sql`
    select from _plinth.organization_domains d
    join auth.users u on u.id = ${user.id} and u.email = ${user.email} and u.email_confirmed_at is not null
    where d.id = ${row.id} and d.verified_at is not null and d.join_policy = ${row.join_policy}
    for share of d`);
  const [managed] = await tx.query<{ removed: boolean }>(sql`
    select not active or removed_at is not null as removed from _plinth.scim_users
    where organization_id = ${organizationId} and user_id = ${user.id} for share`);
  if (still.length === 0 || managed?.removed === true) throw notAvailable();
  if (shown.policy === 'request') {
    await requestMembership(ctx, organizationId, user.id);
    return 'requested';
  }
  // The role may have been deleted since it was chosen.
  const role = await usableRole(ctx, organizationId, [row.join_role, 'member']);
  if (role === undefined) throw notAvailable();
  if (await addMember(ctx, { organizationId, userId: user.id, role })) {
    const details = { domain: row.domain, role };
    const event = { organizationId, kind: 'member_added', actor: 'user', userId: user.id, details } as const;
    await recordOrganizationEvent(ctx, tx, event);
  }
  return 'joined';
}
