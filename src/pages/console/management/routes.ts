/**
 * Serves a subset of upstream's Management API v1, so that the CLI can deploy functions and set secrets. Requests
 * require an operator's access token. Cookies are ignored, and requests from web pages are rejected.
 */
import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../../../base/kernel/log.ts';
import { bearerToken } from '../../../base/shared/access-token.ts';
import type { DeployError } from '../../../services/functions/index.ts';
import type { Attempts } from '../core/attempts.ts';
import type { Tokens } from '../tokens/tokens.ts';
import type { Management } from './calls.ts';
import { filesForm } from './core/render.ts';
import { type Caller, ManagementError } from './handlers.ts';
import type { ManagementCallName } from './inputs.ts';
import { receiveUpload } from './upload.ts';

export interface ManagementRoutesDeps {
  readonly management: Management;
  readonly tokens: Pick<Tokens, 'find'>;
  /** Counts requests with invalid access tokens. */
  readonly attempts: Attempts;
  readonly uploadLimits: { readonly bytes: number; readonly files: number };
  readonly log: Logger;
}

/** The size of the largest valid request body: 100 secrets of 24 KiB each. */
const bodyLimitBytes = 4 * 1024 * 1024;

const project = '/projects/:ref';
const oneFunction = `${project}/functions/:slug`;
const ssoProviders = `${project}/config/auth/sso/providers`;
const oneProvider = `${ssoProviders}/:id`;

/**
 * Creates the Fastify plugin for one version of the API. Upstream's CLI reads all settings through version 2 of the API
 * and writes them through version 1.
 */
export function managementPlugin(deps: ManagementRoutesDeps, version: 1 | 2): FastifyPluginAsync {
  return async (app) => {
    app.addHook('onSend', async (_request, reply) => {
      reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    });
    app.setErrorHandler((error: unknown, request, reply) => renderError(deps.log, error, request, reply));
    // The route for uploads reads multipart bodies itself.
    app.addContentTypeParser('multipart/form-data', (_request, _body, done) => done(null));
    app.addContentTypeParser('application/vnd.denoland.eszip', (_request, body, done) => {
      body.resume();
      done(
        new ManagementError(
          400,
          'Plinth deploys source files instead of bundles. Run "functions deploy --use-api".',
        ),
      );
    });
    app.all('/*', async () => {
      throw new ManagementError(404, 'Not Found');
    });
    addRoutes(app, deps, version);
  };
}

type Request = FastifyRequest<{
  Params: { ref?: string; slug?: string; id?: string };
  Querystring: Record<string, string | undefined>;
}>;

interface Sending {
  readonly status?: number;
  readonly send?: (reply: FastifyReply, result: unknown) => FastifyReply;
}

