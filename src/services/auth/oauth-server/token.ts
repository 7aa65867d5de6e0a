/**
 * Implements POST /oauth/token: authenticates the client, and issues tokens for an authorization code (RFC 6749 section
 * 4.1.3) or a refresh token.
 */

import { audit } from '../common/audit.ts';
import type { Caller } from '../common/caller.ts';
import { isVerifierOf } from '../common/pkce.ts';
import { isBanned } from '../common/render-user.ts';
import type { OAuthAuthorization, OAuthClient, User } from '../common/rows.ts';
import { toMs } from '../common/times.ts';
import { findUserById } from '../common/user-queries.ts';
import { isUuid } from '../common/uuid.ts';
import type { AuthContext } from '../context.ts';
import { authError, internalError, OAuthShapedError } from '../errors.ts';
import { issueSession } from '../sessions/issue.ts';
import type { IssuedSession } from '../sessions/issued-session.ts';
import { deleteClientSession } from '../sessions/queries.ts';
import { refreshSession } from '../sessions/refresh.ts';
import { grantToMachine, type MachineToken } from './client-credentials.ts';
import { listClientLogouts } from './logout-queries.ts';
import { machineGrant } from './machine-client.ts';
import { consumeAuthorization, findAuthorizationByCode, findOAuthClient } from './queries.ts';
import { readCredentials, type TokenParams } from './requests.ts';
import { idTokenClaims, parseScopes } from './scopes.ts';
import { isClientSecret, sessionIdOfCode } from './secrets.ts';

/**
 * Authenticates the client. Returns undefined if the request doesn't contain client credentials.
 * @param authorization the Authorization header, for HTTP Basic authentication
 * @throws {AuthError} invalid_credentials
 */
export async function authenticateClient(
  ctx: AuthContext,
  authorization: string | undefined,
  params: TokenParams | undefined,
): Promise<OAuthClient | undefined> {
  const { clientId, clientSecret, method } = readCredentials(authorization, params);
  if (clientId === '') return undefined;
  if (!isUuid(clientId)) throw authError('invalid_credentials', 'Invalid client_id format');
  const client = await findOAuthClient(ctx.pool, clientId);
  if (client === undefined) throw authError('invalid_credentials', 'Invalid client credentials');
  const registered = client.token_endpoint_auth_method;
  if (method !== registered) {
    throw authError(
      'invalid_credentials',
      `invalid authentication method: client is registered for '${registered}' but '${method}' was used`,
    );
  }
  if (client.client_type === 'public') return client;
  if (clientSecret === '')
    throw authError('invalid_credentials', 'confidential clients must provide client_secret');
  if (!isClientSecret(clientSecret, client.client_secret_hash)) {
    throw authError('invalid_credentials', 'invalid client credentials');
  }
  return client;
}

export type GrantedTokens =
  | {
      readonly session: IssuedSession;
      /** The ID token, or undefined if the scope doesn't include `openid`. */
      readonly idToken?: string | undefined;
    }
  | { readonly machine: MachineToken };

/** Issues tokens for the request's grant type. @throws {OAuthShapedError} */
export async function grantTokens(
  ctx: AuthContext,
  caller: Caller,
  params: TokenParams,
  client: OAuthClient | undefined,
): Promise<GrantedTokens> {
  const grantType = params('grant_type');
  if (grantType === '') throw new OAuthShapedError('invalid_request', 'grant_type is required');
  if (client === undefined) throw new OAuthShapedError('invalid_client', 'Client authentication required');
  if (!client.grant_types.split(',').some((allowed) => allowed.trim() === grantType)) {
    // Upstream responds with unsupported_grant_type, although RFC 6749 section 5.2 defines another error for it.
    throw new OAuthShapedError(
      grantType === machineGrant ? 'unauthorized_client' : 'unsupported_grant_type',
      `Client is not allowed to use grant type: ${grantType}`,
    );
  }
  switch (grantType) {
    case 'authorization_code':
      return redeemCode(ctx, caller, client, params);
    case 'refresh_token': {
      const token = params('refresh_token');
      if (token === '') {
        throw new OAuthShapedError('invalid_request', 'refresh_token is required for refresh_token grant');
      }
      return { session: await refreshSession(ctx, caller, token, client.id) };
    }
    case machineGrant:
      return { machine: await grantToMachine(ctx, caller, client, params) };
    default:
      throw new OAuthShapedError('unsupported_grant_type', `Unsupported grant type: ${grantType}`);
  }
}

/** The maximum time between the authorization request and the code exchange. Upstream has the same default. */
export const authorizationLifetimeMs = 600_000;

