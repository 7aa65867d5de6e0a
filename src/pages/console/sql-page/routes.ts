import type { FastifyReply } from 'fastify';
import type { Clock } from '../../../base/kernel/clock.ts';
import type { Seal } from '../../../base/shared/seal.ts';
import type { Database, Session } from '../../../platform/database/types.ts';
import type { Audit } from '../audit.ts';
import { onDisconnect } from '../core/disconnect.ts';
import { ConsoleError } from '../errors.ts';
import { type Identity, identify } from '../persona/act.ts';
import { parsePersona, printPersona } from '../persona/persona.ts';
import type { Api, Call, RouteCall } from '../routes/api.ts';
import type { Recorder, Recording } from '../undo/recorder.ts';
import { readCell } from './cell.ts';
import type { contract, Plans, RunEvent, WholeCell } from './contract.ts';
import { questionsOf } from './core/danger.ts';
import { parameterNames } from './core/parameters.ts';
import { splitStatements } from './core/statements.ts';
import { explain } from './explain.ts';
import { exportRoutes } from './export-routes.ts';
import { libraryRoutes } from './library.ts';
import type { PrivateStore } from './private-text.ts';
import * as queries from './queries.ts';
import { errorEvent, runScript } from './run.ts';
import { createRunOutput, type RunOutput } from './run-output.ts';
import { oneStatement, requireValues, runnables, statementsIn } from './runnable.ts';
import { createRuns, type Running } from './runs.ts';

/** The maximum number of statements for which plans can be requested together. */
const maxExplained = 50;

type InputOf<Route extends keyof typeof contract> = RouteCall<string, (typeof contract)[Route]>;

export interface SqlDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly seal: Seal;
  readonly recorder: Recorder;
}

