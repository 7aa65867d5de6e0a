/**
 * Statements on auth.oauth_clients, auth.oauth_authorizations and auth.oauth_consents. In a client's row, redirect URIs
 * and grant types are comma-separated lists. An authorization's row stores a client's request from the first redirect
 * until the code is exchanged. A consent's row exists for each combination of user and client.
 */
import { randomUUID } from 'node:crypto';
import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { OAuthAuthorization, OAuthClient, OAuthConsent } from '../common/rows.ts';
import { fromMs } from '../common/times.ts';
import type { ClientMetadata, Registration } from './registration.ts';
import type { AuthorizeRequest } from './requests.ts';
import { authorizationIdText } from './secrets.ts';

const clientColumns = sql`
  id, client_secret_hash, registration_type, redirect_uris, grant_types, client_name, client_uri, logo_uri, created_at,
  updated_at, client_type, token_endpoint_auth_method`;

/** Finds a client that hasn't been deleted. */
export async function findOAuthClient(db: Queryable, id: string): Promise<OAuthClient | undefined> {
  const [client] = await db.query<OAuthClient>(
    sql`select ${clientColumns} from auth.oauth_clients where id = ${id} and deleted_at is null`,
  );
  return client;
}

/** Lists clients, newest first. */
export function listOAuthClients(db: Queryable): Promise<OAuthClient[]> {
  return db.query<OAuthClient>(
    sql`select ${clientColumns} from auth.oauth_clients where deleted_at is null order by created_at desc, id`,
  );
}

interface NewClient extends Registration {
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
    returning ${clientColumns}`);
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
    where id = ${id} and deleted_at is null returning ${clientColumns}`);
  return row;
}

/** Marks the client as deleted. Keeps the row because other rows reference it. */
export async function deleteOAuthClient(db: Queryable, id: string, nowMs: number): Promise<void> {
  const now = fromMs(nowMs);
  await db.query(sql`
    update auth.oauth_clients set deleted_at = ${now}, updated_at = ${now}
    where id = ${id} and deleted_at is null`);
}

const authorizationColumns = sql`
  id, authorization_id, client_id, user_id, redirect_uri, scope, state, resource, code_challenge,
  code_challenge_method, status, authorization_code, expires_at, nonce`;

/** Inserts an authorization and returns its authorization_id. */
export async function insertAuthorization(
  db: Queryable,
  request: AuthorizeRequest & { readonly clientId: string; readonly redirectUri: string },
  lifetimeMs: number,
  nowMs: number,
): Promise<string> {
  const authorizationId = authorizationIdText();
  await db.query(sql`
    insert into auth.oauth_authorizations
      (id, authorization_id, client_id, redirect_uri, scope, state, resource, code_challenge, code_challenge_method,
       nonce, status, created_at, expires_at)
    values (${randomUUID()}, ${authorizationId}, ${request.clientId}, ${request.redirectUri}, ${request.scope},
            ${request.state}, ${request.resource}, ${request.codeChallenge}, ${request.codeChallengeMethod},
            ${request.nonce}, 'pending', ${fromMs(nowMs)}, ${fromMs(nowMs + lifetimeMs)})`);
  return authorizationId;
}

/**
 * Locks an authorization. Returns undefined if the authorization doesn't exist or another transaction has locked the
 * row.
 */
export async function lockAuthorization(
  db: Queryable,
  authorizationId: string,
): Promise<OAuthAuthorization | undefined> {
  const [row] = await db.query<OAuthAuthorization>(sql`
    select ${authorizationColumns} from auth.oauth_authorizations where authorization_id = ${authorizationId}
    for update skip locked`);
  return row;
}

export interface RequestingClient {
  readonly name: string;
  readonly redirectUri: string;
}

/** Returns the client of a pending authorization that hasn't expired. */
export async function findRequestingClient(
  db: Queryable,
  authorizationId: string,
  nowMs: number,
): Promise<RequestingClient | undefined> {
  const [row] = await db.query<{ client_name: string | null; redirect_uri: string }>(sql`
    select c.client_name, a.redirect_uri
    from auth.oauth_authorizations a join auth.oauth_clients c on c.id = a.client_id
    where a.authorization_id = ${authorizationId} and a.status = 'pending' and a.expires_at > ${fromMs(nowMs)}
      and c.deleted_at is null`);
  return row && { name: row.client_name ?? '', redirectUri: row.redirect_uri };
}

