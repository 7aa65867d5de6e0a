/**
 * The OAuth server for MCP clients, as in the MCP specification of 2026-07-28 (section Authorization). Operators approve
 * clients on a page of the Console, so these endpoints are for programs only and ignore cookies.
 */
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../../../../base/kernel/log.ts';
import type { Queryable } from '../../../../platform/database/types.ts';
import type { Audit } from '../../audit.ts';
import { ManagementError } from '../../management/handlers.ts';
import { type Access, rejectToken } from '../../tokens/authenticate.ts';
import { isOwnResource, issuerOf, resourceOf, resourcePath, type Site } from './addresses.ts';
import { grantTypes, registerClient, responseTypes } from './clients.ts';
import { OAuthError } from './errors.ts';
import { createGrants, type Grants } from './grants.ts';
import { maxQueryLength, packQuery, scopes } from './requests.ts';

export interface OAuthRoutesDeps extends Access {
  readonly db: Queryable;
  readonly audit: Audit;
  readonly site: Site;
  readonly log: Logger;
  /** Whether the server loads client ID metadata documents. */
  readonly usesDocuments: () => boolean;
}

const bodyLimitBytes = 16 * 1024;
/** The time for which clients can cache the metadata. */
const metadataSeconds = 300;

/** Serves the metadata below `/.well-known` (RFC 9728, RFC 8414). */
export function metadataPlugin({
  site,
  usesDocuments,
}: Pick<OAuthRoutesDeps, 'site' | 'usesDocuments'>): FastifyPluginAsync {
  return async (app) => {
    const serve = (path: string, metadata: (headers: FastifyRequest['headers']) => object): void => {
      app.get(path, async ({ headers }, reply) =>
        reply.header('cache-control', `max-age=${metadataSeconds}`).send(metadata(headers)),
      );
    };
    for (const path of ['/oauth-protected-resource', `/oauth-protected-resource${resourcePath}`])
      serve(path, (headers) => ({
        resource: resourceOf(headers, site),
        authorization_servers: [issuerOf(headers, site)],
        scopes_supported: scopes,
        bearer_methods_supported: ['header'],
        resource_name: 'Plinth',
      }));
    serve('/oauth-authorization-server', (headers) => {
      const issuer = issuerOf(headers, site);
      return {
        issuer,
        authorization_endpoint: `${issuer}/oauth/authorize`,
        token_endpoint: `${issuer}/oauth/token`,
        registration_endpoint: `${issuer}/oauth/register`,
        revocation_endpoint: `${issuer}/oauth/revoke`,
        response_types_supported: responseTypes,
        response_modes_supported: ['query'],
        grant_types_supported: grantTypes,
        code_challenge_methods_supported: ['S256'],
        // Agents use documents wherever they are announced, and a server with a public address can load them. A
        // developer's machine may be offline.
        client_id_metadata_document_supported: usesDocuments() && issuer.startsWith('https:'),
        token_endpoint_auth_methods_supported: ['none'],
        revocation_endpoint_auth_methods_supported: ['none'],
        scopes_supported: scopes,
        authorization_response_iss_parameter_supported: true,
      };
    });
  };
}

/** Serves the endpoints below `/oauth`. */
export function oauthPlugin(deps: OAuthRoutesDeps): FastifyPluginAsync {
  return async (app) => {
    app.addHook('onSend', async (_request, reply) => {
      reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache', 'x-content-type-options': 'nosniff' });
    });
    app.setErrorHandler((error: unknown, request, reply) => renderError(deps.log, error, request, reply));
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('application/json', { parseAs: 'string', bodyLimit: bodyLimitBytes }, parseJson);
    app.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: bodyLimitBytes },
      (_request, body, done) => done(null, new URLSearchParams(String(body))),
    );
    // Passes the request on to the page that asks the operator for approval. The page itself checks the request.
    app.get('/authorize', { config: { isPage: true } }, async (request, reply) => {
      const query = request.url.split('?', 2)[1] ?? '';
      if (query.length > maxQueryLength) throw new OAuthError('invalid_request', 'The request is too long.');
      return reply.redirect(`/console/authorize?request=${packQuery(query)}`, 303);
    });
    programRoutes(app, deps, createGrants(deps));
  };
}

