/**
 * Sends a request on a lane and reads the result. The request runs in one implicit transaction, or between BEGIN and
 * COMMIT or ROLLBACK. SET LOCAL requires BEGIN, but the request is still sent in one write.
 */
import type { PathRequest, PathResult } from '../types.ts';
import {
  Batch,
  type Connection,
  ConnectionError,
  PostgresError,
  type PreparedStatement,
  readCells,
  runScript,
} from '../wire/index.ts';
import { type Lane, RESET } from './lane.ts';
import type { LocalSettings, SettingsStatement } from './settings.ts';

type Cells = (Buffer | null)[];

export type Outcome =
  | { readonly result: PathResult }
  /**
   * The request failed. If nothing was committed and a retry might succeed, `again` specifies whether to retry on the
   * same connection or on a different connection.
   */
  | { readonly error: unknown; readonly again?: 'here' | 'elsewhere' | undefined };

/** A request and how it is sent. */
export interface Sending {
  readonly lane: Lane;
  readonly request: PathRequest;
  readonly settings: SettingsStatement | LocalSettings;
  /** Whether every statement is prepared again. */
  readonly prepareAgain: boolean;
}

const DISCARDED = { keeps: false } as const;

/** Behind a pooler, only an explicit transaction stays on its session until the session has been reset. */
const COMMITTED: NonNullable<PathRequest['explicit']> = { decide: () => 'commit' };

export function send(sending: Sending, done: (outcome: Outcome) => void): void {
  const { request, lane } = sending;
  const explicit = request.explicit ?? (lane.isPooled && request.resetAfter === true ? COMMITTED : undefined);
  // COMMIT is a separate message, so the position is read in another round trip.
  const end = (outcome: Outcome) => {
    if (request.reportsLsn !== true || 'error' in outcome || lane.connection.ended) {
      done(outcome);
      return;
    }
    const finish = withLsn(lane, done);
    finish.ended(outcome);
    finish.send();
  };
  if (explicit === undefined) {
    if ('texts' in sending.settings) {
      sendBlock(sending, end);
      return;
    }
    const finish = request.reportsLsn === true ? withLsn(lane, done) : undefined;
    sendBatch(sending, undefined, (batch) => {
      const outcome =
        batch.error === undefined ? { result: resultOf(batch, request, 1) } : failure(batch, request);
      if (finish === undefined) done(outcome);
      else finish.ended(outcome);
    });
    finish?.send();
  } else {
    sendExplicit(sending, explicit).then(end, (error) => done({ error }));
  }
}

/**
 * Reads the position in the log behind a request, in a separate transaction and in the same write. Within the request's
 * transaction, the position would be before the commit. The position of the last inserted record is used, because a commit
 * with `synchronous_commit = off` isn't flushed yet.
 */
function withLsn(lane: Lane, done: (outcome: Outcome) => void) {
  let outcome: Outcome | undefined;
  return {
    /** Called with the outcome of the request, before the response to the position. */
    ended(of: Outcome): void {
      outcome = of;
    },
    send(): void {
      const batch = new Batch<Cells>(lane, readCells, ({ error, steps }) => {
        const ended = outcome as Outcome;
        const lsn = error === undefined ? steps[0]?.rows[0]?.[0]?.toString() : undefined;
        done('result' in ended ? { result: { ...ended.result, lsn } } : ended);
      });
      batch.add('lsn', 'select pg_catalog.pg_current_wal_insert_lsn()', []);
      batch.submit();
    },
  };
}

function sendBatch(
  { lane, request, settings, prepareAgain }: Sending,
  begin: string | undefined,
  done: (batch: Batch<Cells>) => void,
): void {
  const batch = new Batch<Cells>(lane, readCells, done, prepareAgain);
  if (request.overflow !== undefined) {
    batch.signal = request.signal;
    batch.refuser = lane;
  }
  // The statement's key includes the role, because a query plan is valid only for one role. PostgreSQL would plan a
  // statement that is shared by two roles again each time the role changes.
  const prefix = `${request.role}\n`;
  try {
    if (begin !== undefined) batch.add(begin, begin, []);
    if ('texts' in settings) for (const text of settings.texts) batch.addOnce(text);
    else batch.add(settings.key, settings.text, settings.values, DISCARDED);
    if (request.before !== undefined) {
      for (const { key, text, params } of request.before) batch.add(prefix + key, text, params);
    }
    const { statement, params, overflow, joinWith } = request;
    batch.add(prefix + statement.key, statement.text, params, { keeps: true, overflow, joinWith });
    if (request.after !== undefined) {
      for (const { key, text, params } of request.after) batch.add(prefix + key, text, params);
    }
  } catch (error) {
    batch.discard();
    throw error;
  }
  batch.submit();
}

/**
 * Sends BEGIN, the request and COMMIT in one write. COMMIT is behind the Sync, where it also ends a transaction that has
 * failed, so that the next request on the lane isn't affected.
 */
