/**
 * Serves `/`, which returns the OpenAPI document of the request's schema. The document contains only objects that the
 * role can access.
 */
import { quoteIdentifier } from '../../base/kernel/sql.ts';
import { inSlices } from '../../base/shared/slices.ts';
import type { Cancellation, RowStore } from '../../platform/database/types.ts';
import { clientOf } from './core/authenticate.ts';
import { type Body, storedBody } from './core/body.ts';
import { openApi } from './core/openapi.ts';
import { mediaTypeName, readAccept } from './core/parse/media-type.ts';
import { header, type Profile, type RestRequest } from './core/request.ts';
import { COMPATIBLE_VERSION, type RestResponse, respondOpenApi } from './core/respond.ts';
import { transactionSettings } from './core/transaction.ts';
import { restError } from './errors.ts';
import { ACCESSIBLE_RELATIONS, ACCESSIBLE_ROUTINES, SCHEMA_DESCRIPTION } from './queries.ts';
import type { ResponseStorage } from './responses/storage.ts';
import type { Run } from './run.ts';
import type { Routine } from './schema-cache/types.ts';

const PRODUCED = new Set(['openapi', 'json', 'any']);

export async function handleRoot(run: Run, profile: Profile, headersOnly: boolean): Promise<RestResponse> {
  const { request } = run;
  const accepts = readAccept(header(request, 'accept'));
  if (!accepts.some((type) => PRODUCED.has(type.kind))) {
    throw restError('PGRST107', { texts: { types: accepts.map(mediaTypeName).join(', ') } });
  }
  const { settings, cache } = run.snapshot;
  const accessible = await readAccessible(run, profile);
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
  const { body, release } = await writeDocument(document, run.deps.responseStorage, request.signal);
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
async function readAccessible({ request, identity, snapshot, deps }: Run, profile: Profile) {
  const { settings, roles, shapes } = snapshot;
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
  const result = await deps.requestPath.execute({
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

const PART_CHARS = 64 * 1024;
const KEPT_BYTES = 1024 * 1024;

/**
 * Builds a response body from chunks without blocking other requests. A small body is built in memory, and a large one
 * is built in a file. `RestResponse` describes `release`.
 * @throws {RestError} PGRSTX01, PGRSTX02
 */
export async function writeDocument(
  chunks: Generator<string>,
  { document }: ResponseStorage,
  signal: Cancellation | undefined,
): Promise<{ body: Body; release: (() => void) | undefined }> {
  let text = '';
  let size = 0;
  let parts: Buffer[] = [];
  let store: RowStore | undefined;
  let paused: PromiseWithResolvers<void> | undefined;
  const flow = {
    pause: () => {
      paused ??= Promise.withResolvers();
    },
    resume: () => {
      paused?.resolve();
      paused = undefined;
    },
    refuse: () => {},
  };
  const put = (part: Buffer) => {
    store?.begin(part.length);
    store?.write(part, 0, part.length);
  };
  const flush = () => {
    parts.push(Buffer.from(text));
    size += parts.at(-1)?.length ?? 0;
    text = '';
    if (size > KEPT_BYTES) store ??= document.open(flow, signal);
    if (store === undefined) return;
    parts.forEach(put);
    parts = [];
  };
  try {
    await inSlices(chunks, (chunk) => {
      text += chunk;
      if (text.length >= PART_CHARS) flush();
      if (store?.failure !== undefined) throw store.failure;
      return paused?.promise;
    });
    flush();
    const stored = store;
    if (stored === undefined) return { body: parts, release: undefined };
    await stored.finish();
    return { body: storedBody(stored), release: () => stored.free() };
  } catch (error) {
    store?.free();
    throw error;
  }
}
