/**
 * pg_cron's scheduler: at each minute, or earlier for jobs of every so many seconds, takes the jobs that are due and runs
 * each in a session of its user. Which are due is decided by the database (`cron._claim`), once for all processes.
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

/** At once in a process; each is a connection. As upstream's cron.max_running_jobs. */
export const maxRunningJobs = 32;
/** Run details are kept for as long; upstream keeps them for ever. */
export const runDetailsKeptMs = 30 * 24 * 3_600_000;
const oldRunsAtOnce = 5_000;
const sweepEveryMs = 60_000;
/** Without a job only a notification brings work. */
const emptyPollMs = 600_000;
/** A job that somebody holds a lock on is looked at again. */
const lockedRetryMs = 1_000;
/** At a stop; a job that takes longer is cancelled. */
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
  // A project can put another schema in the place of pg_cron's at any moment: what is called there must have no rights of note.
  const asker = database.pool('supabase_functions_admin');
  const running = new Set<Running>();
  let sweptAt = Number.NEGATIVE_INFINITY;

  async function work(): Promise<number | undefined> {
    if (!(await hasOurCron(asker))) return undefined;
    await sweep();
    await cancelGone();
    const { runs, skipped, nextMs } = await claimRuns(asker, maxRunningJobs - running.size);
    for (const run of runs) start(run);
    // What is due at this moment is taken, but for those.
    if (skipped > 0) return Math.min(lockedRetryMs, nextMs || lockedRetryMs);
    // With no slot free the end of a run is what is waited for.
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
    const cancelling = new AbortController();
    const done = perform(run, cancelling.signal)
      .catch((error) =>
        log.warn({ error, jobid: run.jobid }, 'the end of a cron job could not be written down'),
      )
      .finally(() => {
        running.delete(entry);
        worker.wake();
      });
    const entry: Running = { jobid: run.jobid, done, cancel: () => cancelling.abort() };
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

/** What upstream stores: the count of rows, or the command tag. */
async function runCommand(session: RoleSession, command: string, signal: AbortSignal): Promise<string> {
  const cancel = (): void => void session.cancel().catch(() => undefined);
  if (signal.aborted) throw signal.reason;
  signal.addEventListener('abort', cancel, { once: true });
  const { commandTag, rowCount } = await session.run(command);
  if (rowCount === undefined) return commandTag;
  return `${rowCount} ${rowCount === 1 ? 'row' : 'rows'}`;
}

/** As libpq writes an error. */
function asPsql({ severity = 'ERROR', message, detail, hint, where }: PostgresErrorShape): string {
  const lines = [
    `${severity}:  ${message}`,
    detail && `DETAIL:  ${detail}`,
    hint && `HINT:  ${hint}`,
    where && `CONTEXT:  ${where}`,
  ];
  return `${lines.filter(Boolean).join('\n')}\n`;
}