function programRoutes(app: FastifyInstance, deps: OAuthRoutesDeps, grants: Grants): void {
  // Even the Console's own pages don't send these requests.
  const onRequest = async ({ headers }: FastifyRequest): Promise<void> => {
    if (headers.origin !== undefined)
      throw new ManagementError(403, 'This endpoint rejects requests from web pages.');
  };
  /** Counts a request with an invalid token or code. @throws {ManagementError} 429 if there were too many */
  const limitInvalid = (request: FastifyRequest): void => {
    const rejection = rejectToken(request, deps);
    if (rejection.status === 429) throw rejection;
  };
  app.post('/register', { onRequest }, async ({ body }, reply) => reply.code(201).send(registerClient(body)));
  app.post('/token', { onRequest }, async (request) => {
    const param = paramsOf(request.body);
    const resource = param('resource');
    if (resource !== '' && !isOwnResource(resource, request.headers, deps.site))
      throw new OAuthError('invalid_target', "resource isn't this server's MCP endpoint");
    try {
      return await grantTokens(grants, param, request);
    } catch (error) {
      if (!(error instanceof OAuthError) || error.code !== 'invalid_grant') throw error;
      limitInvalid(request);
      throw error;
    }
  });
  app.post('/revoke', { onRequest }, async (request, reply) => {
    const param = paramsOf(request.body);
    // Invalid tokens get the same response (RFC 7009 section 2.2).
    const isKnown = await grants.revokeToken(param('token'), param('client_id'), request);
    if (!isKnown) limitInvalid(request);
    return reply.send();
  });
}

function grantTokens(
  grants: Grants,
  param: (name: string) => string,
  request: FastifyRequest,
): ReturnType<Grants['redeem']> {
  const clientId = param('client_id');
  switch (param('grant_type')) {
    case 'authorization_code':
      return grants.redeem(
        {
          code: param('code'),
          clientId,
          redirectUri: param('redirect_uri'),
          verifier: param('code_verifier'),
        },
        request,
      );
    case 'refresh_token':
      return grants.refresh(param('refresh_token'), clientId, request);
    default:
      throw new OAuthError('unsupported_grant_type', `grant_type must be one of: ${grantTypes.join(', ')}`);
  }
}

/** Returns a function that reads a form's fields. A field that is sent twice is an error (RFC 6749 section 3.2). */
function paramsOf(body: unknown): (name: string) => string {
  if (!(body instanceof URLSearchParams))
    throw new OAuthError('invalid_request', 'The body must have the type application/x-www-form-urlencoded.');
  if (new Set(body.keys()).size < body.size)
    throw new OAuthError('invalid_request', 'The body contains a parameter twice.');
  return (name) => body.get(name) ?? '';
}

function parseJson(
  _request: FastifyRequest,
  body: string | Buffer,
  done: (error: Error | null, body?: unknown) => void,
): void {
  try {
    done(null, JSON.parse(String(body)));
  } catch {
    done(new OAuthError('invalid_client_metadata', "The body isn't valid JSON."));
  }
}

function renderError(
  log: Logger,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (error instanceof OAuthError)
    return reply.code(400).send({ error: error.code, error_description: error.message });
  if (error instanceof ManagementError) {
    if (error.waitSeconds !== undefined) reply.header('retry-after', error.waitSeconds);
    return reply.code(error.status).send({ error: 'access_denied', error_description: error.message });
  }
  const { message, statusCode } = error as Error & { statusCode?: number };
  if (statusCode !== undefined && statusCode < 500)
    return reply.code(statusCode).send({ error: 'invalid_request', error_description: message });
  log.error({ requestId: request.id, error }, 'OAuth request failed');
  return reply.code(500).send({ error: 'server_error', error_description: 'Internal Server Error' });
}
