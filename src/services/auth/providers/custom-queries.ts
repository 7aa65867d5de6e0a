/** Statements on auth.custom_oauth_providers. */

import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable, Transaction } from '../../../platform/database/types.ts';
import type { CustomProvider } from '../common/rows.ts';
import { fromMs } from '../common/times.ts';

const columns = sql`
  id, provider_type, identifier, name, client_id, client_secret, acceptable_client_ids, scopes, pkce_enabled,
  attribute_mapping, custom_claims_allowlist, authorization_params, enabled, email_optional, issuer, discovery_url,
  skip_nonce_check, cached_discovery, authorization_url, token_url, userinfo_url, jwks_uri, created_at, updated_at`;

export async function findCustomProvider(
  db: Queryable,
  identifier: string,
): Promise<CustomProvider | undefined> {
  const [row] = await db.query<CustomProvider>(
    sql`select ${columns} from auth.custom_oauth_providers where identifier = ${identifier}`,
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
    sql`select ${columns} from auth.custom_oauth_providers${ofType} order by created_at desc, id`,
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
