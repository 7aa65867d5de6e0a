/** Statements on the users and groups of SCIM. */
import { type Sql, sql } from '../../../../base/kernel/sql.ts';
import type { Queryable } from '../../../../platform/database/types.ts';
import type { JsonObject } from '../../common/json.ts';
import { fromMs } from '../../common/times.ts';

export interface ScimUser {
  readonly id: string;
  readonly user_id: string;
  readonly active: boolean;
  readonly data: JsonObject;
  readonly version: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly groups: readonly { readonly value: string; readonly display: string }[];
}

export interface ScimGroup {
  readonly id: string;
  readonly display_name: string;
  readonly external_id: string | null;
  readonly version: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly members: readonly { readonly value: string; readonly display: string }[];
}

const at = (column: string): Sql => sql.raw(`to_json(${column}) #>> '{}' as ${column.replace(/^\w\./, '')}`);

function selectUsers(db: Queryable, organizationId: string, condition: Sql): Promise<ScimUser[]> {
  return db.query<ScimUser>(sql`
    select s.id::text, s.user_id::text, s.active, s.data, s.version::text, ${at('s.created_at')}, ${at('s.updated_at')},
      coalesce((
        select jsonb_agg(jsonb_build_object('value', g.id, 'display', g.display_name) order by lower(g.display_name))
        from _plinth.scim_group_members m join _plinth.scim_groups g on g.id = m.group_id where m.member_id = s.id
      ), '[]') as groups
    from _plinth.scim_users s
    where s.organization_id = ${organizationId} and s.removed_at is null and ${condition}
    order by s.created_at, s.id`);
}

export const listScimUsers = (
  db: Queryable,
  organizationId: string,
  by: { readonly userName?: string | undefined; readonly externalId?: string | undefined },
): Promise<ScimUser[]> =>
  selectUsers(
    db,
    organizationId,
    by.userName !== undefined
      ? sql`lower(s.user_name) = lower(${by.userName})`
      : by.externalId !== undefined
        ? sql`s.external_id = ${by.externalId}`
        : sql`true`,
  );

/** Returns a page of all users, with their number. */
export async function pageOfUsers(
  db: Queryable,
  organizationId: string,
  { offset, count }: { readonly offset: number; readonly count: number },
): Promise<{ readonly total: number; readonly rows: ScimUser[] }> {
  const [found] = await db.query<{ total: number }>(sql`
    select count(*)::int as total from _plinth.scim_users
    where organization_id = ${organizationId} and removed_at is null`);
  const rows =
    count === 0
      ? []
      : await selectUsers(
          db,
          organizationId,
          sql`s.id in (
            select id from _plinth.scim_users where organization_id = ${organizationId} and removed_at is null
            order by created_at, id limit ${count} offset ${offset})`,
        );
  return { total: found?.total ?? 0, rows };
}

export const findScimUser = async (
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<ScimUser | undefined> => (await selectUsers(db, organizationId, sql`s.id = ${id}`))[0];

export async function countScimUsers(db: Queryable, organizationId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    sql`select count(*)::int from _plinth.scim_users where organization_id = ${organizationId}`,
  );
  return row?.count ?? 0;
}

interface UserContent {
  readonly userName: string;
  readonly externalId: string | null;
  readonly active: boolean;
  readonly data: JsonObject;
}

/**
 * Inserts a user, or takes the row of an account that SCIM removed before. Returns undefined if SCIM already manages the
 * account.
 */
export async function insertScimUser(
  db: Queryable,
  { organizationId, userId }: { readonly organizationId: string; readonly userId: string },
  { userName, externalId, active, data }: UserContent,
  nowMs: number,
): Promise<string | undefined> {
  const now = fromMs(nowMs);
  const [row] = await db.query<{ id: string }>(sql`
    insert into _plinth.scim_users as s
      (organization_id, user_id, user_name, external_id, active, data, created_at, updated_at)
    values (${organizationId}, ${userId}, ${userName}, ${externalId}, ${active}, ${data}, ${now}, ${now})
    on conflict (organization_id, user_id) do update
      set user_name = excluded.user_name, external_id = excluded.external_id, active = excluded.active,
        data = excluded.data, version = s.version + 1, updated_at = excluded.updated_at, removed_at = null
      where s.removed_at is not null
    returning id::text`);
  return row?.id;
}

/** Returns false if the version has changed in the meantime. */
export async function updateScimUser(
  db: Queryable,
  { id, version }: Pick<ScimUser, 'id' | 'version'>,
  { userName, externalId, active, data }: UserContent,
  nowMs: number,
): Promise<boolean> {
  const rows = await db.query(sql`
    update _plinth.scim_users
    set user_name = ${userName}, external_id = ${externalId}, active = ${active}, data = ${data},
      version = version + 1, updated_at = ${fromMs(nowMs)}
    where id = ${id} and version = ${version} and removed_at is null returning id`);
  return rows.length > 0;
}

export async function setRemoved(db: Queryable, id: string, nowMs: number): Promise<void> {
  await db.query(sql`
    update _plinth.scim_users
    set removed_at = ${fromMs(nowMs)}, active = false, data = '{}', version = version + 1 where id = ${id}`);
  await db.query(sql`delete from _plinth.scim_group_members where member_id = ${id}`);
}

