/** The HTTP layer of SCIM 2.0 (RFC 7644) under `/scim/v2/ORGANIZATION_ID`. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { retryAfterOf } from '../../../base/shared/errors.ts';
import { isJsonObject, isStorable, type JsonObject } from '../common/json.ts';
import { errorResponse, logUnexpected } from '../common/public-errors.ts';
import { isUuid } from '../common/uuid.ts';
import type { AuthContext } from '../context.ts';
import { exchangeOf } from '../http/exchange.ts';
import { maxBodyBytes } from '../settings.ts';
import { hasOrganizationSso } from './availability.ts';
import { scimUrl } from './connections/overview.ts';
import { findOrganization } from './members.ts';
import { renderScimError, ScimError } from './scim/errors.ts';
import { equalityOf, type Filter, matches, parseFilter } from './scim/filter.ts';
import {
  createScimGroup,
  patchScimGroup,
  removeScimGroup,
  replaceScimGroup,
  requireScimGroup,
} from './scim/groups.ts';
import { listScimGroups, listScimUsers, pageOfUsers, type ScimGroup, type ScimUser } from './scim/queries.ts';
import {
  enterpriseSchema,
  groupSchema,
  renderConfig,
  renderResourceTypes,
  renderSchemas,
  userSchema,
} from './scim/schema.ts';
import { isScimToken } from './scim/tokens.ts';
import {
  createScimUser,
  patchScimUser,
  removeScimUser,
  replaceScimUser,
  requireScimUser,
  type ScimCall,
} from './scim/users.ts';

const maxResults = 200;
const defaultResults = 100;
const readOnlyPath = /\/(?:ServiceProviderConfig|Schemas|ResourceTypes)(?:\/[^/]+)?$/;
const mediaType = 'application/scim+json; charset=utf-8';

interface ScimRequest extends ScimCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly query: URLSearchParams;
  /** The base URL of the organization. */
  readonly base: string;
  readonly id: string;
  /** @throws {ScimError} invalidSyntax */
  body(): JsonObject;
}

type Handler = (scim: ScimRequest) => Promise<JsonObject | undefined>;

export function scimRoutes(app: FastifyInstance, ctx: AuthContext): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string', bodyLimit: maxBodyBytes }, (_request, body, done) => {
    done(null, body);
  });
  app.setErrorHandler((error, request, reply) => sendError(ctx, error, request, reply));
  app.setNotFoundHandler((request, reply) => {
    const [path = ''] = request.url.split('?', 1);
    const error = readOnlyPath.test(path)
      ? new ScimError(405, 'This endpoint is read-only')
      : new ScimError(404, 'The endpoint does not exist');
    return sendError(ctx, error, request, reply);
  });
  const on = (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, handler: Handler): void => {
    app.route<{ Params: { organization: string; id?: string } }>({
      method,
      url: `/:organization${path}`,
      async handler(request, reply) {
        const scim = await open(ctx, request, reply, request.params);
        const result = await handler(scim);
        if (result === undefined) return reply.code(204).send();
        const { meta } = result;
        if (isJsonObject(meta) && typeof meta.version === 'string') {
          reply.header('etag', meta.version);
          if (method === 'POST' && typeof meta.location === 'string')
            reply.code(201).header('location', meta.location);
        }
        return reply.type(mediaType).send(JSON.stringify(result));
      },
    });
  };
  discovery(on);
  userRoutes(ctx, on);
  groupRoutes(ctx, on);
}

type On = (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, handler: Handler) => void;

function discovery(on: On): void {
  on('GET', '/ServiceProviderConfig', async ({ base }) => renderConfig(base, maxResults));
  for (const [name, render] of [
    ['Schemas', renderSchemas],
    ['ResourceTypes', renderResourceTypes],
  ] as const) {
    on('GET', `/${name}`, async ({ base, query }) => {
      if (query.has('filter')) throw new ScimError(403, 'This endpoint has no filter');
      const all = render(base);
      return listResponse(all, { total: all.length, start: 1 });
    });
    on('GET', `/${name}/:id`, async ({ base, id }) => {
      const found = render(base).find((one) => one.id === id);
      if (found === undefined) throw new ScimError(404, 'The resource does not exist');
      return found;
    });
  }
}

