/** Tests pg_cron: scheduling, permissions and runs. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { silentLogger } from '../../src/base/kernel/log.ts';
import { sql } from '../../src/base/kernel/sql.ts';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { createLiveConfig } from '../../src/platform/config/index.ts';
import type { Pool, Row } from '../../src/platform/database/index.ts';
import { hasOurCron } from '../../src/services/jobs/cron/queries.ts';
import { createJobs } from '../../src/services/jobs/index.ts';

let backend: Backend;
let postgres: Pool;
let admin: Pool;
beforeAll(async () => {
  backend = await createTestBackend();
  postgres = backend.database.pool('postgres');
  admin = backend.database.pool('supabase_admin');
  await postgres.exec('create extension pg_cron with schema extensions');
});
afterAll(() => backend?.stop());

const rows = (text: string, pool = postgres): Promise<Row[]> => pool.query(sql.raw(text));
const first = async (text: string, pool = postgres): Promise<Row> => (await rows(text, pool))[0] as Row;
/** Queues a run of a job regardless of its schedule, and notifies all schedulers. */
const makeDue = (jobid: unknown): Promise<void> =>
  admin.exec(`update cron._timetable set is_waiting = true where jobid = ${jobid};
    select pg_notify('plinth_cron', '')`);
/**
 * With this schedule, only {@link runNow} runs a job during a test. A job that is scheduled every minute could become
 * due again when the minute changes.
 */
const onNewYear = '0 0 1 1 *';
/** Runs a job regardless of its schedule. */
const runNow = (jobid: unknown): Promise<void> =>
  admin.exec(`update cron._timetable set is_waiting = true where jobid = ${jobid};
    select pg_notify('plinth_cron', '')`);
const runsOf = (jobid: unknown): Promise<Row[]> =>
  rows(
    `select status, return_message, username, command from cron.job_run_details where jobid = ${jobid} order by runid`,
  );
const ended = (jobid: unknown): Promise<Row[]> =>
  expect
    .poll(() => runsOf(jobid), { timeout: 20_000 })
    .toSatisfy(
      (found: Row[]) => found.length > 0 && found.every(({ status }) => /succeeded|failed/.test(`${status}`)),
    )
    .then(() => runsOf(jobid));

test.each(['', 'with schema pg_catalog', 'with schema extensions'])(
  'create extension pg_cron %s works',
  async (where) => {
    await postgres.exec(`drop extension pg_cron; create extension pg_cron ${where}`);
  },
);

test('a project’s own schema named cron isn’t used, because its functions would run as a superuser', async () => {
  await postgres.exec(`drop extension pg_cron; create schema cron; create table cron._call (x int)`);
  expect(await hasOurCron(admin)).toBe(false);
  await postgres.exec('drop schema cron cascade; create extension pg_cron');
  expect(await hasOurCron(admin)).toBe(true);
});

test('without an active job, no next run is scheduled and the scheduler waits for a notification', async () => {
  const next = () => first('select next_ms from cron._claim(0)', admin);
  expect(await next()).toEqual({ next_ms: null });
  const { id } = await first(`select cron.schedule('59 23 31 12 *', 'select 1') as id`);
  expect((await next()).next_ms).toEqual(expect.any(Number));
  await postgres.exec(`select cron.alter_job(${id}, active := false)`);
  expect(await next()).toEqual({ next_ms: null });
  await postgres.exec(`select cron.unschedule(${id}::bigint)`);
});

