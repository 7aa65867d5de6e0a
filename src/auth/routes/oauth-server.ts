/**
 * We as an OAuth 2.1 server and OpenID provider, as GoTrue 2.196 is one: /oauth/authorize, the question to the user,
 * /oauth/token and /oauth/userinfo.
 *
 * Glossary. *Client*: an app that wants to act for a user. *Authorization*: one request of a client, pending until the
 * user has answered. *Consent*: the lasting answer; *grant* is upstream's word for it towards users.
 */
import type { AuthContext } from '../context.ts';
import type { JsonObject } from '../core/json.ts';
import { parseAuthorizeRequest } from '../core/oauth/authorize-request.ts';
import { userInfo } from '../core/oauth/identity-claims.ts';
import { isRegistered } from '../core/oauth/redirect-uri.ts';
import { parseScopes } from '../core/oauth/scopes.ts';
import { isClientSecret } from '../core/oauth/secrets.ts';
import { parseTokenParams, readCredentials, type TokenParams } from '../core/oauth/token-request.ts';
import { isRedirectAllowed } from '../core/redirects.ts';
import { AuthError, authError, OAuthShapedError } from '../errors.ts';
import { answerAuthorization, errorUrl, openAuthorization } from '../flows/oauth-consent.ts';
import { authorizationLifetimeMs, redeemCode, renderTokens } from '../flows/oauth-token.ts';
import { refreshSession } from '../flows/refresh-session.ts';
import { isUuid, requireCaller, requirePerson } from '../http/authenticate.ts';
import { type Exchange, header } from '../http/exchange.ts';
import { insertAuthorization } from '../queries/oauth-authorizations.ts';
import { findOAuthClient } from '../queries/oauth-clients.ts';
import type { OAuthClient } from '../rows.ts';
import type { Define } from './route.ts';

export function oauthServerRoutes(define: Define, ctx: AuthContext): void {
  define('GET', '/oauth/authorize', async (exchange) => {
    requireOAuthServer(ctx);
    return exchange.reply.redirect(await authorize(ctx, exchange.query), 302);
  });

  define('GET', '/oauth/authorizations/:id', async (exchange) => {
    requireOAuthServer(ctx);
    const { user } = await requirePerson(ctx, exchange);
    refuseForeignOrigin(ctx, exchange);
    const question = await openAuthorization(ctx, exchange.params.id ?? '', user);
    return question.kind === 'allowed'
      ? { redirect_url: question.redirectUrl }
      : {
          authorization_id: question.authorization.authorization_id,
          redirect_uri: question.authorization.redirect_uri,
          client: renderClient(question.client),
          user: { id: user.id, ...(user.email ? { email: user.email } : {}) },
          scope: question.authorization.scope,
        };
  });

  define('POST', '/oauth/authorizations/:id/consent', async (exchange) => {
    requireOAuthServer(ctx);
    const { user } = await requirePerson(ctx, exchange);
    refuseForeignOrigin(ctx, exchange);
    const action = jsonBody(exchange).text('action');
    if (action !== 'approve' && action !== 'deny') {
      throw authError('validation_failed', "action must be 'approve' or 'deny'");
    }
    return { redirect_url: await answerAuthorization(ctx, exchange.params.id ?? '', user, action) };
  });

  define('POST', '/oauth/token', async (exchange) => {
    requireOAuthServer(ctx);
    // RFC 6749 section 5.1.
    exchange.reply.header('cache-control', 'no-store');
    const params = parseTokenParams(header(exchange.request, 'content-type') ?? '', exchange.text);
    const client = await authenticateClient(ctx, exchange, params);
    if (params === undefined) throw new OAuthShapedError('invalid_request', 'Invalid JSON body');
    return grantTokens(ctx, exchange, params, client);
  });

  define('GET', '/oauth/userinfo', async (exchange) => {
    requireOAuthServer(ctx);
    const { user, session } = await requireCaller(ctx, exchange);
    return userInfo(user, parseScopes(session?.scopes ?? ''));
  });
}

