/** Runs one SQL file of the user's, all or nothing where PostgreSQL allows it, and says exactly what failed. */
import { createHash } from 'node:crypto';
import type { PostgresErrorShape, Queryable, Session } from '../database/types.ts';
import { type PlannedStatement, planFile, type Step } from './core/plan.ts';
import { type Statement, splitStatements } from './core/split.ts';
import { ProjectError, statementFailed } from './errors.ts';
import type { PrivilegedRunner } from './privileged.ts';
import { deleteProgress, selectProgress, upsertProgress } from './queries.ts';

export interface SqlFile {
  /** `supabase/migrations/1_init.sql` */
  readonly shownPath: string;
  readonly text: string;
}

export interface RunOptions {
  readonly session: Session;
  readonly privileged: PrivilegedRunner;
  /** Nobody else uses the database. */
  readonly quiet: boolean;
  /** The `vector` extension is ours: an embedded server. */
  readonly exactVectors: boolean;
  /** Writes the bookkeeping, in the transaction of the file's last statements. */
  readonly record: (tx: Queryable, statements: readonly string[]) => Promise<void>;
}

/** @throws {ProjectError} */
export async function runFile(file: SqlFile, options: RunOptions): Promise<void> {
  const { session, privileged } = options;
  const statements = splitStatements(file.text);
  refuseCopyFromStdin(file, statements);
  // What the file before has set must not reach this one; RESET ALL leaves the role alone.
  await session.exec('reset all; reset role');

  const steps = endingWithTransaction(planFile(statements, options));
  const run = new FileRun(file, statements, steps, options);
  await privileged.prepare(steps.flatMap((step) => (step.kind === 'transaction' ? step.statements : [])));
  try {
    await run.all();
  } finally {
    await privileged.cleanUp();
  }
}

/** The bookkeeping needs a transaction at the end, even where the file has none. */
function endingWithTransaction(steps: Step[]): Step[] {
  const last = steps.at(-1);
  if (last?.kind === 'transaction' && last.end === 'commit') return steps;
  return [...steps, { kind: 'transaction', statements: [], end: 'commit' }];
}

class FileRun {
  readonly #file: SqlFile;
  readonly #statements: readonly Statement[];
  readonly #steps: readonly Step[];
  readonly #options: RunOptions;

  constructor(file: SqlFile, statements: readonly Statement[], steps: readonly Step[], options: RunOptions) {
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
    const { session, record } = this.#options;
    const step = this.#steps[number] as Step;
    const isLast = number === this.#steps.length - 1;
    if (step.kind === 'alone') {
      await this.#statement(step.statement, number, () => session.exec(step.statement.text));
      await upsertProgress(session, this.#file.shownPath, this.#progress(number + 1));
      return;
    }
    let failure: unknown;
    const work = async (tx: Queryable) => {
      for (const statement of step.statements) await this.#inTransaction(tx, statement, number);
      if (step.end === 'rollback') return;
      if (!isLast) {
        await upsertProgress(tx, this.#file.shownPath, this.#progress(number + 1));
        return;
      }
      // The file may have switched roles for the rest of its transaction.
      await tx.exec('reset role');
      if (number > 0) await deleteProgress(tx, this.#file.shownPath);
      await record(
        tx,
        this.#statements.map(({ text }) => text),
      );
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
      // Deferred constraints speak up at the end.
      const details = { file: this.#file.shownPath, message: `${error.message} (SQLSTATE ${error.code})` };
      throw new ProjectError('commit_failed', details, {
        cause: error,
        advice: error.detail ? [error.detail] : [],
      });
    }
  }

  async #inTransaction(tx: Queryable, statement: PlannedStatement, step: number): Promise<void> {
    const { privileged } = this.#options;
    const run =
      statement.privileged === undefined
        ? () => tx.exec(statement.text)
        : () => privileged.run(tx, statement.index);
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
      const failed = { file: this.#file.shownPath, index, line, text, committed: step > 0 };
      throw statementFailed({ ...failed, isOurCall: privileged !== undefined }, error);
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

function refuseCopyFromStdin({ shownPath }: SqlFile, statements: readonly Statement[]): void {
  const copy = statements.find(({ words, text }) => words[0] === 'copy' && /\bfrom\s+stdin\b/i.test(text));
  if (copy !== undefined) throw new ProjectError('copy_from_stdin', { file: `${shownPath}:${copy.line}` });
}

function isDatabaseError(error: unknown): error is PostgresErrorShape {
  return error instanceof Error && 'code' in error && 'severity' in error;
}
