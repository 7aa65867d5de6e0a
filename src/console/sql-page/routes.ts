import { PassThrough } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Database } from '../../database/types.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Audit } from '../audit.ts';
import { ConsoleError } from '../errors.ts';
import { type Identity, identify } from '../persona/act.ts';
import { parsePersona, printPersona } from '../persona/persona.ts';
import { type Api, type Call, parseAs, type RouteCall } from '../routes/api.ts';
import { readCell } from './cell.ts';
import type { contract, RawPlan, RunEvent, WholeCell } from './contract.ts';
import { questionsOf } from './core/danger.ts';
import { type Statement, splitStatements } from './core/statements.ts';
import { explain } from './explain.ts';
import * as queries from './queries.ts';
import { errorEvent, runScript } from './run.ts';
import { createRuns, type Running } from './runs.ts';

const historyShown = 100;

type InputOf<Route extends keyof typeof contract> = RouteCall<string, (typeof contract)[Route]>;

export function sqlRoutes(api: Api, database: Database, clock: Clock, audit: Audit): void {
  const db = database.pool('postgres');
  const own = database.pool('supabase_admin');
  const runs = createRuns();
  const route = api.feature(() => import('./contract.ts'));

  const identityOf = async (
    { operator }: Call,
    as: string | undefined,
  ): Promise<Identity & { as: string }> => {
    const persona = parsePersona(as);
    return { as: printPersona(persona), ...(await identify(db, persona, clock.now(), operator.role)) };
  };

  /** Runs a script. If `isReadOnly` is set, its statements are checked first and then rolled back. */
  async function run(call: InputOf<'POST /sql/run'>, isReadOnly: boolean): Promise<FastifyReply> {
    const { text, as, maxRows, timeoutMs, confirmed } = await call.body();
    const statements = splitStatements(text);
    if (statements.length === 0)
      throw new ConsoleError('bad_request', { message: 'The text contains no SQL statement.' });
    const questions = isReadOnly ? [] : questionsOf(text);
    if (questions.length > 0 && !confirmed) throw new ConsoleError('confirm', { questions });
    const identity = await identityOf(call, as);
    const names = await queries.typeNames(db);
    const running = runs.begin(call.operator.id);
    const lines = new PassThrough();
    const emit = (event: RunEvent): boolean => lines.write(`${JSON.stringify(event)}\n`);
    // If the client disconnects, the run is canceled.
    call.reply.raw.once('close', () => runs.cancel(running.id, call.operator.id));
    emit({ event: 'run', id: running.id });
    const options = {
      database,
      statements,
      identity,
      isReadOnly: isReadOnly,
      maxRows,
      timeoutMs,
      typeNames: names,
      emit,
      whenDrained: (resume: () => void) => void lines.once('drain', resume).once('close', resume),
      signal: running.signal,
    };
    void finish(call, { text, as: identity.as, isReadOnly }, running, lines, () => runScript(options));
    return call.reply.type('application/x-ndjson; charset=utf-8').send(lines);
  }

  /** Runs the script. The status has already been sent, so errors are sent as lines of the response. */
  async function finish(
    call: Call,
    script: { text: string; as: string; isReadOnly: boolean },
    running: Running,
    lines: PassThrough,
    work: () => ReturnType<typeof runScript>,
  ): Promise<void> {
    const startedAt = performance.now();
    let error: string | null = null;
    let tags: readonly string[] = [];
    try {
      ({ error, tags } = await work());
    } catch (fault) {
      error = fault instanceof Error ? fault.message : String(fault);
      lines.write(`${JSON.stringify(faultEvent(fault))}\n`);
    }
    running.finish();
    const durationMs = Math.round(performance.now() - startedAt);
    const entry = { operatorId: call.operator.id, text: script.text, persona: script.as, error, durationMs };
    await queries.insertHistory(own, entry).catch(() => {});
    if (!script.isReadOnly)
      await audit(call, 'sql.run', script.as, { commands: tags, failed: error !== null }).catch(() => {});
    lines.end();
  }

  async function plan(call: InputOf<'POST /sql/explain'>, isReadOnly: boolean): Promise<RawPlan> {
    const { text, as, analyze, timeoutMs } = await call.body();
    const statement = oneStatement(text);
    const identity = await identityOf(call, as);
    const running = runs.begin(call.operator.id);
    call.reply.raw.once('close', () => runs.cancel(running.id, call.operator.id));
    try {
      const { signal } = running;
      return await explain(database, statement, { identity, isReadOnly, analyze, timeoutMs, signal });
    } finally {
      running.finish();
    }
  }

  async function cell(call: InputOf<'POST /sql/cell'>, isReadOnly: boolean): Promise<WholeCell> {
    const { text, as, row, column, timeoutMs } = await call.body();
    const statement = oneStatement(text);
    const identity = await identityOf(call, as);
    const running = runs.begin(call.operator.id);
    call.reply.raw.once('close', () => runs.cancel(running.id, call.operator.id));
    try {
      const { signal } = running;
      return await readCell(database, statement, { identity, isReadOnly, row, column, timeoutMs, signal });
    } finally {
      running.finish();
    }
  }

  route('POST /sql/run', 'write', (call) => run(call, false));
  route('POST /sql/look', 'read', (call) => run(call, true), { changes: 'nothing' });
  route('POST /sql/explain', 'write', (call) => plan(call, false));
  route('POST /sql/look/explain', 'read', (call) => plan(call, true), { changes: 'nothing' });
  // The route requires `write` because a function's effects outside of the transaction can't be rolled back.
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
  route('GET /sql/history', 'read', async ({ operator }) => ({
    entries: await queries.listHistory(own, operator.id, historyShown),
  }));
  route('DELETE /sql/history', 'read', async ({ operator }) => queries.clearHistory(own, operator.id), {
    changes: 'own session',
  });
  route('GET /sql/saved', 'read', async () => ({ saved: await queries.listSaved(own) }));
  route('PUT /sql/saved', 'write', async (call) => {
    const { name, text } = await call.body();
    const saved = await queries.saveQuery(own, { name, text, by: call.operator.name });
    await audit(call, 'query.save', name);
    return saved;
  });
  route('DELETE /sql/saved/:id', 'write', async (call) => {
    const { id } = await parseAs((await import('./contract.ts')).savedQueryParams, call.request.params);
    const name = await queries.removeSaved(own, id);
    if (name === undefined) throw new ConsoleError('not_found');
    await audit(call, 'query.remove', name);
  });
}

/**
 * Returns the only statement in the text. @throws {ConsoleError} bad_request, if the text doesn't contain exactly one
 * statement
 */
function oneStatement(text: string): Statement {
  const [statement, second] = splitStatements(text);
  if (statement === undefined || second !== undefined)
    throw new ConsoleError('bad_request', { message: 'Enter exactly one statement.' });
  return statement;
}

/**
 * Converts an error that occurs before the first statement to an event. The event has no position, because the page
 * can't map it to the script.
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
