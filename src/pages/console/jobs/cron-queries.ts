/** Reads scheduled jobs and their runs from pg_cron's tables, and changes jobs with pg_cron's functions. */

import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { RunRow } from './contract.ts';

export interface CronJobRow {
  readonly id: string;
  readonly name: string | null;
  readonly schedule: string;
  readonly command: string;
  readonly database: string;
  readonly role: string;
  readonly active: boolean;
  /** Whether the job belongs to the database role that the Console uses to change data. */
  readonly mine: boolean;
  readonly last_run: RunRow | null;
}

const shownMessageChars = 4000;

const run = sql`d.runid::text as id, d.status, to_jsonb(d.start_time) as started_at, to_jsonb(d.end_time) as ended_at,
  left(d.return_message, ${shownMessageChars}::int) as message`;

export const listCronJobs = (db: Queryable): Promise<CronJobRow[]> =>
  db.query<CronJobRow>(sql`
    select j.jobid::text as id, j.jobname as name, j.schedule, j.command, j.database, j.username as role, j.active,
      j.username = 'postgres' as mine, to_jsonb(last) as last_run
    from cron.job j left join lateral (
      select ${run} from cron.job_run_details d where d.jobid = j.jobid order by d.runid desc limit 1
    ) last on true
    order by lower(j.jobname), j.jobid`);

export async function findCronJob(
  db: Queryable,
  id: string,
): Promise<Pick<CronJobRow, 'id' | 'name' | 'active' | 'mine' | 'role' | 'schedule'> | undefined> {
  const [row] = await db.query<CronJobRow>(sql`
    select jobid::text as id, jobname as name, active, schedule, username as role, username = 'postgres' as mine
    from cron.job where jobid = ${id}::bigint`);
  return row;
}

export async function hasCronJob(db: Queryable, name: string): Promise<boolean> {
  const rows = await db.query(
    sql`select from cron.job where jobname = ${name} and username::text = current_user`,
  );
  return rows.length > 0;
}

export const listRuns = (
  db: Queryable,
  job: string,
  { before, failed }: { readonly before?: string | undefined; readonly failed: boolean },
  limit: number,
): Promise<RunRow[]> =>
  db.query<RunRow>(sql`
    select ${run} from cron.job_run_details d
    where d.jobid = ${job}::bigint and (${before ?? null}::bigint is null or d.runid < ${before ?? null}::bigint)
      and (not ${failed}::boolean or d.status = 'failed')
    order by d.runid desc limit ${limit}::int`);

/** Returns the time zone in which all schedules are interpreted (`cron.timezone`). */
export async function readZone(db: Queryable, ownCron: boolean): Promise<string> {
  const [row] = await db.query<{ zone: string }>(
    ownCron
      ? sql`select cron._timezone() as zone`
      : sql`select coalesce(current_setting('cron.timezone', true), 'GMT') as zone`,
  );
  return row?.zone ?? 'GMT';
}

export async function scheduleJob(
  db: Queryable,
  { name, schedule, command }: { name: string; schedule: string; command: string },
): Promise<string> {
  const [row] = await db.query<{ id: string }>(
    sql`select cron.schedule(${name}::text, ${schedule}::text, ${command}::text)::text as id`,
  );
  return (row as { id: string }).id;
}

export interface CronChange {
  readonly schedule?: string | undefined;
  readonly command?: string | undefined;
  readonly active?: boolean | undefined;
}

export async function alterJob(
  db: Queryable,
  id: string,
  { schedule, command, active }: CronChange,
): Promise<void> {
  await db.query(sql`
    select cron.alter_job(job_id => ${id}::bigint, schedule => ${schedule ?? null}::text,
      command => ${command ?? null}::text, active => ${active ?? null}::boolean)`);
}

export async function unscheduleJob(db: Queryable, id: string): Promise<void> {
  await db.query(sql`select cron.unschedule(${id}::bigint)`);
}

/**
 * Makes Plinth's scheduler immediately run the job in a session of the job's role. Returns true if a run of the job is
 * already in progress, in which case the new run starts when the current run has ended.
 */
export async function runJobNow(db: Queryable, id: string): Promise<boolean> {
  const [row] = await db.query<{ waits: boolean }>(sql`
    select cron._run_now(${id}::bigint) as waits`);
  return row?.waits ?? false;
}
