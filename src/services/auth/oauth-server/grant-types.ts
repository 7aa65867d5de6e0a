/** Implements the OAuth server's token endpoint, which authenticates the client and handles the grant type. */

import type { Caller } from '../common/caller.ts';
import type { OAuthClient } from '../common/rows.ts';
import { isUuid } from '../common/uuid.ts';
import type { AuthContext } from '../context.ts';
import { authError, OAuthShapedError } from '../errors.ts';
import { refreshSession } from '../sessions/refresh.ts';
import { findOAuthClient } from './client-queries.ts';
import type { GrantedTokens } from './render-tokens.ts';
import { isClientSecret } from './secrets.ts';
import { redeemCode } from './token.ts';
import { readCredentials, type TokenParams } from './token-request.ts';

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
    throw new OAuthShapedError(
      'unsupported_grant_type',
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
    default:
      throw new OAuthShapedError('unsupported_grant_type', `Unsupported grant type: ${grantType}`);
  }
}
