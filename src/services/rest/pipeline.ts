/**
 * Runs the request pipeline: authenticate, parse, plan, compile, execute in one transaction, respond. Each stage
 * returns the input of the next stage or throws a {@link RestError}. Other errors come from the database or are
 * internal errors, whose details aren't sent to the client.
 */

import type { Clock } from '../../base/kernel/clock.ts';
import type { DiskState } from '../../base/kernel/disk.ts';
import type { Logger } from '../../base/kernel/log.ts';
import { quoteIdentifier } from '../../base/kernel/sql.ts';
import type { Trace } from '../../base/kernel/trace.ts';
import type { Database, Overflow, PathRequest, PathResult, RowStore } from '../../platform/database/types.ts';
import type { Keys } from '../../platform/keys/types.ts';
import { authenticate, type Identity } from './core/authenticate.ts';
import { clientOf } from './core/client.ts';
import { bindParam } from './core/compile/params.ts';
import type { Statement } from './core/compile/statement.ts';
import { databaseError } from './core/database-error.ts';
import { JSON_TYPE } from './core/parse/media-type.ts';
import { invalidBody, isTooDeep } from './core/parse/payload.ts';
import { scanQuery } from './core/parse/query.ts';
import { findRoutine } from './core/plan/call.ts';
import type { CrudPlan } from './core/plan/types.ts';
import { findRelation, type Prepared, prepare, type Shape } from './core/prepare.ts';
import { repeatKey } from './core/repeats.ts';
import { header, type RestRequest, readAction, readProfile } from './core/request.ts';
import {
  type RestResponse,
  relationOptions,
  respond,
  respondError,
  rootOptions,
  routineOptions,
} from './core/respond.ts';
import { limitsAffected, ROW_SEPARATOR, readResult, rejection } from './core/result.ts';
import { ServerTiming } from './core/server-timing.ts';
import { transactionSettings } from './core/transaction.ts';
import { RestError, restError } from './errors.ts';
import type { Advise } from './privileges/index.ts';
import type { ResponseStorage } from './responses/storage.ts';
import { handleRoot } from './root.ts';
import type { QualifiedName } from './schema-cache/types.ts';
import type { Snapshot } from './state.ts';

export interface PipelineDeps {
  readonly requestPath: Database['requestPath'];
  readonly advise: Advise;
  readonly verify: Keys['verify'];
  readonly clock: Clock;
  readonly log: Logger;
  readonly responseStorage: ResponseStorage;
  /** The state of the disk that the embedded database uses. */
  readonly disk: DiskState;
  /** Called with the identity after the request has been authenticated. */
  readonly onIdentity?: (identity: Identity) => void;
  /** Returns the value of the Retry-After header, in seconds, if the database is unreachable. Defaults to 1. */
  readonly retryAfterSeconds?: () => number;
  /** Returns a sentence about migrations that aren't applied. Undefined if all migrations are applied. */
  readonly pendingMigrations?: () => Promise<string | undefined>;
  /** Returns the latest schema cache and settings. Returns a promise only until the first load has finished. */
  readonly snapshot: () => Snapshot | Promise<Snapshot>;
}

