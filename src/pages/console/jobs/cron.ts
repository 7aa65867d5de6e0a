/** Lists scheduled jobs and their runs. Changes jobs by calling pg_cron's functions as the role `postgres`. */
import type { Pool } from '../../../platform/database/types.ts';
import { changedValue, hiddenChange } from '../core/changed-values.ts';
import { may } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import { type Api, type Call, parseAs } from '../routes/api.ts';
import type { RunRow } from './contract.ts';
import * as queries from './cron-queries.ts';
import { type JobDeps, readParts } from './parts.ts';

export const runsPerPage = 50;

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
    const job = await queries.findCronJob(db, id);
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
    const jobs = await queries.listCronJobs(db);
    return {
      zone: await queries.readZone(postgres, isOwn),
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
        if (await queries.hasCronJob(tx, requested.name)) throw new ConsoleError('taken');
        const made = await queries.scheduleJob(tx, requested);
        if (!requested.active) await queries.alterJob(tx, made, { active: false });
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
    await postgres.transaction((tx) => queries.alterJob(tx, job.id, change), { settings });
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
    await postgres.transaction((tx) => queries.unscheduleJob(tx, job.id), { settings });
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
    const waits = await queries.runJobNow(db, job.id);
    await audit(call, 'cron.run', label);
    return { waits };
  });
  route('GET /jobs/cron/:id/runs', 'read', async (call) => {
    const filter = await call.query();
    const { db, job } = await jobOf(call);
    const runs = await queries.listRuns(db, job.id, filter, runsPerPage + 1);
    return {
      runs: runs.slice(0, runsPerPage).map((run) => shownRun(call, run)),
      more: runs.length > runsPerPage,
    };
  });
}