function userRoutes(ctx: AuthContext, on: On): void {
  const found = ({ organizationId, id }: ScimRequest) => requireScimUser(ctx, organizationId, id);
  const show = (scim: ScimRequest, user: ScimUser) => project(scim.query, renderUser(scim.base, user));
  on('GET', '/Users', async (scim) => {
    const { organizationId, base, query } = scim;
    const page = pageOf(query);
    const filter = filterOf(query);
    if (filter === undefined) {
      const { total, rows } = await pageOfUsers(ctx.pool, organizationId, page);
      const shown = rows.map((user) => show(scim, user));
      return listResponse(shown, { total, start: page.offset + 1 });
    }
    const by = { userName: equalityOf(filter, 'userName'), externalId: equalityOf(filter, 'externalId') };
    const all = (await listScimUsers(ctx.pool, organizationId, by))
      .map((user) => renderUser(base, user))
      .filter((user) => matches(filter, user));
    return paged(all, page, query);
  });
  on('POST', '/Users', async (scim) => show(scim, await createScimUser(ctx, scim, scim.body())));
  on('GET', '/Users/:id', async (scim) => show(scim, await found(scim)));
  on('PUT', '/Users/:id', async (scim) => {
    const user = requireVersion(scim, await found(scim));
    return show(scim, await replaceScimUser(ctx, scim, user, scim.body()));
  });
  on('PATCH', '/Users/:id', async (scim) => {
    const user = requireVersion(scim, await found(scim));
    return show(scim, await patchScimUser(ctx, scim, user, scim.body()));
  });
  on('DELETE', '/Users/:id', async (scim) => {
    await removeScimUser(ctx, scim, requireVersion(scim, await found(scim)));
    return undefined;
  });
}

function groupRoutes(ctx: AuthContext, on: On): void {
  const found = ({ organizationId, id }: ScimRequest) => requireScimGroup(ctx, organizationId, id);
  const show = (scim: ScimRequest, group: ScimGroup) => project(scim.query, renderGroup(scim.base, group));
  on('GET', '/Groups', async ({ organizationId, base, query }) => {
    const filter = filterOf(query);
    const by = {
      displayName: filter && equalityOf(filter, 'displayName'),
      externalId: filter && equalityOf(filter, 'externalId'),
    };
    const all = (await listScimGroups(ctx.pool, organizationId, by, wantsMembers(query)))
      .map((group) => renderGroup(base, group))
      .filter((group) => filter === undefined || matches(filter, group));
    return paged(all, pageOf(query), query);
  });
  on('POST', '/Groups', async (scim) =>
    show(scim, await createScimGroup(ctx, scim.organizationId, scim.body())),
  );
  on('GET', '/Groups/:id', async (scim) => show(scim, await found(scim)));
  on('PUT', '/Groups/:id', async (scim) => {
    const group = requireVersion(scim, await found(scim));
    return show(scim, await replaceScimGroup(ctx, scim.organizationId, group, scim.body()));
  });
  on('PATCH', '/Groups/:id', async (scim) => {
    const group = requireVersion(scim, await found(scim));
    return show(scim, await patchScimGroup(ctx, scim.organizationId, group, scim.body()));
  });
  on('DELETE', '/Groups/:id', async (scim) => {
    await removeScimGroup(ctx, scim.organizationId, requireVersion(scim, await found(scim)));
    return undefined;
  });
}

/** Authenticates the request. A wrong token and an unknown organization have the same response. */
async function open(
  ctx: AuthContext,
  request: FastifyRequest,
  reply: FastifyReply,
  params: { readonly organization: string; readonly id?: string },
): Promise<ScimRequest> {
  if (!hasOrganizationSso(ctx)) throw new ScimError(404, 'SCIM is disabled');
  await ctx.limits.address('scim', request.ip, ctx.clock.now());
  const { caller, query, text } = exchangeOf(ctx, request, reply);
  const { organization } = params;
  const isValid = await isScimToken(ctx, organization, caller.accessToken ?? '');
  if (!isValid || (await findOrganization(ctx, organization)) === undefined) {
    reply.header('www-authenticate', 'Bearer');
    throw new ScimError(401, 'The token is not valid for this organization');
  }
  const id = params.id ?? '';
  if (id !== '' && /\/(?:Users|Groups)\//.test(request.url) && !isUuid(id))
    throw new ScimError(404, 'The resource does not exist');
  return {
    organizationId: organization.toLowerCase(),
    caller: { ...caller, accessToken: undefined },
    request,
    reply,
    query,
    base: scimUrl(ctx, organization.toLowerCase()),
    id,
    body: () => bodyOf(text),
  };
}

function bodyOf(text: string): JsonObject {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new ScimError(400, 'The body is not JSON', 'invalidSyntax');
  }
  if (!isJsonObject(body)) throw new ScimError(400, 'The body must be an object', 'invalidSyntax');
  if (!isStorable(body)) throw new ScimError(400, 'The body contains invalid text', 'invalidValue');
  return body;
}

function requireVersion<T extends { readonly version: string }>({ request }: ScimRequest, resource: T): T {
  const wanted = request.headers['if-match'];
  if (wanted === undefined || wanted === '*' || wanted === etagOf(resource.version)) return resource;
  throw new ScimError(412, 'The resource has changed in the meantime');
}

