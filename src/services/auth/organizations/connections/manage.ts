/** Activates, changes and removes the connection of an organization. */
import { sql } from '../../../../base/kernel/sql.ts';
import type { AuthContext } from '../../context.ts';
import { authError } from '../../errors.ts';
import type { Actor } from '../domains/domains.ts';
import { listDomains, syncConnectionDomains } from '../domains/queries.ts';
import { recordOrganizationEvent } from '../history.ts';
import { listOwners } from '../members.ts';
import { activate, deleteConnection, findConnectionOf, saveDraft, updateConnection } from './queries.ts';
import { fingerprint, readSettings, type TypedSettings } from './settings.ts';
import { isInDomains } from './sign-in.ts';
import type { Connection, GroupRole } from './types.ts';

/** Stores settings that a test must confirm before they are used. @throws {AuthError} validation_failed */
export async function draftConnection(
  ctx: AuthContext,
  organizationId: string,
  typed: TypedSettings,
): Promise<void> {
  const known = await findConnectionOf(ctx.pool, organizationId);
  const draft = await readSettings(ctx, typed, known?.draft ?? known?.settings ?? null);
  await saveDraft(ctx.pool, organizationId, draft, ctx.clock.now());
}

/** Uses the draft from now on. @throws {AuthError} validation_failed if it wasn't tested, or no domain is verified */
export async function activateConnection(ctx: AuthContext, organizationId: string, by: Actor): Promise<void> {
  await ctx.pool.transaction(async (tx) => {
    await tx.query(sql`
      select from _plinth.organization_connections where organization_id = ${organizationId} for update`);
    const connection = await findConnectionOf(tx, organizationId);
    if (connection?.draft == null) throw authError('validation_failed', 'No new settings were entered');
    if (connection.tested !== fingerprint(connection.draft))
      throw authError('validation_failed', 'Test these settings first');
    const domains = await listDomains(tx, organizationId);
    if (!domains.some((row) => row.verified_at !== null))
      throw authError('validation_failed', 'The organization has no verified domain');
    await activate(tx, connection, ctx.clock.now());
    await syncConnectionDomains(tx, organizationId, ctx.clock.now());
    const details = { kind: connection.draft.kind };
    await recordOrganizationEvent(ctx, tx, { organizationId, kind: 'connection_activated', ...by, details });
  });
}

export interface ConnectionChange {
  readonly isDisabled?: boolean | undefined;
  readonly isEnforced?: boolean | undefined;
  readonly addsMembers?: boolean | undefined;
  readonly defaultRole?: string | undefined;
  readonly groupRoles?: readonly GroupRole[] | undefined;
}

/** @throws {AuthError} conflict if no owner could sign in anymore */
export async function changeConnection(
  ctx: AuthContext,
  organizationId: string,
  change: ConnectionChange,
  by: Actor,
): Promise<void> {
  const found = await requireConnection(ctx, organizationId);
  if (change.isEnforced === true && !found.isEnforced) {
    if (!found.isActive) throw authError('validation_failed', 'Activate single sign-on first');
    if (!(await canOwnerSignIn(ctx, found)))
      throw authError(
        'conflict',
        'No owner could sign in anymore. An owner needs a password, or must sign in with SSO first',
      );
  }
  const { isDisabled, isEnforced, addsMembers, defaultRole, groupRoles } = change;
  const changed = {
    id: found.id,
    isDisabled: isDisabled ?? found.isDisabled,
    isEnforced: isEnforced ?? found.isEnforced,
    addsMembers: addsMembers ?? found.addsMembers,
    defaultRole: defaultRole ?? found.defaultRole,
    groupRoles: groupRoles ?? found.groupRoles,
  };
  await ctx.pool.transaction(async (tx) => {
    await updateConnection(tx, changed, ctx.clock.now());
    const details = {
      disabled: changed.isDisabled,
      enforced: changed.isEnforced,
      adds_members: changed.addsMembers,
      default_role: changed.defaultRole,
    };
    await recordOrganizationEvent(ctx, tx, { organizationId, kind: 'connection_changed', ...by, details });
  });
}

async function requireConnection(ctx: AuthContext, organizationId: string): Promise<Connection> {
  const found = await findConnectionOf(ctx.pool, organizationId);
  if (found === undefined) throw authError('sso_provider_not_found', 'The organization has no connection');
  return found;
}

/** Whether an owner could sign in if single sign-on were enforced: with it, with a password, or with another domain. */
async function canOwnerSignIn(ctx: AuthContext, { id, organizationId }: Connection): Promise<boolean> {
  const owners = await listOwners(ctx, organizationId);
  const users = await ctx.pool.query<{ email: string; can: boolean }>(sql`
    select coalesce(u.email, '') as email,
      (coalesce(u.encrypted_password, '') <> '' and u.email_confirmed_at is not null and not u.is_sso_user)
      or exists (select from auth.identities i where i.user_id = u.id and i.provider = ${`sso:${id}`}) as can
    from auth.users u
    where u.id = any(${owners}::uuid[]) and u.deleted_at is null and (u.banned_until is null or u.banned_until < now())`);
  for (const { email, can } of users)
    if (can || (email !== '' && !(await isInDomains(ctx.pool, organizationId, email)))) return true;
  return false;
}

export async function removeConnection(ctx: AuthContext, organizationId: string, by: Actor): Promise<void> {
  const found = await requireConnection(ctx, organizationId);
  await ctx.pool.transaction(async (tx) => {
    await deleteConnection(tx, found.id);
    await recordOrganizationEvent(ctx, tx, { organizationId, kind: 'connection_removed', ...by });
  });
}
