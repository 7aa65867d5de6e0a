/**
 * Runs one of the user's SQL files, completely or not at all if PostgreSQL allows it, and reports exactly what failed.
 * Settings made by its statements don't affect ours, which run in the same transaction after {@link shieldFromFile}.
 */
import { createHash } from 'node:crypto';
import type { PostgresErrorShape, Queryable, Session, Transaction } from '../database/types.ts';
import { explainMissing, type SqlText } from './core/missing.ts';
import { type PlannedStatement, type PlanOptions, planFile, type Step } from './core/plan.ts';
import { type Statement, splitStatements } from './core/split.ts';
import { ProjectError, statementFailed } from './errors.ts';
import { absentExtensionSentence } from './missing-extensions.ts';
import type { PrivilegedRunner } from './privileged.ts';
import {
  deleteProgress,
  isReadOnlyTransaction,
  selectProgress,
  shieldFromFile,
  upsertProgress,
} from './queries.ts';
import { type TypesFile, typesFileNaming } from './types-files.ts';

export interface RunOptions {
  readonly session: Session;
  readonly privileged: PrivilegedRunner;
  /** Whether nothing else uses the database. */
  readonly quiet: boolean;
  readonly embedded: PlanOptions['embedded'];
  /** Returns the sources of the database in order. Called if a file fails because an object doesn't exist. */
  readonly readSources: () => readonly SqlText[];
  /** Returns the project's generated types. Called if no file creates the missing object. */
  readonly readTypes?: () => readonly TypesFile[];
  /** Writes the history in the transaction of the file's last statements. */
  readonly record: (tx: Queryable, statements: readonly string[]) => Promise<void>;
  /** If undefined, the first failure ends the file. */
  readonly keepGoing?: KeepGoing;
}

/** Handles failing statements, each of which runs in a savepoint. */
export interface KeepGoing {
  /** `retry` if the missing object exists now. `tx` is the statement's transaction. */
  failed(failure: StatementFailure, tx: Queryable): Promise<'retry' | 'leave out'>;
  /** Called after each statement. A returned error rolls the statement back, as if it had failed. */
  complaint?(): PostgresErrorShape | undefined;
  /** Records the skipped statements of a file, in the transaction of its last statements. */
  record?(tx: Queryable, file: string): Promise<void>;
}

export interface StatementFailure {
  /** Such as `supabase/migrations/1_init.sql`. */
  readonly file: string;
  /** Counted from 0, as in upstream. Undefined for the whole file, if its transaction failed on commit. */
  readonly index: number | undefined;
  /** The line on which the statement begins. */
  readonly line: number;
  readonly statement: string;
  readonly error: Pick<PostgresErrorShape, 'code' | 'message' | 'detail' | 'where' | 'position'>;
}

/** The maximum number of retries of a statement that fails differently each time. */
const mostRetries = 200;

/**
 * Requires a session in its initial state, and restores it.
 *
 * @throws {ProjectError} The session can't be used afterwards.
 */
export async function runFile(file: SqlText, options: RunOptions): Promise<void> {
  const { session, privileged } = options;
  // The server would interpret the text after this character as another message.
  if (file.text.includes('\0')) throw new ProjectError('not_utf8', { file: file.shownPath });
  const statements = splitStatements(file.text);
  if (options.keepGoing === undefined) refuseCopyFromStdin(file, statements);
  await session.reset();
  const steps = endingWithTransaction(planFile(statements, options));
  const run = new FileRun(file, statements, steps, options);
  await privileged.prepare(steps.flatMap((step) => (step.kind === 'transaction' ? step.statements : [])));
  try {
    await run.all();
  } finally {
    await privileged.cleanUp();
  }
  await session.reset();
}

