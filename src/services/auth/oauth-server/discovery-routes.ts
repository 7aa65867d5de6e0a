/** Serves the documents under `.well-known`, which contain public keys and endpoint URLs. */

import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import type { JsonObject } from '../common/json.ts';
import type { Call, Operation } from '../common/operation.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { sendError } from '../http/render-error.ts';
import type { Route } from '../http/route.ts';
import { requireOAuthServer } from './authorize.ts';
import { machineGrant } from './machine-client.ts';
import { supportedScopes } from './scopes.ts';

/**
 * The time for which clients may cache the documents. A new key is published for at least this long before the server
 * signs tokens with it.
 */
export const cacheControl = 'public, max-age=600';
const serverPath = '/.well-known/oauth-authorization-server';

export function discoveryRoutes(route: Route): void {
  route(publicKeys);
  route(openidConfiguration);
  route(serverMetadata);
}

const publicKeys: Operation<Call, object> = {
  on: 'GET /.well-known/jwks.json',
  run(ctx, { caller }) {
    caller.setHeader('cache-control', cacheControl);
    return { ...ctx.keys.publicJwks() };
  },
};

const openidConfiguration: Operation<Call, JsonObject> = {
  on: 'GET /.well-known/openid-configuration',
  run(ctx, { caller }) {
    caller.setHeader('cache-control', cacheControl);
    return documentOf(ctx);
  },
};

const serverMetadata: Operation<Call, JsonObject> = {
  ...openidConfiguration,
  on: `GET ${serverPath}`,
  guards: [requireOAuthServer],
};

/**
 * Serves the OAuth server's metadata at two additional paths. The first path is at the gateway's root, as on the local
 * stack. The second path is the well-known path followed by the issuer's path, as RFC 8414 section 3.1 specifies.
 */
export function rootDiscovery(ctx: AuthContext): { prefix: string; plugin: FastifyPluginAsync } {
  return {
    prefix: serverPath,
    plugin: async (app) => {
      app.setErrorHandler((error, request, reply) => sendError(ctx.log, error, request, reply));
      const send = (path: string, reply: FastifyReply) => {
        requireOAuthServer(ctx);
        if (path !== '' && `/${path}` !== new URL(ctx.settings.issuer()).pathname) {
          throw authError('validation_failed', "This issuer doesn't exist", { status: 404 });
        }
        return reply.header('cache-control', cacheControl).send(documentOf(ctx));
      };
      app.get('', (_request, reply) => send('', reply));
      app.get<{ Params: { '*': string } }>('/*', (request, reply) => send(request.params['*'], reply));
    },
  };
}

/** The algorithms that upstream lists, regardless of the current signing key. */
const namedAlgorithms = ['RS256', 'HS256', 'ES256'];

/** Builds the OAuth server's metadata. OpenID Connect Discovery and RFC 8414 use the same document. */
function documentOf(ctx: AuthContext): JsonObject {
  const { enabled, allowsRegistration } = ctx.settings.oauthServer;
  const issuer = ctx.settings.issuer();
  const base = issuer.replace(/\/+$/, '');
  return {
    issuer,
    authorization_endpoint: `${base}/oauth/authorize`,
    token_endpoint: `${base}/oauth/token`,
    jwks_uri: `${base}/.well-known/jwks.json`,
    userinfo_endpoint: `${base}/oauth/userinfo`,
    ...(enabled && allowsRegistration ? { registration_endpoint: `${base}/oauth/clients/register` } : {}),
    scopes_supported: [...supportedScopes],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: [
      'authorization_code',
      'refresh_token',
      ...(enabled && ctx.hasOwnTables ? [machineGrant] : []),
    ],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...new Set([...namedAlgorithms, ctx.keys.signingAlgorithm()])],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    claims_supported: [
      'sub',
      'aud',
      'iss',
      'exp',
      'iat',
      'auth_time',
      'nonce',
      'email',
      'email_verified',
      'phone_number',
      'phone_number_verified',
      'name',
      'picture',
      'preferred_username',
      'updated_at',
    ],
    code_challenge_methods_supported: ['S256', 'plain'],
    // RFC 9207 defines this member. Upstream doesn't support RFC 9207.
    authorization_response_iss_parameter_supported: true,
    // OpenID Connect RP-Initiated, Back-Channel and Front-Channel Logout define these members. Upstream doesn't support
    // these specifications.
    // Users sign out on the Account pages.
    ...(enabled && ctx.settings.hasAccountPages
      ? {
          end_session_endpoint: `${base}/oauth/logout`,
          backchannel_logout_supported: true,
          backchannel_logout_session_supported: true,
          frontchannel_logout_supported: true,
          frontchannel_logout_session_supported: true,
        }
      : {}),
  };
}