describe('scheduling', () => {
  test('works with and without a name, and the same name replaces a job', async () => {
    const { id } = await first(`select cron.schedule('0 10 * * *', 'VACUUM') as id`);
    const named = await first(`select cron.schedule('nightly-vacuum', '0 10 * * *', 'VACUUM') as id`);
    expect(await first(`select cron.schedule('nightly-vacuum', '0 3 * * *', 'VACUUM') as id`)).toEqual(named);
    expect(await rows('select * from cron.job order by jobid')).toEqual([
      {
        jobid: id,
        schedule: '0 10 * * *',
        command: 'VACUUM',
        nodename: 'localhost',
        nodeport: expect.any(Number),
        database: (await first('select current_database()::text as name')).name,
        username: 'postgres',
        active: true,
        jobname: null,
      },
      expect.objectContaining({ jobid: named.id, schedule: '0 3 * * *', jobname: 'nightly-vacuum' }),
    ]);
    expect(await first(`select cron.unschedule('nightly-vacuum') as done`)).toEqual({ done: true });
    expect(await first(`select cron.unschedule(${id}) as done`)).toEqual({ done: true });
    expect(await rows('select from cron.job')).toEqual([]);
  });

  test('changes a job field by field', async () => {
    const { id } = await first(
      `select cron.schedule_in_database('other', '1 1 * * *', 'select 1', current_database(), active => false) as id`,
    );
    await rows(`select cron.alter_job(${id}, schedule => '2 2 * * *')`);
    await rows(`select cron.alter_job(job_id := ${id}, active := true, command := 'select 2')`);
    expect(await first(`select schedule, command, active from cron.job`)).toEqual({
      schedule: '2 2 * * *',
      command: 'select 2',
      active: true,
    });
    await expect(rows(`select cron.alter_job(${id}, schedule => 'x')`)).rejects.toMatchObject({
      code: '22023',
    });
    await expect(rows(`select cron.alter_job(${id}, database => 'nowhere')`)).rejects.toMatchObject({
      code: '3D000',
    });
    await rows(`select cron.unschedule('other')`);
  });

  test.each([
    [`select cron.unschedule('x')`, `could not find valid entry for job 'x'`],
    ['select cron.unschedule(4711)', 'could not find valid entry for job 4711'],
    [`select cron.alter_job(4711, active => false)`, 'could not find valid entry for job 4711'],
    [`select cron.schedule(null, '* * * * *', 'select 1')`, 'job_name can not be NULL'],
  ])('rejects %s: %s', async (statement, message) => {
    await expect(rows(statement)).rejects.toThrow(message);
  });
});

describe('permissions', () => {
  test.each(['anon', 'authenticated', 'service_role'])('%s can’t schedule jobs', async (role) => {
    for (const call of [`cron.schedule('* * * * *', 'select 1')`, 'cron.unschedule(1)']) {
      const asked = backend.database.asRequest({ role, settings: [] }, (tx) =>
        tx.query(sql`select ${sql.raw(call)}`),
      );
      await expect(asked).rejects.toMatchObject({
        code: '42501',
        message: 'permission denied for schema cron',
      });
    }
  });

  test('a role with access can schedule jobs as itself, and can see and end only its own jobs', async () => {
    const { id: mine } = await first(`select cron.schedule('mine', '0 0 1 1 *', 'select 1') as id`);
    await postgres.exec('grant usage on schema cron to authenticated');
    const ask = (text: string): Promise<Row[]> =>
      backend.database.asRequest({ role: 'authenticated', settings: [] }, (tx) => tx.query(sql.raw(text)));
    const [{ id } = { id: 0 }] = await ask(`select cron.schedule('theirs', '0 0 1 1 *', 'select 1') as id`);
    expect(await ask('select jobid, username from cron.job')).toEqual([
      { jobid: id, username: 'authenticated' },
    ]);
    for (const call of [
      `cron.unschedule(${mine})`,
      `cron.unschedule('mine')`,
      `cron.schedule_in_database('x', '* * * * *', 'select 1', current_database(), 'postgres')`,
      `cron.alter_job(${id}, username => 'postgres')`,
    ]) {
      await expect(ask(`select ${call}`)).rejects.toMatchObject({
        code: expect.stringMatching(/42501|P0002/),
      });
    }
    await ask(`select cron.unschedule('theirs')`);
    await postgres.exec(`revoke usage on schema cron from authenticated; select cron.unschedule('mine')`);
  });

  test('a security definer function of postgres schedules as postgres for every caller', async () => {
    await postgres.exec(`create function public.remind() returns bigint language sql security definer as
      $$ select cron.schedule('reminder', '0 0 1 1 *', 'select 1') $$`);
    await backend.database.asRequest({ role: 'anon', settings: [] }, (tx) =>
      tx.query(sql`select public.remind()`),
    );
    expect(await first(`select username from cron.job where jobname = 'reminder'`)).toEqual({
      username: 'postgres',
    });
    await postgres.exec(`select cron.unschedule('reminder')`);
  });

  test.each([
    [
      'for the superuser',
      `select cron.schedule_in_database('x', '* * * * *', 'select 1', current_database(), 'supabase_admin')`,
    ],
    [
      'by inserting a row',
      `insert into cron.job (schedule, command, username) values ('* * * * *', 'select 1', 'supabase_admin')`,
    ],
    [
      'by the view with another caller',
      `insert into cron._call (action, schedule, command, caller) values ('schedule', '* * * * *', 'select 1', 'supabase_admin')`,
    ],
    ['by changing a row', `update cron.job set username = 'supabase_admin'`],
    [
      'by a trigger on the jobs table',
      'create trigger t before insert on cron.job for each row execute function suppress_redundant_updates_trigger()',
    ],
    [
      'by a trigger on the run details',
      'create trigger t before insert on cron.job_run_details for each row execute function suppress_redundant_updates_trigger()',
    ],
    ['by changing the timetable', `update cron._timetable set due_at = now()`],
    ['by calling the claim function', 'select cron._claim(1)'],
  ])('postgres can’t get a superuser %s', async (_how, statement) => {
    await expect(postgres.exec(statement)).rejects.toMatchObject({ code: '42501' });
  });
});

