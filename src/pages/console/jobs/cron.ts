/** Lists scheduled jobs and their runs. Changes jobs by calling pg_cron's functions as the role `postgres`. */

import { sql } from '../../../base/kernel/sql.ts';
import type { Pool, Queryable } from '../../../platform/database/types.ts';
import { changedValue, hiddenChange } from '../core/changed-values.ts';
import { may } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import { type Api, type Call, parseAs } from '../routes/api.ts';
import type { RunRow } from './contract.ts';
import { type JobDeps, readParts } from './parts.ts';

const runsPerPage = 50;

/** These settings limit how long a change to a job can run and wait for locks. */
const settings = [
  ['statement_timeout', '20000'],
  ['lock_timeout', '5000'],
] as const;

const contract = () => import('./contract.ts');

export function cronRoutes(api: Api, { database, audit }: JobDeps): void {
  const route = api.feature(contract);
  const postgres = database.pool('postgres');

  /**
   * Returns the pool that is used to read jobs. With Plinth's own pg_cron, the pool can read the jobs of all roles.
   * With any other pg_cron, the pool can read only the jobs of `postgres`.
   * @throws {ConsoleError} refused
   */
  async function reader(): Promise<{ db: Pool; isOwn: boolean }> {
    const { cron, ownCron } = await readParts(postgres);
    if (cron !== 'ready') throw new ConsoleError('refused', { message: "pg_cron isn't enabled." });
    return { db: postgres, isOwn: ownCron };
  }

  const secrets = ({ operator }: Call): boolean => may(operator.role, 'secrets');

  /**
   * Removes the message of a run unless the operator can see secrets. The message from PostgreSQL can quote the job's
   * command, which can contain a key.
   */
  const shownRun = (call: Call, run: RunRow): RunRow => (secrets(call) ? run : { ...run, message: null });

  async function jobOf(call: Call) {
    const { id } = await parseAs((await contract()).idParam, call.request.params);
    const { db, isOwn } = await reader();
    const job = await findCronJob(db, id);
    if (job === undefined) throw new ConsoleError('not_found', { message: "This job doesn't exist." });
    return { db, isOwn, job, label: job.name ?? job.id };
  }

  /**
   * Returns a job after checking that the Console can change it. The Console can change only the jobs of `postgres`,
   * because it has only the privileges of this role.
   * @throws {ConsoleError} refused if the job doesn't belong to postgres
   */
  async function ownJobOf(call: Call) {
    const found = await jobOf(call);
    if (!found.job.mine)
      throw new ConsoleError('refused', {
        message: `This job belongs to the role ${found.job.role}, and only that role can change it.`,
      });
    return found;
  }

  route('GET /jobs/cron', 'read', async (call) => {
    const { db, isOwn } = await reader();
    const jobs = await listCronJobs(db);
    return {
      zone: await readZone(postgres, isOwn),
      canRunNow: isOwn,
      jobs: jobs.map((job) => ({
        ...job,
        command: secrets(call) ? job.command : null,
        last_run: job.last_run === null ? null : shownRun(call, job.last_run),
      })),
    };
  });
  route('POST /jobs/cron', 'write', async (call) => {
    const requested = await call.body();
    await reader();
    const id = await postgres.transaction(
      async (tx) => {
        // Without this check, pg_cron would replace an existing job that has the same name.
        if (await hasCronJob(tx, requested.name)) throw new ConsoleError('taken');
        const made = await scheduleJob(tx, requested);
        if (!requested.active) await alterJob(tx, made, { active: false });
        return made;
      },
      { settings },
    );
    await audit(call, 'cron.create', requested.name, {
      schedule: requested.schedule,
      active: requested.active,
    });
    return { id };
  });
  route('PATCH /jobs/cron/:id', 'write', async (call) => {
    const change = await call.body();
    const { job, label } = await ownJobOf(call);
    await postgres.transaction((tx) => alterJob(tx, job.id, change), { settings });
    const { command, schedule, active } = change;
    await audit(call, 'cron.change', label, {
      changes: [
        ...(schedule === undefined ? [] : [changedValue('schedule', job.schedule, schedule)]),
        ...(active === undefined ? [] : [changedValue('active', job.active, active)]),
        // A job's command can contain a key.
        ...(command === undefined ? [] : [hiddenChange('command', true, true)]),
      ],
    });
  });
  route('DELETE /jobs/cron/:id', 'write', async (call) => {
    const { job, label } = await ownJobOf(call);
    await postgres.transaction((tx) => unscheduleJob(tx, job.id), { settings });
    await audit(call, 'cron.remove', label, { schedule: job.schedule });
  });
  route('POST /jobs/cron/:id/run', 'write', async (call) => {
    const { db, isOwn, job, label } = await ownJobOf(call);
    if (!isOwn)
      throw new ConsoleError('refused', {
        message: "The scheduler on this PostgreSQL server can't run jobs on demand.",
      });
    if (!job.active)
      throw new ConsoleError('refused', { message: 'This job is disabled. Enable it before you run it.' });
    const waits = await runJobNow(db, job.id);
    await audit(call, 'cron.run', label);
    return { waits };
  });
  route('GET /jobs/cron/:id/runs', 'read', async (call) => {
    const filter = await call.query();
    const { db, job } = await jobOf(call);
    const runs = await listRuns(db, job.id, filter, runsPerPage + 1);
    return {
      runs: runs.slice(0, runsPerPage).map((run) => shownRun(call, run)),
      more: runs.length > runsPerPage,
    };
  });
}

