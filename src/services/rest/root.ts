/**
 * Serves `/`, which returns the OpenAPI document of the request's schema. The document contains only objects that the
 * role can access.
 */

import { quoteIdentifier } from '../../base/kernel/sql.ts';
import type { RequestPath } from '../../platform/database/types.ts';
import type { Identity } from './core/authenticate.ts';
import { clientOf } from './core/client.ts';
import { openApi } from './core/openapi.ts';
import { mediaTypeName, readAccept } from './core/parse/media-type.ts';
import { header, type Profile, type RestRequest } from './core/request.ts';
import { COMPATIBLE_VERSION, type RestResponse, respondOpenApi } from './core/respond.ts';
import { transactionSettings } from './core/transaction.ts';
import { restError } from './errors.ts';
import { ACCESSIBLE_RELATIONS, ACCESSIBLE_ROUTINES, SCHEMA_DESCRIPTION } from './queries.ts';
import type { ResponseStorage } from './responses/storage.ts';
import { writeDocument } from './responses/write-document.ts';
import type { Routine } from './schema-cache/types.ts';
import type { Snapshot } from './state.ts';

const PRODUCED = new Set(['openapi', 'json', 'any']);

export async function handleRoot(
  request: RestRequest,
  headersOnly: boolean,
  profile: Profile,
  identity: Identity,
  snapshot: Snapshot,
  requestPath: RequestPath,
  responseStorage: ResponseStorage,
): Promise<RestResponse> {
  const accepts = readAccept(header(request, 'accept'));
  if (!accepts.some((type) => PRODUCED.has(type.kind))) {
    throw restError('PGRST107', { texts: { types: accepts.map(mediaTypeName).join(', ') } });
  }
  const { settings, cache } = snapshot;
  const accessible = await readAccessible(request, profile, identity, snapshot, requestPath);
  const everything = settings.openapiMode === 'ignore-privileges';
  const inSchema = ({ schema }: { schema: string }) => schema === profile.schema;
  const relations = [...cache.relations.values()].filter(
    (one) => inSchema(one) && (everything || accessible.relations.has(one.name)),
  );
  const routines = [...cache.routines.values()]
    .flat()
    .filter((one) => inSchema(one) && (everything || accessible.routines.has(signature(one))))
    .map((one) => withShortTypes(one, profile.schema));
  const server = serverOf(request, settings.openapiServer);
  const document = openApi({
    cache,
    relations,
    routines,
    description: accessible.description,
    version: COMPATIBLE_VERSION,
    securityActive: settings.openapiSecurity,
    ...server,
  });
  if (headersOnly) return respondOpenApi(undefined, profile);
  const { body, release } = await writeDocument(document, responseStorage, request.signal);
  return { ...respondOpenApi(body, profile), release };
}

const signature = (routine: Routine): string =>
  `${routine.name}(${routine.parameters.map((parameter) => parameter.type).join(', ')})`;

/** If a type name contains the schema of the document, removes the schema. */
function withShortTypes(routine: Routine, schema: string): Routine {
  const prefix = `${schema}.`;
  const short = (type: string) => (type.startsWith(prefix) ? type.slice(prefix.length) : type);
  return { ...routine, parameters: routine.parameters.map((one) => ({ ...one, type: short(one.type) })) };
}

/** Reads the names of the accessible objects, as the request's role and in a separate transaction. */
async function readAccessible(
  request: RestRequest,
  profile: Profile,
  identity: Identity,
  { settings, roles, shapes }: Snapshot,
  requestPath: RequestPath,
) {
  const facts = {
    request,
    schema: profile.schema,
    identity,
    roleSettings: roles.get(identity.role)?.settings ?? [],
    timezone: undefined,
    // With an empty search path, type names are the same as in the schema cache.
    hoisted: [['search_path', '']] as const,
  };
  const params = [quoteIdentifier(profile.schema)];
  const result = await requestPath.execute({
    role: identity.role,
    settings: transactionSettings(facts, settings),
    statement: { key: 'rest accessible relations', text: ACCESSIBLE_RELATIONS },
    params,
    access: 'read only',
    after: [
      { key: 'rest accessible routines', text: ACCESSIBLE_ROUTINES, params },
      { key: 'rest schema description', text: SCHEMA_DESCRIPTION, params },
    ],
    lane: 'alone',
    client: clientOf(request, identity, settings.anonRole),
    speed: shapes.rootLane,
  });
  const texts = (rows: readonly (readonly (Buffer | null)[])[] = []) =>
    new Set(rows.map(([one]) => String(one)));
  const description = result.after[1]?.[0]?.[0];
  return {
    relations: texts(result.rows),
    routines: texts(result.after[0]),
    description: description?.toString() ?? null,
  };
}

function serverOf(request: RestRequest, proxy: string | undefined) {
  if (proxy !== undefined && URL.canParse(proxy)) {
    const url = new URL(proxy);
    const scheme = url.protocol.replace(':', '');
    const port = url.port !== '' ? url.port : scheme === 'https' ? '443' : '80';
    return { host: `${url.hostname}:${port}`, basePath: url.pathname, scheme };
  }
  return { host: header(request, 'host') ?? 'localhost', basePath: '/', scheme: 'http' };
}
