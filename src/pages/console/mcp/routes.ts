/**
 * The MCP endpoint on the Console's port. Requests require an operator's access token or the token of a connected OAuth
 * client, and cookies are ignored.
 */
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { disconnected } from '../core/disconnect.ts';
import { ManagementError } from '../management/handlers.ts';
import { authenticateAgent, type Connection } from './authenticate.ts';
import { serveMcp } from './endpoint.ts';
import { resourceMetadataUrl } from './oauth/addresses.ts';
import { createGrants } from './oauth/grants.ts';
import type { OAuthRoutesDeps } from './oauth/routes.ts';
import { optionsOf } from './options.ts';
import type { McpDeps } from './types.ts';

export interface McpRoutesDeps extends OAuthRoutesDeps {
  readonly mcp: McpDeps;
}

const bodyLimitBytes = 4 * 1024 * 1024;

export function mcpPlugin(deps: McpRoutesDeps): FastifyPluginAsync {
  return async (app) => {
    app.addHook('onSend', async (_request, reply) => {
      reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    });
    app.setErrorHandler((error: unknown, request, reply) => renderError(deps, error, request, reply));
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) =>
      done(null, body),
    );
    const access = { ...deps, grants: createGrants(deps) };
    const connections = new WeakMap<FastifyRequest, Connection>();
    // The endpoint has no sessions, so the handler responds to GET and DELETE with 405.
    app.route({
      method: ['GET', 'POST', 'DELETE'],
      url: '/',
      bodyLimit: bodyLimitBytes,
      // Checks the access token before the body is read.
      onRequest: async (request) => void connections.set(request, await authenticateAgent(request, access)),
      handler: async (request, reply) => {
        const connection = connections.get(request);
        if (connection === undefined) throw new ManagementError(401, 'Unauthorized');
        const { caller, mayWrite, allowsChanges } = connection;
        const options = optionsOf(request.query as Record<string, unknown>, allowsChanges);
        const response = await serveMcp(deps.mcp, deps.log, webRequest(request, reply), {
          ...options,
          isReadOnly: options.isReadOnly || !mayWrite,
          caller,
        });
        reply.code(response.status);
        for (const [name, value] of response.headers) reply.header(name, value);
        return response.body === null
          ? reply.send()
          : reply.send(Readable.fromWeb(response.body as unknown as ReadableStream));
      },
    });
  };
}

function webRequest(request: FastifyRequest, reply: FastifyReply): Request {
  const { method, headers, body } = request;
  const sent = new Headers();
  for (const [name, value] of Object.entries(headers)) if (typeof value === 'string') sent.set(name, value);
  // The tools don't need the token.
  sent.delete('authorization');
  return new Request('http://localhost/mcp', {
    method,
    headers: sent,
    signal: disconnected(reply.raw),
    ...(typeof body === 'string' ? { body } : {}),
  });
}

function renderError(
  { log, site }: McpRoutesDeps,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (error instanceof ManagementError) {
    if (error.waitSeconds !== undefined) reply.header('retry-after', error.waitSeconds);
    if (error.status === 401) reply.header('www-authenticate', challengeOf(request, site));
    return reply.code(error.status).send({ message: error.message });
  }
  const { message, statusCode } = error as Error & { statusCode?: number };
  if (statusCode !== undefined && statusCode < 500) return reply.code(statusCode).send({ message });
  log.error({ requestId: request.id, error }, 'MCP request failed');
  return reply.code(500).send({ message: 'Internal Server Error' });
}

/** Returns the challenge that leads clients to the OAuth server (RFC 9728 section 5.1, RFC 6750 section 3). */
function challengeOf({ headers, query }: FastifyRequest, site: McpRoutesDeps['site']): string {
  const { read_only: readOnly } = query as Record<string, unknown>;
  const params = [
    `resource_metadata="${resourceMetadataUrl(headers, site)}"`,
    `scope="${readOnly === 'false' ? 'read write' : 'read'}"`,
    ...(headers.authorization === undefined ? [] : ['error="invalid_token"']),
  ];
  return `Bearer ${params.join(', ')}`;
}