export async function deleteScimUser(db: Queryable, id: string): Promise<void> {
  await db.query(sql`delete from _plinth.scim_users where id = ${id}`);
}

/** Deletes what SCIM knows about a user who is deleted. */
export async function forgetScimUser(db: Queryable, userId: string): Promise<void> {
  await db.query(sql`delete from _plinth.scim_users where user_id = ${userId}`);
  await db.query(sql`update _plinth.organization_events set user_id = null where user_id = ${userId}`);
  await db.query(sql`
    update _plinth.organization_setup_links set created_by = null where created_by = ${userId}`);
}

function selectGroups(
  db: Queryable,
  organizationId: string,
  condition: Sql,
  withMembers: boolean,
): Promise<ScimGroup[]> {
  const members = withMembers
    ? sql`coalesce((
        select jsonb_agg(jsonb_build_object('value', u.id, 'display', u.user_name) order by lower(u.user_name))
        from _plinth.scim_group_members m join _plinth.scim_users u on u.id = m.member_id where m.group_id = g.id
      ), '[]')`
    : sql`'[]'::jsonb`;
  return db.query<ScimGroup>(sql`
    select g.id::text, g.display_name, g.external_id, g.version::text, ${at('g.created_at')}, ${at('g.updated_at')},
      ${members} as members
    from _plinth.scim_groups g where g.organization_id = ${organizationId} and ${condition}
    order by g.created_at, g.id`);
}

export const listScimGroups = (
  db: Queryable,
  organizationId: string,
  by: { readonly displayName?: string | undefined; readonly externalId?: string | undefined },
  withMembers: boolean,
): Promise<ScimGroup[]> =>
  selectGroups(
    db,
    organizationId,
    by.displayName !== undefined
      ? sql`lower(g.display_name) = lower(${by.displayName})`
      : by.externalId !== undefined
        ? sql`g.external_id = ${by.externalId}`
        : sql`true`,
    withMembers,
  );

export const findScimGroup = async (
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<ScimGroup | undefined> => (await selectGroups(db, organizationId, sql`g.id = ${id}`, true))[0];

interface GroupContent {
  readonly displayName: string;
  readonly externalId: string | null;
}

export async function insertScimGroup(
  db: Queryable,
  organizationId: string,
  { displayName, externalId }: GroupContent,
  nowMs: number,
): Promise<string> {
  const now = fromMs(nowMs);
  const [row] = await db.query<{ id: string }>(sql`
    insert into _plinth.scim_groups (organization_id, display_name, external_id, created_at, updated_at)
    values (${organizationId}, ${displayName}, ${externalId}, ${now}, ${now}) returning id::text`);
  return row?.id ?? '';
}

export async function updateScimGroup(
  db: Queryable,
  { id, version }: Pick<ScimGroup, 'id' | 'version'>,
  { displayName, externalId }: GroupContent,
  nowMs: number,
): Promise<boolean> {
  const rows = await db.query(sql`
    update _plinth.scim_groups
    set display_name = ${displayName}, external_id = ${externalId}, version = version + 1, updated_at = ${fromMs(nowMs)}
    where id = ${id} and version = ${version} returning id`);
  return rows.length > 0;
}

/** Replaces the members with these users of the organization. Returns the number of users that were found. */
export async function setGroupMembers(
  db: Queryable,
  organizationId: string,
  groupId: string,
  memberIds: readonly string[],
): Promise<number> {
  await db.query(sql`
    delete from _plinth.scim_group_members where group_id = ${groupId} and member_id <> all(${memberIds}::uuid[])`);
  const rows = await db.query(sql`
    with found as (
      select id from _plinth.scim_users
      where organization_id = ${organizationId} and removed_at is null and id = any(${memberIds}::uuid[])
    ), added as (
      insert into _plinth.scim_group_members (group_id, member_id) select ${groupId}, id from found
      on conflict do nothing
    )
    select id from found`);
  return rows.length;
}

export async function deleteScimGroup(db: Queryable, id: string): Promise<void> {
  await db.query(sql`delete from _plinth.scim_groups where id = ${id}`);
}

export interface GroupsOfUser {
  readonly user_id: string;
  readonly groups: readonly string[];
}

/** Returns the groups of the active users, optionally of these SCIM users only. */
export const listGroupsOfUsers = (
  db: Queryable,
  organizationId: string,
  ids?: readonly string[],
): Promise<GroupsOfUser[]> =>
  db.query<GroupsOfUser>(sql`
    select s.user_id::text, coalesce(array_agg(g.display_name) filter (where g.id is not null), '{}') as groups
    from _plinth.scim_users s
    left join _plinth.scim_group_members m on m.member_id = s.id
    left join _plinth.scim_groups g on g.id = m.group_id
    where s.organization_id = ${organizationId} and s.removed_at is null and s.active
      and ${ids === undefined ? sql`true` : sql`s.id = any(${ids}::uuid[])`}
    group by s.id`);