function sendBlock(sending: Sending, done: (outcome: Outcome) => void): void {
  const { request, lane } = sending;
  let sent: Batch<Cells> | undefined;
  sendBatch(sending, request.access === 'read only' ? 'begin read only' : 'begin', (batch) => {
    sent = batch;
  });
  const finish = (error: unknown) => {
    const batch = sent as Batch<Cells>;
    if (batch.error !== undefined) {
      done(failure(batch, request));
      return;
    }
    const result = resultOf(batch, request, stepsBefore(sending));
    if (error === undefined) done({ result });
    else {
      result.stored?.free();
      done({ error });
    }
  };
  runScript(lane.connection, 'commit').then(
    ([end]) => finish(end?.commandTag === 'COMMIT' ? undefined : new PostgresError(ROLLED_BACK)),
    finish,
  );
}

const ROLLED_BACK = {
  code: '25P02',
  severity: 'ERROR',
  message: 'The transaction was rolled back, because a statement in it had failed.',
};

/** Returns the number of steps for BEGIN and the settings of a transaction that BEGIN starts. */
const stepsBefore = ({ settings }: Sending): number => 1 + ('texts' in settings ? settings.texts.length : 1);

async function sendExplicit(
  sending: Sending,
  { isolation, decide }: NonNullable<PathRequest['explicit']>,
): Promise<Outcome> {
  const {
    request,
    lane: { connection, isPooled },
  } = sending;
  const after = isPooled && request.resetAfter === true ? `; ${RESET}` : '';
  // Never sets the access mode to READ WRITE, so that a database that is read-only because the disk is full remains
  // read-only.
  const access = request.access === 'read only' ? ' read only' : '';
  const begin = `begin${isolation === undefined ? '' : ` isolation level ${isolation}`}${access}`;
  const batch = await new Promise<Batch<Cells>>((resolve) => sendBatch(sending, begin, resolve));
  if (batch.error !== undefined) {
    if (!connection.ended) await runScript(connection, `rollback${after}`);
    return failure(batch, request);
  }
  const result = resultOf(batch, request, stepsBefore(sending));
  try {
    await endExplicit({ connection, after }, result, decide);
    return { result };
  } catch (error) {
    result.stored?.free();
    return { error };
  }
}

/**
 * Ends the transaction. `after` contains statements that reset the session. They are sent in the same message as the end
 * of the transaction, because a pooler assigns the session to another client after the message.
 */
async function endExplicit(
  { connection, after }: { readonly connection: Connection; readonly after: string },
  result: PathResult,
  decide: (result: PathResult) => 'commit' | 'rollback',
): Promise<void> {
  let end: 'commit' | 'rollback';
  try {
    await result.stored?.finish();
    end = decide(result);
  } catch (error) {
    await runScript(connection, `rollback${after}`);
    throw error;
  }
  if (end === 'commit' && after === '') {
    await runScript(connection, 'commit');
    return;
  }
  // Checks deferred constraints before the rollback, so that the same errors occur as in a commit. Before a commit with a
  // reset, they are checked because a failed commit would skip the reset.
  const checked = runScript(connection, 'set constraints all immediate');
  const ended = runScript(connection, `${end}${after}`);
  const [check, ending] = await Promise.allSettled([checked, ended]);
  if (check.status === 'rejected') throw check.reason;
  if (end === 'commit' && ending.status === 'rejected') throw ending.reason;
}

function failure(batch: Batch<Cells>, request: PathRequest): Outcome {
  const rejected = freeStores(batch);
  if (rejected !== undefined) return { error: rejected };
  const { error } = batch;
  if (batch.stale) return { error, again: 'here' };
  if (!(error instanceof ConnectionError)) return { error };
  // A fast read can be retried if its connection broke without an error from the server, because a read doesn't change
  // data.
  const harmless = request.access === 'read only' && request.lane === 'shared' && error.code === '08006';
  return { error, again: error.untouched || harmless ? 'elsewhere' : undefined };
}

/**
 * Releases the store in which the batch's rows were buffered. If a statement was canceled because its rows were
 * rejected, returns the reason for the rejection.
 */
function freeStores({ steps, error }: Batch<Cells>): unknown {
  const store = steps.find(({ spilled }) => spilled !== undefined)?.spilled?.store;
  store?.free();
  return error?.code === QUERY_CANCELED ? store?.failure : undefined;
}

const QUERY_CANCELED = '57014';

/** Returns the result of the request. `first` is the index of the first step after BEGIN and the settings. */
function resultOf(batch: Batch<Cells>, request: PathRequest, first: number): PathResult {
  const main = first + (request.before?.length ?? 0);
  const step = batch.steps[main];
  if (step === undefined)
    throw new PostgresError({ code: 'XX000', severity: 'ERROR', message: 'No statement was run.' });
  return {
    rows: step.joined?.take() ?? step.rows,
    rowCount: step.rowCount,
    stored: step.spilled?.store,
    columns: columnNames(step.statement),
    commandTag: step.commandTag,
    before: request.before === undefined ? NONE : batch.steps.slice(first, main).map(({ rows }) => rows),
    after: request.after === undefined ? NONE : batch.steps.slice(main + 1).map(({ rows }) => rows),
  };
}

const NONE: readonly Cells[][] = [];

function columnNames(statement: PreparedStatement): readonly string[] {
  statement.derived ??= (statement.columns ?? []).map(({ name }) => name);
  return statement.derived as readonly string[];
}