export async function handle(request: RestRequest, deps: PipelineDeps): Promise<RestResponse> {
  let snapshot: Snapshot | undefined;
  let identity: Identity | undefined;
  const timing = new ServerTiming();
  try {
    const current = deps.snapshot();
    snapshot = current instanceof Promise ? await current : current;
    const { settings } = snapshot;
    identity = authenticate(
      header(request, 'authorization'),
      deps.verify,
      { anonRole: settings.anonRole, audience: settings.jwtAudience, roleClaim: settings.roleClaim },
      request.receivedAtMs ?? deps.clock.now(),
    );
    deps.onIdentity?.(identity);
    if (request.trace !== undefined) identify(request.trace, identity);
    timing.end('jwt');
    const response = await handleAction(request, identity, snapshot, deps, timing);
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

function handleAction(
  request: RestRequest,
  identity: Identity,
  snapshot: Snapshot,
  deps: PipelineDeps,
  timing: ServerTiming,
): RestResponse | Promise<RestResponse> {
  const { settings, cache, shapes } = snapshot;
  const key = repeatKey(request);
  const repeated = key === undefined ? undefined : shapes.repeats.get(key);
  if (repeated !== undefined) {
    if (request.trace !== undefined) request.trace.schema = repeated.profile.schema;
    timing.end('parse');
    return crud(request, repeated, identity, snapshot, deps, timing);
  }
  const action = readAction(request, settings);
  const profile = readProfile(request, settings.schemas);
  if (request.trace !== undefined) request.trace.schema = profile.schema;
  timing.end('parse');
  switch (action.kind) {
    case 'options': {
      if (action.of === 'root') return rootOptions();
      if (action.of === 'relation')
        return relationOptions(findRelation(cache, { ...action, schema: profile.schema }));
      const given = scanQuery(request.query, true).callArguments.map(([name]) => name);
      const call = {
        schema: profile.schema,
        name: action.name,
        given,
        contentType: JSON_TYPE,
        isPost: false,
      };
      return routineOptions(findRoutine(cache, call));
    }
    case 'root':
      return handleRoot(
        request,
        action.headersOnly,
        profile,
        identity,
        snapshot,
        deps.requestPath,
        deps.responseStorage,
      );
    default: {
      const prepared = prepare(request, action, profile, snapshot);
      if (key !== undefined) shapes.repeats.offer(key, prepared);
      return crud(request, prepared, identity, snapshot, deps, timing);
    }
  }
}

async function crud(
  request: RestRequest,
  prepared: Prepared,
  identity: Identity,
  snapshot: Snapshot,
  deps: PipelineDeps,
  timing: ServerTiming,
): Promise<RestResponse> {
  const { shape } = prepared;
  timing.end('plan');
  const startedAt = performance.now();
  const ended = (error?: unknown): void => {
    timing.end('transaction');
    request.trace?.statement(compiledText(shape), startedAt, performance.now(), sqlStateOf(error));
  };
  let raw: PathResult;
  try {
    raw = await deps.requestPath.execute(
      pathRequest(request, prepared, identity, snapshot, deps.responseStorage),
    );
    ended();
  } catch (error) {
    ended(error);
    const rejected =
      (error as Error & { code?: unknown }).code === '54001' && isTooDeep(request.body)
        ? invalidBody('The body is nested too deeply')
        : explained(
            databaseError(error, identity.role === snapshot.settings.anonRole),
            shape.plan,
            deps.disk,
          );
    throw await deps.advise(rejected, shape.plan, identity.role, snapshot.settings);
  }
  if (raw.stored !== undefined) return respondStored(prepared, raw, raw.stored, snapshot);
  return respondTo(prepared, raw, snapshot);
}

function identify(trace: Trace, { role, claims }: Identity): void {
  trace.role = role;
  if (typeof claims.sub === 'string') trace.userId = claims.sub;
}

const compiledText = ({ compiled }: Shape): string => compiled.main.text;

function sqlStateOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

function respondTo(prepared: Prepared, raw: PathResult, { settings }: Snapshot): RestResponse {
  const result = readResult(prepared.shape, raw, settings.maxRows);
  const rejected = rejection(prepared.shape, result.rows);
  if (rejected !== undefined) throw rejected;
  return respond(prepared, result, settings);
}

/**
 * Builds the response from a stored result. The store is released after the response has been sent, or immediately if
 * an error response replaces it.
 */
async function respondStored(
  prepared: Prepared,
  raw: PathResult,
  stored: RowStore,
  snapshot: Snapshot,
): Promise<RestResponse> {
  try {
    await stored.finish().catch((error: unknown) => {
      throw readsOnly(prepared.shape.plan) ? error : afterCommit(error);
    });
    return { ...respondTo(prepared, raw, snapshot), release: () => stored.free() };
  } catch (error) {
    stored.free();
    throw error;
  }
}

/**
 * Returns an error that explains that the disk is full. When the disk is full, the database becomes read-only, and
 * PostgreSQL's error doesn't show that this is temporary.
 */
function explained(error: RestError, plan: CrudPlan, disk: DiskState): RestError {
  if (error.code !== '25006' || readsOnly(plan) || !disk.isFull) return error;
  return restError('PGRSTX04', { headers: [['Retry-After', '10']], cause: error });
}

/**
 * Converts an error that occurred after the commit. The response can't be sent, but the changes have been committed.
 */
function afterCommit(error: unknown): unknown {
  if (!(error instanceof RestError)) return error;
  const { code, status, message, details } = error;
  const hint = 'The request was completed, but its response could not be stored.';
  return new RestError({ code, status, message, details, hint, cause: error });
}

function pathRequest(
  request: RestRequest,
  { shape, bindings, params, profile }: Prepared,
  identity: Identity,
  { settings, roles }: Snapshot,
  responseStorage: ResponseStorage,
): PathRequest {
  const { plan, compiled, preferences } = shape;
  const bind = (statement: Statement) => ({
    ...statement,
    params: statement.params.map((param) => bindParam(param, bindings)),
  });
  const routine = plan.kind === 'call' ? plan.call.routine : undefined;
  const role = roles.get(identity.role);
  const readOnly = readsOnly(plan);
  const isolation = routine?.isolation ?? role?.isolation;
  const rollback =
    request.rollsBack === true ||
    preferences.tx === 'rollback' ||
    (settings.txEnd.rollback && preferences.tx !== 'commit');
  const decides = rollback || isolation !== undefined || mayReject(shape);
  const hasAfter = compiled.settings !== undefined || compiled.explain !== undefined;
  return {
    role: identity.role,
    settings: transactionSettings(
      {
        request,
        schema: profile.schema,
        identity,
        roleSettings: role?.settings ?? [],
        timezone: preferences.timezone,
        hoisted: routine?.settings ?? [],
      },
      settings,
    ),
    statement: compiled.main,
    params,
    access: readOnly ? 'read only' : 'read write',
    ...(settings.preRequest !== undefined && { before: [preRequest(settings.preRequest)] }),
    ...(hasAfter && {
      after: [compiled.settings, compiled.explain].filter((one) => one !== undefined).map(bind),
    }),
    ...(decides ? { explicit: { ...(isolation && { isolation }), decide: decider(shape, rollback) } } : {}),
    lane: plan.kind === 'read' && !decides && shape.lane.isQuick ? 'shared' : 'alone',
    client: clientOf(request, identity, settings.anonRole),
    speed: shape.lane,
    ...(compiled.form === 'plan' ? {} : { overflow: overflowOf(shape, responseStorage) }),
    ...(compiled.form === 'rows' && plan.handler.kind === 'array' && { joinWith: ROW_SEPARATOR }),
    resetAfter: routine?.volatility === 'volatile' && !readOnly,
    ...(request.signal === undefined ? {} : { signal: request.signal }),
  };
}

const readsOnly = (plan: CrudPlan): boolean =>
  plan.kind === 'read' || (plan.kind === 'call' && plan.readOnly);

function overflowOf({ plan, compiled }: Shape, responseStorage: ResponseStorage): Overflow {
  if (compiled.form === 'rows') return responseStorage.rows;
  return plan.kind === 'write' ? responseStorage.writeSummary : responseStorage.summary;
}

/**
 * Whether the number of rows that the statement returns can still cause the request to fail. Reads are excluded because
 * they have no changes to roll back.
 */
function mayReject(shape: Shape): boolean {
  const { plan } = shape;
  if (plan.kind === 'read') return false;
  const isPut = plan.kind === 'write' && plan.write.mutation === 'put';
  return isPut || plan.mediaType.kind === 'object' || limitsAffected(shape);
}

const decider =
  (shape: Shape, rollback: boolean) =>
  (result: PathResult): 'commit' | 'rollback' => {
    if (rollback) return 'rollback';
    return rejection(shape, readResult(shape, result, undefined).rows) === undefined ? 'commit' : 'rollback';
  };

function preRequest({ schema, name }: QualifiedName) {
  const qualified =
    schema === '' ? quoteIdentifier(name) : `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`;
  return { key: `pre-request ${qualified}`, text: `select ${qualified}()`, params: [] };
}
