/**
 * Runs the statements of a script on a separate connection and emits events while they run. The script runs in one
 * transaction, unless it controls transactions itself or contains a statement that PostgreSQL doesn't allow in a
 * transaction.
 */
import type { Database, PostgresErrorShape, Session, TextResult } from '../../database/types.ts';
import { isPostgresError } from '../../shared/postgres-error.ts';
import { ConsoleError } from '../errors.ts';
import type { Identity } from '../persona/act.ts';
import type { Outcome, RunEvent } from './contract.ts';
import { controlsTransaction, needsNoTransaction, type Statement } from './core/statements.ts';
import { readOnlyQuery } from './read-only.ts';
import { begin, cancelOn } from './session.ts';

export interface RunOptions {
  readonly database: Database;
  readonly statements: readonly Statement[];
  readonly identity: Identity;
  readonly isReadOnly: boolean;
  readonly maxRows: number;
  readonly timeoutMs: number;
  /** The names of types by OID, which are shown in column headers. */
  readonly typeNames: ReadonlyMap<number, string>;
  /**
   * Emits an event. Returns false if the receiver's buffer is full. `whenDrained` then calls its argument as soon as
   * there is space.
   */
  readonly emit: (event: RunEvent) => boolean;
  readonly whenDrained: (resume: () => void) => void;
  readonly signal: AbortSignal;
}

/**
 * The maximum size of a cell's text in a response. The grid shows less than this, and the side panel fetches the
 * complete value.
 */
const maxCellBytes = 4096;
const rowsPerEvent = 100;
/** The additional time after PostgreSQL's own timeout, which a script can change. */
const graceMs = 1000;

export interface RunReport {
  readonly outcome: Outcome;
  readonly tags: readonly string[];
  readonly error: string | null;
  readonly ms: number;
}

export async function runScript(options: RunOptions): Promise<RunReport> {
  const { database, statements, identity, isReadOnly, signal, emit } = options;
  const ownTransactions = statements.some(
    (statement) => controlsTransaction(statement) || needsNoTransaction(statement),
  );
  if (ownTransactions && identity.claims !== undefined)
    throw new ConsoleError('bad_request', {
      message: 'Statements run as a persona share one transaction, so remove BEGIN, COMMIT and ROLLBACK.',
    });
  const texts = isReadOnly
    ? await queriesOf(database, statements, signal)
    : statements.map(({ text }) => text);
  const session = await database
    .pool(identity.claims === undefined ? identity.operatorRole : 'authenticator')
    .connect();
  const startedAt = performance.now();
  const tags: string[] = [];
  let error: string | null = null;
  // Whether a transaction is open. After a statement has failed, it can only be rolled back.
  let isOpen = false;
  const stopCanceling = cancelOn(
    session,
    AbortSignal.any([signal, AbortSignal.timeout(options.timeoutMs + graceMs)]),
  );
  session.onNotice(({ severity, message, detail, hint }) => {
    emit({ event: 'notice', severity, message, ...(detail ? { detail } : {}), ...(hint ? { hint } : {}) });
  });
  try {
    await begin(session, options, ownTransactions);
    for (const [index, statement] of statements.entries()) {
      signal.throwIfAborted();
      emit({ event: 'statement', index, start: statement.start, end: statement.end });
      try {
        const { tag, inTransaction } = await runOne(session, texts[index] ?? '', options);
        tags.push(tag);
        isOpen = inTransaction;
      } catch (fault) {
        if (!isPostgresError(fault)) throw fault;
        error = fault.message;
        emit(errorEvent(fault, isReadOnly ? undefined : statement));
        break;
      }
    }
    const outcome = ownTransactions
      ? isOpen
        ? 'left open'
        : 'ended'
      : await end(session, error === null && !isReadOnly);
    const ms = elapsed(startedAt);
    emit({ event: 'done', outcome, ms });
    return { outcome, tags, error, ms };
  } finally {
    await stopCanceling();
    // Resets the session, which discards the settings, locks and temporary tables that the script created.
    session.release();
  }
}

/** Checks all statements before the first one runs. */
async function queriesOf(
  database: Database,
  statements: readonly Statement[],
  signal: AbortSignal,
): Promise<string[]> {
  const texts: string[] = [];
  for (const statement of statements) {
    signal.throwIfAborted();
    texts.push(await readOnlyQuery(database, statement));
  }
  return texts;
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
  text: string,
  options: RunOptions,
): Promise<{ tag: string; inTransaction: boolean }> {
  const { emit, whenDrained, maxRows, typeNames } = options;
  const startedAt = performance.now();
  let columns: TextResult['columns'] = [];
  let rows: (readonly (string | null)[])[] = [];
  let cut: [number, number][] = [];
  const flush = (): boolean => {
    if (rows.length === 0) return true;
    const isRoomy = emit({ event: 'rows', rows, cut });
    rows = [];
    cut = [];
    return isRoomy;
  };
  const { commandTag, more, inTransaction } = await session.runCapped(text, {
    maxRows,
    maxCellBytes,
    columns(found) {
      columns = found;
      emit({
        event: 'columns',
        columns: found.map(({ name, typeOid }) => ({ name, type: typeNames.get(typeOid) ?? '' })),
      });
    },
    row(cells, indexes, flow) {
      for (const index of indexes) cut.push([rows.length, index]);
      rows.push(cells);
      if (rows.length < rowsPerEvent || flush()) return;
      flow.pause();
      whenDrained(() => flow.resume());
    },
  });
  flush();
  emit({ event: 'end', tag: commandTag, more, ms: elapsed(startedAt) });
  return { tag: commandTag === '' && columns.length > 0 ? 'SELECT' : commandTag, inTransaction };
}

const elapsed = (startedAt: number): number => Math.round((performance.now() - startedAt) * 10) / 10;

export function errorEvent(
  error: PostgresErrorShape,
  statement: Pick<Statement, 'text' | 'start'> | undefined,
): RunEvent {
  const { severity, code, message, detail, hint, where, position } = error;
  return {
    event: 'error',
    severity,
    sqlstate: code,
    message,
    ...(detail ? { detail } : {}),
    ...(hint ? { hint } : {}),
    ...(where ? { where } : {}),
    at:
      statement === undefined || position === undefined
        ? null
        : statement.start + utf16Offset(statement.text, position),
  };
}

/** Converts a position from PostgreSQL, which counts characters starting at 1. */
function utf16Offset(text: string, position: number): number {
  let offset = 0;
  let count = 1;
  for (const char of text) {
    if (count++ >= position) break;
    offset += char.length;
  }
  return offset;
}