export function sqlRoutes(api: Api, { database, clock, audit, seal, recorder }: SqlDeps): void {
  const db = database.pool('postgres');
  const store: PrivateStore = { db: database.pool('supabase_admin'), seal };
  const runs = createRuns();
  const route = api.feature(() => import('./contract.ts'));

  /**
   * Returns the identity as which a statement runs. A read-only statement uses the read-only role for all operators.
   */
  const identityOf = async (
    { operator }: Call,
    as: string | undefined,
    isReadOnly: boolean,
  ): Promise<Identity & { as: string }> => {
    const persona = parsePersona(as);
    const role = isReadOnly ? 'read-only' : operator.role;
    return { as: printPersona(persona), ...(await identify(db, persona, clock.now(), role)) };
  };

  /**
   * Runs a script. With `isReadOnly`, the statements in the script are checked first, and their changes are rolled back
   * at the end.
   */
  async function run(call: InputOf<'POST /sql/run'>, isReadOnly: boolean): Promise<FastifyReply> {
    const { text, as, parameters: values, maxRows, timeoutMs, confirmed, repeated } = await call.body();
    const statements = statementsIn(text);
    const questions = isReadOnly ? [] : questionsOf(text);
    if (questions.length > 0 && !confirmed) throw new ConsoleError('confirm', { questions });
    requireValues(statements, values);
    const identity = await identityOf(call, as, isReadOnly);
    const names = await queries.typeNames(db);
    const running = runs.begin(call.operator.id);
    const { signal } = running;
    const output = createRunOutput();
    onDisconnect(call.reply.raw, () => runs.cancel(running.id, call.operator.id));
    output.emit({ event: 'run', id: running.id });
    const work = async () =>
      runScript({
        database,
        runnables: await runnables(database, statements, { values, isReadOnly, signal }),
        identity,
        isReadOnly: isReadOnly || repeated,
        maxRows,
        timeoutMs,
        typeNames: names,
        output,
        signal,
        journal: journalOf(recorder, call, identity),
      });
    void finish(call, { text, as: identity.as, isReadOnly, repeated }, { running, output }, work);
    return call.reply.type('application/x-ndjson; charset=utf-8').send(output.lines);
  }

  /** Runs the script. The response status has already been sent, so errors are sent as lines of the response. */
  async function finish(
    call: Call,
    script: { text: string; as: string; isReadOnly: boolean; repeated: boolean },
    { running, output }: { readonly running: Running; readonly output: RunOutput },
    work: () => ReturnType<typeof runScript>,
  ): Promise<void> {
    const startedAt = performance.now();
    let error: string | null = null;
    let tags: readonly string[] = [];
    try {
      ({ error, tags } = await work());
    } catch (fault) {
      error = fault instanceof Error ? fault.message : String(fault);
      output.emit(faultEvent(fault));
    }
    running.finish();
    const durationMs = Math.round(performance.now() - startedAt);
    const entry = { operatorId: call.operator.id, text: script.text, persona: script.as, error, durationMs };
    // A repeated run can't change anything, and its statements are already in the history and the log.
    if (!script.repeated) await queries.insertHistory(store, entry).catch(() => {});
    if (!script.isReadOnly && !script.repeated)
      await audit(call, 'sql.run', script.as, { commands: tags, failed: error !== null }).catch(() => {});
    output.end();
  }

  /** Runs an operation that is canceled when the operator's client disconnects. */
  async function withRun<T>(call: Call, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const running = runs.begin(call.operator.id);
    onDisconnect(call.reply.raw, () => runs.cancel(running.id, call.operator.id));
    try {
      return await work(running.signal);
    } finally {
      running.finish();
    }
  }

  async function plan(call: InputOf<'POST /sql/explain'>, isReadOnly: boolean): Promise<Plans> {
    const { text, as, parameters: values, analyze, timeoutMs } = await call.body();
    const statements = statementsIn(text);
    if (statements.length > maxExplained)
      throw new ConsoleError('bad_request', {
        message: `Select at most ${maxExplained} statements to explain.`,
      });
    requireValues(statements, values);
    const identity = await identityOf(call, as, isReadOnly);
    return withRun(call, async (signal) => {
      const prepared = await runnables(database, statements, { values, isReadOnly, signal });
      const options = { identity, isReadOnly, analyze, timeoutMs, signal };
      return { plans: await explain(database, prepared, options) };
    });
  }

  async function cell(call: InputOf<'POST /sql/cell'>, isReadOnly: boolean): Promise<WholeCell> {
    const { text, as, parameters: values, row, column, timeoutMs } = await call.body();
    const statement = oneStatement(text);
    requireValues([statement], values);
    const identity = await identityOf(call, as, isReadOnly);
    return withRun(call, async (signal) => {
      const [runnable] = await runnables(database, [statement], { values, isReadOnly, signal });
      if (runnable === undefined) throw new Error('no statement was prepared');
      return readCell(database, runnable, { identity, row, column, timeoutMs, signal });
    });
  }

  route('POST /sql/run', 'write', (call) => run(call, false));
  route('POST /sql/look', 'read', (call) => run(call, true), { changes: 'nothing' });
  route('POST /sql/explain', 'write', (call) => plan(call, false));
  route('POST /sql/look/explain', 'read', (call) => plan(call, true), { changes: 'nothing' });
  // Requires the `write` permission, because the effects that a function has outside the transaction can't be rolled
  // back.
  route('POST /sql/cell', 'write', (call) => cell(call, false));
  route('POST /sql/look/cell', 'read', (call) => cell(call, true), { changes: 'nothing' });
  route(
    'POST /sql/runs/:id/cancel',
    'read',
    async ({ params, operator }) => ({ cancelled: runs.cancel(params.id, operator.id) }),
    { changes: 'nothing' },
  );
  route('GET /sql/names', 'read', async () => ({
    tables: await queries.completionTables(db),
    functions: await queries.completionFunctions(db),
  }));
  exportRoutes(route, { database, clock, runs, audit, identityOf });
  route(
    'POST /sql/parameters',
    'read',
    async (call) => ({ names: parameterNames(splitStatements((await call.body()).text)) }),
    { changes: 'nothing' },
  );
  libraryRoutes(route, store, audit);
}

const journalOf =
  (recorder: Recorder, { operator }: Call, { claims }: Identity) =>
  (session: Session): Promise<Recording> =>
    recorder.begin(session, { operator, action: 'sql.run', isOperator: claims === undefined });

/**
 * Converts an error that occurred before the first statement ran to an event. The event has no position, because the
 * page can't map the error's position to the script.
 */
function faultEvent(fault: unknown): RunEvent {
  if (fault instanceof ConsoleError)
    return {
      event: 'error',
      severity: 'ERROR',
      sqlstate: fault.code,
      message: fault.message,
      at: null,
    };
  if (fault instanceof Error && 'severity' in fault && 'code' in fault)
    return errorEvent(fault as Parameters<typeof errorEvent>[0], undefined);
  return {
    event: 'error',
    severity: 'ERROR',
    sqlstate: 'internal',
    message: 'The run was interrupted.',
    at: null,
  };
}
