/**
 * Runs one of the user's SQL files. If PostgreSQL allows it, the file is applied either completely or not at all. If a
 * statement fails, the error identifies this statement. Plinth's own statements run in the same transaction as the
 * file's within {@link shieldedFromFile}, so the file's changes to settings don't affect them.
 */

import { createHash } from 'node:crypto';
import { isPostgresError } from '../../base/shared/errors.ts';
import type { PostgresErrorShape, Queryable, Session, Transaction } from '../../platform/database/types.ts';
import { explainExisting } from './core/existing.ts';
import type { ServerExtensions } from './core/external-extension.ts';
import { explainMissing, type SchemaTool, type SqlText } from './core/missing.ts';
import { type PlannedStatement, type PlanOptions, planFile, type Step } from './core/plan.ts';
import { type Statement, splitStatements } from './core/split.ts';
import { ProjectError, statementFailed } from './errors.ts';
import { absentExtensionSentence } from './missing-extensions.ts';
import type { PrivilegedRunner } from './privileged.ts';
import {
  deleteProgress,
  isReadOnlyTransaction,
  selectProgress,
  selectRunState,
  shieldedFromFile,
  upsertProgress,
} from './queries.ts';
import { type TypesFile, typesFileNaming } from './types-files.ts';

export interface RunOptions {
  readonly session: Session;
  readonly privileged: PrivilegedRunner;
  /** Whether no other session uses the database. */
  readonly quiet: boolean;
  readonly embedded: PlanOptions['embedded'];
  /** Reads the extensions of a server that Plinth doesn't install. Called before each file. */
  readonly readExtensions?: (session: Queryable) => Promise<ServerExtensions>;
  /**
   * Returns the files from which the database is created, in order. Called if a file fails because an object doesn't
   * exist.
   */
  readonly readSources: () => readonly SqlText[];
  /** Returns the project's generated types. Called if no file creates the missing object. */
  readonly readTypes?: () => readonly TypesFile[];
  /** Returns the tool that creates the project's tables. Called if no file creates the missing object. */
  readonly findSchemaTool?: () => SchemaTool | undefined;
  /** Records the file in the history, in the same transaction as the file's last statements. */
  readonly record: (tx: Queryable, statements: readonly string[]) => Promise<void>;
  /**
   * Whether the caller's last transaction flushes all earlier transactions to disk, so that this file's transactions
   * don't have to be flushed.
   */
  readonly isFlushedLater?: boolean;
  /** Handles statements that fail. If undefined, the file stops at the first failure. */
  readonly keepGoing?: KeepGoing;
  /** Cancels the current transaction of the file when it is aborted, see {@link ProjectDeps}. */
  readonly signal?: AbortSignal | undefined;
}

/** Handles statements that fail. If such a handler is set, each statement runs in a savepoint. */
export interface KeepGoing {
  /**
   * Called if a statement fails. Returns `retry` if the missing object now exists. `tx` is the transaction in which the
   * statement failed.
   */
  failed(failure: StatementFailure, tx: Queryable): Promise<'retry' | 'leave out'>;
  /**
   * Called after each statement. If the call returns an error, the statement is rolled back as if the statement had
   * failed.
   */
  complaint?(): PostgresErrorShape | undefined;
  /** Records skipped statements, in the transaction that commits the statements before and after them. */
  record?(tx: Queryable, failures: readonly RecordedFailure[]): Promise<void>;
  /** Called after the file has run. */
  fileDone?(file: RanFile): Promise<void>;
}

export interface RanFile {
  readonly shownPath: string;
  readonly statements: readonly Statement[];
  /** Writes the file's entry in the history again, with the statements that have run. */
  readonly record: RunOptions['record'];
}