function addRoutes(app: FastifyInstance, deps: ManagementRoutesDeps, version: 1 | 2): void {
  function route(
    [method, url]: readonly [method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string],
    name: ManagementCallName,
    input: (request: Request) => unknown = () => ({}),
    { status = 200, send = (reply, result) => reply.send(result) }: Sending = {},
  ): void {
    app.route<{ Params: Request['params']; Querystring: Request['query'] }>({
      method,
      url,
      bodyLimit: bodyLimitBytes,
      // Checks the access token and the role of the token's owner before the body is read.
      onRequest: async (request) => {
        const caller = await authenticate(request, deps);
        deps.management.checkRole(name, caller);
        callers.set(request, caller);
        if (request.params.ref !== undefined) deps.management.checkRef(request.params.ref);
      },
      handler: async (request, reply) => {
        const caller = callers.get(request);
        if (caller === undefined) throw new ManagementError(401, 'Unauthorized');
        const result = await deps.management.call(name, await input(request), caller);
        return result === undefined ? reply.code(status).send() : send(reply.code(status), result);
      },
    });
  }
  const callers = new WeakMap<FastifyRequest, Caller>();
  const slugOf = ({ params }: Request) => ({ slug: params.slug });

  if (version === 2) {
    route(['GET', `${project}/config`], 'getHostedConfig');
    return;
  }
  route(['GET', '/projects'], 'listProjects');
  route(['GET', project], 'getProject');
  route(['GET', `${project}/api-keys`], 'listApiKeys', ({ query }) => ({ reveal: query.reveal === 'true' }));
  route(['GET', `${project}/types/typescript`], 'generateTypes', ({ query }) =>
    query.included_schemas === undefined ? {} : { included_schemas: query.included_schemas },
  );
  route(['GET', `${project}/functions`], 'listFunctions');
  route(
    ['POST', `${project}/functions`],
    'createFunction',
    ({ query, body }) => ({ ...settingsIn(query), ...(body as object) }),
    { status: 201 },
  );
  route(['PUT', `${project}/functions`], 'activateFunctions', ({ body }) => ({ functions: body }));
  route(
    ['POST', `${project}/functions/deploy`],
    'deployFunction',
    async ({ query, raw, headers }) => {
      if (headers['content-type']?.startsWith('multipart/form-data') !== true)
        throw new ManagementError(415, 'The body must have the type multipart/form-data.');
      const { metadata, files } = await receiveUpload(raw, deps.uploadLimits);
      const named = (metadata as { name?: unknown } | null)?.name;
      return { slug: query.slug ?? named, bundleOnly: query.bundleOnly === 'true', metadata, files };
    },
    { status: 201 },
  );
  route(['GET', oneFunction], 'getFunction', slugOf);
  route(['PATCH', oneFunction], 'changeFunction', ({ params, query, body }) => ({
    ...settingsIn(query),
    ...(body as object | undefined),
    slug: params.slug,
  }));
  route(['DELETE', oneFunction], 'deleteFunction', slugOf);
  route(['GET', `${oneFunction}/body`], 'getFunctionFiles', slugOf, {
    send(reply, result) {
      const { entrypointPath, files } = result as {
        entrypointPath: string;
        files: Parameters<typeof filesForm>[1];
      };
      const boundary = `plinth-${randomUUID()}`;
      return reply
        .type(`multipart/form-data; boundary=${boundary}`)
        .send(filesForm(entrypointPath, files, boundary));
    },
  });
  // Upstream's API doesn't have this route.
  route(['PATCH', `${project}/config`], 'pushConfig', ({ body }) => body);
  route(['GET', `${project}/billing/addons`], 'listAddons');
  for (const [path, service] of [
    ['postgrest', 'api'],
    ['config/auth', 'auth'],
    ['config/storage', 'storage'],
  ]) {
    route(['GET', `${project}/${path}`], 'getHostedService', () => ({ service }));
    route(['PATCH', `${project}/${path}`], 'changeHostedService', ({ body }) => ({ service, fields: body }));
  }
  const idOf = ({ params }: Request) => ({ id: params.id });
  route(['GET', `${project}/advisors/security`], 'securityAdvisors');
  route(['GET', `${project}/advisors/performance`], 'performanceAdvisors');
  route(['GET', ssoProviders], 'listSsoProviders');
  route(['POST', ssoProviders], 'createSsoProvider', ({ body }) => ({ provider: body }), { status: 201 });
  route(['GET', oneProvider], 'getSsoProvider', idOf);
  route(['PUT', oneProvider], 'changeSsoProvider', (request) => ({
    ...idOf(request),
    changes: request.body,
  }));
  route(['DELETE', oneProvider], 'removeSsoProvider', idOf);
  route(['GET', `${project}/secrets`], 'listSecrets');
  route(['POST', `${project}/secrets`], 'setSecrets', ({ body }) => ({ secrets: body }), { status: 201 });
  route(['DELETE', `${project}/secrets`], 'unsetSecrets', ({ body }) => ({ names: body }));
}

/** Returns the function settings in the query string. */
function settingsIn(query: Request['query']): object {
  return {
    ...(query.slug === undefined ? {} : { slug: query.slug }),
    ...(query.name === undefined ? {} : { name: query.name }),
    ...(query.verify_jwt === undefined ? {} : { verify_jwt: query.verify_jwt === 'true' }),
  };
}

async function authenticate(
  request: FastifyRequest,
  { tokens, attempts }: ManagementRoutesDeps,
): Promise<Caller> {
  // Requests with this header come from web pages, and even the Console's own pages don't use this API.
  if (request.headers.origin !== undefined)
    throw new ManagementError(403, 'This API rejects requests from web pages.');
  const token = bearerToken(request.headers.authorization);
  if (token === undefined) throw new ManagementError(401, 'Unauthorized');
  // Valid tokens are accepted even if others have sent invalid ones from the same address, for example behind the same
  // NAT. Access tokens are too long to guess, so the limit only keeps mistakes and scanners from going unnoticed.
  const found = await tokens.find(token);
  if (found === undefined) {
    const waitSeconds = attempts.reserve(request.ip, performance.now());
    if (waitSeconds > 0)
      throw new ManagementError(429, 'Too many requests with invalid access tokens. Try again in a minute.', {
        waitSeconds,
      });
    throw new ManagementError(401, 'Unauthorized');
  }
  if (found.is_expired)
    throw new ManagementError(
      401,
      'The access token has expired. Create a new one on the server with "plinth operators token create".',
    );
  const { id, name, role, token_name } = found;
  if (request.trace !== undefined) request.trace.operator = name;
  return { operator: { id, name, role }, request, token: token_name };
}

/** Returns the HTTP status of a deployment error. Returns undefined for all other errors. */
const deployErrorStatus = (error: unknown): number | undefined =>
  error instanceof Error && error.name === 'DeployError' ? (error as DeployError).status : undefined;

function renderError(
  log: Logger,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (error instanceof ManagementError) {
    if (error.waitSeconds !== undefined) reply.header('retry-after', error.waitSeconds);
    return reply.code(error.status).send({ message: error.message });
  }
  const { message, statusCode, code } = error as Error & { statusCode?: number; code?: string };
  const status = deployErrorStatus(error) ?? statusCode;
  if (status !== undefined && status < 500) return reply.code(status).send({ message });
  if (status === 507 || code === 'ENOSPC')
    return reply.code(507).send({ message: "The server's disk is full. Free disk space, and try again." });
  log.error({ requestId: request.id, error }, 'management request failed');
  return reply.code(500).send({ message: 'Internal Server Error' });
}
