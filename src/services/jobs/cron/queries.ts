/**
 * Runs the scheduler's queries, which call functions in `pg_cron--1.6.4.sql`. Decisions are made in SQL so that all
 * processes make the same decisions.
 */

import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';

export interface ClaimedRun {
  readonly runid: number;
  readonly jobid: number;
  readonly command: string;
  readonly database: string;
  readonly username: string;
}

export interface Claim {
  readonly runs: readonly ClaimedRun[];
  /** The number of jobs that are due but currently locked. */
  readonly skipped: number;
  /** The time until the next job is due, in milliseconds. Null if no job is active. */
  readonly nextMs: number | null;
}

/**
 * Whether the installed pg_cron is Plinth's own implementation. Returns false if pg_cron isn't installed, if another
 * provider's pg_cron with its own scheduler is installed, or if the project created a schema named `cron`.
 */
export async function hasOurCron(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ ours: boolean }>(sql`
    select pg_catalog.to_regprocedure('cron._note_end(bigint,text,text)') is not null and exists (
      select from pg_catalog.pg_namespace n join pg_catalog.pg_roles r on r.oid = n.nspowner
      where n.nspname = 'cron' and r.rolsuper) as ours`);
  return row?.ours ?? false;
}

export async function claimRuns(db: Queryable, slots: number): Promise<Claim> {
  const [row] = await db.query<Claim>(
    sql`select runs, skipped, next_ms as "nextMs" from cron._claim(${slots})`,
  );
  return row as Claim;
}

/**
 * Before a job's command is sent, stores the ID of the job's session, so that the session is known even if this process
 * is killed.
 */
export async function noteSession(db: Queryable, runid: number, processId: number): Promise<void> {
  await db.query(sql`select cron._note_session(${runid}::bigint, ${processId}::int)`);
}

/** Returns a job's name, or the job's ID if the job has no name or no longer exists. */
export async function jobName(db: Queryable, jobid: number): Promise<string> {
  const [row] = await db.query<{ name: string | null }>(
    sql`select jobname as name from cron.job where jobid = ${jobid}::bigint`,
  );
  return row?.name ?? String(jobid);
}

export async function noteEnd(
  db: Queryable,
  runid: number,
  status: 'succeeded' | 'failed',
  message: string,
): Promise<void> {
  await db.query(sql`select cron._note_end(${runid}::bigint, ${status}::text, ${message}::text)`);
}

export async function sweepRuns(db: Queryable): Promise<void> {
  await db.query(sql`select cron._sweep()`);
}

/** Returns the jobs in the list that no longer exist. */
export async function goneJobs(db: Queryable, jobids: readonly number[]): Promise<number[]> {
  const rows = await db.query<{ jobid: number }>(
    sql`select jobid from cron._gone(${jobids}::bigint[]) as g (jobid)`,
  );
  return rows.map(({ jobid }) => jobid);
}

/** Deletes up to `limit` rows and returns the number of deleted rows. */
export async function deleteOldRuns(db: Queryable, retentionMs: number, limit: number): Promise<number> {
  const [row] = await db.query<{ gone: number }>(sql`
    select cron._delete_old(pg_catalog.make_interval(secs => ${retentionMs / 1000}), ${limit}::int) as gone`);
  return row?.gone ?? 0;
}