const etagOf = (version: string): string => `W/"${version}"`;

function filterOf(query: URLSearchParams): Filter | undefined {
  const text = query.get('filter') ?? '';
  return text.trim() === '' ? undefined : parseFilter(text);
}

/** A start before the first result and a negative count are corrected, as the RFC requires. */
function pageOf(query: URLSearchParams): { readonly offset: number; readonly count: number } {
  const number = (name: string, fallback: number): number => {
    const value = Number(query.get(name) ?? fallback);
    if (!Number.isSafeInteger(value)) throw new ScimError(400, `${name} must be a number`, 'invalidValue');
    return value;
  };
  const start = Math.max(1, number('startIndex', 1));
  const count = Math.min(maxResults, Math.max(0, number('count', defaultResults)));
  return { offset: start - 1, count };
}

const paged = (
  all: readonly JsonObject[],
  { offset, count }: { readonly offset: number; readonly count: number },
  query: URLSearchParams,
): JsonObject =>
  listResponse(
    all.slice(offset, offset + count).map((one) => project(query, one)),
    { total: all.length, start: offset + 1 },
  );

const listResponse = (
  resources: readonly JsonObject[],
  { total, start }: { readonly total: number; readonly start: number },
): JsonObject => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
  totalResults: total,
  startIndex: start,
  itemsPerPage: resources.length,
  Resources: [...resources],
});

const namesIn = (text: string | null): readonly string[] =>
  (text ?? '').split(',').flatMap((name) => {
    const bare =
      name
        .trim()
        .replace(/^urn:.*:(?:User|Group):/i, '')
        .split('.')[0]
        ?.toLowerCase() ?? '';
    return bare === '' ? [] : [bare];
  });

const wantsMembers = (query: URLSearchParams): boolean => {
  const [wanted, unwanted] = [namesIn(query.get('attributes')), namesIn(query.get('excludedAttributes'))];
  return wanted.length > 0 ? wanted.includes('members') : !unwanted.includes('members');
};

/** Returns only the attributes that the client wants. */
function project(query: URLSearchParams, resource: JsonObject): JsonObject {
  const [wanted, unwanted] = [namesIn(query.get('attributes')), namesIn(query.get('excludedAttributes'))];
  if (wanted.length === 0 && unwanted.length === 0) return resource;
  const isKept = (name: string): boolean => {
    if (['schemas', 'id', 'meta'].includes(name)) return true;
    return wanted.length > 0 ? wanted.includes(name.toLowerCase()) : !unwanted.includes(name.toLowerCase());
  };
  return Object.fromEntries(Object.entries(resource).filter(([name]) => isKept(name)));
}

interface Versioned {
  readonly id: string;
  readonly version: string;
  readonly created_at: string;
  readonly updated_at: string;
}

const metaOf = (base: string, type: 'User' | 'Group', row: Versioned): JsonObject => ({
  resourceType: type,
  created: new Date(row.created_at).toISOString(),
  lastModified: new Date(row.updated_at).toISOString(),
  location: `${base}/${type}s/${row.id}`,
  version: etagOf(row.version),
});

function renderUser(base: string, user: ScimUser): JsonObject {
  const groups = user.groups.map(({ value, display }) => ({ value, display }));
  return {
    schemas: [userSchema, ...(user.data[enterpriseSchema] === undefined ? [] : [enterpriseSchema])],
    id: user.id,
    ...user.data,
    active: user.active,
    ...(groups.length === 0 ? {} : { groups }),
    meta: metaOf(base, 'User', user),
  };
}

const renderGroup = (base: string, group: ScimGroup): JsonObject => ({
  schemas: [groupSchema],
  id: group.id,
  ...(group.external_id === null ? {} : { externalId: group.external_id }),
  displayName: group.display_name,
  ...(group.members.length === 0
    ? {}
    : { members: group.members.map(({ value, display }) => ({ value, display, type: 'User' })) }),
  meta: metaOf(base, 'Group', group),
});

function sendError(
  ctx: AuthContext,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const shown = scimErrorOf(ctx, error, request);
  const retryAfter = retryAfterOf(error);
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
  return reply
    .code(shown.status)
    .type(mediaType)
    .send(JSON.stringify(renderScimError(shown)));
}

function scimErrorOf(ctx: AuthContext, error: unknown, request: FastifyRequest): ScimError {
  if (error instanceof ScimError) return error;
  logUnexpected(ctx.log, error, request.id, request.url.split('?', 1)[0] ?? '');
  const { status, body } = errorResponse(error, request.id);
  return new ScimError(status, typeof body.msg === 'string' ? body.msg : 'The request failed');
}