export interface StatementFailure {
  /** The file's path, such as `supabase/migrations/1_init.sql`. */
  readonly file: string;
  /** The index of the statement, starting at 0 as in upstream. */
  readonly index: number;
  /** The line on which the statement begins. */
  readonly line: number;
  readonly statement: string;
  readonly error: Pick<PostgresErrorShape, 'code' | 'message' | 'detail' | 'where' | 'position'>;
}

/** A failure with the role and the search path that were in effect. */
export interface RecordedFailure extends StatementFailure {
  readonly role: string;
  readonly searchPath: string;
}

/** Checks deferred constraints now, and defers them again for the next statement. */
export const checkConstraints = 'set constraints all immediate; set constraints all deferred';

/** A transaction whose statements all succeeded but that PostgreSQL rejected at COMMIT. */
class CommitFailure extends Error {
  declare readonly cause: PostgresErrorShape;
  constructor(cause: PostgresErrorShape) {
    super(cause.message, { cause });
  }
}

/** The maximum number of attempts for a statement that fails in a different way each time. */
const maxRetries = 200;

/**
 * Runs the file. The session must be in its initial state, and this function restores that state at the end.
 *
 * @throws {ProjectError} The session can't be used after this error.
 */
export async function runFile(file: SqlText, options: RunOptions): Promise<void> {
  const { session, privileged, signal } = options;
  signal?.throwIfAborted();
  // A file with a NUL character is rejected because the server would interpret the text after this character as another
  // message.
  if (file.text.includes('\0')) throw new ProjectError('not_utf8', { file: file.shownPath });
  const statements = splitStatements(file.text);
  if (options.keepGoing === undefined) rejectCopyFromStdin(file, statements);
  await session.reset();
  const external = await options.readExtensions?.(session);
  const steps = endingWithTransaction(planFile(statements, { ...options, external }));
  const run = new FileRun(file, statements, steps, options);
  await privileged.prepare(steps.flatMap((step) => (step.kind === 'transaction' ? step.statements : [])));
  try {
    await run.all();
  } finally {
    await privileged.cleanUp();
  }
  await session.reset();
  await options.keepGoing?.fileDone?.({ shownPath: file.shownPath, statements, record: options.record });
}

/**
 * Adds a transaction at the end if the file doesn't contain one. The file is recorded in the history in this
 * transaction.
 */
function endingWithTransaction(steps: Step[]): Step[] {
  const last = steps.at(-1);
  if (last?.kind === 'transaction' && last.end === 'commit') return steps;
  return [...steps, { kind: 'transaction', statements: [], end: 'commit' }];
}

class FileRun {
  readonly #file: SqlText;
  readonly #statements: readonly Statement[];
  readonly #steps: readonly Step[];
  readonly #options: RunOptions;
  readonly #skipped = new Set<number>();
  /** The failures of the current step, which aren't recorded yet. */
  #failures: RecordedFailure[] = [];

  constructor(file: SqlText, statements: readonly Statement[], steps: readonly Step[], options: RunOptions) {
    this.#file = file;
    this.#statements = statements;
    this.#steps = steps;
    this.#options = options;
  }