/** Throws 404 `feature_disabled`. */
export function requireOAuthServer(ctx: AuthContext): void {
  if (!ctx.settings.oauthServer.enabled) throw authError('feature_disabled', 'OAuth server is disabled');
}

/** Throws `bad_json`. */
export function jsonBody(exchange: Exchange) {
  try {
    return exchange.body();
  } catch (error) {
    throw error instanceof AuthError ? authError('bad_json', 'invalid JSON body') : error;
  }
}

/** How clients are shown to users. */
export function renderClient(
  client: Pick<OAuthClient, 'id' | 'client_name' | 'client_uri' | 'logo_uri'>,
): JsonObject {
  return {
    id: client.id,
    ...(client.client_name ? { name: client.client_name } : {}),
    ...(client.client_uri ? { uri: client.client_uri } : {}),
    ...(client.logo_uri ? { logo_uri: client.logo_uri } : {}),
  };
}

/** Where the browser goes. Until client and redirect URI are known to be good, errors are answers and no redirects. */
async function authorize(ctx: AuthContext, query: URLSearchParams): Promise<string> {
  const clientId = query.get('client_id') ?? '';
  const redirectUri = query.get('redirect_uri') ?? '';
  if (clientId === '') throw authError('validation_failed', 'client_id is required');
  if (redirectUri === '') throw authError('validation_failed', 'redirect_uri is required');
  if (!isUuid(clientId))
    throw authError('oauth_client_not_found', 'invalid client_id format', { status: 400 });
  const client = await findOAuthClient(ctx.pool, clientId);
  if (client === undefined) throw authError('oauth_client_not_found', 'invalid client_id', { status: 400 });
  if (!isRegistered(client.redirect_uris.split(','), redirectUri)) {
    throw authError('validation_failed', 'invalid redirect_uri');
  }
  const state = query.get('state');
  const consentUrl = ctx.settings.oauthServer.consentUrl();
  if (consentUrl === undefined) {
    const reason = 'no page asks for consent: set auth.oauth_server.authorization_url_path';
    ctx.log.warn({ service: 'auth' }, reason);
    return errorUrl(ctx, redirectUri, 'server_error', reason, state);
  }
  const parsed = parseAuthorizeRequest(query);
  if ('fault' in parsed) return errorUrl(ctx, redirectUri, 'invalid_request', parsed.fault, state);
  let id: string;
  try {
    const request = { ...parsed.request, clientId: client.id, redirectUri };
    id = await insertAuthorization(ctx.pool, request, authorizationLifetimeMs, ctx.clock.now());
  } catch (error) {
    ctx.log.warn({ error }, 'an authorization request could not be kept');
    return errorUrl(ctx, redirectUri, 'server_error', 'error creating authorization', state);
  }
  return `${consentUrl}?authorization_id=${id}`;
}

/** The page that asks is ours, or one of the project's: no other may even look. Apps and servers send no Origin. */
function refuseForeignOrigin(ctx: AuthContext, exchange: Exchange): void {
  const origin = header(exchange.request, 'origin') ?? '';
  if (origin !== '' && !isRedirectAllowed(ctx.settings.redirects, origin)) {
    throw authError('validation_failed', 'unauthorized request origin');
  }
}

/** Undefined: credentials that name no client. Throws `invalid_credentials`. */
async function authenticateClient(
  ctx: AuthContext,
  exchange: Exchange,
  params: TokenParams | undefined,
): Promise<OAuthClient | undefined> {
  const { clientId, clientSecret, method } = readCredentials(
    header(exchange.request, 'authorization'),
    params,
  );
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

async function grantTokens(
  ctx: AuthContext,
  exchange: Exchange,
  params: TokenParams,
  client: OAuthClient | undefined,
): Promise<JsonObject> {
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
      return redeemCode(ctx, exchange, client, params);
    case 'refresh_token': {
      const token = params('refresh_token');
      if (token === '') {
        throw new OAuthShapedError('invalid_request', 'refresh_token is required for refresh_token grant');
      }
      return renderTokens(await refreshSession(ctx, exchange, token, client.id));
    }
    default:
      throw new OAuthShapedError('unsupported_grant_type', `Unsupported grant type: ${grantType}`);
  }
}
