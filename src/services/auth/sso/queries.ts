/** Statements on the single sign-on tables, and on _plinth.saml_assertions. */
import { randomUUID } from 'node:crypto';
import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { Challenge } from '../common/pkce.ts';
import { fromMs } from '../common/times.ts';
import type { Connection } from '../organizations/connections/types.ts';
import type { Settings } from '../settings.ts';
import type { AttributeMapping } from './saml/assertion.ts';

export interface SsoProvider {
  id: string;
  resource_id: string | null;
  disabled: boolean | null;
  created_at: string | null;
  updated_at: string | null;
  domains: string[];
  entity_id: string;
  metadata_xml: string;
  metadata_url: string | null;
  attribute_mapping: AttributeMapping | null;
  name_id_format: string | null;
  /** The time at which the metadata was last read. */
  saml_updated_at: string | null;
  /** Undefined for a connection of the whole project. */
  connection?: Connection;
  /** Stores refreshed metadata. Undefined for a connection of the whole project. */
  saveMetadata?(metadataXml: string, readAtMs: number): Promise<void>;
}

function findProviders(db: Queryable, condition: Sql): Promise<SsoProvider[]> {
  return db.query<SsoProvider>(sql`
    select p.id, p.resource_id, p.disabled, p.created_at, p.updated_at, s.entity_id, s.metadata_xml, s.metadata_url,
      s.attribute_mapping, s.name_id_format, s.updated_at as saml_updated_at,
      array(select d.domain from auth.sso_domains d where d.sso_provider_id = p.id order by d.created_at, d.domain)
        as domains
    from auth.sso_providers p join auth.saml_providers s on s.sso_provider_id = p.id
    where ${condition} order by p.created_at, p.id`);
}

const first = async (rows: Promise<SsoProvider[]>): Promise<SsoProvider | undefined> => (await rows)[0];

export const findProviderById = (db: Queryable, id: string) => first(findProviders(db, sql`p.id = ${id}`));

export const findProviderByResourceId = (db: Queryable, resourceId: string) =>
  first(findProviders(db, sql`p.resource_id = ${resourceId}`));

export const findProviderByEntityId = (db: Queryable, entityId: string) =>
  first(findProviders(db, sql`s.entity_id = ${entityId}`));

/** Returns the ID of the connection that owns a domain, ignoring case. The connection can belong to an organization. */
export async function findDomainOwner(db: Queryable, domain: string): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>(
    sql`select sso_provider_id::text as id from auth.sso_domains where lower(domain) = lower(${domain})`,
  );
  return row?.id;
}

/** The connection that owns a domain. */
export interface OwningConnection {
  readonly providerId: string;
  readonly isDisabled: boolean;
  /** The organization to which the connection belongs. Undefined for a connection of the whole project. */
  readonly organizationId?: string;
  /** Whether the organization requires single sign-on. */
  readonly isRequired?: boolean;
}

/** Finds the connection that owns a domain, ignoring case. Disabled features have no connections. */
export async function findDomain(
  { settings, hasOwnTables }: { readonly settings: Settings; readonly hasOwnTables: boolean },
  db: Queryable,
  domain: string,
): Promise<OwningConnection | undefined> {
  const organization = hasOwnTables
    ? sql`(select jsonb_build_object('id', c.organization_id, 'required', c.is_enforced)
           from _plinth.organization_connections c where c.id = p.id)`
    : sql`null::jsonb`;
  const [row] = await db.query<{
    id: string;
    disabled: boolean | null;
    organization: { readonly id: string; readonly required: boolean } | null;
  }>(sql`
    select p.id, p.disabled, ${organization} as organization
    from auth.sso_domains d join auth.sso_providers p on p.id = d.sso_provider_id
    where lower(d.domain) = lower(${domain})`);
  if (row === undefined) return undefined;
  const found = { providerId: row.id, isDisabled: row.disabled === true };
  if (row.organization === null) return settings.saml.enabled ? found : undefined;
  if (!settings.organizations.enabled) return undefined;
  return { ...found, organizationId: row.organization.id, isRequired: row.organization.required };
}

