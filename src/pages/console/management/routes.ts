/**
 * Serves a subset of upstream's Management API v1, so that the CLI can deploy functions and set secrets. Requests
 * require an operator's access token. Cookies are ignored, and requests from web pages are rejected.
 */
import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../../../base/kernel/log.ts';
import { typeLanguages } from '../../../platform/database/index.ts';
import type { DeployError } from '../../../services/functions/index.ts';
import { disconnected } from '../core/disconnect.ts';
import { type Access, authenticate } from '../tokens/authenticate.ts';
import type { Management } from './calls.ts';
import { filesForm } from './core/render.ts';
import { type Caller, ManagementError } from './handlers.ts';
import type { ManagementCallName } from './inputs.ts';
import { receiveUpload } from './upload.ts';

export interface ManagementRoutesDeps extends Access {
  readonly management: Management;
  readonly uploadLimits: { readonly bytes: number; readonly files: number };
  readonly log: Logger;
}

/** The size of the largest valid request body: 100 secrets of 24 KiB each. */
const bodyLimitBytes = 4 * 1024 * 1024;

/** The size of a request body with the texts of the settings files and the email templates. */
const settingsBodyLimitBytes = 8 * 1024 * 1024;

/** The size of a request body with the files of a project folder, whose texts are longer in JSON. */
const filesBodyLimitBytes = 64 * 1024 * 1024;

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
  Params: { ref?: string; slug?: string; id?: string; version?: string; name?: string };
  Querystring: Record<string, string | undefined>;
}>;

interface Sending {
  readonly status?: number;
  readonly bodyLimit?: number;
  readonly send?: (reply: FastifyReply, result: unknown) => FastifyReply;
}

type AddRoute = (
  to: readonly [method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string],
  name: ManagementCallName,
  input?: (request: Request) => unknown,
  sending?: Sending,
) => void;

function addRoutes(app: FastifyInstance, deps: ManagementRoutesDeps, version: 1 | 2): void {
  const route: AddRoute = (
    [method, url],
    name,
    input = () => ({}),
    {
      status = 200,
      bodyLimit = bodyLimitBytes,
      send = (reply: FastifyReply, result: unknown) => reply.send(result),
    }: Sending = {},
  ) => {
    app.route<{ Params: Request['params']; Querystring: Request['query'] }>({
      method,
      url,
      bodyLimit,
      // Checks the access token and the role of the token's owner before the body is read.
      onRequest: async (request) => {
        const caller = await authenticate(request, deps);
        await deps.management.checkRole(name, caller);
        callers.set(request, caller);
        if (request.params.ref !== undefined) await deps.management.checkRef(request.params.ref);
      },
      handler: async (request, reply) => {
        const caller = callers.get(request);
        if (caller === undefined) throw new ManagementError(401, 'Unauthorized');
        const gone = disconnected(reply.raw);
        const { ref } = request.params;
        const result = await deps.management.call(name, await input(request), { ...caller, gone }, ref);
        return result === undefined ? reply.code(status).send() : send(reply.code(status), result);
      },
    });
  };
  const callers = new WeakMap<FastifyRequest, Caller>();
  const slugOf = ({ params }: Request) => ({ slug: params.slug });

  if (version === 2) {
    route(['GET', `${project}/config`], 'getHostedConfig');
    return;
  }
  /** Adds a route of upstream's API for an operation that a server with a single project can't have. */
  const unsupported = (url: string, message: string): void => {
    const onRequest = async (request: FastifyRequest): Promise<void> => {
      await deps.management.checkRole('applyMigration', await authenticate(request, deps));
    };
    app.post(url, { onRequest }, async () => {
      throw new ManagementError(400, message);
    });
  };
  route(['GET', '/organizations'], 'listOrganizations');
  route(['GET', '/organizations/:slug'], 'getOrganization', slugOf);
  route(['GET', '/profile'], 'getProfile');
  route(['GET', '/projects'], 'listProjects');
  unsupported(
    '/projects',
    'A Plinth server has exactly one project. To create another project, run "plinth init" in another folder.',
  );
  for (const change of ['pause', 'restore'])
    unsupported(
      `${project}/${change}`,
      'Plinth projects can\'t be paused or restored here. Use "plinth stop" and "plinth start" on the server.',
    );
  databaseRoutes(route);
  for (const [path, isUnified] of [
    ['logs', true],
    ['logs.all', false],
  ] as const)
    route(['GET', `${project}/analytics/endpoints/${path}`], 'queryLogs', ({ query }) => ({
      sql: query.sql,
      iso_timestamp_start: query.iso_timestamp_start,
      iso_timestamp_end: query.iso_timestamp_end,
      isUnified,
    }));
  bucketRoutes(route);
  branchRoutes(route);
  route(['GET', project], 'getProject');
  route(['GET', `${project}/api-keys`], 'listApiKeys', ({ query }) => ({ reveal: query.reveal === 'true' }));
  route(['GET', `${project}/api-keys/legacy`], 'getLegacyKeys');
  // Upstream's API has only the route for TypeScript.
  for (const language of typeLanguages)
    route(['GET', `${project}/types/${language}`], 'generateTypes', ({ query }) => ({
      language,
      included_schemas: query.included_schemas,
      swift_access_control: query.swift_access_control,
    }));
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
  route(['PATCH', `${project}/config`], 'pushConfig', ({ body }) => body, {
    bodyLimit: settingsBodyLimitBytes,
  });
  route(['GET', `${project}/billing/addons`], 'listAddons');
  for (const [path, service] of [
    ['postgrest', 'api'],
    ['config/auth', 'auth'],
    ['config/storage', 'storage'],
  ]) {
    route(['GET', `${project}/${path}`], 'getHostedService', () => ({ service }));
    route(['PATCH', `${project}/${path}`], 'changeHostedService', ({ body }) => ({ service, fields: body }));
  }
  route(['GET', `${project}/advisors/security`], 'securityAdvisors');
  route(['GET', `${project}/advisors/performance`], 'performanceAdvisors');
  secretRoutes(route);
}