  async all(): Promise<void> {
    const done = this.#steps.length === 1 ? 0 : await this.#stepsDone();
    for (let step = done; step < this.#steps.length; step++) await this.#step(step);
  }

  async #step(number: number): Promise<void> {
    const { session } = this.#options;
    const step = this.#steps[number] as Step;
    if (step.kind === 'alone') {
      const run = () => session.exec(step.statement.text);
      const { keepGoing } = this.#options;
      if (keepGoing === undefined) await this.#statement(step.statement, number, run);
      else await this.#tolerantly(step.statement, session, run, keepGoing);
      await this.#bookLater(number);
      return;
    }
    try {
      if (await this.#transaction(step, number)) return;
    } catch (error) {
      if (!(error instanceof CommitFailure)) throw error;
      if (this.#options.keepGoing === undefined) throw this.#failed('commit_failed', number, error.cause);
      // A statement violates a deferred constraint. If each statement is checked immediately, only this statement is
      // skipped instead of the whole transaction, which could also enable row level security.
      for (const { index } of step.statements) this.#skipped.delete(index);
      this.#failures = [];
      if (await this.#transaction(step, number, 'immediate')) return;
    }
    await this.#bookLater(number);
  }

  /** Returns whether the step is recorded. @throws {CommitFailure} */
  async #transaction(
    step: Step & { readonly kind: 'transaction' },
    number: number,
    constraints?: 'immediate',
  ): Promise<boolean> {
    let isBooked = step.end === 'rollback';
    let failure: unknown;
    const work = async (tx: Transaction) => {
      for (const statement of step.statements) await this.#inTransaction(tx, statement, number, constraints);
      if (!isBooked) isBooked = await this.#book(tx, number);
    };
    try {
      await this.#options.session.transaction(
        (tx) =>
          work(tx).catch((error) => {
            failure = error;
            throw error;
          }),
        { end: step.end, signal: this.#options.signal },
      );
    } catch (error) {
      // Deferred constraints are checked at the end of the transaction.
      throw error === failure || !isPostgresError(error) ? error : new CommitFailure(error);
    }
    if (isBooked) this.#failures = [];
    return isBooked;
  }

  /** Records that the step is complete. Returns false if the file has made the transaction read-only. */
  async #book(tx: Queryable, number: number): Promise<boolean> {
    try {
      return await shieldedFromFile(tx, this.#options.isFlushedLater === true, async () => {
        if (await isReadOnlyTransaction(tx)) return false;
        await this.#record(tx, number);
        return true;
      });
    } catch (error) {
      if (!isPostgresError(error)) throw error;
      throw this.#failed('record_failed', number, error);
    }
  }

  async #record(tx: Queryable, number: number): Promise<void> {
    if (number < this.#steps.length - 1) {
      await upsertProgress(tx, this.#file.shownPath, this.#progress(number + 1));
      await this.#options.keepGoing?.record?.(tx, this.#failures);
      return;
    }
    if (number > 0) await deleteProgress(tx, this.#file.shownPath);
    const applied = this.#statements.filter((_, index) => !this.#skipped.has(index));
    await this.#options.record(
      tx,
      applied.map(({ text }) => text),
    );
    await this.#options.keepGoing?.record?.(tx, this.#failures);
  }

