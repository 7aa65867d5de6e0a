/**
 * Statements on auth.identities, auth.custom_oauth_providers, and auth.oauth_client_states, which stores the secrets of
 * provider sign-ins until the provider's response arrives.
 */
import { randomUUID } from 'node:crypto';
import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable, Transaction } from '../../../platform/database/types.ts';
import { type JsonObject, mergeMetadata } from '../common/json.ts';
import type { CustomProvider, Identity } from '../common/rows.ts';
import { fromMs } from '../common/times.ts';

const identityColumns = sql`
  id, provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at, email`;

export async function findIdentity(
  db: Queryable,
  providerId: string,
  provider: string,
): Promise<Identity | undefined> {
  const [identity] = await db.query<Identity>(sql`
    select ${identityColumns} from auth.identities where provider_id = ${providerId} and provider = ${provider}`);
  return identity;
}

/** Locks a user's identities. No other transaction can add or remove an identity until this transaction ends. */
export async function lockIdentities(tx: Transaction, userId: string): Promise<Identity[]> {
  await tx.query(sql`select from auth.users where id = ${userId} for update`);
  return tx.query<Identity>(
    sql`select ${identityColumns} from auth.identities where user_id = ${userId} order by created_at, id`,
  );
}

/**
 * Finds the identities of any user that have one of these email addresses, which must be in lowercase. Considers only
 * verified addresses. Otherwise, a provider identity with an unverified address would match the account of the
 * address's owner. Treats addresses from an SSO connection as verified.
 */
export function findIdentitiesByEmail(db: Queryable, emails: readonly string[]): Promise<Identity[]> {
  return db.query<Identity>(sql`
    select ${identityColumns} from auth.identities
    where email = any(${emails}::text[])
      and (identity_data ->> 'email_verified' = 'true' or provider like 'sso:%')`);
}

/** Replaces the identity's data with the provider's latest data. */
export async function replaceIdentityData(
  db: Queryable,
  identity: Identity,
  data: JsonObject,
  nowMs: number,
): Promise<void> {
  const now = fromMs(nowMs);
  identity.identity_data = withLowerEmail(data);
  identity.last_sign_in_at = now;
  identity.updated_at = now;
  await db.query(sql`
    update auth.identities
    set identity_data = ${identity.identity_data}, last_sign_in_at = ${now}, updated_at = ${now}
    where id = ${identity.id}`);
}

function withLowerEmail(data: JsonObject): JsonObject {
  return typeof data.email === 'string' ? { ...data, email: data.email.toLowerCase() } : data;
}

export async function countIdentities(db: Queryable, userId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    sql`select count(*)::int as count from auth.identities where user_id = ${userId}`,
  );
  return row?.count ?? 0;
}

interface NewIdentity {
  readonly userId: string;
  readonly provider: string;
  /** The provider's claims. `sub` is the provider's ID for the user. */
  readonly data: JsonObject & { readonly sub: string };
}

export async function insertIdentity(
  db: Queryable,
  { userId, provider, data }: NewIdentity,
  nowMs: number,
): Promise<Identity> {
  const now = fromMs(nowMs);
  const identityData = withLowerEmail(data);
  const identity: Identity = {
    id: randomUUID(),
    provider_id: data.sub,
    user_id: userId,
    identity_data: identityData,
    provider,
    last_sign_in_at: now,
    created_at: now,
    updated_at: now,
    email: typeof identityData.email === 'string' ? identityData.email : null,
  };
  await db.query(sql`
    insert into auth.identities
      (id, provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
    values (${identity.id}, ${identity.provider_id}, ${userId}, ${identityData}, ${provider}, ${now}, ${now}, ${now})`);
  return identity;
}

export async function updateIdentityData(
  db: Queryable,
  identity: Identity,
  updates: JsonObject,
): Promise<void> {
  identity.identity_data = mergeMetadata(identity.identity_data, updates);
  await db.query(
    sql`update auth.identities set identity_data = ${identity.identity_data} where id = ${identity.id}`,
  );
}

export async function deleteIdentity(db: Queryable, id: string): Promise<void> {
  await db.query(sql`delete from auth.identities where id = ${id}`);
}

export async function renameIdentity(db: Queryable, id: string, providerId: string): Promise<void> {
  await db.query(sql`update auth.identities set provider_id = ${providerId} where id = ${id}`);
}

/** Lists the providers of a user's identities, oldest first. */
export async function listProviders(db: Queryable, userId: string): Promise<string[]> {
  const rows = await db.query<{ provider: string }>(sql`
    select provider from auth.identities where user_id = ${userId} group by provider order by min(created_at)`);
  return rows.map((row) => row.provider);
}

interface OAuthClientState {
  readonly provider_type: string;
  readonly code_verifier: string | null;
  readonly created_at: string;
}

/** Inserts a row and returns its ID. `secret` is the PKCE verifier or the OAuth 1.0a request token. */
export async function insertOAuthClientState(
  db: Queryable,
  providerType: string,
  secret: string,
  nowMs: number,
): Promise<string> {
  const id = randomUUID();
  await db.query(sql`
    insert into auth.oauth_client_states (id, provider_type, code_verifier, created_at)
    values (${id}, ${providerType}, ${secret}, ${fromMs(nowMs)})`);
  return id;
}

