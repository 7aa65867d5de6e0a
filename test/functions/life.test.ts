/**
 * Tests how workers are shared, notified, stopped and restarted. Workers are stopped if they are idle or too old, or if
 * too many workers run. Also tests invocation records.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Limits } from '../../src/services/functions/core/limits.ts';
import { type FunctionsWorld, functionsWorld } from './harness.ts';

const pid = `Deno.serve(async (request) => {
  const wait = Number(new URL(request.url).searchParams.get('wait') ?? 0);
  await new Promise((go) => setTimeout(go, wait));
  return new Response(String(Deno.pid));
});`;
const sources: Record<string, string> = {
  a: pid,
  b: pid,
  c: pid,
  silent: `Deno.serve(() => new Promise(() => {}));`,
  late: `await new Promise((go) => setTimeout(go, 300)); Deno.serve(() => new Promise(() => {}));`,
  nothing: `console.log('no server here');`,
  last: `addEventListener('beforeunload', (event) => console.log('unloads:', event.detail.reason));
    Deno.serve((request) => request.url.endsWith('stay') ? new Promise(() => {}) : new Response('ok'));`,
  background: `addEventListener('unload', () => console.log('unloaded'));
    Deno.serve(() => { EdgeRuntime.waitUntil(new Promise((done) => setTimeout(() => { console.log('done'); done(); }, 1200))); return new Response('ok'); });`,
};

const keysOf = `Deno.serve(() => Response.json({
  publishable: JSON.parse(Deno.env.get('SUPABASE_PUBLISHABLE_KEYS')).default,
  secret: JSON.parse(Deno.env.get('SUPABASE_SECRET_KEYS')).default,
}));`;

const soon = { timeout: 20_000 };

async function withLimits<T>(
  limits: Partial<Limits>,
  use: (world: FunctionsWorld) => Promise<T>,
  policy: 'per_worker' | 'oneshot' = 'per_worker',
): Promise<T> {
  const world = await functionsWorld({ files: sources, limits, config: { edge_runtime: { policy } } });
  try {
    return await use(world);
  } finally {
    await world.stop();
  }
}
const textOf = async (world: FunctionsWorld, path: string) => (await world.call(path)).text();

describe('a worker', () => {
  let world: FunctionsWorld;
  beforeAll(async () => {
    world = await functionsWorld({ files: sources });
  });
  afterAll(() => world?.stop());

  it('is shared by the requests of one function, including those that arrive during startup', async () => {
    const pids = await Promise.all(Array.from({ length: 20 }, () => textOf(world, 'a')));
    expect(new Set(pids).size).toBe(1);
    expect(await textOf(world, 'b')).not.toBe(pids[0]);
  });

  it('that was killed is replaced at the next request', async () => {
    const before = await textOf(world, 'a');
    const pending = world.call('a?wait=60000');
    await expect.poll(() => world.functions.describe('a')?.pending, soon).toBe(1);
    process.kill(Number(before), 'SIGKILL');
    const response = await pending;
    expect([response.status, (await response.json()).code]).toEqual([500, 'WORKER_ERROR']);
    expect(await textOf(world, 'a')).not.toBe(before);
  });

  it('doesn’t end on a Ctrl-C sent to the server’s process group', async () => {
    const before = await textOf(world, 'c');
    const { readFileSync } = await import('node:fs');
    const groupOf = (id: string) => readFileSync(`/proc/${id}/stat`, 'utf8').split(') ')[1]?.split(' ')[2];
    expect(groupOf(before)).not.toBe(groupOf(String(process.pid)));
  });

  it('that doesn’t start to serve fails immediately with an explanation', async () => {
    const response = await world.call('nothing');
    expect([response.status, (await response.json()).code]).toEqual([503, 'BOOT_ERROR']);
    expect(world.lines('nothing')).toEqual([
      'no server here',
      expect.stringMatching(/without handling requests/),
    ]);
  });

  it('records the status, duration, CPU time and memory of each request, and whether it started the worker', async () => {
    await textOf(world, 'b?key=secret');
    expect((await world.call('nothing')).status).toBe(503);
    const gone = new AbortController();
    const aborted = world.call('b/long?wait=60000', { signal: gone.signal });
    await expect.poll(() => world.functions.describe('b')?.pending, soon).toBe(1);
    gone.abort();
    await expect(aborted).rejects.toThrow();
    await expect.poll(() => world.functions.invocations.recent('b', 10)[0]?.path, soon).toBe('/b/long');
    const [left, second, start] = world.functions.invocations.recent('b', 10);
    expect(left).toMatchObject({ status: null, code: undefined, bootMs: undefined });
    expect(second).toMatchObject({ status: 200, path: '/b', method: 'GET', bootMs: undefined });
    expect(second?.memoryBytes).toBeGreaterThan(10e6);
    expect(second?.cpuMs).toBeGreaterThan(0);
    expect(start?.bootMs).toBeGreaterThan(0);
    expect(start?.durationMs).toBeGreaterThanOrEqual(start?.bootMs ?? Infinity);
    expect(world.functions.invocations.recent('nothing', 1)[0]).toMatchObject({
      status: 503,
      code: 'BOOT_ERROR',
    });
  });
});

describe.concurrent('limits', () => {
  it('end a late response with 504, but not the worker', ({ expect }) =>
    withLimits({ responseMs: 500 }, async (world) => {
      const response = await world.call('silent');
      expect([response.status, (await response.json()).code]).toEqual([504, 'IDLE_TIMEOUT']);
      expect(world.functions.describe('silent')?.state).toBe('running');
    }));

  it('on the wall clock notify the function and end pending requests with 546', ({ expect }) =>
    withLimits({ wallClockMs: 4000 }, async (world) => {
      const response = await world.call('last/stay');
      expect([response.status, (await response.json()).code]).toEqual([546, 'WORKER_LIMIT']);
      expect(world.lines('last').join('\n')).toMatch(/unloads: wall_clock(?:.|\n)*worker ended: wall clock/);
    }));

  it('on idle time notify, end and replace a worker', ({ expect }) =>
    withLimits({ idleMs: 200 }, async (world) => {
      expect(await textOf(world, 'last')).toBe('ok');
      await expect.poll(() => world.functions.describe('last')?.state, soon).toBe('idle');
      expect(world.lines('last')).toEqual(['unloads: early_drop']);
      expect(await textOf(world, 'last')).toBe('ok');
    }));

  it('on idle time don’t end a worker before its waitUntil promise is settled', ({ expect }) =>
    withLimits({ idleMs: 200 }, async (world) => {
      expect(await textOf(world, 'background')).toBe('ok');
      await expect.poll(() => world.lines('background'), soon).toEqual(['done', 'unloaded']);
    }));

  it('on the number of workers end the one that was idle the longest', ({ expect }) =>
    withLimits({ maxWorkers: 2 }, async (world) => {
      const [a, b] = [await textOf(world, 'a'), await textOf(world, 'b')];
      await textOf(world, 'c');
      expect(world.functions.describe('a')?.state).toBe('idle');
      expect(await textOf(world, 'b')).toBe(b);
      expect(await textOf(world, 'a')).not.toBe(a);
    }));

  it('let a request wait until a worker is free, or end it with 546', ({ expect }) =>
    withLimits({ maxWorkers: 1, waitMs: 1000 }, async (world) => {
      const gone = new AbortController();
      const busy = world.call('silent', { signal: gone.signal }).catch(() => undefined);
      await expect.poll(() => world.functions.describe('silent')?.pending, soon).toBe(1);
      const response = await world.call('b');
      expect([response.status, (await response.json()).code]).toEqual([546, 'WORKER_LIMIT']);
      const waiting = textOf(world, 'b');
      gone.abort();
      await busy;
      expect(Number(await waiting)).toBeGreaterThan(0);
    }));

  it('end workers with an old source to make room, regardless of their requests', ({ expect }) =>
    withLimits({ maxWorkersPerFunction: 2, waitMs: 1000 }, async (world) => {
      const held: Promise<number | undefined>[] = [];
      for (const pending of [1, 2]) {
        held.push(
          world.call('a?wait=60000').then(
            ({ status }) => status,
            () => undefined,
          ),
        );
        await expect.poll(() => world.functions.describe('a')?.pending, soon).toBe(pending);
        // This call has the same effect as saving a file.
        world.functions.serve({});
      }
      expect(Number(await textOf(world, 'a'))).toBeGreaterThan(0);
      expect([await held[0], world.functions.describe('a')?.pending]).toEqual([500, 1]);
    }));

  it('count a starting worker only once', ({ expect }) =>
    withLimits({ maxWorkers: 2, waitMs: 1000 }, async (world) => {
      void world.call('late').catch(() => undefined);
      await expect.poll(() => world.functions.describe('late')?.state, { interval: 5 }).toBe('running');
      expect(Number(await textOf(world, 'a'))).toBeGreaterThan(0);
    }));

  it('send further concurrent requests to another worker', ({ expect }) =>
    withLimits({ maxRequests: 2, maxWorkersPerFunction: 2, waitMs: 5000 }, async (world) => {
      const pids = await Promise.all(Array.from({ length: 7 }, () => textOf(world, 'a?wait=100')));
      expect(new Set(pids).size).toBe(2);
    }));

  it('apply to oneshot, which starts a worker for each request', ({ expect }) =>
    withLimits(
      { maxWorkersPerFunction: 2 },
      async (world) => {
        const pids = await Promise.all(Array.from({ length: 4 }, () => textOf(world, 'a')));
        expect(new Set(pids).size).toBe(4);
      },
      'oneshot',
    ));
});

it('running and new functions receive rotated keys', async () => {
  const world = await functionsWorld({ files: { running: keysOf, next: keysOf }, keyMode: 'production' });
  try {
    const { keys } = world;
    const seenBy = async (slug: string, apikey: string) =>
      (await fetch(`${world.url}/functions/v1/${slug}`, { headers: { apikey } })).json();
    const before = { publishable: keys.publishableKey, secret: keys.secretKey };
    expect(await seenBy('running', before.publishable)).toEqual(before);
    const after = {
      publishable: keys.defaultKeys.rotate('publishable', 'ada').key,
      secret: keys.defaultKeys.rotate('secret', 'ada').key,
    };
    for (const slug of ['running', 'next'])
      for (const apikey of [after.publishable, after.secret, before.secret])
        expect(await seenBy(slug, apikey)).toEqual(after);
  } finally {
    await world.stop();
  }
});
