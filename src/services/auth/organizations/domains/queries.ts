/** Statements on _plinth.organization_domains, and on the domains of an organization's connection in auth.sso_domains. */
import { randomUUID } from 'node:crypto';
import { type Sql, sql } from '../../../../base/kernel/sql.ts';
import type { Queryable } from '../../../../platform/database/types.ts';
import { fromMs } from '../../common/times.ts';

export type JoinPolicy = 'never' | 'request' | 'join';

export interface DomainRow {
  readonly id: string;
  readonly organization_id: string;
  readonly domain: string;
  readonly token: string;
  readonly verified_at: string | null;
  readonly checked_at: string | null;
  readonly missing_since: string | null;
  readonly join_policy: JoinPolicy;
  readonly join_role: string;
}

const select = (db: Queryable, condition: Sql): Promise<DomainRow[]> =>
  db.query<DomainRow>(sql`
    select id::text, organization_id::text, domain, token, to_json(verified_at) #>> '{}' as verified_at,
      to_json(checked_at) #>> '{}' as checked_at, to_json(missing_since) #>> '{}' as missing_since, join_policy, join_role
    from _plinth.organization_domains where ${condition} order by domain`);

export const listDomains = (db: Queryable, organizationId: string): Promise<DomainRow[]> =>
  select(db, sql`organization_id = ${organizationId}`);

export const findDomainRow = async (
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<DomainRow | undefined> =>
  (await select(db, sql`organization_id = ${organizationId} and id = ${id}`))[0];

/** Returns the row of the organization that holds the domain. */
export const findHolder = async (db: Queryable, domain: string): Promise<DomainRow | undefined> =>
  (await select(db, sql`domain = ${domain} and verified_at is not null`))[0];

/** Returns the verified domains whose last check is the oldest. */
export const listDueDomains = (db: Queryable, before: string, count: number): Promise<DomainRow[]> =>
  db.query<DomainRow>(sql`
    select id::text, organization_id::text, domain, token, to_json(verified_at) #>> '{}' as verified_at,
      to_json(checked_at) #>> '{}' as checked_at, to_json(missing_since) #>> '{}' as missing_since, join_policy, join_role
    from _plinth.organization_domains where verified_at is not null and checked_at < ${before}
    order by checked_at limit ${count}`);

/** Returns false if the organization already has the domain. */
export async function insertDomainRow(
  db: Queryable,
  row: { readonly organizationId: string; readonly domain: string; readonly token: string },
  nowMs: number,
): Promise<boolean> {
  const rows = await db.query(sql`
    insert into _plinth.organization_domains (organization_id, domain, token, created_at)
    values (${row.organizationId}, ${row.domain}, ${row.token}, ${fromMs(nowMs)}) on conflict do nothing returning id`);
  return rows.length > 0;
}

export async function setVerified(db: Queryable, id: string, nowMs: number): Promise<void> {
  const now = fromMs(nowMs);
  await db.query(sql`
    update _plinth.organization_domains
    set verified_at = coalesce(verified_at, ${now}), checked_at = ${now}, missing_since = null where id = ${id}`);
}

export async function setMissing(db: Queryable, id: string, nowMs: number): Promise<void> {
  const now = fromMs(nowMs);
  await db.query(sql`
    update _plinth.organization_domains
    set checked_at = ${now}, missing_since = case when verified_at is null then null else coalesce(missing_since, ${now}) end
    where id = ${id}`);
}

export async function setChecked(db: Queryable, id: string, nowMs: number): Promise<void> {
  await db.query(sql`update _plinth.organization_domains set checked_at = ${fromMs(nowMs)} where id = ${id}`);
}

export async function setReleased(db: Queryable, id: string): Promise<void> {
  await db.query(sql`
    update _plinth.organization_domains set verified_at = null, missing_since = null where id = ${id}`);
}

export async function setJoinPolicy(
  db: Queryable,
  id: string,
  { policy, role }: { readonly policy: JoinPolicy; readonly role: string },
): Promise<void> {
  await db.query(
    sql`update _plinth.organization_domains set join_policy = ${policy}, join_role = ${role} where id = ${id}`,
  );
}

export async function deleteDomainRow(db: Queryable, id: string): Promise<void> {
  await db.query(sql`delete from _plinth.organization_domains where id = ${id}`);
}

/** Copies the organization's verified domains to the domains of its connection, if the connection is active. */
export async function syncConnectionDomains(
  db: Queryable,
  organizationId: string,
  nowMs: number,
): Promise<void> {
  const now = fromMs(nowMs);
  await db.query(sql`
    delete from auth.sso_domains d using _plinth.organization_connections c
    where c.organization_id = ${organizationId} and d.sso_provider_id = c.id and not exists (
      select from _plinth.organization_domains o
      where o.organization_id = c.organization_id and o.domain = lower(d.domain) and o.verified_at is not null)`);
  const missing = await db.query<{ connection: string; domain: string }>(sql`
    select c.id::text as connection, o.domain
    from _plinth.organization_connections c
    join auth.sso_providers p on p.id = c.id
    join _plinth.organization_domains o on o.organization_id = c.organization_id and o.verified_at is not null
    where c.organization_id = ${organizationId} and c.activated_at is not null
      and not exists (select from auth.sso_domains d where d.sso_provider_id = c.id and lower(d.domain) = o.domain)`);
  for (const { connection, domain } of missing) {
    await db.query(sql`
      insert into auth.sso_domains (id, sso_provider_id, domain, created_at, updated_at)
      values (${randomUUID()}, ${connection}, ${domain}, ${now}, ${now})
      on conflict do nothing`);
  }
}
