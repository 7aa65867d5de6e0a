/** The operations with which members manage the domains, single sign-on and SCIM of their organization. */

import { isJsonObject, type JsonObject } from '../common/json.ts';
import type { Call } from '../common/operation.ts';
import { isUuid } from '../common/uuid.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { requirePerson } from '../sessions/authenticate.ts';
import { type Manager, requireManager } from './access.ts';
import { requireOrganizationSso } from './availability.ts';
import { changeConnection, removeConnection } from './connections/manage.ts';
import { readOverview } from './connections/overview.ts';
import { findConnectionOf } from './connections/queries.ts';
import { createSetupLink, listSetupLinks, revokeSetupLink } from './connections/setup-links.ts';
import type { GroupRole } from './connections/types.ts';
import { addDomain, changeJoining, checkDomain, removeDomain, requireDomain } from './domains/domains.ts';
import { availableOrganization, joinAs } from './domains/join.ts';
import type { JoinPolicy } from './domains/queries.ts';
import { listOrganizationEvents, recordOrganizationEvent } from './history.ts';
import { requireGrantable } from './members.ts';
import { applyGroupRoles } from './scim/roles.ts';
import { revokeScimToken } from './scim/tokens.ts';

interface Input extends Call {
  readonly params: Readonly<Record<string, string>>;
}

const by = ({ self }: Manager) => ({ actor: 'user', userId: self.user.id }) as const;

const manager = (ctx: AuthContext, { caller, params }: Input, need: 'read' | 'manage' | 'own') =>
  requireManager(ctx, caller, params.id ?? '', need);

export async function readSso(ctx: AuthContext, input: Input): Promise<JsonObject> {
  const found = await manager(ctx, input, 'read');
  const { organizationId, isOwner } = found;
  return {
    ...(await readOverview(ctx, organizationId)),
    links: isOwner ? await listSetupLinks(ctx, organizationId) : [],
    events: await listOrganizationEvents(ctx, organizationId),
  } as unknown as JsonObject;
}

export async function createDomain(ctx: AuthContext, input: Input): Promise<object> {
  const found = await manager(ctx, input, 'manage');
  return addDomain(ctx, found.organizationId, input.body().text('domain'), by(found));
}

async function ownDomain(ctx: AuthContext, input: Input) {
  const found = await manager(ctx, input, 'manage');
  return { found, row: await requireDomain(ctx, found.organizationId, input.params.domain ?? '') };
}

export async function checkOwnDomain(ctx: AuthContext, input: Input): Promise<object> {
  const { found, row } = await ownDomain(ctx, input);
  return checkDomain(ctx, row, by(found));
}

const joinPolicies: readonly string[] = ['never', 'request', 'join'] satisfies JoinPolicy[];

export async function changeOwnDomain(ctx: AuthContext, input: Input): Promise<object> {
  const { found, row } = await ownDomain(ctx, input);
  const policy = input.body().text('join_policy') || row.join_policy;
  const role = input.body().text('join_role') || row.join_role;
  if (!joinPolicies.includes(policy)) throw authError('validation_failed', 'join_policy is invalid');
  await requireGrantable(ctx, found.organizationId, [role], found.rank);
  return changeJoining(ctx, row, { policy: policy as JoinPolicy, role }, by(found));
}

/** Removes a domain. Only owners can take the domain from a connection that uses it. */
export async function removeOwnDomain(ctx: AuthContext, input: Input): Promise<void> {
  const { found, row } = await ownDomain(ctx, input);
  const connection = await findConnectionOf(ctx.pool, found.organizationId);
  if (connection?.isActive === true && row.verified_at !== null && !found.isOwner)
    throw authError('no_authorization', 'Only an owner can do this', { status: 403 });
  await removeDomain(ctx, row, by(found));
}

export async function createOwnSetupLink(ctx: AuthContext, input: Input): Promise<object> {
  const found = await manager(ctx, input, 'own');
  const { organizationId, self } = found;
  const link = await createSetupLink(ctx, organizationId, self.user.id);
  await recordOrganizationEvent(ctx, ctx.pool, { organizationId, kind: 'setup_link_created', ...by(found) });
  return link;
}

export async function revokeOwnSetupLink(ctx: AuthContext, input: Input): Promise<void> {
  const found = await manager(ctx, input, 'own');
  const { organizationId } = found;
  const id = input.params.link ?? '';
  if (isUuid(id) && (await revokeSetupLink(ctx, organizationId, id)))
    await recordOrganizationEvent(ctx, ctx.pool, {
      organizationId,
      kind: 'setup_link_revoked',
      ...by(found),
    });
}

const maxGroupRoles = 100;
const maxGroupLength = 200;

export async function changeOwnConnection(ctx: AuthContext, input: Input): Promise<object> {
  const found = await manager(ctx, input, 'own');
  const body = input.body();
  const defaultRole = body.optionalText('default_role');
  const groupRoles = parseGroupRoles(body.raw('group_roles'));
  const roles = [
    ...(defaultRole === undefined ? [] : [defaultRole]),
    ...(groupRoles ?? []).map((one) => one.role),
  ];
  await requireGrantable(ctx, found.organizationId, roles, found.rank);
  await changeConnection(
    ctx,
    found.organizationId,
    {
      isDisabled: body.optionalFlag('disabled'),
      isEnforced: body.optionalFlag('enforced'),
      addsMembers: body.optionalFlag('adds_members'),
      defaultRole,
      groupRoles,
    },
    by(found),
  );
  if (groupRoles !== undefined) await applyGroupRoles(ctx, found.organizationId);
  return readOverview(ctx, found.organizationId);
}

function parseGroupRoles(value: unknown): GroupRole[] | undefined {
  if (value === undefined || value === null) return undefined;
  const invalid = () => authError('validation_failed', 'group_roles must be a list of groups and roles');
  if (!Array.isArray(value) || value.length > maxGroupRoles) throw invalid();
  return value.map((each) => {
    const { group, role } = isJsonObject(each) ? each : {};
    if (typeof group !== 'string' || typeof role !== 'string') throw invalid();
    const name = group.trim();
    if (name === '' || name.length > maxGroupLength) throw invalid();
    return { group: name, role };
  });
}

export async function removeOwnConnection(ctx: AuthContext, input: Input): Promise<void> {
  const found = await manager(ctx, input, 'own');
  await removeConnection(ctx, found.organizationId, by(found));
}

export async function revokeOwnScimToken(ctx: AuthContext, input: Input): Promise<void> {
  const found = await manager(ctx, input, 'own');
  await revokeScimToken(ctx, found.organizationId, input.params.token ?? '', by(found));
}

/** Returns the organization that the user can join because of the domain of the address. */
export async function readAvailable(ctx: AuthContext, { caller }: Input): Promise<object> {
  requireOrganizationSso(ctx);
  const self = await requirePerson(ctx, caller);
  const found = await availableOrganization(ctx, self);
  return { organizations: found === undefined ? [] : [found] };
}

export async function joinByDomain(ctx: AuthContext, { caller, params }: Input): Promise<object> {
  return { result: await joinAs(ctx, caller, params.id ?? '') };
}
