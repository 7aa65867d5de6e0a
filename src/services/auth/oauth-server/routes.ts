/**
 * Declares the routes of the OAuth 2.1 server and OpenID provider, compatible with GoTrue 2.196: /oauth/authorize, the
 * user's consent and grants, /oauth/token and /oauth/userinfo. Also declares /oauth/logout, which upstream doesn't have.
 *
 * Glossary. *Client*: an app that requests access on behalf of a user. *Authorization*: a client's request, pending
 * until the user decides. *Consent*: the stored decision, which upstream's API for users calls a *grant*.
 */

import type { Caller, UserCaller } from '../common/caller.ts';
import type { Fields, ReadFields } from '../common/fields.ts';
import type { JsonObject } from '../common/json.ts';
import { limitChanges } from '../common/limit-changes.ts';
import type { Call, Operation } from '../common/operation.ts';
import { isRedirectAllowed } from '../common/redirects.ts';
import type { OAuthClient } from '../common/rows.ts';
import { toRfc3339 } from '../common/times.ts';
import type { AuthContext } from '../context.ts';
import { AuthError, authError, OAuthShapedError } from '../errors.ts';
import { type Exchange, header } from '../http/exchange.ts';
import type { Route } from '../http/route.ts';
import { limitByAddress } from '../limits/guards.ts';
import { requireCaller, requirePerson } from '../sessions/authenticate.ts';
import { authorize, requireOAuthServer } from './authorize.ts';
import {
  decideAuthorization,
  listGrants,
  type OpenedAuthorization,
  openAuthorization,
  revokeGrant,
} from './consent.ts';
import { endSessionUrl } from './logout.ts';
import { machineGrant } from './machine-client.ts';
import type { GrantedClient } from './queries.ts';
import { parseTokenParams, type TokenParams } from './requests.ts';
import { parseScopes, userInfo } from './scopes.ts';
import { authenticateClient, type GrantedTokens, grantTokens } from './token.ts';

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
  route(readGrants, { render: (grants) => grants.map(renderGrant) });
  route(removeGrant);
}

const beginAuthorization: Operation<Exchange, string> = {
  on: 'GET /oauth/authorize',
  status: 302,
  // Requests are limited per IP address, because each request stores a row and anyone who knows a client's ID can send
  // requests.
  guards: [limitByAddress('authorize'), requireOAuthServer],
  errorPage: ({ settings }) => settings.siteUrl,
  run: (ctx, { caller, query }) => authorize(ctx, caller, query),
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

export function renderOpenedAuthorization(opened: OpenedAuthorization): JsonObject {
  if (opened.kind === 'allowed') return { redirect_url: opened.redirectUrl };
  const { authorization, client, user } = opened;
  return {
    authorization_id: authorization.authorization_id,
    redirect_uri: authorization.redirect_uri,
    client: renderClient(client),
    user: { id: user.id, ...(user.email ? { email: user.email } : {}) },
    scope: authorization.scope,
  };
}

/** Renders those details of the client that users may see. */
function renderClient(
  client: Pick<OAuthClient, 'id' | 'client_name' | 'client_uri' | 'logo_uri'>,
): JsonObject {
  return {
    id: client.id,
    ...(client.client_name ? { name: client.client_name } : {}),
    ...(client.client_uri ? { uri: client.client_uri } : {}),
    ...(client.logo_uri ? { logo_uri: client.logo_uri } : {}),
  };
}

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
  async run(ctx, exchange) {
    const { caller, request, text } = exchange;
    // Caches must not store token responses (RFC 6749 section 5.1).
    caller.setHeader('cache-control', 'no-store');
    const params = parseTokenParams(header(request, 'content-type') ?? '', text);
    const client = await authenticate(ctx, exchange, params);
    if (params === undefined) throw new OAuthShapedError('invalid_request', 'Invalid JSON body');
    return grantTokens(ctx, caller, params, client);
  },
};

/**
 * Authenticates the client. A rejected machine-to-machine client receives the error of RFC 6749 section 5.2, and other
 * clients receive upstream's.
 */
async function authenticate(
  ctx: AuthContext,
  { caller, request }: Exchange,
  params: TokenParams | undefined,
): Promise<OAuthClient | undefined> {
  const authorization = header(request, 'authorization');
  try {
    return await authenticateClient(ctx, authorization, params);
  } catch (error) {
    const isMachine = params?.('grant_type') === machineGrant;
    if (!isMachine || !(error instanceof AuthError) || error.code !== 'invalid_credentials') throw error;
    if (authorization !== undefined) caller.setHeader('www-authenticate', 'Basic realm="OAuth"');
    throw new OAuthShapedError('invalid_client', error.message, { status: 401, cause: error });
  }
}

/** Returns the token response (RFC 6749 section 5.1). OAuth clients don't receive the user object. */
function renderTokens(granted: GrantedTokens): JsonObject {
  if ('machine' in granted) {
    const { accessToken, expiresInSeconds, scope } = granted.machine;
    return { access_token: accessToken, token_type: 'bearer', expires_in: expiresInSeconds, scope };
  }
  const { session, idToken } = granted;
  return {
    access_token: session.accessToken,
    expires_in: session.expiresInSeconds,
    ...(idToken === undefined ? {} : { id_token: idToken }),
    refresh_token: session.refreshToken,
    token_type: 'bearer',
  };
}

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

const readGrants: Operation<Call, GrantedClient[]> = {
  on: 'GET /user/oauth/grants',
  run: async (ctx, { caller }) => listGrants(ctx, await requireGranter(ctx, caller)),
};

const removeGrant: Operation<Exchange, void> = {
  on: 'DELETE /user/oauth/grants',
  status: 204,
  async run(ctx, { caller, query }) {
    const self = await limitChanges(ctx, await requireGranter(ctx, caller));
    await revokeGrant(ctx, self, query.get('client_id') ?? '');
  },
};

async function requireGranter(ctx: AuthContext, caller: Caller): Promise<UserCaller> {
  const user = await requirePerson(ctx, caller);
  requireOAuthServer(ctx);
  return user;
}

/** Renders a grant for the user who granted the access. */
export function renderGrant(consent: GrantedClient): JsonObject {
  return {
    client: renderClient({ ...consent, id: consent.client_id }),
    scopes: [...parseScopes(consent.scopes)],
    granted_at: toRfc3339(consent.granted_at),
  };
}
