/**
 * Runs a request: authenticate, parse, plan, compile, execute in one transaction, respond. Each stage returns the input
 * of the next stage or throws a {@link RestError}. Other errors come from the database or are internal errors, whose
 * details aren't sent to the client.
 */

import type { Logger } from '../../base/kernel/log.ts';
import type { PathResult } from '../../platform/database/types.ts';
import { authenticate, type Identity } from './core/authenticate.ts';
import { databaseError } from './core/database-error.ts';
import { JSON_TYPE } from './core/parse/media-type.ts';
import { scanQuery } from './core/parse/query.ts';
import { findRoutine } from './core/plan/call.ts';
import { findRelation, planCrud } from './core/plan/crud.ts';
import {
  type Action,
  type CrudHead,
  header,
  LSN_HEADER,
  type Profile,
  parseBody,
  parseHead,
  type RestRequest,
  readAction,
  readProfile,
} from './core/request.ts';
import {
  type RestResponse,
  relationOptions,
  respond,
  respondError,
  rootOptions,
  routineOptions,
} from './core/respond.ts';
import { readResult, rejection } from './core/result.ts';
import { bind, compileShape, type Prepared, repeatKey } from './core/shapes.ts';
import { RestError } from './errors.ts';
import { execute } from './execute.ts';
import { handleRoot } from './root.ts';
import { type PipelineDeps, type Run, ServerTiming } from './run.ts';
import type { Snapshot } from './state.ts';

/**
 * @param serve serves the request after the authentication. If it returns undefined, the other stages of the pipeline run.
 */
export async function handle(
  request: RestRequest,
  deps: PipelineDeps,
  serve?: (run: Run) => Promise<RestResponse | undefined>,
): Promise<RestResponse> {
  let snapshot: Snapshot | undefined;
  let identity: Identity | undefined;
  const timing = new ServerTiming();
  try {
    const current = deps.snapshot();
    snapshot = current instanceof Promise ? await current : current;
    identity = identify(request, snapshot, deps);
    timing.end('jwt');
    const run = { request, identity, snapshot, deps, timing };
    const response = (await serve?.(run)) ?? (await runStages(run));
    const { settings } = snapshot;
    if (!settings.serverTiming && settings.traceHeader === undefined) return response;
    timing.end('response');
    const added = settings.serverTiming ? [...response.headers, timing.header()] : response.headers;
    return traced({ ...response, headers: added }, request, settings.traceHeader);
  } catch (caught) {
    const isAnonymous = identity === undefined || identity.role === snapshot?.settings.anonRole;
    const error = await withPendingMigrations(databaseError(caught, isAnonymous), deps);
    if (error.status >= 500 && !unlogged.has(error.code)) logFault(deps.log, request, error);
    const response = respondError(
      error,
      snapshot?.settings ?? { errorVerbosity: 'verbose' },
      deps.retryAfterSeconds?.(),
    );
    return traced(response, request, snapshot?.settings.traceHeader);
  }
}

function identify(request: RestRequest, { settings }: Snapshot, deps: PipelineDeps): Identity {
  const identity = authenticate(
    header(request, 'authorization'),
    deps.verify,
    { anonRole: settings.anonRole, audience: settings.jwtAudience, roleClaim: settings.roleClaim },
    request.receivedAtMs ?? deps.clock.now(),
  );
  deps.onIdentity?.(identity);
  const { trace } = request;
  if (trace !== undefined) {
    trace.role = identity.role;
    if (typeof identity.claims.sub === 'string') trace.userId = identity.claims.sub;
  }
  return identity;
}

