/** Statements on auth.oauth_clients. Redirect URIs and grant types are comma-separated lists. */

import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { OAuthClient } from '../common/rows.ts';
import { fromMs } from '../common/times.ts';
import type { ClientMetadata, Registration } from './registration.ts';

const columns = sql`
  id, client_secret_hash, registration_type, redirect_uris, grant_types, client_name, client_uri, logo_uri, created_at,
  updated_at, client_type, token_endpoint_auth_method`;

/** Finds a client that hasn't been deleted. */
export async function findOAuthClient(db: Queryable, id: string): Promise<OAuthClient | undefined> {
  const [client] = await db.query<OAuthClient>(
    sql`select ${columns} from auth.oauth_clients where id = ${id} and deleted_at is null`,
  );
  return client;
}

/** Lists clients, newest first. */
export function listOAuthClients(db: Queryable): Promise<OAuthClient[]> {
  return db.query<OAuthClient>(
    sql`select ${columns} from auth.oauth_clients where deleted_at is null order by created_at desc, id`,
  );
}

export interface NewClient extends Registration {
  readonly id: string;
  readonly registrationType: 'manual' | 'dynamic';
  readonly secretHash: string | null;
}

export async function insertOAuthClient(
  db: Queryable,
  client: NewClient,
  nowMs: number,
): Promise<OAuthClient> {
  const now = fromMs(nowMs);
  const [row] = await db.query<OAuthClient>(sql`
    insert into auth.oauth_clients
      (id, client_secret_hash, registration_type, redirect_uris, grant_types, client_name, client_uri, logo_uri,
       client_type, token_endpoint_auth_method, created_at, updated_at)
    values (${client.id}, ${client.secretHash ?? ''}, ${client.registrationType}, ${client.redirectUris.join(',')},
            ${client.grantTypes.join(',')}, ${client.clientName}, ${client.clientUri}, ${client.logoUri},
            ${client.clientType}, ${client.authMethod}, ${now}, ${now})
    returning ${columns}`);
  if (row === undefined) throw new Error('an insert returned no row');
  return row;
}

/** Updates a client. Returns undefined if the client has been deleted. */
export async function updateOAuthClient(
  db: Queryable,
  id: string,
  patch: Partial<ClientMetadata> & { readonly secretHash?: string },
  nowMs: number,
): Promise<OAuthClient | undefined> {
  const values: Readonly<Record<string, string | null | undefined>> = {
    redirect_uris: patch.redirectUris?.join(','),
    grant_types: patch.grantTypes?.join(','),
    client_name: patch.clientName,
    client_uri: patch.clientUri,
    logo_uri: patch.logoUri,
    token_endpoint_auth_method: patch.authMethod,
    client_secret_hash: patch.secretHash,
  };
  const changes = Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([column, value]) => sql`${sql.id(column)} = ${value}`);
  const [row] = await db.query<OAuthClient>(sql`
    update auth.oauth_clients set ${sql.join([...changes, sql`updated_at = ${fromMs(nowMs)}`], ', ')}
    where id = ${id} and deleted_at is null returning ${columns}`);
  return row;
}

/** Marks the client as deleted. Keeps the row because other rows reference it. */
export async function deleteOAuthClient(db: Queryable, id: string, nowMs: number): Promise<void> {
  const now = fromMs(nowMs);
  await db.query(sql`
    update auth.oauth_clients set deleted_at = ${now}, updated_at = ${now}
    where id = ${id} and deleted_at is null`);
}
