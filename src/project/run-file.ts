/**
 * Runs one SQL file of the user's, all or nothing where PostgreSQL allows it, and says exactly what failed. Nothing that
 * its statements set reaches the statements of ours: these run in the same transaction, behind {@link shieldFromFile}.
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
  /** Nobody else uses the database. */
  readonly quiet: boolean;
  readonly embedded: PlanOptions['embedded'];
  /** What creates the database, in order: read when a file fails on something that does not exist. */
  readonly readSources: () => readonly SqlText[];
  /** The project's generated types: read when no file creates what is missing. */
  readonly readTypes?: () => readonly TypesFile[];
  /** Writes the bookkeeping, in the transaction of the file's last statements. */
  readonly record: (tx: Queryable, statements: readonly string[]) => Promise<void>;
  /** Undefined: the first failure ends the file. */
  readonly keepGoing?: KeepGoing;
}

/** What becomes of statements that fail, each in a savepoint of its own. */
export interface KeepGoing {
  /** `retry`: whatever it lacked is there now. `tx` is the transaction that the statement is part of. */
  failed(failure: StatementFailure, tx: Queryable): Promise<'retry' | 'leave out'>;
  /** Asked when a statement has run; an error undoes it, as if it had failed so. */
  complaint?(): PostgresErrorShape | undefined;
  /** What was left out of a file, in the transaction of its last statements. */
  record?(tx: Queryable, file: string): Promise<void>;
}

export interface StatementFailure {
  /** As `supabase/migrations/1_init.sql`. */
  readonly file: string;
  /** From 0, as upstream counts; undefined: all of the file, whose transaction failed when it was committed. */
  readonly index: number | undefined;
  /** Line of the file on which the statement begins. */
  readonly line: number;
  readonly statement: string;
  readonly error: Pick<PostgresErrorShape, 'code' | 'message' | 'detail' | 'where' | 'position'>;
}

/** A statement that fails in a new way each time it is run again is given up after so many. */
const mostRetries = 200;

/**
 * Begins with a session as new, and leaves one.
 *
 * @throws {ProjectError} The session is then unusable.
 */
export async function runFile(file: SqlText, options: RunOptions): Promise<void> {
  const { session, privileged } = options;
  // The server would take what follows the character for another message.
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

/** The bookkeeping needs a transaction at the end, even where the file has none. */
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

  /** Records that the step is done. False: the file has made the transaction read-only. */
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

  /** In a transaction of its own: what was done is done in any case, and doing it again is harmless. */
  async #bookLater(number: number): Promise<void> {
    await this.#options.session.transaction((tx) => this.#book(tx, number), { readOnly: false });
  }

  #failed(code: 'commit_failed' | 'record_failed', number: number, cause: PostgresErrorShape): ProjectError {
    const file = `${this.#file.shownPath}:${this.#lastLine(number)}`;
    const details = { file, message: `${cause.message} (SQLSTATE ${cause.code})` };
    return new ProjectError(code, details, { cause, advice: cause.detail ? [cause.detail] : [] });
  }

  /** Where the last statement of the step begins. */
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

  /** Runs it, and leaves it out where it fails. */
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

  /** Steps done by an earlier run that failed or was killed, if they are still written as they were then. */
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

/** The same refusal where statements that fail are left out. */
function copyRefusal({ shownPath }: SqlText, line: number): PostgresErrorShape {
  const { message } = new ProjectError('copy_from_stdin', { file: `${shownPath}:${line}` });
  return Object.assign(new Error(message), { code: '0A000', severity: 'ERROR' });
}

function isDatabaseError(error: unknown): error is PostgresErrorShape {
  return error instanceof Error && 'code' in error && 'severity' in error;
}
