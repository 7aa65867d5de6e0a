/** Statements on the connections of organizations. */
import { type Sql, sql } from '../../../../base/kernel/sql.ts';
import type { Queryable } from '../../../../platform/database/types.ts';
import { fromMs } from '../../common/times.ts';
import { type Connection, type ConnectionSettings, settingsFrom } from './types.ts';

interface Row extends Omit<Connection, 'settings' | 'draft'> {
  readonly settings: unknown;
  readonly draft: unknown;
}

async function select(db: Queryable, condition: Sql): Promise<Connection[]> {
  const rows = await db.query<Row>(sql`
    select id::text, organization_id::text as "organizationId", settings, draft, tested,
      activated_at is not null as "isActive", is_disabled as "isDisabled", is_enforced as "isEnforced",
      adds_members as "addsMembers", default_role as "defaultRole", group_roles as "groupRoles"
    from _plinth.organization_connections where ${condition}`);
  return rows.map((row) => ({
    ...row,
    settings: settingsFrom(row.settings),
    draft: settingsFrom(row.draft),
  }));
}

export const findConnectionById = async (db: Queryable, id: string): Promise<Connection | undefined> =>
  (await select(db, sql`id = ${id}`))[0];

export const findConnectionOf = async (
  db: Queryable,
  organizationId: string,
): Promise<Connection | undefined> => (await select(db, sql`organization_id = ${organizationId}`))[0];

/** Returns the active SAML connections to an identity provider. Several organizations can use the same one. */
export const findConnectionsByEntityId = (db: Queryable, entityId: string): Promise<Connection[]> =>
  select(db, sql`settings ->> 'entityId' = ${entityId} and activated_at is not null`);

/** Stores the draft, and creates the connection if the organization has none. */
export async function saveDraft(
  db: Queryable,
  organizationId: string,
  draft: ConnectionSettings,
  nowMs: number,
): Promise<void> {
  await db.query(sql`
    insert into _plinth.organization_connections (organization_id, draft, updated_at)
    values (${organizationId}, ${draft}, ${fromMs(nowMs)})
    on conflict (organization_id) do update set draft = excluded.draft, updated_at = excluded.updated_at`);
}

export async function setTested(db: Queryable, organizationId: string, fingerprint: string): Promise<void> {
  await db.query(sql`
    update _plinth.organization_connections set tested = ${fingerprint} where organization_id = ${organizationId}`);
}

/** Replaces the settings with the draft. */
export async function activate(db: Queryable, { id }: Connection, nowMs: number): Promise<void> {
  const now = fromMs(nowMs);
  await db.query(sql`
    insert into auth.sso_providers (id, disabled, created_at, updated_at) values (${id}, false, ${now}, ${now})
    on conflict (id) do update set disabled = false, updated_at = excluded.updated_at`);
  await db.query(sql`
    update _plinth.organization_connections
    set settings = draft, draft = null, activated_at = coalesce(activated_at, ${now}), is_disabled = false, updated_at = ${now}
    where id = ${id}`);
}

export async function refreshSettings(
  db: Queryable,
  id: string,
  settings: ConnectionSettings,
): Promise<void> {
  await db.query(sql`update _plinth.organization_connections set settings = ${settings} where id = ${id}`);
}

export async function updateConnection(
  db: Queryable,
  connection: Pick<
    Connection,
    'id' | 'isDisabled' | 'isEnforced' | 'addsMembers' | 'defaultRole' | 'groupRoles'
  >,
  nowMs: number,
): Promise<void> {
  const { id, isDisabled, isEnforced, addsMembers, defaultRole, groupRoles } = connection;
  const now = fromMs(nowMs);
  await db.query(sql`
    update _plinth.organization_connections
    set is_disabled = ${isDisabled}, is_enforced = ${isEnforced}, adds_members = ${addsMembers},
      default_role = ${defaultRole}, group_roles = ${JSON.stringify(groupRoles)}::jsonb, updated_at = ${now}
    where id = ${id}`);
  await db.query(
    sql`update auth.sso_providers set disabled = ${isDisabled}, updated_at = ${now} where id = ${id}`,
  );
}

export async function deleteConnection(db: Queryable, id: string): Promise<void> {
  await db.query(sql`delete from auth.sso_providers where id = ${id}`);
  await db.query(sql`delete from _plinth.organization_connections where id = ${id}`);
}

export interface TestRow {
  readonly id: string;
  readonly organization_id: string;
  readonly link_id: string;
  readonly settings: ConnectionSettings;
  readonly secret: string;
}

/** Returns the ID, which is the `state` or `RelayState` of the request. */
export async function insertTest(db: Queryable, test: Omit<TestRow, 'id'>, nowMs: number): Promise<string> {
  const [row] = await db.query<{ id: string }>(sql`
    insert into _plinth.organization_sso_tests (organization_id, link_id, settings, secret, created_at)
    values (${test.organization_id}, ${test.link_id}, ${test.settings}, ${test.secret}, ${fromMs(nowMs)})
    returning id::text`);
  return row?.id ?? '';
}

/** Claims a test, so that each response is used once. */
export async function takeTest(
  db: Queryable,
  id: string,
  { since, nowMs }: { readonly since: string; readonly nowMs: number },
): Promise<TestRow | undefined> {
  const [row] = await db.query<TestRow>(sql`
    update _plinth.organization_sso_tests set finished_at = ${fromMs(nowMs)}
    where id = ${id} and finished_at is null and created_at > ${since}
    returning id::text, organization_id::text, link_id::text, settings, secret`);
  return row;
}

export async function finishTest(db: Queryable, id: string, result: object): Promise<void> {
  await db.query(
    sql`update _plinth.organization_sso_tests set result = ${result}, settings = '{}', secret = '' where id = ${id}`,
  );
}

/** Returns the result of the last finished test of a setup link. */
export async function findLastResult<T>(db: Queryable, linkId: string): Promise<T | undefined> {
  const [row] = await db.query<{ result: T }>(sql`
    select result from _plinth.organization_sso_tests
    where link_id = ${linkId} and result is not null order by created_at desc limit 1`);
  return row?.result;
}