/** Reads scheduled jobs and their runs from pg_cron's tables, and changes jobs with pg_cron's functions. */
interface CronJobRow {
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

const listCronJobs = (db: Queryable): Promise<CronJobRow[]> =>
  db.query<CronJobRow>(sql`
    select j.jobid::text as id, j.jobname as name, j.schedule, j.command, j.database, j.username as role, j.active,
      j.username = 'postgres' as mine, to_jsonb(last) as last_run
    from cron.job j left join lateral (
      select ${run} from cron.job_run_details d where d.jobid = j.jobid order by d.runid desc limit 1
    ) last on true
    order by lower(j.jobname), j.jobid`);

async function findCronJob(
  db: Queryable,
  id: string,
): Promise<Pick<CronJobRow, 'id' | 'name' | 'active' | 'mine' | 'role' | 'schedule'> | undefined> {
  const [row] = await db.query<CronJobRow>(sql`
    select jobid::text as id, jobname as name, active, schedule, username as role, username = 'postgres' as mine
    from cron.job where jobid = ${id}::bigint`);
  return row;
}

async function hasCronJob(db: Queryable, name: string): Promise<boolean> {
  const rows = await db.query(
    sql`select from cron.job where jobname = ${name} and username::text = current_user`,
  );
  return rows.length > 0;
}

const listRuns = (
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
async function readZone(db: Queryable, ownCron: boolean): Promise<string> {
  const [row] = await db.query<{ zone: string }>(
    ownCron
      ? sql`select cron._timezone() as zone`
      : sql`select coalesce(current_setting('cron.timezone', true), 'GMT') as zone`,
  );
  return row?.zone ?? 'GMT';
}

async function scheduleJob(
  db: Queryable,
  { name, schedule, command }: { name: string; schedule: string; command: string },
): Promise<string> {
  const [row] = await db.query<{ id: string }>(
    sql`select cron.schedule(${name}::text, ${schedule}::text, ${command}::text)::text as id`,
  );
  return (row as { id: string }).id;
}

interface CronChange {
  readonly schedule?: string | undefined;
  readonly command?: string | undefined;
  readonly active?: boolean | undefined;
}

async function alterJob(db: Queryable, id: string, { schedule, command, active }: CronChange): Promise<void> {
  await db.query(sql`
    select cron.alter_job(job_id => ${id}::bigint, schedule => ${schedule ?? null}::text,
      command => ${command ?? null}::text, active => ${active ?? null}::boolean)`);
}

async function unscheduleJob(db: Queryable, id: string): Promise<void> {
  await db.query(sql`select cron.unschedule(${id}::bigint)`);
}

/**
 * Makes Plinth's scheduler immediately run the job in a session of the job's role. Returns true if a run of the job is
 * already in progress, in which case the new run starts when the current run has ended.
 */
async function runJobNow(db: Queryable, id: string): Promise<boolean> {
  const [row] = await db.query<{ waits: boolean }>(sql`
    select cron._run_now(${id}::bigint) as waits`);
  return row?.waits ?? false;
}
