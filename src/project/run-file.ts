/**
 * Runs one SQL file of the user's, all or nothing where PostgreSQL allows it, and says exactly what failed. Nothing that
 * its statements set reaches the statements of ours: these run in the same transaction, behind {@link shieldFromFile}.
 */
import { createHash } from 'node:crypto';
import type { PostgresErrorShape, Queryable, Session } from '../database/types.ts';
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

export interface RunOptions {
  readonly session: Session;
  readonly privileged: PrivilegedRunner;
  /** Nobody else uses the database. */
  readonly quiet: boolean;
  readonly embedded: PlanOptions['embedded'];
  /** What creates the database, in order: read when a file fails on something that does not exist. */
  readonly readSources: () => readonly SqlText[];
  /** Writes the bookkeeping, in the transaction of the file's last statements. */
  readonly record: (tx: Queryable, statements: readonly string[]) => Promise<void>;
}

/**
 * Begins with a session as new, and leaves one.
 *
 * @throws {ProjectError} The session is then unusable.
 */
export async function runFile(file: SqlText, options: RunOptions): Promise<void> {
  const { session, privileged } = options;
  const statements = splitStatements(file.text);
  refuseCopyFromStdin(file, statements);
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
      await this.#statement(step.statement, number, () => session.exec(step.statement.text));
      await this.#bookLater(number);
      return;
    }
    let isBooked = step.end === 'rollback';
    let failure: unknown;
    const work = async (tx: Queryable) => {
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
      throw this.#failed('commit_failed', number, error);
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
          this.#statements.map(({ text }) => text),
        );
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

  async #inTransaction(tx: Queryable, statement: PlannedStatement, step: number): Promise<void> {
    const { privileged } = this.#options;
    const run =
      statement.privileged === undefined
        ? () => tx.exec(statement.text)
        : () => privileged.run(tx, statement);
    await this.#statement(statement, step, run);
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
      const reason = explainMissing(error, { failed: shownPath, files, absentExtension });
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

function isDatabaseError(error: unknown): error is PostgresErrorShape {
  return error instanceof Error && 'code' in error && 'severity' in error;
}
