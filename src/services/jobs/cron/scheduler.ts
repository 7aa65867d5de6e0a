/**
 * The scheduler of pg_cron. Every minute, or more often for jobs with an interval in seconds, it claims due jobs and
 * runs each job in a session of the job's user. The database assigns due jobs (`cron._claim`), so only one process runs
 * each job.
 */

import type { Logger } from '../../../base/kernel/log.ts';
import { type CountedWorker, createWorker } from '../../../base/shared/worker.ts';
import type { Database, PostgresErrorShape, RoleSession } from '../../../platform/database/types.ts';
import {
  type ClaimedRun,
  claimRuns,
  deleteOldRuns,
  goneJobs,
  hasOurCron,
  jobName,
  noteEnd,
  noteSession,
  sweepRuns,
} from './queries.ts';

/**
 * The maximum number of concurrent jobs per process, because each job needs a connection. The default value of
 * upstream's setting cron.max_running_jobs is the same.
 */
export const maxRunningJobs = 32;
/** The retention time for run details. Upstream keeps run details forever. */
export const runDetailsRetentionMs = 30 * 24 * 3_600_000;
const oldRunsAtOnce = 5_000;
const sweepEveryMs = 60_000;
/** The polling interval if no job is active. The interval is long because new jobs are announced by notifications. */
const emptyPollMs = 600_000;
/** The delay after which a locked job is checked again. */
const lockedRetryMs = 1_000;
/** When the scheduler stops, running jobs are canceled after this time. */
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
  readonly startedAt: number;
  readonly done: Promise<void>;
  cancel(): void;
}

export function createScheduler({ database, log, counts }: SchedulerDeps): CountedWorker {
  // A project can replace pg_cron's schema at any time, so the role that calls the schema's functions must not have
  // significant privileges.
  const owner = database.pool('supabase_functions_admin');
  const running = new Set<Running>();
  let sweptAt = Number.NEGATIVE_INFINITY;

  async function work(): Promise<number | undefined> {
    if (!(await hasOurCron(owner))) return undefined;
    await sweep();
    await cancelGone();
    const { runs, skipped, nextMs } = await claimRuns(owner, maxRunningJobs - running.size);
    for (const run of runs) start(run);
    // All jobs that are due have been claimed, except jobs that are locked.
    if (skipped > 0) return Math.min(lockedRetryMs, nextMs || lockedRetryMs);
    // If all slots are in use, the next check happens when a running job ends.
    if (nextMs === null) return undefined;
    return running.size >= maxRunningJobs ? sweepEveryMs : Math.min(nextMs + 1, sweepEveryMs);
  }

  async function sweep(): Promise<void> {
    if (performance.now() - sweptAt < sweepEveryMs) return;
    await sweepRuns(owner);
    while ((await deleteOldRuns(owner, runDetailsRetentionMs, oldRunsAtOnce)) === oldRunsAtOnce);
    sweptAt = performance.now();
  }

  async function cancelGone(): Promise<void> {
    if (running.size === 0) return;
    const gone = await goneJobs(
      owner,
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
    const entry: Running = {
      jobid: run.jobid,
      startedAt: performance.now(),
      done,
      cancel: () => canceling.abort(),
    };
    running.add(entry);
  }

  async function perform(
    { runid, jobid, command, database: name, username }: ClaimedRun,
    signal: AbortSignal,
  ) {
    let session: RoleSession | undefined;
    try {
      session = await database.signIn(username, name);
      await noteSession(owner, runid, session.processId);
      const message = await runCommand(session, command, signal);
      counts.succeeded++;
      await noteEnd(owner, runid, 'succeeded', message);
    } catch (error) {
      counts.failed++;
      const message = signal.aborted ? 'job cancelled' : asPsql(error as PostgresErrorShape);
      // Connects as `postgres` because this role schedules most jobs. The scheduler's own role can't read jobs, and the
      // job's user may have lost access.
      const name = await jobName(database.pool('postgres'), jobid).catch(() => String(jobid));
      log.warn({ jobid, runid }, `the cron job ${name} failed: ${message}`);
      await noteEnd(owner, runid, 'failed', message);
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
    startTimes: () => Array.from(running, ({ startedAt }) => startedAt),
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

/** Runs the command. Returns the row count or the command tag, in the form that upstream stores. */
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
