/** Scheduled jobs: what there is, what became of it, and changes by pg_cron's own functions, as postgres. */
import type { Database, Pool } from '../../database/types.ts';
import type { Audit } from '../audit.ts';
import { may } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import { type Api, type Call, parse } from '../routes/api.ts';
import * as queries from './cron-queries.ts';
import { readParts } from './parts.ts';

/** Runs in one answer. */
export const runsPerPage = 50;

/** A change waits behind no other for long. */
const settings = [
  ['statement_timeout', '20000'],
  ['lock_timeout', '5000'],
] as const;

export function cronRoutes(api: Api, database: Database, audit: Audit): void {
  const postgres = database.pool('postgres');

  /** Jobs of every role are seen in our own pg_cron; elsewhere those of postgres. @throws {ConsoleError} refused */
  async function reader(): Promise<{ db: Pool; isOwn: boolean }> {
    const { cron, ownCron } = await readParts(postgres);
    if (cron !== 'ready') throw new ConsoleError('refused', { message: 'pg_cron is not enabled.' });
    return { db: postgres, isOwn: ownCron };
  }

  const secrets = ({ operator }: Call): boolean => may(operator.role, 'secrets');

  /** A message may quote the command, which may hold a key. */
  const shownRun = (call: Call, run: queries.RunRow): queries.RunRow =>
    secrets(call) ? run : { ...run, message: null };

  async function jobOf(call: Call) {
    const { id } = await parse('idParam', call.request.params);
    const { db, isOwn } = await reader();
    const job = await queries.findCronJob(db, id);
    if (job === undefined)
      throw new ConsoleError('not_found', { message: 'There is no such job (any more).' });
    return { db, isOwn, job, label: job.name ?? job.id };
  }

  /** @throws {ConsoleError} refused: the Console has the rights of postgres, and no others. */
  async function ownJobOf(call: Call) {
    const found = await jobOf(call);
    if (!found.job.mine)
      throw new ConsoleError('refused', {
        message: `This job belongs to ${found.job.role}: only that role may change it.`,
      });
    return found;
  }

  api.route('GET', '/jobs/cron', 'read', async (call) => {
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
  api.route('POST', '/jobs/cron', 'write', async (call) => {
    const wanted = await parse('newCronJob', call.request.body);
    await reader();
    const id = await postgres.transaction(
      async (tx) => {
        // pg_cron itself would put the new one in the old one's place.
        if (await queries.hasCronJob(tx, wanted.name)) throw new ConsoleError('taken');
        const made = await queries.scheduleJob(tx, wanted);
        if (!wanted.active) await queries.alterJob(tx, made, { active: false });
        return made;
      },
      { settings },
    );
    await audit(call, 'cron.create', wanted.name, { schedule: wanted.schedule, active: wanted.active });
    return { id };
  });
  api.route('PATCH', '/jobs/cron/:id', 'write', async (call) => {
    const change = await parse('cronChange', call.request.body);
    const { job, label } = await ownJobOf(call);
    await postgres.transaction((tx) => queries.alterJob(tx, job.id, change), { settings });
    const { command, ...told } = change;
    await audit(call, 'cron.change', label, command === undefined ? told : { ...told, command: 'changed' });
  });
  api.route('DELETE', '/jobs/cron/:id', 'write', async (call) => {
    const { job, label } = await ownJobOf(call);
    await postgres.transaction((tx) => queries.unscheduleJob(tx, job.id), { settings });
    await audit(call, 'cron.remove', label, { schedule: job.schedule });
  });
  api.route('POST', '/jobs/cron/:id/run', 'write', async (call) => {
    const { db, isOwn, job, label } = await ownJobOf(call);
    if (!isOwn)
      throw new ConsoleError('refused', {
        message: 'The scheduler of this PostgreSQL runs jobs on time only.',
      });
    if (!job.active)
      throw new ConsoleError('refused', { message: 'This job is switched off. Switch it on to run it.' });
    const waits = await queries.runJobNow(db, job.id);
    await audit(call, 'cron.run', label);
    return { waits };
  });
  api.route('GET', '/jobs/cron/:id/runs', 'read', async (call) => {
    const filter = await parse('runPage', call.request.query);
    const { db, job } = await jobOf(call);
    const runs = await queries.listRuns(db, job.id, filter, runsPerPage + 1);
    return {
      runs: runs.slice(0, runsPerPage).map((run) => shownRun(call, run)),
      more: runs.length > runsPerPage,
    };
  });
}
