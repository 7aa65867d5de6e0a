/**
 * Implements --keep-going: skips statements that fail, records them, and runs them again after each later file. A policy
 * in an early file can refer to a table that a later file creates, and such a table must not remain open.
 */

import { isPostgresError } from '../../base/shared/errors.ts';
import type { PostgresErrorShape, Queryable, Session } from '../../platform/database/types.ts';
import { type PlannedStatement, type PlanOptions, planFile } from './core/plan.ts';
import { isRetried } from './core/retry.ts';
import type { Statement } from './core/split.ts';
import type { PrivilegedRunner } from './privileged.ts';
import {
  deleteFailuresById,
  type FailureRow,
  insertFailure,
  selectFailures,
  setRunState,
  shieldedFromFile,
  updateFailure,
} from './queries.ts';
import { checkConstraints, type KeepGoing, type RanFile } from './run-file.ts';

export interface RetryOptions extends PlanOptions {
  readonly session: Session;
  readonly privileged: PrivilegedRunner;
  /** The files that have already run, in order. */
  readonly ran: readonly RanFile[];
  readonly isSeed: (shownPath: string) => boolean;
}

/** Returns a handler that skips, records and retries failed statements. */
export function createKeepGoing(options: RetryOptions): KeepGoing {
  const ran = [...options.ran];
  return {
    failed: async () => 'leave out',
    async record(tx, failures) {
      for (const { error, ...failure } of failures)
        await insertFailure(tx, { ...failure, code: error.code, message: error.message });
    },
    async fileDone(file) {
      ran.push(file);
      await retrySkipped({ ...options, ran });
    },
  };
}

interface Candidate {
  readonly failure: FailureRow;
  readonly statement: Statement;
  readonly file: RanFile;
}

/** Retries the skipped statements in their original order until no further statement succeeds. */
export async function retrySkipped(options: RetryOptions): Promise<void> {
  for (;;) {
    const failures = await selectFailures(options.session);
    const candidates = failures.flatMap((failure) => candidateOf(failure, options) ?? []);
    if (candidates.length === 0 || !(await retryOnce(candidates, failures, options))) return;
  }
}

/** Finds the statement in its file. Returns undefined if it has changed, or must not run again. */
function candidateOf(failure: FailureRow, { ran, isSeed }: RetryOptions): Candidate | undefined {
  const at = ran.findIndex(({ shownPath }) => shownPath === failure.file);
  const file = ran[at];
  const index = file?.statements.findIndex((one) => isSame(one, failure)) ?? -1;
  const statement = file?.statements[index];
  if (file === undefined || statement === undefined) return undefined;
  const later = [...file.statements.slice(index + 1), ...ran.slice(at + 1).flatMap((one) => one.statements)];
  const seedsHaveRun = !isSeed(failure.file) && ran.some(({ shownPath }) => isSeed(shownPath));
  const context = { later: later.map(({ text }) => text), seedsHaveRun };
  return isRetried(statement.text, context) ? { failure, statement, file } : undefined;
}

const isSame = (statement: Statement, { line, statement: text }: FailureRow): boolean =>
  statement.line === line && statement.text === text;

/** Runs each statement once. Returns whether a statement succeeded. */
async function retryOnce(
  candidates: readonly Candidate[],
  failures: readonly FailureRow[],
  options: RetryOptions,
): Promise<boolean> {
  const { session, privileged } = options;
  const records = createRecords(failures);
  const steps = planFile(
    candidates.map(({ statement }) => statement),
    options,
  );
  await privileged.prepare(steps.flatMap((step) => (step.kind === 'transaction' ? step.statements : [])));
  try {
    for (const step of steps) {
      const planned = step.kind === 'alone' ? [step.statement] : step.statements;
      const outcomes: Outcome[] = [];
      if (step.kind === 'alone') outcomes.push(await attemptAlone(step.statement, candidates, session));
      await session.transaction(async (tx) => {
        for (const statement of step.kind === 'alone' ? [] : planned) {
          const candidate = candidates[statement.index] as Candidate;
          const run = (within: Queryable) =>
            statement.privileged === undefined
              ? within.exec(statement.text)
              : privileged.run(within, statement);
          const work = tx.savepoint(async (within) => {
            await within.query(setRunState(candidate.failure, true));
            await run(within);
            await within.exec(checkConstraints);
          });
          outcomes.push(await outcomeOf(candidate, work));
        }
        await shieldedFromFile(tx, false, () => records.write(tx, outcomes));
      });
    }
  } finally {
    await privileged.cleanUp();
    await session.reset();
  }
  return records.hasSuccess();
}

interface Outcome {
  readonly candidate: Candidate;
  /** Undefined if the statement succeeded. */
  readonly error: PostgresErrorShape | undefined;
}

async function outcomeOf(candidate: Candidate, work: Promise<void>): Promise<Outcome> {
  try {
    await work;
    return { candidate, error: undefined };
  } catch (error) {
    if (!isPostgresError(error)) throw error;
    return { candidate, error };
  }
}

/** Runs a statement that PostgreSQL doesn't allow in a transaction. */
async function attemptAlone(
  { index, text }: PlannedStatement,
  candidates: readonly Candidate[],
  session: Session,
): Promise<Outcome> {
  const candidate = candidates[index] as Candidate;
  const run = async () => {
    await session.query(setRunState(candidate.failure, false));
    await session.exec(text);
  };
  const outcome = await outcomeOf(candidate, run());
  await session.reset();
  return outcome;
}

/** The SQLSTATEs of objects and rows that exist already, which don't explain why the statement was skipped. */
const alreadyExists = new Set(['42P07', '42P06', '42P16', '42701', '42710', '42723', '23505']);

/** Keeps the list of skipped statements and the migration history consistent with the outcomes. */
function createRecords(failures: readonly FailureRow[]) {
  const fixed = new Set<string>();
  return {
    hasSuccess: () => fixed.size > 0,
    async write(tx: Queryable, outcomes: readonly Outcome[]): Promise<void> {
      const files = new Set<RanFile>();
      for (const { candidate, error } of outcomes) {
        const { id, code, message } = candidate.failure;
        if (error === undefined) {
          fixed.add(id);
          files.add(candidate.file);
        } else if (!alreadyExists.has(error.code) && (error.code !== code || error.message !== message)) {
          await updateFailure(tx, { id, code: error.code, message: error.message });
        }
      }
      if (files.size === 0) return;
      await deleteFailuresById(tx, [...fixed]);
      for (const file of files) {
        const left = failures.filter((failure) => failure.file === file.shownPath && !fixed.has(failure.id));
        const done = file.statements.filter((statement) => !left.some((one) => isSame(statement, one)));
        await file.record(
          tx,
          done.map(({ text }) => text),
        );
      }
    },
  };
}