/** The history needs a transaction at the end, even if the file has none. */
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
  readonly #leftOut = new Set<number>();

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
    let isBooked = step.end === 'rollback';
    let failure: unknown;
    const work = async (tx: Transaction) => {
      for (const statement of step.statements) await this.#inTransaction(tx, statement, number);
      if (!isBooked) isBooked = await this.#book(tx, number);
    };
    try {
      await session.transaction(
        (tx) =>
          work(tx).catch((error) => {
            failure = error;
            throw error;
          }),
        { end: step.end },
      );
    } catch (error) {
      if (error === failure || !isDatabaseError(error)) throw error;
      // Deferred constraints are checked at the end.
      const { keepGoing } = this.#options;
      if (keepGoing === undefined) throw this.#failed('commit_failed', number, error);
      for (const { index } of step.statements) this.#leftOut.add(index);
      const line = this.#lastLine(number);
      await keepGoing.failed(
        { file: this.#file.shownPath, index: undefined, line, statement: 'commit', error },
        session,
      );
      isBooked = false;
    }
    if (!isBooked) await this.#bookLater(number);
  }

  /** Records that the step is done. Returns false if the file has made the transaction read-only. */
  async #book(tx: Queryable, number: number): Promise<boolean> {
    try {
      await shieldFromFile(tx);
      if (await isReadOnlyTransaction(tx)) return false;
      if (number < this.#steps.length - 1) {
        await upsertProgress(tx, this.#file.shownPath, this.#progress(number + 1));
      } else {
        if (number > 0) await deleteProgress(tx, this.#file.shownPath);
        await this.#options.record(
          tx,
          this.#statements.flatMap(({ text }, index) => (this.#leftOut.has(index) ? [] : [text])),
        );
        await this.#options.keepGoing?.record?.(tx, this.#file.shownPath);
      }
      return true;
    } catch (error) {
      if (!isDatabaseError(error)) throw error;
      throw this.#failed('record_failed', number, error);
    }
  }

  /** Uses a separate transaction, because the step is done in any case and repeating it is harmless. */
  async #bookLater(number: number): Promise<void> {
    await this.#options.session.transaction((tx) => this.#book(tx, number), { readOnly: false });
  }

  #failed(code: 'commit_failed' | 'record_failed', number: number, cause: PostgresErrorShape): ProjectError {
    const file = `${this.#file.shownPath}:${this.#lastLine(number)}`;
    const details = { file, message: `${cause.message} (SQLSTATE ${cause.code})` };
    return new ProjectError(code, details, { cause, advice: cause.detail ? [cause.detail] : [] });
  }

  /** The line on which the step's last statement begins. */
  #lastLine(number: number): number {
    const step = this.#steps[number] as Step;
    const last = step.kind === 'alone' ? step.statement : step.statements.at(-1);
    return this.#statements[last?.index ?? this.#statements.length - 1]?.line ?? 1;
  }

  async #inTransaction(tx: Transaction, statement: PlannedStatement, step: number): Promise<void> {
    const { privileged, keepGoing } = this.#options;
    const run = (within: Queryable) =>
      statement.privileged === undefined ? within.exec(statement.text) : privileged.run(within, statement);
    if (keepGoing === undefined) return await this.#statement(statement, step, () => run(tx));
    const inSavepoint = () =>
      tx.savepoint(async (within) => {
        await run(within);
        const complaint = keepGoing.complaint?.();
        if (complaint !== undefined) throw complaint;
      });
    await this.#tolerantly(statement, tx, inSavepoint, keepGoing);
  }

  /** Runs the statement and skips it if it fails. */
  async #tolerantly(
    { index }: PlannedStatement,
    tx: Queryable,
    run: () => Promise<void>,
    keepGoing: KeepGoing,
  ): Promise<void> {
    const { text, line, copiesFromStdin } = this.#statements[index] as Statement;
    const failed = { file: this.#file.shownPath, index, line, statement: text };
    for (let attempt = 0; attempt < mostRetries; attempt++) {
      try {
        if (copiesFromStdin) throw copyRefusal(this.#file, line);
        await run();
        return;
      } catch (error) {
        if (!isDatabaseError(error)) throw error;
        if ((await keepGoing.failed({ ...failed, error }, tx)) === 'leave out') break;
      }
    }
    this.#leftOut.add(index);
  }

  async #statement(
    { index, privileged }: PlannedStatement,
    step: number,
    run: () => Promise<void>,
  ): Promise<void> {
    try {
      await run();
    } catch (error) {
      if (!isDatabaseError(error)) throw error;
      const { text, line } = this.#statements[index] as Statement;
      const { shownPath } = this.#file;
      const failed = { file: shownPath, index, line, text, committed: step > 0 };
      const absentExtension = this.#options.embedded && absentExtensionSentence(error);
      const files = this.#options.readSources();
      const reason = explainMissing(error, {
        failed: shownPath,
        files,
        absentExtension,
        typesFileNaming: (schema, name) => typesFileNaming(this.#options.readTypes?.() ?? [], schema, name),
      });
      const lacksExtension = reason[0] !== undefined && reason[0] === absentExtension;
      throw statementFailed(
        { ...failed, isOurCall: privileged !== undefined, reason, lacksExtension },
        error,
      );
    }
  }

  /**
   * Returns the number of steps that an earlier run completed before it failed or was killed, if their text hasn't
   * changed.
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

function refuseCopyFromStdin({ shownPath }: SqlText, statements: readonly Statement[]): void {
  const copy = statements.find(({ copiesFromStdin }) => copiesFromStdin);
  if (copy !== undefined) throw new ProjectError('copy_from_stdin', { file: `${shownPath}:${copy.line}` });
}

/** The same error if failing statements are skipped. */
function copyRefusal({ shownPath }: SqlText, line: number): PostgresErrorShape {
  const { message } = new ProjectError('copy_from_stdin', { file: `${shownPath}:${line}` });
  return Object.assign(new Error(message), { code: '0A000', severity: 'ERROR' });
}

function isDatabaseError(error: unknown): error is PostgresErrorShape {
  return error instanceof Error && 'code' in error && 'severity' in error;
}
