/** Executes the statement of a prepared request in one transaction, as the caller's role. */
import { quoteIdentifier } from '../../base/kernel/sql.ts';
import type { Overflow, PathRequest, PathResult, RowStore } from '../../platform/database/types.ts';
import { clientOf } from './core/authenticate.ts';
import { bindParam } from './core/compile/params.ts';
import type { Statement } from './core/compile/statement.ts';
import { databaseError } from './core/database-error.ts';
import { invalidBody, isTooDeep } from './core/parse/payload.ts';
import type { CrudPlan } from './core/plan/types.ts';
import { header, LSN_HEADER, type RestRequest } from './core/request.ts';
import { limitsAffected, ROW_SEPARATOR, readResult, rejection } from './core/result.ts';
import type { Prepared, Shape } from './core/shapes.ts';
import { transactionSettings } from './core/transaction.ts';
import { RestError, restError } from './errors.ts';
import type { ResponseStorage } from './responses/storage.ts';
import type { Run } from './run.ts';
import type { QualifiedName } from './schema-cache/types.ts';

/**
 * Executes the request, and returns its result after the commit. A large result is in a store, which the caller must
 * free.
 */
export async function execute(run: Run, prepared: Prepared): Promise<PathResult> {
  const { request, identity, snapshot, deps, timing } = run;
  const {
    shape: { plan },
    statement,
  } = prepared;
  const startedAt = performance.now();
  let result: PathResult;
  try {
    result = await deps.requestPath.execute(pathRequest(run, prepared));
  } catch (error) {
    request.trace?.statement(statement.text, startedAt, performance.now(), sqlStateOf(error));
    const rejected =
      (error as Error & { code?: unknown }).code === '54001' && isTooDeep(request.body)
        ? invalidBody('The body is nested too deeply')
        : explained(databaseError(error, identity.role === snapshot.settings.anonRole), run, plan);
    throw await deps.advise(rejected, plan, identity.role, snapshot.settings);
  }
  timing.end('transaction');
  request.trace?.statement(statement.text, startedAt, performance.now(), undefined);
  if (result.stored !== undefined) await finishStore(result.stored, plan);
  return result;
}

/** Waits until the whole result is stored. If this fails, frees the store. */
async function finishStore(stored: RowStore, plan: CrudPlan): Promise<void> {
  try {
    await stored.finish();
  } catch (error) {
    stored.free();
    throw readsOnly(plan) ? error : afterCommit(error);
  }
}

function sqlStateOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

/**
 * Returns an error that explains that the disk is full, or that Citus doesn't support the statement. When the disk is
 * full, the database becomes read-only, and PostgreSQL's error doesn't show that this is temporary.
 */
function explained(error: RestError, { snapshot, deps }: Run, plan: CrudPlan): RestError {
  if (error.code === '25006' && !readsOnly(plan) && deps.disk.isFull)
    return restError('PGRSTX04', { headers: [['Retry-After', '10']], cause: error });
  const hint = snapshot.cache.isDistributed ? citusHints[error.code] : undefined;
  if (hint === undefined || error.hint !== null) return error;
  const { code, status, message, details } = error;
  return new RestError({ code, status, message, details, hint, cause: error });
}

/** Hints for errors that the same request wouldn't cause without Citus, by SQLSTATE. */
const citusHints: Readonly<Record<string, string>> = {
  '0A000':
    "Citus doesn't support this request for distributed tables. Embed only tables that are joined by their distribution columns, and don't embed other tables into changed rows.",
  '42P10':
    'In a distributed table, each unique constraint contains the distribution column. List all of its columns in on_conflict.',
};

/**
 * Converts an error that occurred after the commit. The response can't be sent, but the changes have been committed.
 */
function afterCommit(error: unknown): unknown {
  if (!(error instanceof RestError)) return error;
  const { code, status, message, details } = error;
  const hint = 'The request was completed, but its response could not be stored.';
  return new RestError({ code, status, message, details, hint, cause: error });
}

function pathRequest(run: Run, { shape, bindings, statement, params, profile }: Prepared): PathRequest {
  const { request, identity } = run;
  const { settings, roles } = run.snapshot;
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
    statement,
    params,
    access: readOnly ? 'read only' : 'read write',
    ...(settings.preRequest !== undefined && { before: [preRequest(settings.preRequest)] }),
    ...(hasAfter && {
      after: [compiled.settings, compiled.explain].filter((one) => one !== undefined).map(bind),
    }),
    ...(decides ? { explicit: { ...(isolation && { isolation }), decide: decider(shape, rollback) } } : {}),
    lane: decides || !shape.lane.isQuick ? 'alone' : laneOf(shape, request),
    client: clientOf(request, identity, settings.anonRole),
    speed: shape.lane,
    ...(compiled.form === 'plan' ? {} : { overflow: overflowOf(shape, run.deps.responseStorage) }),
    ...(joinsRows(shape) && { joinWith: ROW_SEPARATOR }),
    resetAfter: routine?.volatility === 'volatile' && !readOnly,
    ...(request.signal === undefined ? {} : { signal: request.signal }),
    ...(run.deps.requestPath.hasReplicas === true &&
      readOnly &&
      !rollback &&
      preferences.tx === undefined &&
      isolation !== 'serializable' && { replica: { after: header(request, LSN_HEADER) } }),
  };
}

/** The maximum size of the body of a change that is sent together with others. */
const MAX_BATCHED_BYTES = 16 * 1024;

/** Returns the lane of a request whose shape is fast. */
function laneOf({ plan, compiled }: Shape, { body }: RestRequest): PathRequest['lane'] {
  if (plan.kind === 'read') return 'shared';
  if (plan.kind === 'call' || compiled.form !== 'rows' || body.length > MAX_BATCHED_BYTES) return 'alone';
  return 'batched';
}

const readsOnly = (plan: CrudPlan): boolean =>
  plan.kind === 'read' || (plan.kind === 'call' && plan.readOnly);

const joinsRows = ({ plan, compiled }: Shape): boolean =>
  compiled.form === 'rows' && plan.handler.kind === 'array' && !compiled.returnsInserted;

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