/** Adds the routes for identity providers and function secrets. */
function secretRoutes(route: AddRoute): void {
  const idOf = ({ params }: Request) => ({ id: params.id });
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

/** Adds the routes for branches. Those for the plan of a merge and for the data aren't in upstream's API. */
function branchRoutes(route: AddRoute): void {
  const one = '/branches/:id';
  const withBody = ({ params, body }: Request) => ({ ...(body as object | undefined), id: params.id });
  route(['GET', `${project}/branches`], 'listBranches');
  route(['POST', `${project}/branches`], 'createBranch', ({ body }) => body, { status: 201 });
  route(['GET', `${project}/branches/:name`], 'findBranch', ({ params }) => ({ name: params.name }));
  route(['GET', one], 'getBranch', ({ params }) => ({ id: params.id }));
  route(['PATCH', one], 'changeBranch', withBody);
  route(['DELETE', one], 'deleteBranch', ({ params }) => ({ id: params.id }));
  route(['POST', `${one}/reset`], 'resetBranch', withBody, { status: 201 });
  route(['POST', `${one}/push`], 'pushBranch', withBody, { status: 201 });
  route(['POST', `${one}/merge`], 'mergeBranch', withBody, { status: 201 });
  route(['GET', `${one}/merge`], 'planMerge', ({ params }) => ({ id: params.id }));
  route(['GET', `${one}/diff/data`], 'diffBranchData', ({ params }) => ({ id: params.id }));
  route(
    ['GET', `${one}/diff`],
    'diffBranch',
    ({ params, query }) => ({ id: params.id, included_schemas: query.included_schemas }),
    {
      send: (reply, result) => reply.type('text/plain; charset=utf-8').send((result as { sql: string }).sql),
    },
  );
}

function bucketRoutes(route: AddRoute): void {
  route(['GET', `${project}/storage/buckets`], 'listBuckets');
  // Upstream's API doesn't have this route.
  route(['PUT', `${project}/storage/buckets/:name`], 'saveBucket', ({ params, body }) => ({
    ...(body as object),
    name: params.name,
  }));
}

function databaseRoutes(route: AddRoute): void {
  const database = `${project}/database`;
  route(['POST', `${database}/query`], 'runQuery', ({ body }) => body, { status: 201 });
  route(
    ['POST', `${database}/query/read-only`],
    'runQuery',
    ({ body }) => ({ ...(body as object), read_only: true }),
    { status: 201 },
  );
  route(['POST', `${database}/query/results`], 'runScript', ({ body }) => body, {
    bodyLimit: filesBodyLimitBytes,
  });
  const migrations = `${database}/migrations`;
  const sent = ({ body, headers }: Request) => ({
    ...(body as object),
    idempotency_key: headers['idempotency-key'],
  });
  route(['GET', migrations], 'listMigrations');
  route(['POST', migrations], 'applyMigration', sent);
  route(['PUT', migrations], 'recordMigration', sent);
  route(['GET', `${migrations}/:version`], 'getMigration', ({ params }) => ({ version: params.version }));
  linkRoutes(route, database);
}

/** Adds the routes that upstream's API doesn't have, for the commands of a linked project folder. */
function linkRoutes(route: AddRoute, database: string): void {
  const files = { bodyLimit: filesBodyLimitBytes };
  const body = (request: Request) => request.body;
  route(
    ['PUT', `${database}/migrations/:version`],
    'pushMigration',
    ({ params, body }) => ({ ...(body as object), version: params.version }),
    files,
  );
  route(['GET', `${database}/history`], 'readHistory');
  route(['PATCH', `${database}/history`], 'changeHistory', body, files);
  route(['GET', `${database}/seeds`], 'listSeeds');
  route(['POST', `${database}/seeds`], 'pushSeed', body, files);
  route(['POST', `${database}/roles`], 'pushRoles', body, files);
  route(['POST', `${database}/vault`], 'storeVaultSecrets', body, files);
  route(['GET', `${database}/schema`], 'readSchema');
  route(['GET', `${database}/reports/:name`], 'readReport', ({ params }) => ({ name: params.name }));
  route(['GET', `${database}/lint`], 'lintDatabase', ({ query }) => ({
    schemas: [query.schema ?? []].flat(),
  }));
  route(['POST', `${database}/tests`], 'runTest', body, files);
}

/** Returns the function settings in the query string. */
function settingsIn(query: Request['query']): object {
  return {
    ...(query.slug === undefined ? {} : { slug: query.slug }),
    ...(query.name === undefined ? {} : { name: query.name }),
    ...(query.verify_jwt === undefined ? {} : { verify_jwt: query.verify_jwt === 'true' }),
  };
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