/** Deletes and returns the row, so that each row can be read only once. */
export async function consumeOAuthClientState(
  db: Queryable,
  id: string,
): Promise<OAuthClientState | undefined> {
  const [row] = await db.query<OAuthClientState>(sql`
    delete from auth.oauth_client_states where id = ${id} returning provider_type, code_verifier, created_at`);
  return row;
}

const customColumns = sql`
  id, provider_type, identifier, name, client_id, client_secret, acceptable_client_ids, scopes, pkce_enabled,
  attribute_mapping, custom_claims_allowlist, authorization_params, enabled, email_optional, issuer, discovery_url,
  skip_nonce_check, cached_discovery, authorization_url, token_url, userinfo_url, jwks_uri, created_at, updated_at`;

export async function findCustomProvider(
  db: Queryable,
  identifier: string,
): Promise<CustomProvider | undefined> {
  const [row] = await db.query<CustomProvider>(
    sql`select ${customColumns} from auth.custom_oauth_providers where identifier = ${identifier}`,
  );
  return row;
}

/** Lists providers, newest first. */
export function listCustomProviders(
  db: Queryable,
  type?: CustomProvider['provider_type'],
): Promise<CustomProvider[]> {
  const ofType = type === undefined ? sql.empty : sql` where provider_type = ${type}`;
  return db.query<CustomProvider>(
    sql`select ${customColumns} from auth.custom_oauth_providers${ofType} order by created_at desc, id`,
  );
}

export async function countCustomProviders(db: Queryable): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    sql`select count(*)::int as count from auth.custom_oauth_providers`,
  );
  return row?.count ?? 0;
}

/** Locks the list of providers, so that concurrent requests can't exceed the maximum number. */
export async function lockCustomProviders(tx: Transaction): Promise<void> {
  await tx.query(sql`lock table auth.custom_oauth_providers in share row exclusive mode`);
}

/** Inserts a provider. Returns false if the identifier is taken. */
export async function insertCustomProvider(db: Queryable, row: CustomProvider): Promise<boolean> {
  const rows = await db.query(sql`
    insert into auth.custom_oauth_providers
      (id, provider_type, identifier, name, client_id, client_secret, acceptable_client_ids, scopes, pkce_enabled,
       attribute_mapping, custom_claims_allowlist, authorization_params, enabled, email_optional, issuer,
       discovery_url, skip_nonce_check, cached_discovery, discovery_cached_at, authorization_url, token_url,
       userinfo_url, jwks_uri, created_at, updated_at)
    values (${row.id}, ${row.provider_type}, ${row.identifier}, ${row.name}, ${row.client_id}, ${row.client_secret},
            ${row.acceptable_client_ids}, ${row.scopes}, ${row.pkce_enabled}, ${row.attribute_mapping},
            ${row.custom_claims_allowlist}, ${row.authorization_params}, ${row.enabled}, ${row.email_optional},
            ${row.issuer}, ${row.discovery_url}, ${row.skip_nonce_check}, ${row.cached_discovery},
            ${row.cached_discovery === null ? null : row.updated_at}, ${row.authorization_url}, ${row.token_url},
            ${row.userinfo_url}, ${row.jwks_uri}, ${row.created_at}, ${row.updated_at})
    on conflict (identifier) do nothing returning id`);
  return rows.length > 0;
}

export async function updateCustomProvider(db: Queryable, row: CustomProvider, nowMs: number): Promise<void> {
  const now = fromMs(nowMs);
  await db.query(sql`
    update auth.custom_oauth_providers
    set name = ${row.name}, client_id = ${row.client_id}, client_secret = ${row.client_secret},
        acceptable_client_ids = ${row.acceptable_client_ids}, scopes = ${row.scopes},
        pkce_enabled = ${row.pkce_enabled}, attribute_mapping = ${row.attribute_mapping},
        custom_claims_allowlist = ${row.custom_claims_allowlist}, authorization_params = ${row.authorization_params},
        enabled = ${row.enabled}, email_optional = ${row.email_optional}, issuer = ${row.issuer},
        discovery_url = ${row.discovery_url}, skip_nonce_check = ${row.skip_nonce_check},
        cached_discovery = ${row.cached_discovery},
        discovery_cached_at = ${row.cached_discovery === null ? null : now},
        authorization_url = ${row.authorization_url}, token_url = ${row.token_url},
        userinfo_url = ${row.userinfo_url}, jwks_uri = ${row.jwks_uri}, updated_at = ${now}
    where id = ${row.id}`);
}

/** Deletes a provider. Returns false if the provider doesn't exist. */
export async function deleteCustomProvider(db: Queryable, identifier: string): Promise<boolean> {
  const rows = await db.query(
    sql`delete from auth.custom_oauth_providers where identifier = ${identifier} returning id`,
  );
  return rows.length > 0;
}
