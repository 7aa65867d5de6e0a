/**
 * Tests API workers that are replaced, killed or unresponsive while clients send requests over persistent connections.
 */
import { once } from 'node:events';
import { get } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Load, startLoad } from './load.ts';
import { startWorld, type World } from './world.ts';

let world: World;
let url: string;
let headers: Record<string, string>;

beforeAll(async () => {
  world = await startWorld({
    sql: 'create table public.notes (id int primary key); grant select on public.notes to anon',
  });
  url = `${world.backend.url}/rest/v1/notes`;
  headers = { apikey: world.backend.keys.publishableKey };
});
afterAll(() => world.stop());

const connections = 8;
const load = (): Load => startLoad({ url, headers, connections, perSecond: 200 });
const isAlive = (pid: number): boolean => world.pids().includes(pid);
const allReady = () =>
  expect
    .poll(() => world.metric('plinth_worker_ready'), { timeout: 20_000 })
    .toEqual({ 'worker="1"': 1, 'worker="2"': 1 });

it('all workers are replaced without a failed request', async () => {
  const before = world.pids();
  const running = load();
  await expect.poll(() => running.sent).toBeGreaterThan(50);
  await world.backend.restartWorkers();
  const sentDuring = running.sent;
  await expect.poll(() => running.sent).toBeGreaterThan(sentDuring + 50);
  await running.stop();
  expect(running.failures).toEqual([]);
  const after = world.pids();
  expect(after).toHaveLength(2);
  expect(after.filter((pid) => before.includes(pid))).toEqual([]);
});

it('a killed worker loses only its current requests and is replaced', async () => {
  await allReady();
  const [victim = 0, survivor = 0] = world.pids();
  const running = load();
  await expect.poll(() => running.sent).toBeGreaterThan(50);
  process.kill(victim, 'SIGKILL');
  await expect.poll(() => world.pids().filter((pid) => pid !== victim), { timeout: 20_000 }).toHaveLength(2);
  await allReady();
  const sentDuring = running.sent;
  await expect.poll(() => running.sent).toBeGreaterThan(sentDuring + 50);
  await running.stop();
  // At most one request per connection was in progress, and half of the connections were on the surviving worker.
  expect(running.failures.length).toBeLessThan(connections);
  expect(isAlive(survivor)).toBe(true);
  expect(await world.metric('plinth_worker_connections')).toHaveProperty('worker="2"');
});

it('the other worker serves requests while one keeps crashing', async () => {
  await allReady();
  const [survivor] = world.pids();
  const killed = new Set<number>();
  const running = load();
  let restarts = 0;
  // Each worker is killed immediately after its start, so the delay before the next start grows.
  while (restarts < 3) {
    const victim = world.pids().find((pid) => pid !== survivor && !killed.has(pid));
    if (victim === undefined) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      continue;
    }
    killed.add(victim);
    process.kill(victim, 'SIGKILL');
    restarts += 1;
  }
  const ready = await world.backend.fetch('/health/ready');
  const report = (await ready.json()) as { checks: Record<string, { status: string; message?: string }> };
  expect([ready.status, report.checks.workers]).toEqual([
    200,
    { status: 'degraded', message: '1 of 2 API workers can serve requests.' },
  ]);
  await running.stop();
  expect(running.failures.length).toBeLessThan(connections);
  const delays = world.entries
    .filter(({ message }) => message.includes('is replaced'))
    .map(({ fields }) => Number(fields.delayMs));
  expect(delays.at(-1)).toBeGreaterThan(delays.at(-2) ?? 0);
  await allReady();
});

it('connections that a killed worker has not yet accepted are passed to another worker', async () => {
  await allReady();
  const [stuck = 0] = world.pids();
  process.kill(stuck, 'SIGSTOP');
  // Half of these connections are passed to the stopped worker, which doesn't accept them.
  const fresh = (): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      get(url, { headers, agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).on('error', reject);
    });
  const calls = Array.from({ length: 6 }, fresh);
  await Promise.race(calls);
  const ended = once(
    world.workers.find(({ pid }) => pid === stuck) as NonNullable<World['workers'][0]>,
    'exit',
  );
  process.kill(stuck, 'SIGKILL');
  await ended;
  expect(await Promise.all(calls)).toEqual(Array.from({ length: 6 }, () => 200));
  await allReady();
});

it('stopping the server stops every worker', async () => {
  const own = await startWorld();
  const running = own.workers.map((worker) => once(worker, 'exit'));
  await own.stop();
  expect((await Promise.all(running)).map(([code]) => code)).toEqual([0, 0]);
});
