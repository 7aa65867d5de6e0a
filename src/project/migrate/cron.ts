/** Migrates pg_cron's jobs. Calls pg_cron's functions, which validate and plan each job. */

import { sql } from '../../base/kernel/sql.ts';
import type { CopySession } from '../../platform/database/index.ts';
import type { Changes, End } from './types.ts';

export interface Job {
  readonly id: number;
  readonly name: string | null;
  readonly schedule: string;
  readonly command: string;
  readonly isActive: boolean;
  readonly username: string;
}

export interface JobsReport extends Changes {
  /** Jobs that are active on the source and inactive on the target. */
  readonly paused: number;
  readonly notes: readonly string[];
}

/**
 * Migrates the jobs. Unless `start` is set, new jobs are inactive so that they don't run on both servers during a
 * rehearsal.
 */
export async function migrateJobs(source: End, target: End, start: boolean): Promise<JobsReport> {
  const jobs = await readJobs(source.session);
  const existing = await readJobs(target.session);
  const notes: string[] = [];
  const changes = { added: 0, changed: 0, deleted: 0, paused: 0 };
  if (jobs === undefined || existing === undefined) {
    if (jobs !== undefined && jobs.length > 0)
      notes.push(`Cron: ${jobs.length} jobs can't be migrated, because the target doesn't have pg_cron.`);
    return { ...changes, notes };
  }
  const rest = [...existing];
  const { query } = target.session;
  for (const job of jobs) {
    const at = rest.findIndex((each) =>
      job.name === null
        ? each.name === null && each.command === job.command && each.schedule === job.schedule
        : each.name === job.name,
    );
    const same = at === -1 ? undefined : rest.splice(at, 1)[0];
    const isActive = job.isActive && (start || same?.isActive === true);
    if (job.isActive && !isActive) changes.paused += 1;
    if (
      same !== undefined &&
      same.schedule === job.schedule &&
      same.command === job.command &&
      same.isActive === isActive
    )
      continue;
    // A job is created and paused in one transaction, so it can't become due before it is paused.
    await target.session.exec('begin');
    const [created] =
      same !== undefined
        ? [{ id: same.id }]
        : job.name === null
          ? await query<{ id: number }>(sql`select cron.schedule(${job.schedule}, ${job.command}) as id`)
          : await query<{ id: number }>(
              sql`select cron.schedule(${job.name}, ${job.schedule}, ${job.command}) as id`,
            );
    await query(
      sql`select cron.alter_job(${created?.id}::int8, schedule := ${job.schedule}, command := ${job.command}, active := ${isActive}::bool)`,
    );
    await target.session.exec('commit');
    changes[same === undefined ? 'added' : 'changed'] += 1;
  }
  for (const { id } of rest) {
    await query(sql`select cron.unschedule(${id}::int8)`);
    changes.deleted += 1;
  }
  return { ...changes, notes };
}

/** Returns the jobs, or undefined if the database doesn't have pg_cron. */
export async function readJobs({ query }: CopySession): Promise<Job[] | undefined> {
  const [found] = await query<{ exists: boolean }>(
    sql`select coalesce(has_table_privilege(to_regclass('cron.job'), 'select'), false) as exists`,
  );
  if (found?.exists !== true) return undefined;
  return await query<Job>(sql`
    select jobid as id, jobname::text as name, schedule, command, active as "isActive", username::text
    from cron.job where database = current_database() order by jobid`);
}
