/**
 * Declares the routes of the OAuth 2.1 server and OpenID provider, compatible with GoTrue 2.196: /oauth/authorize, the
 * user's consent, /oauth/token and /oauth/userinfo. Also declares /oauth/logout, which upstream doesn't have.
 *
 * Glossary. *Client*: an app that requests access on behalf of a user. *Authorization*: a client's request, pending
 * until the user decides. *Consent*: the stored decision, which upstream's API for users calls a *grant*.
 */

import type { AuthContext } from '../context.ts';
import { OAuthShapedError } from '../errors.ts';
import { type Exchange, header } from '../http/exchange.ts';
import type { Handler, Router } from '../http/route.ts';
import { limitByAddress } from '../limits/limit-by-address.ts';
import { requireCaller } from '../sessions/authenticate.ts';
import { authorize, requireOAuthServer } from './authorize.ts';
import { authenticateClient, grantTokens } from './grant-types.ts';
import { userInfo } from './identity-claims.ts';
import { endSessionUrl } from './logout.ts';
import { decideOAuthAuthorization, openOAuthAuthorization } from './operations.ts';
import { renderOpenedAuthorization } from './render-authorization.ts';
import { renderTokens } from './render-tokens.ts';
import { parseScopes } from './scopes.ts';
import { parseTokenParams } from './token-request.ts';

export function oauthServerRoutes({ define, serve }: Router, ctx: AuthContext): void {
  const begin: Handler = async (exchange) => {
    requireOAuthServer(ctx);
    return exchange.reply.redirect(await authorize(ctx, exchange.query), 302);
  };
  // Requests are limited per IP address, because each request stores a row and anyone who knows a client's ID can send
  // requests.
  define('GET', '/oauth/authorize', begin, [limitByAddress('authorize')]);

  const readAuthorization = ({ params, request }: Exchange) => ({
    authorizationId: params.id ?? '',
    origin: header(request, 'origin'),
  });
  serve(
    'GET',
    '/oauth/authorizations/:id',
    openOAuthAuthorization,
    renderOpenedAuthorization,
    readAuthorization,
  );
  serve(
    'POST',
    '/oauth/authorizations/:id/consent',
    decideOAuthAuthorization,
    (url) => ({ redirect_url: url }),
    readAuthorization,
  );

  define('POST', '/oauth/token', async (exchange) => {
    requireOAuthServer(ctx);
    // Caches must not store token responses (RFC 6749 section 5.1).
    exchange.reply.header('cache-control', 'no-store');
    const params = parseTokenParams(header(exchange.request, 'content-type') ?? '', exchange.text);
    const client = await authenticateClient(ctx, header(exchange.request, 'authorization'), params);
    if (params === undefined) throw new OAuthShapedError('invalid_request', 'Invalid JSON body');
    return renderTokens(await grantTokens(ctx, exchange.caller, params, client));
  });

  // Uses status 303 so that a form post becomes a GET request.
  define('GET', '/oauth/logout', async ({ reply, query }) =>
    reply.redirect(await endSessionUrl(ctx, query), 303),
  );
  define('POST', '/oauth/logout', async ({ reply, text }) =>
    reply.redirect(await endSessionUrl(ctx, new URLSearchParams(text)), 303),
  );

  define('GET', '/oauth/userinfo', async (exchange) => {
    requireOAuthServer(ctx);
    const { user, session } = await requireCaller(ctx, exchange.caller);
    return userInfo(user, parseScopes(session?.scopes ?? ''));
  });
}
