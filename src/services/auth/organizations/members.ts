/**
 * Statements on the project's memberships, with the role `service_role`. They name only the columns that every version
 * of the migration has.
 */
import { sql } from '../../../base/kernel/sql.ts';
import { isPostgresError } from '../../../base/shared/errors.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { ownerRole } from './availability.ts';
import { asService } from './project.ts';

export interface Role {
  readonly key: string;
  readonly rank: number;
}

export const listRoles = (ctx: AuthContext, organizationId: string): Promise<Role[]> =>
  asService(
    ctx,
    (tx) =>
      tx.query<Role>(
        sql`select key, rank from public.organization_roles where organization_id = ${organizationId}::uuid`,
      ),
    { readOnly: true },
  );

/**
 * Checks a role that is granted without a person's decision: it must exist, must not be the owner's, and its rank must
 * not exceed `rank`.
 * @throws {AuthError} validation_failed
 */
export async function requireGrantable(
  ctx: AuthContext,
  organizationId: string,
  keys: readonly string[],
  rank: number,
): Promise<void> {
  const roles = await listRoles(ctx, organizationId);
  for (const key of keys) {
    const role = roles.find((each) => each.key === key);
    if (role === undefined || key === ownerRole || role.rank > rank)
      throw authError('validation_failed', `The role "${key.slice(0, 50)}" can't be granted`);
  }
}

/** Returns the name of the organization, or undefined if it doesn't exist. */
export async function findOrganization(
  ctx: AuthContext,
  organizationId: string,
): Promise<string | undefined> {
  const [row] = await asService(
    ctx,
    (tx) =>
      tx.query<{ name: string }>(
        sql`select name from public.organizations where id = ${organizationId}::uuid`,
      ),
    { readOnly: true },
  );
  return row?.name;
}

/** Returns the names of the organizations that exist, by their ID. */
export async function nameOrganizations(
  ctx: AuthContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await asService(
    ctx,
    (tx) =>
      tx.query<{ id: string; name: string }>(
        sql`select id::text, name from public.organizations where id = any(${ids}::uuid[])`,
      ),
    { readOnly: true },
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Returns the user's role, or undefined if the user isn't a member. */
export async function roleOf(
  ctx: AuthContext,
  organizationId: string,
  userId: string,
): Promise<string | undefined> {
  const [row] = await asService(
    ctx,
    (tx) =>
      tx.query<{ role: string }>(sql`
        select role from public.organization_memberships
        where organization_id = ${organizationId}::uuid and user_id = ${userId}::uuid`),
    { readOnly: true },
  );
  return row?.role;
}

export interface Standing {
  readonly name: string;
  readonly isMember: boolean;
  /** Whether the user's request to join is open. */
  readonly hasAsked: boolean;
  /** Whether someone else has ended the user's membership. */
  readonly wasRemoved: boolean;
}

/** Returns the user's relation to the organization, or undefined if the organization doesn't exist. */
export const standingOf = (
  ctx: AuthContext,
  organizationId: string,
  userId: string,
): Promise<Standing | undefined> =>
  asService(
    ctx,
    async (tx) => {
      const [row] = await tx.query<Omit<Standing, 'wasRemoved'> & { knows: boolean }>(sql`
        select o.name, to_regprocedure('org.was_removed(uuid,uuid)') is not null as knows,
          exists (
            select from public.organization_memberships m
            where m.organization_id = o.id and m.user_id = ${userId}::uuid) as "isMember",
          exists (
            select from public.organization_join_requests q
            where q.organization_id = o.id and q.user_id = ${userId}::uuid) as "hasAsked"
        from public.organizations o where o.id = ${organizationId}::uuid`);
      if (row === undefined) return undefined;
      const { knows, ...standing } = row;
      // The project may have dropped the function.
      const [answer] = knows
        ? await tx.query<{ removed: boolean }>(
            sql`select org.was_removed(${organizationId}::uuid, ${userId}::uuid) as removed`,
          )
        : [];
      return { ...standing, wasRemoved: answer?.removed === true };
    },
    { readOnly: true },
  );

export async function listOwners(ctx: AuthContext, organizationId: string): Promise<string[]> {
  const rows = await asService(
    ctx,
    (tx) =>
      tx.query<{ user_id: string }>(sql`
        select user_id::text from public.organization_memberships
        where organization_id = ${organizationId}::uuid and role = ${ownerRole}`),
    { readOnly: true },
  );
  return rows.map((row) => row.user_id);
}

/**
 * Adds a member, whose request to join is then answered. Returns false if the user already is a member, whose role doesn't
 * change.
 */
export async function addMember(
  ctx: AuthContext,
  member: { readonly organizationId: string; readonly userId: string; readonly role: string },
): Promise<boolean> {
  const { organizationId, userId, role } = member;
  return asService(ctx, async (tx) => {
    const rows = await tx.query(sql`
      insert into public.organization_memberships (organization_id, user_id, role)
      values (${organizationId}::uuid, ${userId}::uuid, ${role})
      on conflict do nothing returning user_id`);
    await tx.query(sql`
      delete from public.organization_join_requests
      where organization_id = ${organizationId}::uuid and user_id = ${userId}::uuid`);
    return rows.length > 0;
  });
}

/** Changes the role of a member who isn't an owner. */
export async function changeRole(
  ctx: AuthContext,
  member: { readonly organizationId: string; readonly userId: string; readonly role: string },
): Promise<boolean> {
  const { organizationId, userId, role } = member;
  const rows = await asService(ctx, (tx) =>
    tx.query(sql`
      update public.organization_memberships set role = ${role}
      where organization_id = ${organizationId}::uuid and user_id = ${userId}::uuid
        and role <> ${ownerRole} and role <> ${role}
      returning user_id`),
  );
  return rows.length > 0;
}

/** Removes a member. Returns `last-owner` if the project doesn't allow that. */
export async function removeMember(
  ctx: AuthContext,
  organizationId: string,
  userId: string,
): Promise<'removed' | 'none' | 'last-owner'> {
  try {
    const rows = await asService(ctx, (tx) =>
      tx.query(sql`
        delete from public.organization_memberships
        where organization_id = ${organizationId}::uuid and user_id = ${userId}::uuid returning user_id`),
    );
    return rows.length > 0 ? 'removed' : 'none';
  } catch (error) {
    if (isPostgresError(error) && error.hint === 'last_owner') return 'last-owner';
    throw error;
  }
}

/** Asks the members who manage the organization to add the user. */
export async function requestMembership(
  ctx: AuthContext,
  organizationId: string,
  userId: string,
): Promise<void> {
  await asService(ctx, (tx) =>
    tx.query(sql`
      insert into public.organization_join_requests (organization_id, user_id)
      values (${organizationId}::uuid, ${userId}::uuid) on conflict do nothing`),
  );
}
