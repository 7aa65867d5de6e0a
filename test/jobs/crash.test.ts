/**
 * Tests requests and jobs while PostgreSQL, Plinth or both are killed with kill -9. Each request must arrive at least
 * once and eventually get a response (bench/jobs.ts does the same with ten thousand requests). A running job must be
 * marked as failed. Also tests that two processes that share a database never perform the same work twice.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { killPlinth, killPostgres, type Plinth, startPlinth } from './process.ts';
import { openTarget, type Target } from './target.ts';

// The timeout is long because PostgreSQL recovers several times and retries are delayed.
const requests = 600;
/**
 * Creates a project that two processes can use. The second process connects over TCP as the superuser, which the
 * embedded server rejects by default.
 */
function sharedProject(): string {
  const dir = mkdtempSync(join(tmpdir(), 'plinth-jobs-'));
  mkdirSync(join(dir, 'supabase'));
  writeFileSync(join(dir, 'supabase', 'plinth.toml'), '[database]\nshared_password = true\n');
  return dir;
}
const projectDir = sharedProject();
let target: Target;
let plinth: Plinth;
beforeAll(async () => {
  target = await openTarget();
  target.answer((_request, response) => void setTimeout(() => response.end('x'), 15));
  plinth = await startPlinth(projectDir);
});
afterAll(async () => {
  await plinth?.stop();
  await target?.close();
  rmSync(projectDir, { recursive: true, force: true, maxRetries: 5 });
});

test('no queued request is lost', async () => {
  await plinth.query(`select net.http_get('${target.url}/' || n) from generate_series(1, ${requests}) n`);
  const arrived = (): number => new Set(target.arrived.map(({ url }) => url)).size;

  await expect.poll(arrived, { timeout: 60_000 }).toBeGreaterThan(requests / 6);
  killPostgres(projectDir);
  await expect.poll(arrived, { timeout: 60_000 }).toBeGreaterThan(requests / 3);
  await killPlinth(plinth);
  plinth = await startPlinth(projectDir);
  await expect.poll(arrived, { timeout: 60_000 }).toBeGreaterThan((requests * 2) / 3);
  killPostgres(projectDir);
  await killPlinth(plinth);
  plinth = await startPlinth(projectDir);

  const [queued, answered, failed] = [
    'select count(*)::int as n from net.http_request_queue',
    "select count(distinct id)::int as n from net._http_response where status_code = 200 and content = 'x'",
    'select count(*)::int as n from net._http_response where error_msg is not null',
  ];
  await expect.poll(() => plinth.query(queued as string), { timeout: 60_000 }).toEqual([{ n: 0 }]);
  expect(await plinth.query(answered as string)).toEqual([{ n: requests }]);
  expect(await plinth.query(failed as string)).toEqual([{ n: 0 }]);
  expect(arrived()).toBe(requests);
  // Only requests that were in progress are sent again.
  expect(target.arrived.length).toBeLessThan(requests + 4 * 64 + 1);
});

test('a cron job that was running is marked as failed and runs again', async () => {
  await plinth.query(
    `create extension if not exists pg_cron; select cron.schedule('long', '1 second', 'select pg_sleep(1000)')`,
  );
  const runs = (): Promise<unknown> =>
    plinth.query('select status, return_message as message from cron.job_run_details order by runid');
  await expect.poll(runs, { timeout: 30_000 }).toEqual([{ status: 'running', message: null }]);
  killPostgres(projectDir);
  await killPlinth(plinth);
  plinth = await startPlinth(projectDir);
  await expect.poll(runs, { timeout: 60_000 }).toEqual([
    { status: 'failed', message: 'server restarted' },
    { status: 'running', message: null },
  ]);
  await plinth.query(`select cron.unschedule('long')`);
});

test('two processes on one database share the work', async () => {
  const otherDir = sharedProject();
  const url = new URL(plinth.databaseUrl);
  url.username = 'supabase_admin';
  const other = await startPlinth(otherDir, ['--database-url', url.href]);
  try {
    target.arrived.length = 0;
    const sessions =
      "select count(distinct pid)::int as n from pg_locks where locktype = 'advisory' and classid = 1886283124";
    await plinth.query(`create table public.ticks (at timestamptz default clock_timestamp());
      select cron.schedule('tick', '2 seconds', 'insert into public.ticks default values')`);
    await plinth.query(`select net.http_get('${target.url}/' || n) from generate_series(1, ${requests}) n`);
    let most = 0;
    await expect
      .poll(
        async () => {
          most = Math.max(most, (await plinth.query(sessions))[0]?.n as number);
          return (await plinth.query('select count(*)::int as n from net.http_request_queue'))[0]?.n;
        },
        { timeout: 60_000, interval: 20 },
      )
      .toBe(0);
    expect(most).toBe(2);
    expect(target.arrived.length).toBe(requests);
    const ticks = `select count(*)::int as n, min(gap) as least from (
      select extract(epoch from at - lag(at) over (order by at))::float as gap from public.ticks) gaps`;
    await expect
      .poll(async () => (await plinth.query(ticks))[0]?.n, { timeout: 30_000 })
      .toBeGreaterThanOrEqual(4);
    expect((await plinth.query(ticks))[0]?.least).toBeGreaterThan(1.5);
  } finally {
    await other.stop();
    rmSync(otherDir, { recursive: true, force: true });
  }
});
