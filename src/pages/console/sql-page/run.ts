/**
 * Runs the statements in a script on a separate connection and emits events while they run. The script runs in a single
 * transaction, unless the script controls transactions itself or contains a statement that PostgreSQL doesn't allow in
 * a transaction.
 */

import { sql } from '../../../base/kernel/sql.ts';
import { isPostgresError } from '../../../base/shared/errors.ts';
import { shortContext } from '../../../base/shared/sql/error-context.ts';
import type {
  CappedRows,
  Database,
  PostgresErrorShape,
  Session,
  TextResult,
} from '../../../platform/database/types.ts';
import { ConsoleError } from '../errors.ts';
import type { Identity } from '../persona/act.ts';
import type { Recording } from '../undo/recorder.ts';
import type { Outcome, RunEvent } from './contract.ts';
import { controlsTransaction, needsNoTransaction, verbOf } from './core/statements.ts';
import type { RunOutput } from './run-output.ts';
import type { Runnable } from './runnable.ts';
import { begin, cancelOn } from './session.ts';

type Flow = Parameters<CappedRows['row']>[2];

export interface RunOptions {
  readonly database: Database;
  readonly runnables: readonly Runnable[];
  readonly identity: Identity;
  /** Whether the statements run in a read-only transaction that is rolled back. */
  readonly isReadOnly: boolean;
  readonly maxRows: number;
  /** The maximum size of a cell's text. The rest of a longer cell is discarded. Defaults to {@link shownCellBytes}. */
  readonly maxCellBytes?: number;
  readonly timeoutMs: number;
  /** The names of types by OID, for the column headers. */
  readonly typeNames: ReadonlyMap<number, string>;
  readonly output: Pick<RunOutput, 'emit' | 'drained'>;
  readonly signal: AbortSignal;
  /** Journals the changes of a script that doesn't control transactions itself. */
  readonly journal?: ((session: Session) => Promise<Recording>) | undefined;
}

/**
 * The maximum size of a cell's text in the response. The grid shows less text, and the side panel requests the complete
 * value.
 */
const shownCellBytes = 4096;
const rowsPerEvent = 100;
/**
 * The number of characters at which an event with rows is sent, even if the event contains fewer than
 * {@link rowsPerEvent} rows.
 */
const maxEventChars = 256 * 1024;
/** How much longer to wait after PostgreSQL's own timeout, because the script can change that timeout. */
const graceMs = 1000;

export interface RunReport {
  readonly outcome: Outcome;
  readonly tags: readonly string[];
  readonly error: string | null;
  readonly ms: number;
}

export async function runScript(options: RunOptions): Promise<RunReport> {
  const { database, runnables, identity, isReadOnly, output } = options;
  const ownTransactions = runnables.some(
    ({ statement }) => controlsTransaction(statement) || needsNoTransaction(statement),
  );
  if (ownTransactions && identity.claims !== undefined)
    throw new ConsoleError('bad_request', {
      message: 'Statements run with “View as” share one transaction, so remove BEGIN, COMMIT and ROLLBACK.',
    });
  if (ownTransactions && isReadOnly)
    throw new ConsoleError('bad_request', {
      message: 'This query runs in a read-only transaction, so remove BEGIN, COMMIT and ROLLBACK.',
    });
  const session = await database
    .pool(identity.claims === undefined ? identity.operatorRole : 'authenticator')
    .connect();
  const startedAt = performance.now();
  const tags: string[] = [];
  let error: string | null = null;
  // Whether a transaction is open. If a statement has failed, the open transaction can only be rolled back.
  let isOpen = false;
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs + graceMs)]);
  const stopCanceling = cancelOn(session, signal);
  let isPaused = false;
  const emit = (event: RunEvent, flow: Flow): void => {
    if (output.emit(event) || isPaused) return;
    isPaused = true;
    flow.pause();
    void output.drained(signal).then(() => {
      isPaused = false;
      flow.resume();
    });
  };
  session.onNotice(({ severity, message, detail, hint }, flow) => {
    if (signal.aborted) return;
    const notice = { severity, message, ...(detail ? { detail } : {}), ...(hint ? { hint } : {}) };
    emit({ event: 'notice', ...notice }, flow);
  });
  try {
    await begin(session, options, ownTransactions);
    const isJournaled = !ownTransactions && !isReadOnly;
    const recording = isJournaled ? await options.journal?.(session) : undefined;
    for (const [index, runnable] of runnables.entries()) {
      options.signal.throwIfAborted();
      const { start, end: statementEnd } = runnable.statement;
      output.emit({ event: 'statement', index, start, end: statementEnd });
      try {
        if (verbOf(runnable.statement) === 'truncate')
          await recording?.beforeTruncate(() => session.query(sql.raw(runnable.text)).then(() => undefined));
        const { tag, inTransaction } = await runOne(session, runnable, { ...options, signal, emit });
        await output.drained(signal);
        tags.push(tag);
        isOpen = inTransaction;
      } catch (fault) {
        if (!isPostgresError(fault)) throw fault;
        error = fault.message;
        output.emit(errorEvent(fault, runnable));
        break;
      }
    }
    const undo = error === null ? await recording?.finish() : undefined;
    const outcome = ownTransactions
      ? isOpen
        ? 'left open'
        : 'ended'
      : await end(session, error === null && !isReadOnly);
    const ms = elapsed(startedAt);
    output.emit({ event: 'done', outcome, ms, ...(undo && outcome === 'committed' ? { undo } : {}) });
    return { outcome, tags, error, ms };
  } finally {
    await stopCanceling();
    // Resets the session. Discards any settings, locks and temporary tables that remain after the script.
    session.release();
  }
}

