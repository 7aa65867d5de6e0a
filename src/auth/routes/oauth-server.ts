/**
 * The OAuth 2.1 server and OpenID provider, compatible with GoTrue 2.196: /oauth/authorize, the user's consent,
 * /oauth/token and /oauth/userinfo.
 *
 * Glossary. *Client*: an app that requests access on behalf of a user. *Authorization*: a client's request, pending
 * until the user decides. *Consent*: the stored decision, which upstream calls a *grant* in its API for users.
 */
import type { AuthContext } from '../context.ts';
import type { JsonObject } from '../core/json.ts';
import { userInfo } from '../core/oauth/identity-claims.ts';
import { parseScopes } from '../core/oauth/scopes.ts';
import { parseTokenParams } from '../core/oauth/token-request.ts';
import { isRedirectAllowed } from '../core/redirects.ts';
import { AuthError, authError, OAuthShapedError } from '../errors.ts';
import { requireCaller, requirePerson } from '../flows/authenticate.ts';
import { authorize, requireOAuthServer } from '../flows/oauth-authorize.ts';
import { decideAuthorization, openAuthorization } from '../flows/oauth-consent.ts';
import { authenticateClient, grantTokens } from '../flows/oauth-grant-types.ts';
import { type Exchange, header } from '../http/exchange.ts';
import type { OAuthClient } from '../rows.ts';
import type { Define } from './route.ts';

export function oauthServerRoutes(define: Define, ctx: AuthContext): void {
  define('GET', '/oauth/authorize', async (exchange) => {
    requireOAuthServer(ctx);
    return exchange.reply.redirect(await authorize(ctx, exchange.query), 302);
  });

  define('GET', '/oauth/authorizations/:id', async (exchange) => {
    requireOAuthServer(ctx);
    const { user } = await requirePerson(ctx, exchange.caller);
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
    const { user } = await requirePerson(ctx, exchange.caller);
    refuseForeignOrigin(ctx, exchange);
    const action = jsonBody(exchange).text('action');
    if (action !== 'approve' && action !== 'deny') {
      throw authError('validation_failed', "action must be 'approve' or 'deny'");
    }
    return { redirect_url: await decideAuthorization(ctx, exchange.params.id ?? '', user, action) };
  });

  define('POST', '/oauth/token', async (exchange) => {
    requireOAuthServer(ctx);
    // RFC 6749 section 5.1.
    exchange.reply.header('cache-control', 'no-store');
    const params = parseTokenParams(header(exchange.request, 'content-type') ?? '', exchange.text);
    const client = await authenticateClient(ctx, header(exchange.request, 'authorization'), params);
    if (params === undefined) throw new OAuthShapedError('invalid_request', 'Invalid JSON body');
    return grantTokens(ctx, exchange.caller, params, client);
  });

  define('GET', '/oauth/userinfo', async (exchange) => {
    requireOAuthServer(ctx);
    const { user, session } = await requireCaller(ctx, exchange.caller);
    return userInfo(user, parseScopes(session?.scopes ?? ''));
  });
}

/** Throws `bad_json`. */
export function jsonBody(exchange: Exchange) {
  try {
    return exchange.body();
  } catch (error) {
    throw error instanceof AuthError ? authError('bad_json', 'invalid JSON body') : error;
  }
}

/** Renders a client for users. */
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

/** Only our own consent page, or one from the project, may read an authorization. Apps and servers send no Origin. */
function refuseForeignOrigin(ctx: AuthContext, exchange: Exchange): void {
  const origin = header(exchange.request, 'origin') ?? '';
  if (origin !== '' && !isRedirectAllowed(ctx.settings.redirects, origin)) {
    throw authError('validation_failed', 'unauthorized request origin');
  }
}