/** Exchanges an authorization code for tokens. Throws {@link OAuthShapedError}, usually `invalid_grant`. */
async function redeemCode(
  ctx: AuthContext,
  caller: Caller,
  client: OAuthClient,
  params: TokenParams,
): Promise<GrantedTokens> {
  const code = params('code');
  if (code === '') {
    throw new OAuthShapedError('invalid_request', 'code is required for authorization_code grant');
  }
  const authorization = await findAuthorizationByCode(ctx.pool, code);
  if (authorization === undefined) {
    await revokeReplayed(ctx, client, code);
    throw invalidGrant('Invalid authorization code');
  }
  checkClient(ctx, authorization, client, params);
  const user = await owner(ctx, authorization);
  const scopes = parseScopes(authorization.scope);
  // ID tokens can't be signed with a symmetric key. Unlike upstream, checks the key before the code is used up.
  if (scopes.includes('openid') && ctx.keys.signingAlgorithm().startsWith('HS')) {
    throw internalError('Error generating ID token');
  }
  const session = await ctx.pool.transaction(async (tx) => {
    if (!(await consumeAuthorization(tx, authorization.id))) return undefined;
    const traits = { provider_type: 'oauth_provider_authorization_code', client_id: client.id };
    await audit(ctx, tx, user, { action: 'login', traits });
    const grant = { clientId: client.id, scopes: authorization.scope, sessionId: sessionIdOfCode(code) };
    const method = 'oauth_provider/authorization_code';
    return issueSession(ctx, tx, caller, { user, method, proof: { by: 'consent' }, grant });
  });
  if (session === undefined) {
    // A concurrent request has already exchanged the code, so the code may have been stolen.
    await revokeReplayed(ctx, client, code);
    throw invalidGrant('Invalid authorization code');
  }
  const sessionId = (await receivesLogouts(ctx, client)) ? session.sessionId : undefined;
  const idToken = scopes.includes('openid')
    ? signIdToken(ctx, user, authorization, { scopes, sessionId })
    : undefined;
  return { session, idToken };
}

function checkClient(
  ctx: AuthContext,
  authorization: OAuthAuthorization,
  client: OAuthClient,
  params: TokenParams,
): void {
  if (toMs(authorization.expires_at) < ctx.clock.now()) throw invalidGrant('Authorization code has expired');
  if (authorization.client_id !== client.id) {
    throw invalidGrant('Authorization code was not issued for this client');
  }
  const resource = params('resource');
  if (resource !== '' && resource !== authorization.resource) {
    throw invalidGrant('Authorization code resource does not match the resource parameter');
  }
  const redirectUri = params('redirect_uri');
  if (redirectUri !== '' && redirectUri !== authorization.redirect_uri) {
    throw invalidGrant('Invalid redirect_uri');
  }
  const verifier = params('code_verifier');
  if (verifier === '') {
    throw invalidGrant('PKCE verification failed: code_verifier is required when PKCE challenge is present');
  }
  const { code_challenge: codeChallenge, code_challenge_method: method } = authorization;
  // This server requires a code challenge in every authorization request, so it didn't create a row without a
  // challenge.
  const isProven =
    codeChallenge !== null && method !== null && isVerifierOf({ codeChallenge, method }, verifier);
  if (!isProven) {
    throw invalidGrant(
      'PKCE verification failed: code challenge does not match previously saved code verifier',
    );
  }
}

async function owner(ctx: AuthContext, authorization: OAuthAuthorization): Promise<User> {
  if (authorization.user_id === null) throw invalidGrant('Authorization code has no associated user');
  const user = await findUserById(ctx.pool, authorization.user_id);
  if (user === undefined) throw invalidGrant('User not found for authorization code');
  if (isBanned(user, ctx.clock.now())) throw new OAuthShapedError('access_denied', 'User is banned');
  return user;
}

/**
 * Revokes the session that was created when the code was first used, because a code that is used twice is considered
 * stolen (RFC 6749 section 4.1.2). Revokes the session only during the code's lifetime.
 */
async function revokeReplayed(ctx: AuthContext, client: OAuthClient, code: string): Promise<void> {
  const since = ctx.clock.now() - authorizationLifetimeMs;
  await ctx.pool.transaction(async (tx) => {
    const userId = await deleteClientSession(tx, sessionIdOfCode(code), client.id, since);
    const user = userId === undefined ? undefined : await findUserById(tx, userId);
    if (user === undefined) return;
    const traits = { oauth_client_id: client.id, action: 'oauth_code_replayed' };
    await audit(ctx, tx, user, { action: 'token_revoked', traits });
  });
}

/**
 * Whether the client receives logout tokens. Only clients that receive logout tokens get the claim `sid`. Other clients
 * get ID tokens with the same claims as in upstream.
 */
async function receivesLogouts(ctx: AuthContext, { id }: OAuthClient): Promise<boolean> {
  if (!ctx.hasOwnTables) return false;
  const logout = (await listClientLogouts(ctx.pool, [id])).get(id);
  return logout !== undefined && (logout.backchannelUri !== null || logout.frontchannelUri !== null);
}

function signIdToken(
  ctx: AuthContext,
  user: User,
  authorization: OAuthAuthorization,
  more: { readonly scopes: readonly string[]; readonly sessionId: string | undefined },
): string {
  const nowSeconds = Math.floor(ctx.clock.now() / 1000);
  return ctx.keys.sign(
    idTokenClaims({
      user,
      ...more,
      issuer: ctx.settings.issuer(),
      clientId: authorization.client_id,
      nonce: authorization.nonce,
      // As in upstream, the time at which the session is created counts as the time of authentication.
      authTimeSeconds: nowSeconds,
      issuedAtSeconds: nowSeconds,
    }),
  );
}

function invalidGrant(description: string): OAuthShapedError {
  return new OAuthShapedError('invalid_grant', description);
}
