/** The scheduler's side of `pg_cron--1.6.4.sql`: what decides is in SQL there, so that several processes agree. */
import type { Queryable } from '../../database/types.ts';
import { sql } from '../../kernel/sql.ts';

export interface ClaimedRun {
  readonly runid: number;
  readonly jobid: number;
  readonly command: string;
  readonly database: string;
  readonly username: string;
}

export interface Claim {
  readonly runs: readonly ClaimedRun[];
  /** Jobs that somebody holds a lock on at the moment. */
  readonly skipped: number;
  /** Null while there is no active job. */
  readonly nextMs: number | null;
}

/**
 * False while the extension is not there, or is somebody else's, which has its own scheduler. A schema of that name that a
 * project has made for itself is none of ours either: its functions would run as the superuser who asks for work.
 */
export async function hasOurCron(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ ours: boolean }>(sql`
    select to_regclass('cron._call') is not null and exists (
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

/** Before the command is sent, so that its session is known whoever dies. */
export async function noteSession(db: Queryable, runid: number, processId: number): Promise<void> {
  await db.query(sql`
    with run as (
      update cron._run set pid = ${processId},
        backend_start = (select backend_start from pg_catalog.pg_stat_activity where pid = ${processId})
      where runid = ${runid}
    )
    update cron.job_run_details set status = 'running', job_pid = ${processId}, start_time = clock_timestamp()
    where runid = ${runid}`);
}

export async function noteEnd(
  db: Queryable,
  runid: number,
  status: 'succeeded' | 'failed',
  message: string,
): Promise<void> {
  await db.query(sql`
    with run as (delete from cron._run where runid = ${runid})
    update cron.job_run_details set status = ${status}, return_message = ${message}, end_time = clock_timestamp()
    where runid = ${runid}`);
}

export async function sweepRuns(db: Queryable): Promise<void> {
  await db.query(sql`select cron._sweep()`);
}

/** Of these jobs, the ones that were unscheduled. */
export async function goneJobs(db: Queryable, jobids: readonly number[]): Promise<number[]> {
  const rows = await db.query<{ jobid: number }>(sql`
    select jobid from unnest(${jobids}::bigint[]) as each (jobid)
    where not exists (select from cron.job j where j.jobid = each.jobid)`);
  return rows.map(({ jobid }) => jobid);
}

/** Returns how many went, at most `limit`. */
export async function deleteOldRuns(db: Queryable, keptMs: number, limit: number): Promise<number> {
  const rows = await db.query(sql`
    delete from cron.job_run_details where runid in (
      select runid from cron.job_run_details
      where end_time < now() - make_interval(secs => ${keptMs / 1000})
      order by runid limit ${limit} for update skip locked
    ) returning 1`);
  return rows.length;
}