/** Selects providers by their resource ID. Empty strings select all providers. */
export interface ProviderFilter {
  readonly resourceId: string;
  readonly resourceIdPrefix: string;
}

export function listProviders(db: Queryable, filter: ProviderFilter): Promise<SsoProvider[]> {
  if (filter.resourceId !== '') return findProviders(db, sql`p.resource_id = ${filter.resourceId}`);
  if (filter.resourceIdPrefix !== '') {
    return findProviders(db, sql`starts_with(p.resource_id, ${filter.resourceIdPrefix})`);
  }
  return findProviders(db, sql`true`);
}

export type NewProvider = Pick<
  SsoProvider,
  | 'resource_id'
  | 'disabled'
  | 'domains'
  | 'entity_id'
  | 'metadata_xml'
  | 'metadata_url'
  | 'attribute_mapping'
  | 'name_id_format'
>;

/** Inserts a provider and returns its ID. */
export async function insertProvider(db: Queryable, provider: NewProvider, nowMs: number): Promise<string> {
  const id = randomUUID();
  const now = fromMs(nowMs);
  await db.query(sql`
    insert into auth.sso_providers (id, resource_id, disabled, created_at, updated_at)
    values (${id}, ${provider.resource_id}, ${provider.disabled}, ${now}, ${now})`);
  await db.query(sql`
    insert into auth.saml_providers (id, sso_provider_id, entity_id, metadata_xml, metadata_url, attribute_mapping,
      name_id_format, created_at, updated_at)
    values (${randomUUID()}, ${id}, ${provider.entity_id}, ${provider.metadata_xml}, ${provider.metadata_url},
      ${provider.attribute_mapping ?? {}}, ${provider.name_id_format}, ${now}, ${now})`);
  for (const domain of provider.domains) await insertDomain(db, id, domain, nowMs);
  return id;
}

export async function updateProvider(
  db: Queryable,
  id: string,
  provider: Omit<NewProvider, 'domains' | 'entity_id'>,
  nowMs: number,
): Promise<void> {
  const now = fromMs(nowMs);
  await db.query(sql`
    update auth.sso_providers
    set resource_id = ${provider.resource_id}, disabled = ${provider.disabled}, updated_at = ${now} where id = ${id}`);
  await db.query(sql`
    update auth.saml_providers
    set metadata_xml = ${provider.metadata_xml}, metadata_url = ${provider.metadata_url},
      attribute_mapping = ${provider.attribute_mapping ?? {}}, name_id_format = ${provider.name_id_format},
      updated_at = ${now}
    where sso_provider_id = ${id}`);
}

export async function updateMetadata(db: Queryable, id: string, xml: string, nowMs: number): Promise<void> {
  await db.query(sql`
    update auth.saml_providers set metadata_xml = ${xml}, updated_at = ${fromMs(nowMs)} where sso_provider_id = ${id}`);
}

export async function insertDomain(
  db: Queryable,
  providerId: string,
  domain: string,
  nowMs: number,
): Promise<void> {
  const now = fromMs(nowMs);
  await db.query(sql`
    insert into auth.sso_domains (id, sso_provider_id, domain, created_at, updated_at)
    values (${randomUUID()}, ${providerId}, ${domain}, ${now}, ${now})`);
}

export async function deleteDomain(db: Queryable, providerId: string, domain: string): Promise<void> {
  await db.query(
    sql`delete from auth.sso_domains where sso_provider_id = ${providerId} and domain = ${domain}`,
  );
}

export async function deleteProvider(db: Queryable, id: string): Promise<void> {
  await db.query(sql`delete from auth.sso_providers where id = ${id}`);
}