describe('runs', () => {
  test('use the job’s user and database, outside a transaction', async () => {
    await postgres.exec('create table public.seen (who text, where_ text)');
    const { id } = await first(
      `select cron.schedule('look', '${onNewYear}', 'insert into public.seen values (session_user, current_database())') as id`,
    );
    const vacuum = await first(`select cron.schedule('vacuum', '${onNewYear}', 'VACUUM public.seen') as id`);
    const read = await first(
      `select cron.schedule('read', '${onNewYear}', 'select 1; select generate_series(1, 3)') as id`,
    );
    for (const job of [id, vacuum.id, read.id]) await runNow(job);
    expect(await ended(id)).toMatchObject([
      { status: 'succeeded', return_message: 'INSERT 0 1', username: 'postgres' },
    ]);
    expect(await ended(vacuum.id)).toMatchObject([{ status: 'succeeded', return_message: 'VACUUM' }]);
    expect(await ended(read.id)).toMatchObject([{ status: 'succeeded', return_message: '3 rows' }]);
    expect(await first('select who from public.seen')).toEqual({ who: 'postgres' });
    expect(
      await first(
        `select job_pid is not null and end_time >= start_time as complete from cron.job_run_details where jobid = ${id}`,
      ),
    ).toEqual({ complete: true });
    await postgres.exec('select cron.unschedule(jobid) from cron.job');
  });

  test('record a failure in psql’s format, and continue with the next run', async () => {
    const { id } = await first(
      `select cron.schedule('bad', '${onNewYear}', 'select * from public.nothing_here') as id`,
    );
    await runNow(id);
    expect(await ended(id)).toMatchObject([
      {
        status: 'failed',
        return_message: expect.stringMatching(/^ERROR: {2}relation "public\.nothing_here" does not exist\n/),
      },
    ]);
    await postgres.exec(`select cron.alter_job(${id}, command => 'select 1')`);
    await runNow(id);
    await expect
      .poll(() => runsOf(id))
      .toMatchObject([{ status: 'failed' }, { status: 'succeeded', return_message: '1 row' }]);
    await postgres.exec(`select cron.unschedule('bad')`);
  });

  test('of a role that can’t log in fail', async () => {
    const { id } = await first(
      `select cron.schedule_in_database('nologin', '${onNewYear}', 'select 1', current_database(), 'anon') as id`,
      admin,
    );
    await runNow(id);
    expect(await ended(id)).toMatchObject([
      { status: 'failed', return_message: expect.stringContaining('role "anon" is not permitted to log in') },
    ]);
    await admin.exec(`select cron.unschedule(${id})`);
  });

  test('repeat after the given number of seconds', async () => {
    const { id } = await first(`select cron.schedule('often', '1 second', 'select 1') as id`);
    await expect.poll(async () => (await runsOf(id)).length).toBeGreaterThanOrEqual(3);
    await postgres.exec(`select cron.unschedule('often')`);
  });

  test('start once per due time with any number of processes, but not while the job is running', async () => {
    const others = [1, 2].map(() =>
      createJobs({
        database: backend.database,
        config: createLiveConfig(backend.config),
        mode: 'development',
        apiUrl: () => backend.url,
        localUrl: Promise.resolve(backend.url),
        log: silentLogger,
      }),
    );
    for (const other of others) await other.start?.();
    const { id } = await first(`select cron.schedule('once', '* * * * *', 'select 1') as id`);
    const long = await first(`select cron.schedule('long', '* * * * *', 'select pg_sleep(1.5)') as id`);
    const startedAt = Date.now();
    await makeDue(id);
    await makeDue(long.id);
    await expect.poll(async () => (await runsOf(long.id))[0]?.status).toBe('running');
    // The job becomes due twice during a run, but only one run is queued.
    await makeDue(long.id);
    await makeDue(long.id);
    await expect
      .poll(async () => (await runsOf(long.id)).map(({ status }) => status), { timeout: 20_000 })
      .toSatisfy((states: unknown[]) => states.length >= 2 && states.every((state) => state === 'succeeded'));
    // If a new minute has begun since the start of the test, the job is due one more time.
    const turned = Math.floor(Date.now() / 60_000) - Math.floor(startedAt / 60_000);
    expect((await runsOf(long.id)).length).toBeLessThanOrEqual(2 + turned);
    const [overlap] =
      await rows(`select count(*)::int as n from cron.job_run_details a join cron.job_run_details b
      on a.jobid = b.jobid and a.runid < b.runid and a.end_time > b.start_time where a.jobid = ${long.id}`);
    expect(overlap).toEqual({ n: 0 });
    const [ticks] =
      await rows(`select count(*)::int as runs, count(distinct date_trunc('minute', start_time))::int as minutes
      from cron.job_run_details where jobid = ${id}`);
    expect(ticks?.runs).toBe(ticks?.minutes);
    for (const other of others) await other.stop?.();
    await postgres.exec(`select cron.unschedule('once'), cron.unschedule('long')`);
  });

  test('are canceled if their job is unscheduled', async () => {
    const { id } = await first(
      `select cron.schedule('endless', '${onNewYear}', 'select pg_sleep(600)') as id`,
    );
    await runNow(id);
    await expect.poll(async () => (await runsOf(id))[0]?.status).toBe('running');
    await postgres.exec(`select cron.unschedule('endless')`);
    expect(await ended(id)).toMatchObject([{ status: 'failed', return_message: 'job cancelled' }]);
  });

  test('aren’t prevented by another job that locks its own row', async () => {
    const self = await first(`select cron.schedule('self', '${onNewYear}',
      $$select cron.alter_job((select jobid from cron.job where jobname = 'self'), active => false); select pg_sleep(3)$$) as id`);
    const { id } = await first(`select cron.schedule('beside', '${onNewYear}', 'select 1') as id`);
    await runNow(self.id);
    await expect.poll(async () => (await runsOf(self.id))[0]?.status).toBe('running');
    await runNow(id);
    expect(await ended(id)).toMatchObject([{ status: 'succeeded' }]);
    expect(await runsOf(self.id)).toMatchObject([{ status: 'running' }]);
    await ended(self.id);
    await postgres.exec(`select cron.unschedule('self'), cron.unschedule('beside')`);
  });

  test('have details that are deleted after a while', async () => {
    await postgres.exec(`insert into cron.job_run_details (jobid, status, end_time) values
      (-1, 'succeeded', now() - interval '31 days'), (-2, 'succeeded', now() - interval '29 days'), (-3, 'running', null)`);
    const other = createJobs({
      database: backend.database,
      config: createLiveConfig(backend.config),
      mode: 'development',
      apiUrl: () => backend.url,
      localUrl: Promise.resolve(backend.url),
      log: silentLogger,
    });
    await other.start?.();
    // Runs that were left in the running state are marked as failed.
    await expect
      .poll(() =>
        rows(
          'select jobid, status, return_message from cron.job_run_details where jobid < 0 order by jobid desc',
        ),
      )
      .toEqual([
        { jobid: -2, status: 'succeeded', return_message: null },
        { jobid: -3, status: 'failed', return_message: 'server restarted' },
      ]);
    await other.stop?.();
  });
});
