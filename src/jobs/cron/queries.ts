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
 * project has made for itself is none of ours either.
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

/** Before the command is sent, so that its session is known whoever dies. */
export async function noteSession(db: Queryable, runid: number, processId: number): Promise<void> {
  await db.query(sql`select cron._note_session(${runid}::bigint, ${processId}::int)`);
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

/** Of these jobs, the ones that were unscheduled. */
export async function goneJobs(db: Queryable, jobids: readonly number[]): Promise<number[]> {
  const rows = await db.query<{ jobid: number }>(
    sql`select jobid from cron._gone(${jobids}::bigint[]) as g (jobid)`,
  );
  return rows.map(({ jobid }) => jobid);
}

/** Returns how many went, at most `limit`. */
export async function deleteOldRuns(db: Queryable, keptMs: number, limit: number): Promise<number> {
  const [row] = await db.query<{ gone: number }>(sql`
    select cron._delete_old(pg_catalog.make_interval(secs => ${keptMs / 1000}), ${limit}::int) as gone`);
  return row?.gone ?? 0;
}