export async function setAuthorizationUser(db: Queryable, id: string, userId: string): Promise<void> {
  await db.query(sql`update auth.oauth_authorizations set user_id = ${userId} where id = ${id}`);
}

/**
 * Removes the user from a pending authorization. Does nothing if the authorization belongs to another user or has
 * already been approved or denied.
 */
export async function freeAuthorization(
  db: Queryable,
  authorizationId: string,
  userId: string,
): Promise<void> {
  await db.query(sql`
    update auth.oauth_authorizations set user_id = null
    where authorization_id = ${authorizationId} and user_id = ${userId} and status = 'pending'`);
}

/** Approves an authorization and returns the authorization code. */
export async function approveAuthorization(db: Queryable, id: string, nowMs: number): Promise<string> {
  const code = randomUUID();
  await db.query(sql`
    update auth.oauth_authorizations
    set status = 'approved', approved_at = ${fromMs(nowMs)}, authorization_code = ${code} where id = ${id}`);
  return code;
}

export async function closeAuthorization(
  db: Queryable,
  id: string,
  status: 'denied' | 'expired',
): Promise<void> {
  await db.query(sql`update auth.oauth_authorizations set status = ${status} where id = ${id}`);
}

export async function findAuthorizationByCode(
  db: Queryable,
  code: string,
): Promise<OAuthAuthorization | undefined> {
  const [row] = await db.query<OAuthAuthorization>(sql`
    select ${authorizationColumns} from auth.oauth_authorizations
    where authorization_code = ${code} and status = 'approved'`);
  return row;
}

/**
 * Deletes an authorization when a client exchanges the authorization's code. Waits for concurrent exchanges. Returns
 * false if the code has already been exchanged.
 */
export async function consumeAuthorization(db: Queryable, id: string): Promise<boolean> {
  const rows = await db.query(sql`delete from auth.oauth_authorizations where id = ${id} returning id`);
  return rows.length > 0;
}

/** Finds a user's consent. Returns undefined if the user has never consented or has revoked the consent. */
export async function findConsent(
  db: Queryable,
  userId: string,
  clientId: string,
): Promise<OAuthConsent | undefined> {
  const [row] = await db.query<OAuthConsent>(sql`
    select id, client_id, scopes, granted_at from auth.oauth_consents
    where user_id = ${userId} and client_id = ${clientId} and revoked_at is null`);
  return row;
}

export interface GrantedClient extends OAuthConsent {
  readonly client_name: string | null;
  readonly client_uri: string | null;
  readonly logo_uri: string | null;
}

/** Lists a user's consents, newest first, except consents for deleted clients. */
export function listConsents(db: Queryable, userId: string): Promise<GrantedClient[]> {
  return db.query<GrantedClient>(sql`
    select c.id, c.client_id, c.scopes, c.granted_at, o.client_name, o.client_uri, o.logo_uri
    from auth.oauth_consents c join auth.oauth_clients o on o.id = c.client_id and o.deleted_at is null
    where c.user_id = ${userId} and c.revoked_at is null order by c.granted_at desc, c.id`);
}

/** Stores a consent. Replaces an earlier consent, even if it was revoked. */
export async function upsertConsent(
  db: Queryable,
  consent: { readonly userId: string; readonly clientId: string; readonly scopes: readonly string[] },
  nowMs: number,
): Promise<void> {
  const now = fromMs(nowMs);
  await db.query(sql`
    insert into auth.oauth_consents (id, user_id, client_id, scopes, granted_at)
    values (${randomUUID()}, ${consent.userId}, ${consent.clientId}, ${consent.scopes.join(' ')}, ${now})
    on conflict (user_id, client_id)
    do update set scopes = excluded.scopes, granted_at = excluded.granted_at, revoked_at = null`);
}

/**
 * Revokes a consent. The revocation time is never earlier than the grant time, so that the table's constraint is
 * satisfied even if the clock was set back.
 */
export async function revokeConsent(db: Queryable, id: string, nowMs: number): Promise<void> {
  await db.query(sql`
    update auth.oauth_consents set revoked_at = greatest(${fromMs(nowMs)}::timestamptz, granted_at) where id = ${id}`);
}