async function end(session: Session, isGood: boolean): Promise<Outcome> {
  const { commandTag } = await session.runCapped(isGood ? 'commit' : 'rollback', {
    maxRows: 0,
    maxCellBytes: 0,
    columns() {},
    row() {},
  });
  return commandTag === 'COMMIT' ? 'committed' : 'rolled back';
}

async function runOne(
  session: Session,
  { text, parameters }: Runnable,
  options: Pick<RunOptions, 'output' | 'maxRows' | 'maxCellBytes' | 'typeNames' | 'signal'> & {
    /** Emits an event. Pauses reading from PostgreSQL if the client receives events too slowly. */
    readonly emit: (event: RunEvent, flow: Flow) => void;
  },
): Promise<{ tag: string; inTransaction: boolean }> {
  const { output, emit, maxRows, maxCellBytes = shownCellBytes, typeNames, signal } = options;
  const startedAt = performance.now();
  let columns: TextResult['columns'] = [];
  let rows: (readonly (string | null)[])[] = [];
  let cut: [number, number][] = [];
  let chars = 0;
  const take = (): RunEvent => {
    const event = { event: 'rows', rows, cut } as const;
    rows = [];
    cut = [];
    chars = 0;
    return event;
  };
  const { commandTag, more, inTransaction } = await session.runCapped(text, {
    maxRows,
    maxCellBytes,
    parameters,
    columns(found) {
      columns = found;
      output.emit({
        event: 'columns',
        columns: found.map(({ name, typeOid }) => ({ name, type: typeNames.get(typeOid) ?? '' })),
      });
    },
    row(cells, indexes, flow) {
      if (signal.aborted) return;
      for (const index of indexes) cut.push([rows.length, index]);
      rows.push(cells);
      for (const cell of cells) chars += cell?.length ?? 0;
      if (rows.length >= rowsPerEvent || chars >= maxEventChars) emit(take(), flow);
    },
  });
  if (rows.length > 0) output.emit(take());
  output.emit({ event: 'end', tag: commandTag, more, ms: elapsed(startedAt) });
  return { tag: commandTag === '' && columns.length > 0 ? 'SELECT' : commandTag, inTransaction };
}

const elapsed = (startedAt: number): number => Math.round((performance.now() - startedAt) * 10) / 10;

/**
 * Converts an error from PostgreSQL to an event. `prefixChars` is the number of characters that were added before the
 * statement's text.
 */
export function errorEvent(
  error: PostgresErrorShape,
  runnable: Pick<Runnable, 'text' | 'scriptOffset'> | undefined,
  prefixChars = 0,
): RunEvent & { event: 'error' } {
  const { severity, code, message, detail, hint, position } = error;
  const where = shortContext(error.where);
  return {
    event: 'error',
    severity,
    sqlstate: code,
    message,
    ...(detail ? { detail } : {}),
    ...(hint ? { hint } : {}),
    ...(where ? { where } : {}),
    at:
      runnable?.scriptOffset === undefined || position === undefined
        ? null
        : runnable.scriptOffset(utf16Offset(runnable.text, position - prefixChars)),
  };
}

/** Converts a position in an error from PostgreSQL, which counts characters starting at 1. */
function utf16Offset(text: string, position: number): number {
  let offset = 0;
  let count = 1;
  for (const char of text) {
    if (count++ >= position) break;
    offset += char.length;
  }
  return offset;
}
