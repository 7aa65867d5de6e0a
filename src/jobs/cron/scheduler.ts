/**
 * pg_cron's scheduler. Claims due jobs every minute, or more often for jobs with an interval in seconds, and runs each
 * in a session of its user. The database decides which jobs are due (`cron._claim`), once for all processes.
 */
import type { Database, PostgresErrorShape, RoleSession } from '../../database/types.ts';
import type { Logger } from '../../kernel/log.ts';
import { createWorker, type Worker } from '../worker.ts';
import {
  type ClaimedRun,
  claimRuns,
  deleteOldRuns,
  goneJobs,
  hasOurCron,
  noteEnd,
  noteSession,
  sweepRuns,
} from './queries.ts';

/**
 * The maximum number of concurrent jobs per process. Each job needs a connection. Matches the default of upstream's
 * cron.max_running_jobs.
 */
export const maxRunningJobs = 32;
/** The retention period of run details. Upstream keeps them forever. */
export const runDetailsKeptMs = 30 * 24 * 3_600_000;
const oldRunsAtOnce = 5_000;
const sweepEveryMs = 60_000;
/** Without active jobs, only a notification can add work. */
const emptyPollMs = 600_000;
/** The delay before a locked job is checked again. */
const lockedRetryMs = 1_000;
/** The grace period when the scheduler stops. Jobs that run longer are canceled. */
const stopGraceMs = 3_000;

export interface CronCounts {
  succeeded: number;
  failed: number;
}

export interface SchedulerDeps {
  readonly database: Database;
  readonly log: Logger;
  readonly counts: CronCounts;
}

interface Running {
  readonly jobid: number;
  readonly done: Promise<void>;
  cancel(): void;
}

export function createScheduler({ database, log, counts }: SchedulerDeps): Worker {
  // A project can replace pg_cron's schema at any time, so the functions called there must not run with significant
  // privileges.
  const asker = database.pool('supabase_functions_admin');
  const running = new Set<Running>();
  let sweptAt = Number.NEGATIVE_INFINITY;

  async function work(): Promise<number | undefined> {
    if (!(await hasOurCron(asker))) return undefined;
    await sweep();
    await cancelGone();
    const { runs, skipped, nextMs } = await claimRuns(asker, maxRunningJobs - running.size);
    for (const run of runs) start(run);
    // All due jobs have been claimed except the locked ones.
    if (skipped > 0) return Math.min(lockedRetryMs, nextMs || lockedRetryMs);
    // If no slot is free, the end of a run triggers the next check.
    if (nextMs === null) return undefined;
    return running.size >= maxRunningJobs ? sweepEveryMs : Math.min(nextMs + 1, sweepEveryMs);
  }

  async function sweep(): Promise<void> {
    if (performance.now() - sweptAt < sweepEveryMs) return;
    await sweepRuns(asker);
    while ((await deleteOldRuns(asker, runDetailsKeptMs, oldRunsAtOnce)) === oldRunsAtOnce);
    sweptAt = performance.now();
  }

  async function cancelGone(): Promise<void> {
    if (running.size === 0) return;
    const gone = await goneJobs(
      asker,
      [...running].map(({ jobid }) => jobid),
    );
    for (const run of running) if (gone.includes(run.jobid)) run.cancel();
  }

  function start(run: ClaimedRun): void {
    const canceling = new AbortController();
    const done = perform(run, canceling.signal)
      .catch((error) => log.warn({ error, jobid: run.jobid }, 'failed to record the end of a cron job'))
      .finally(() => {
        running.delete(entry);
        worker.wake();
      });
    const entry: Running = { jobid: run.jobid, done, cancel: () => canceling.abort() };
    running.add(entry);
  }

  async function perform(
    { runid, jobid, command, database: name, username }: ClaimedRun,
    signal: AbortSignal,
  ) {
    let session: RoleSession | undefined;
    try {
      session = await database.signIn(username, name);
      await noteSession(asker, runid, session.processId);
      const message = await runCommand(session, command, signal);
      counts.succeeded++;
      await noteEnd(asker, runid, 'succeeded', message);
    } catch (error) {
      counts.failed++;
      const message = signal.aborted ? 'job cancelled' : asPsql(error as PostgresErrorShape);
      log.warn({ jobid, runid, message }, 'a cron job failed');
      await noteEnd(asker, runid, 'failed', message);
    } finally {
      await session?.end().catch(() => undefined);
    }
  }

  const worker = createWorker({
    database,
    channel: 'plinth_cron',
    log,
    name: 'pg_cron',
    pollMs: emptyPollMs,
    work,
  });
  return {
    ...worker,
    async stop() {
      await worker.stop();
      const grace = setTimeout(() => {
        for (const run of running) run.cancel();
      }, stopGraceMs);
      await Promise.all([...running].map(({ done }) => done));
      clearTimeout(grace);
    },
  };
}

/** Returns what upstream stores: the row count or the command tag. */
async function runCommand(session: RoleSession, command: string, signal: AbortSignal): Promise<string> {
  const cancel = (): void => void session.cancel().catch(() => undefined);
  if (signal.aborted) throw signal.reason;
  signal.addEventListener('abort', cancel, { once: true });
  const { commandTag, rowCount } = await session.run(command);
  if (rowCount === undefined) return commandTag;
  return `${rowCount} ${rowCount === 1 ? 'row' : 'rows'}`;
}

/** Formats an error as libpq does. */
function asPsql({ severity = 'ERROR', message, detail, hint, where }: PostgresErrorShape): string {
  const lines = [
    `${severity}:  ${message}`,
    detail && `DETAIL:  ${detail}`,
    hint && `HINT:  ${hint}`,
    where && `CONTEXT:  ${where}`,
  ];
  return `${lines.filter(Boolean).join('\n')}\n`;
}
