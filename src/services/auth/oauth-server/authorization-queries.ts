/**
 * Statements on auth.oauth_authorizations. A row stores a client's request from the first redirect until the code is
 * exchanged.
 */
import { randomUUID } from 'node:crypto';
import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { OAuthAuthorization } from '../common/rows.ts';
import { fromMs } from '../common/times.ts';
import type { AuthorizeRequest } from './authorize-request.ts';
import { authorizationIdText } from './secrets.ts';

const columns = sql`
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
    select ${columns} from auth.oauth_authorizations where authorization_id = ${authorizationId}
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
    select ${columns} from auth.oauth_authorizations
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