/** Inserts a sign-in's flow state and relay state. Returns the relay state's ID. */
export async function insertSignIn(
  db: Queryable,
  signIn: {
    readonly providerId: string;
    readonly requestId: string;
    readonly redirectTo: string;
    readonly challenge: Challenge | undefined;
  },
  nowMs: number,
): Promise<string> {
  const now = fromMs(nowMs);
  const flowStateId = randomUUID();
  const relayStateId = randomUUID();
  const { challenge } = signIn;
  const code = challenge === undefined ? null : randomUUID();
  await db.query(sql`
    with flow as (
      insert into auth.flow_state (id, auth_code, code_challenge_method, code_challenge, provider_type,
        authentication_method, referrer, created_at, updated_at)
      values (${flowStateId}, ${code}, ${challenge?.method ?? null}, ${challenge?.codeChallenge ?? null}, 'sso/saml',
        'sso/saml', ${signIn.redirectTo || null}, ${now}, ${now})
      returning id
    )
    insert into auth.saml_relay_states (id, sso_provider_id, request_id, redirect_to, created_at, updated_at,
      flow_state_id)
    select ${relayStateId}, ${signIn.providerId}, ${signIn.requestId}, ${signIn.redirectTo}, ${now}, ${now}, id
    from flow`);
  return relayStateId;
}

export interface RelayState {
  sso_provider_id: string;
  request_id: string;
  redirect_to: string | null;
  created_at: string;
  flow_state_id: string | null;
  /** The code of a PKCE flow. Null without PKCE. */
  auth_code: string | null;
}

/**
 * Deletes and returns the relay state, so that a response can use it only once, whether or not the response is valid.
 */
export async function consumeRelayState(db: Queryable, id: string): Promise<RelayState | undefined> {
  const [row] = await db.query<RelayState>(sql`
    with taken as (delete from auth.saml_relay_states where id = ${id} returning *)
    select t.sso_provider_id, t.request_id, t.redirect_to, t.created_at, t.flow_state_id, f.auth_code
    from taken t left join auth.flow_state f on f.id = t.flow_state_id and f.code_challenge <> ''`);
  return row;
}

/**
 * Marks a flow as used, whose code is now valid until the user signs out everywhere. Returns false if the flow has already
 * been used.
 */
export async function claimFlowState(
  db: Queryable,
  id: string,
  userId: string,
  nowMs: number,
): Promise<boolean> {
  const rows = await db.query(sql`
    update auth.flow_state
    set user_id = ${userId}, auth_code_issued_at = ${fromMs(nowMs)}, updated_at = ${fromMs(nowMs)}
    where id = ${id} and user_id is null returning id`);
  return rows.length > 0;
}

export interface ConsumedAssertion {
  readonly hash: Buffer;
  readonly expiresAtMs: number;
  readonly flowStateId: string | null;
  readonly sessionNotAfter: string | undefined;
}

/** Stores the hash of an assertion that was presented. Returns false if the assertion has been presented before. */
export async function consumeAssertion(db: Queryable, assertion: ConsumedAssertion): Promise<boolean> {
  const rows = await db.query(sql`
    insert into _plinth.saml_assertions (hash, expires_at, flow_state_id, session_not_after)
    values (${assertion.hash}, ${fromMs(assertion.expiresAtMs)}, ${assertion.flowStateId},
            ${assertion.sessionNotAfter ?? null})
    on conflict do nothing returning hash`);
  return rows.length > 0;
}

/** Returns the time at which this flow's session must end, or undefined if the provider hasn't set a limit. */
export async function findSessionEnd(db: Queryable, flowStateId: string): Promise<string | undefined> {
  const [row] = await db.query<{ session_not_after: string | null }>(
    sql`select session_not_after from _plinth.saml_assertions where flow_state_id = ${flowStateId}`,
  );
  return row?.session_not_after ?? undefined;
}

export async function deleteOldAssertions(db: Queryable, nowMs: number): Promise<void> {
  await db.query(sql`
    delete from _plinth.saml_assertions where hash in (
      select hash from _plinth.saml_assertions where expires_at < ${fromMs(nowMs)} limit 1000 for update skip locked)`);
}
