/**
 * Serves calls of `graphql_public.graphql` over HTTP without calling the function. The response is the same as that of
 * the function.
 */
import type { Logger } from '../../base/kernel/log.ts';
import { isPostgresError } from '../../base/shared/errors.ts';
import type { Cancellation, PathResult, PathStatement } from '../../platform/database/types.ts';
import type { EndpointCall, EndpointSpeed, RestRequest, RestResponse } from '../rest/index.ts';
import { type Plan, renderMutation, type Statement } from './core/index.ts';
import { readCall, readParameters } from './core/read-call.ts';
import { DeadlineError, withDeadline } from './deadline.ts';
import type { RoleSchema, RoleSchemas } from './role-schemas.ts';
import type { StoredSchema } from './schema-store.ts';
import type { Settings } from './settings.ts';

export interface ServeDeps {
  readonly schemas: RoleSchemas;
  readonly settings: () => Settings;
  readonly newSpeed: () => EndpointSpeed;
  readonly log: Logger;
}

/** Serves a call. Returns undefined if the function must be called. */
export async function serve(call: EndpointCall, deps: ServeDeps): Promise<RestResponse | undefined> {
  const { request, role, searchPath } = call;
  const text = call.isPlain ? readText(request) : undefined;
  if (text === undefined) return undefined;
  const settings = deps.settings();
  const found = await schemaOf(deps, role, searchPath);
  if (found === undefined || !mayServe(found, settings)) return undefined;
  const planned = found.plans.get(text) ?? planText(text, found, settings);
  const made = planned instanceof Promise ? await planned : planned;
  if (made === undefined) return undefined;
  // The function call reports that GET requests can't change anything.
  if (request.method === 'GET' && made.kind === 'mutation') return undefined;
  const speedOf = (statement: string): EndpointSpeed => found.plans.speedOf(statement, deps.newSpeed);
  return await execute(call, made, withDeadline(request.signal, settings.timeoutMs), speedOf);
}

/**
 * Returns the schema of a role. Returns undefined if the database rejects the query for the catalog, for example because
 * the role doesn't exist. The function call then fails as well, with an error for the client.
 */
async function schemaOf(
  { schemas, log }: ServeDeps,
  role: string,
  searchPath: readonly string[],
): Promise<RoleSchema | undefined> {
  try {
    const found = schemas.of(role, searchPath);
    return found instanceof Promise ? await found : found;
  } catch (error) {
    log[isPostgresError(error) ? 'debug' : 'error']({ error, role }, 'failed to load a GraphQL schema');
    return undefined;
  }
}

/** Returns the arguments of the call as JSON text. Returns undefined if the request has options of REST requests. */
function readText({ method, path, query, headers, body }: RestRequest): string | undefined {
  const { accept, prefer } = headers;
  const isPlain =
    path === '/rpc/graphql' &&
    prefer === undefined &&
    (accept === undefined || (typeof accept === 'string' && acceptsJson.test(accept)));
  if (!isPlain) return undefined;
  if (method === 'GET') return readParameters(query);
  const type = headers['content-type'];
  if (
    method !== 'POST' ||
    query !== '' ||
    !(type === undefined || (typeof type === 'string' && isJson.test(type)))
  )
    return undefined;
  return Buffer.from(body.buffer, body.byteOffset, body.length).toString();
}

const acceptsJson = /(^|[,\s])(\*\/\*|application\/(json|\*))\s*($|[,;])/i;
const isJson = /^\s*application\/json\s*($|;)/i;

const mayServe = ({ version, isOwn, mayCall }: RoleSchema, settings: Settings): boolean =>
  mayCall && (version === null ? settings.withoutExtension : isOwn);

function planText(text: string, found: StoredSchema, settings: Settings): Plan | Promise<Plan> | undefined {
  const request = readCall(text);
  if (request === undefined) return undefined;
  const made = found.plan(request, settings.limits, {
    placeholders: 'parameters',
    jsonBytes: text.length,
  });
  // A response can be large: an introspection of hundreds of tables. The planner remembers responses up to a total size.
  if (!(made instanceof Promise) && made.kind !== 'response') found.plans.set(text, made);
  return made;
}

type SpeedOf = (text: string) => EndpointSpeed;

async function execute(
  call: EndpointCall,
  made: Plan,
  signal: Cancellation,
  speedOf: SpeedOf,
): Promise<RestResponse> {
  if (made.kind === 'response') return call.respond(made.json, undefined, '');
  try {
    return made.kind === 'query'
      ? await query(call, made, signal, speedOf)
      : await mutate(call, made.steps, signal, speedOf);
  } catch (error) {
    if (isReported(error)) return failure(call, error.message);
    throw error;
  }
}

const failure = (call: EndpointCall, message: string): RestResponse =>
  call.respond(JSON.stringify({ data: null, errors: [{ message }] }), undefined, '');

/** Whether `graphql.resolve` reports the error as a part of its result. It can't catch a canceled statement. */
const isReported = (error: unknown): error is Error =>
  error instanceof DeadlineError || (isPostgresError(error) && !/^(08|57|P0004)/.test(error.code));

async function query(
  call: EndpointCall,
  { statement, errors }: Extract<Plan, { kind: 'query' }>,
  signal: Cancellation,
  speedOf: SpeedOf,
): Promise<RestResponse> {
  const { key, text, params } = pathStatement(statement);
  const result = await call.execute({
    statement: { key, text },
    params,
    access: 'read only',
    speed: speedOf(text),
    isLarge: true,
    signal,
  });
  return call.respond('{"data":', result, errors.length === 0 ? '}' : `,"errors":${JSON.stringify(errors)}}`);
}

async function mutate(
  call: EndpointCall,
  steps: Extract<Plan, { kind: 'mutation' }>['steps'],
  signal: Cancellation,
  speedOf: SpeedOf,
): Promise<RestResponse> {
  const statements = steps.filter((step) => step.kind === 'statement');
  const before = statements.map(({ statement }) => pathStatement(statement));
  const last = before.pop();
  let exceeded: string | undefined;
  const result =
    last &&
    (await call.execute({
      before,
      statement: { key: last.key, text: last.text },
      params: last.params,
      access: 'read write',
      speed: speedOf(last.text),
      isLarge: false,
      signal,
      ...(statements.every(({ limit }) => limit === null)
        ? {}
        : {
            explicit: {
              decide(done) {
                const at = statements.findIndex(
                  ({ limit }, index) => limit !== null && Number(cellsOf(done, index)[1]) > limit.rows,
                );
                exceeded = statements[at]?.limit?.message;
                return exceeded === undefined ? 'commit' : 'rollback';
              },
            },
          }),
    }));
  if (exceeded !== undefined) return failure(call, exceeded);
  let index = 0;
  const values = steps.map((step) => {
    if (step.kind === 'constant') return [step.key, step.json] as const;
    return [step.key, result === undefined ? null : cellsOf(result, index++)[0]] as const;
  });
  return call.respond(renderMutation(values), undefined, '');
}

/** Returns the texts of the row that the statement with this index returned. */
function cellsOf({ before, rows }: PathResult, index: number): readonly [string | null, string | null] {
  const [row] = before[index] ?? rows;
  return [row?.[0]?.toString() ?? null, row?.[1]?.toString() ?? null];
}

const pathStatement = ({ text, values }: Statement): PathStatement => ({ key: text, text, params: values });