  /**
   * Records the step in a separate transaction. A separate transaction is sufficient because the step is already
   * complete and could be repeated without harm.
   */
  async #bookLater(number: number): Promise<void> {
    await this.#options.session.transaction((tx) => this.#book(tx, number), { readOnly: false });
    this.#failures = [];
  }

  #failed(code: 'commit_failed' | 'record_failed', number: number, cause: PostgresErrorShape): ProjectError {
    const file = `${this.#file.shownPath}:${this.#lastLine(number)}`;
    const details = { file, message: `${cause.message} (SQLSTATE ${cause.code})` };
    return new ProjectError(code, details, { cause, advice: cause.detail ? [cause.detail] : [] });
  }

  /** Returns the line on which the step's last statement begins. */
  #lastLine(number: number): number {
    const step = this.#steps[number] as Step;
    const last = step.kind === 'alone' ? step.statement : step.statements.at(-1);
    return this.#statements[last?.index ?? this.#statements.length - 1]?.line ?? 1;
  }

  async #inTransaction(
    tx: Transaction,
    statement: PlannedStatement,
    step: number,
    constraints?: 'immediate',
  ): Promise<void> {
    const { privileged, keepGoing } = this.#options;
    const run = (within: Queryable) =>
      statement.privileged === undefined ? within.exec(statement.text) : privileged.run(within, statement);
    if (keepGoing === undefined) return await this.#statement(statement, step, () => run(tx));
    const inSavepoint = () =>
      tx.savepoint(async (within) => {
        await run(within);
        if (constraints !== undefined) await within.exec(checkConstraints);
        const complaint = keepGoing.complaint?.();
        if (complaint !== undefined) throw complaint;
      });
    await this.#tolerantly(statement, tx, inSavepoint, keepGoing);
  }

  /** Runs a statement, and continues if the statement fails. */
  async #tolerantly(
    { index }: PlannedStatement,
    tx: Queryable,
    run: () => Promise<void>,
    keepGoing: KeepGoing,
  ): Promise<void> {
    const { text, line, copiesFromStdin } = this.#statements[index] as Statement;
    const failed = { file: this.#file.shownPath, index, line, statement: text };
    let lastError: PostgresErrorShape | undefined;
    for (let attempt = 0; attempt < maxRetries; attempt++) {
      try {
        if (copiesFromStdin) throw copyRejection(this.#file, line);
        await run();
        return;
      } catch (error) {
        if (!isPostgresError(error)) throw error;
        this.#options.signal?.throwIfAborted();
        lastError = error;
        if ((await keepGoing.failed({ ...failed, error }, tx)) === 'leave out') break;
      }
    }
    this.#skipped.add(index);
    if (lastError === undefined || keepGoing.record === undefined) return;
    this.#failures.push({ ...failed, error: lastError, ...(await selectRunState(tx)) });
  }

  async #statement(
    { index, privileged }: PlannedStatement,
    step: number,
    run: () => Promise<void>,
  ): Promise<void> {
    try {
      await run();
    } catch (error) {
      if (!isPostgresError(error)) throw error;
      const { text, line } = this.#statements[index] as Statement;
      const { shownPath } = this.#file;
      const failed = { file: shownPath, index, line, text, committed: step > 0 };
      const absentExtension = this.#options.embedded && absentExtensionSentence(error);
      const files = this.#options.readSources();
      const existing = explainExisting(error, { failed: shownPath, line, files });
      const missing = explainMissing(error, {
        failed: shownPath,
        files,
        absentExtension,
        findSchemaTool: this.#options.findSchemaTool,
        typesFileNaming: (schema, name) => typesFileNaming(this.#options.readTypes?.() ?? [], schema, name),
      });
      const reason = [...missing, ...existing];
      const lacksExtension = reason[0] !== undefined && reason[0] === absentExtension;
      throw statementFailed(
        { ...failed, isOurCall: privileged !== undefined, reason, lacksExtension },
        error,
      );
    }
  }

  /**
   * Returns the number of steps that an earlier run completed before it failed or was killed. Returns 0 if the text of
   * these steps has changed.
   */
  async #stepsDone(): Promise<number> {
    const known = await selectProgress(this.#options.session, this.#file.shownPath);
    if (known === undefined || known.steps >= this.#steps.length) return 0;
    return this.#progress(known.steps).digest === known.digest ? known.steps : 0;
  }

  #progress(steps: number): { steps: number; digest: string } {
    const hash = createHash('sha256');
    for (const step of this.#steps.slice(0, steps)) {
      for (const { text } of step.kind === 'alone' ? [step.statement] : step.statements)
        hash.update(`${text};`);
    }
    return { steps, digest: hash.digest('hex') };
  }
}

function rejectCopyFromStdin({ shownPath }: SqlText, statements: readonly Statement[]): void {
  const copy = statements.find(({ copiesFromStdin }) => copiesFromStdin);
  if (copy !== undefined) throw new ProjectError('copy_from_stdin', { file: `${shownPath}:${copy.line}` });
}

/**
 * Returns a PostgreSQL error for a COPY statement, so that the statement is skipped like any other statement that
 * fails.
 */
function copyRejection({ shownPath }: SqlText, line: number): PostgresErrorShape {
  const { message } = new ProjectError('copy_from_stdin', { file: `${shownPath}:${line}` });
  return Object.assign(new Error(message), { code: '0A000', severity: 'ERROR' });
}
