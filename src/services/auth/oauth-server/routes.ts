/**
 * Declares the routes of the OAuth 2.1 server and OpenID provider, compatible with GoTrue 2.196: /oauth/authorize, the
 * user's consent, /oauth/token and /oauth/userinfo. Also declares /oauth/logout, which upstream doesn't have.
 *
 * Glossary. *Client*: an app that requests access on behalf of a user. *Authorization*: a client's request, pending
 * until the user decides. *Consent*: the stored decision, which upstream's API for users calls a *grant*.
 */

import type { Fields, ReadFields } from '../common/fields.ts';
import type { JsonObject } from '../common/json.ts';
import { limitChanges } from '../common/limit-changes.ts';
import type { Call, Operation } from '../common/operation.ts';
import { isRedirectAllowed } from '../common/redirects.ts';
import type { AuthContext } from '../context.ts';
import { AuthError, authError, OAuthShapedError } from '../errors.ts';
import { type Exchange, header } from '../http/exchange.ts';
import type { Route } from '../http/route.ts';
import { limitByAddress } from '../limits/limit-by-address.ts';
import { requireCaller, requirePerson } from '../sessions/authenticate.ts';
import { authorize, requireOAuthServer } from './authorize.ts';
import { decideAuthorization, openAuthorization } from './consent.ts';
import { authenticateClient, grantTokens } from './grant-types.ts';
import { userInfo } from './identity-claims.ts';
import { endSessionUrl } from './logout.ts';
import { type OpenedAuthorization, renderOpenedAuthorization } from './render-authorization.ts';
import { type GrantedTokens, renderTokens } from './render-tokens.ts';
import { parseScopes } from './scopes.ts';
import { parseTokenParams } from './token-request.ts';

export function oauthServerRoutes(route: Route): void {
  const read = ({ params, request }: Exchange) => ({
    id: params.id ?? '',
    origin: header(request, 'origin'),
  });
  route(beginAuthorization);
  route(openOAuthAuthorization, { read, render: renderOpenedAuthorization });
  route(decideOAuthAuthorization, { read, render: (url) => ({ redirect_url: url }) });
  route(issueTokens, { render: renderTokens });
  route(logout('GET', ({ query }) => query));
  route(logout('POST', ({ text }) => new URLSearchParams(text)));
  route(readUserInfo);
}

const beginAuthorization: Operation<Exchange, string> = {
  on: 'GET /oauth/authorize',
  status: 302,
  // Requests are limited per IP address, because each request stores a row and anyone who knows a client's ID can send
  // requests.
  guards: [limitByAddress('authorize'), requireOAuthServer],
  errorPage: ({ settings }) => settings.siteUrl,
  run: (ctx, { query }) => authorize(ctx, query),
};

interface AuthorizationCall extends Call {
  /** The authorization's ID. */
  readonly id: string;
  /** The origin of the page that sent the request. Undefined for requests from apps, servers and the Account pages. */
  readonly origin: string | undefined;
}

/** Returns an OAuth client's request, which the user approves or denies. */
export const openOAuthAuthorization: Operation<AuthorizationCall, OpenedAuthorization> = {
  on: 'GET /oauth/authorizations/:id',
  guards: [requireOAuthServer],
  async run(ctx, { caller, id, origin }) {
    const self = await limitChanges(ctx, await requirePerson(ctx, caller));
    rejectForeignOrigin(ctx, origin);
    return openAuthorization(ctx, id, self);
  },
};

/** Approves or denies an authorization. Returns the URL to which the browser is redirected. */
export const decideOAuthAuthorization: Operation<AuthorizationCall, string> = {
  on: 'POST /oauth/authorizations/:id/consent',
  guards: [requireOAuthServer],
  async run(ctx, { caller, id, origin, body }) {
    const self = await limitChanges(ctx, await requirePerson(ctx, caller));
    rejectForeignOrigin(ctx, origin);
    const action = readJson(body).text('action');
    if (action !== 'approve' && action !== 'deny') {
      throw authError('validation_failed', "action must be 'approve' or 'deny'");
    }
    return decideAuthorization(ctx, id, self, action);
  },
};

/** Reads a JSON body. Throws `bad_json` with the message that the OAuth server's endpoints use. */
function readJson(body: ReadFields): Fields {
  try {
    return body();
  } catch (error) {
    throw error instanceof AuthError ? authError('bad_json', 'invalid JSON body') : error;
  }
}

/**
 * Rejects requests from pages that aren't allowed to read authorizations. Only Plinth's consent page and the project's
 * own consent page may read authorizations. Apps and servers don't send an Origin header.
 */
function rejectForeignOrigin({ settings }: AuthContext, origin: string | undefined): void {
  if (origin === undefined || origin === '' || isRedirectAllowed(settings.redirects, origin)) return;
  throw authError('validation_failed', 'unauthorized request origin');
}

const issueTokens: Operation<Exchange, GrantedTokens> = {
  on: 'POST /oauth/token',
  guards: [requireOAuthServer],
  async run(ctx, { caller, request, text }) {
    // Caches must not store token responses (RFC 6749 section 5.1).
    caller.setHeader('cache-control', 'no-store');
    const params = parseTokenParams(header(request, 'content-type') ?? '', text);
    const client = await authenticateClient(ctx, header(request, 'authorization'), params);
    if (params === undefined) throw new OAuthShapedError('invalid_request', 'Invalid JSON body');
    return grantTokens(ctx, caller, params, client);
  },
};

const logout = (
  method: 'GET' | 'POST',
  read: (exchange: Exchange) => URLSearchParams,
): Operation<Exchange, string> => ({
  on: `${method} /oauth/logout`,
  // Uses status 303 so that a form post becomes a GET request.
  status: 303,
  errorPage: ({ settings }) => settings.siteUrl,
  run: (ctx, exchange) => endSessionUrl(ctx, read(exchange)),
});

const readUserInfo: Operation<Call, JsonObject> = {
  on: 'GET /oauth/userinfo',
  guards: [requireOAuthServer],
  async run(ctx, { caller }) {
    const { user, session } = await requireCaller(ctx, caller);
    return userInfo(user, parseScopes(session?.scopes ?? ''));
  },
};
