/** Serves the documents under `.well-known`, which contain public keys and endpoint URLs. */

import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import type { JsonObject } from '../common/json.ts';
import type { Call, Operation } from '../common/operation.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { sendError } from '../http/render-error.ts';
import type { Route } from '../http/route.ts';
import { requireOAuthServer } from './authorize.ts';
import { discoveryDocument } from './discovery.ts';

/**
 * The time for which clients may cache the documents. A new key is published for at least this long before the server
 * signs tokens with it.
 */
const cacheControl = 'public, max-age=600';
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

function documentOf(ctx: AuthContext): JsonObject {
  const { enabled, allowsRegistration } = ctx.settings.oauthServer;
  return discoveryDocument({
    issuer: ctx.settings.issuer(),
    allowsRegistration: enabled && allowsRegistration,
    hasLogout: enabled && ctx.settings.hasAccountPages,
    algorithm: ctx.keys.signingAlgorithm(),
  });
}