/** Runs the stages after the authentication. */
async function runStages(run: Run): Promise<RestResponse> {
  const { request, snapshot, timing } = run;
  const { settings, shapes } = snapshot;
  const key = repeatKey(request);
  let prepared = key === undefined ? undefined : shapes.repeat(key);
  if (prepared === undefined) {
    let head = key === undefined ? undefined : shapes.head(key);
    if (head === undefined) {
      const action = readAction(request, settings);
      const profile = readProfile(request, settings.schemas);
      if (action.kind === 'options') return respondOptions(request, action, profile, snapshot);
      if (action.kind === 'root') return handleRoot(run, profile, action.headersOnly);
      head = parseHead(request, action, profile, settings);
    }
    timing.end('parse');
    prepared = prepare(head, run);
    if (key !== undefined) shapes.offerRepeat(key, head, prepared);
  }
  if (request.trace !== undefined) request.trace.schema = prepared.profile.schema;
  timing.end('plan');
  const result = await execute(run, prepared);
  const response = respondTo(prepared, result, snapshot);
  if (result.lsn === undefined) return response;
  return { ...response, headers: [...response.headers, [LSN_HEADER, result.lsn]] };
}

/** Reads the body, and binds the request's values to the statement of its shape. */
function prepare(head: CrudHead, { request, snapshot, deps: { constantSlots } }: Run): Prepared {
  const { shapes } = snapshot;
  const parsed = parseBody(head, request);
  let shape = shapes.get(parsed.key);
  if (shape === undefined) {
    shape = compileShape(planCrud(parsed, snapshot), parsed, { ...snapshot, constantSlots });
    shapes.set(parsed.key, shape);
  }
  return bind(shape, parsed);
}

function respondOptions(
  request: RestRequest,
  action: Extract<Action, { kind: 'options' }>,
  { schema }: Profile,
  { cache }: Snapshot,
): RestResponse {
  const { name } = action;
  if (action.of === 'root') return rootOptions();
  if (action.of === 'relation') return relationOptions(findRelation(cache, { schema, name }));
  const given = scanQuery(request.query, true).callArguments.map(([argument]) => argument);
  return routineOptions(findRoutine(cache, { schema, name, given, contentType: JSON_TYPE, isPost: false }));
}

/**
 * Builds the response. The store of a large result is released after the response has been sent, or immediately if an
 * error response replaces it.
 */
function respondTo(prepared: Prepared, raw: PathResult, { settings }: Snapshot): RestResponse {
  const { stored } = raw;
  try {
    const result = readResult(prepared.shape, raw, settings.maxRows);
    const rejected = rejection(prepared.shape, result.rows);
    if (rejected !== undefined) throw rejected;
    const response = respond(prepared, result, settings);
    return stored === undefined ? response : { ...response, release: () => stored.free() };
  } catch (error) {
    stored?.free();
    throw error;
  }
}

/** Adds pending migrations to the hint of a missing table, because one of them may create this table. */
async function withPendingMigrations(
  error: RestError,
  { pendingMigrations, log }: PipelineDeps,
): Promise<RestError> {
  if (error.code !== 'PGRST205' || pendingMigrations === undefined) return error;
  const sentence = await pendingMigrations().catch((reason: unknown) => {
    log.debug({ error: reason }, 'failed to read the pending migrations');
    return undefined;
  });
  if (sentence === undefined) return error;
  const { code, status, message, details, hint } = error;
  return new RestError({
    code,
    status,
    message,
    details,
    hint: hint === null ? sentence : `${hint}. ${sentence}`,
  });
}

/**
 * Errors that aren't logged separately for each request. A full disk is logged once when it is detected, and requests
 * that are rejected because of overload are counted.
 */
const unlogged = new Set(['PGRSTX04', 'PGRSTX05']);

/** Copies the configured trace header from the request to the response. */
function traced(response: RestResponse, request: RestRequest, name: string | undefined): RestResponse {
  if (name === undefined) return response;
  const echoed: [string, string] = [name, header(request, name) ?? ''];
  return { ...response, headers: [echoed, ...response.headers] };
}

function logFault(log: Logger, request: RestRequest, error: RestError): void {
  const fields = { method: request.method, path: request.path, code: error.code, error: error.cause };
  if (error.code === 'PGRSTX00') log.error(fields, error.message);
  else log.warn(fields, error.message);
}
