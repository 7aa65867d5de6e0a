/**
 * Tests malicious functions that run concurrently. Each call must get a response, and the server and other functions
 * must not be affected.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FunctionsWorld, functionsWorld } from './harness.ts';

const answers = (before: string) =>
  `Deno.serve(async () => { ${before}; return new Response('answered'); });`;

const sources: Record<string, string> = {
  good: `const started = Deno.pid; Deno.serve(() => new Response(String(started)));`,
  spins: `Deno.serve(() => { for (;;); });`,
  'spins-later': answers(`setTimeout(() => { for (;;); }, 200)`),
  'spins-while-it-waits': `Deno.serve(async () => { for (;;) { const end = performance.now() + 5; while (performance.now() < end); await new Promise((go) => setTimeout(go, 0)); } });`,
  'spins-at-the-top': `for (;;);`,
  'hoards-objects': `Deno.serve(() => { const all = []; for (;;) all.push({ n: all.length, s: 'x'.repeat(100) + all.length }); });`,
  'hoards-buffers': `Deno.serve(async () => { const all = []; for (;;) { all.push(new Uint8Array(16 << 20).fill(1)); await new Promise((go) => setTimeout(go, 1)); } });`,
  'hoards-later': answers(
    `EdgeRuntime.waitUntil((async () => { await new Promise((go) => setTimeout(go, 200)); const all = []; for (;;) { all.push(new Uint8Array(16 << 20).fill(1)); await new Promise((go) => setTimeout(go, 1)); } })())`,
  ),
  'hoards-in-threads': `Deno.serve(() => { for (let i = 0; i < 40; i++) new Worker('data:text/javascript,const a=[];for(;;)a.push(new Array(1e5).fill(1.5))', { type: 'module' }); return new Promise(() => {}); });`,
  forks: `import { spawn, fork } from 'node:child_process'; import cluster from 'node:cluster';
    const tries = [() => new Deno.Command('/bin/sh').spawn(), () => new Deno.Command(Deno.execPath()).spawn(),
      () => new Promise((_, no) => spawn('/bin/sh').on('error', no)), () => new Promise((_, no) => fork('/bin/sh').on('error', no)),
      () => new Promise((_, no) => cluster.fork().on('error', no)), () => Deno.kill(Deno.ppid, 'SIGKILL')];
    Deno.serve(async () => { const names = []; for (const one of tries) { try { await one(); names.push('ran'); } catch (error) { names.push('refused'); } } return Response.json(names); });`,
  floods: answers(
    `for (let second = 0; second < 2; second++) { for (let i = 0; i < 10_000; i++) console.log('line', i); await new Promise((go) => setTimeout(go, 1000)); }`,
  ),
  'floods-without-end': answers(
    `const chunk = new TextEncoder().encode('x'.repeat(1 << 16)); for (let i = 0; i < 200; i++) await Deno.stdout.write(chunk)`,
  ),
  'stops-in-the-middle': `Deno.serve(() => new Response(new ReadableStream({ start(c) { c.enqueue(new Uint8Array(10)); setTimeout(() => { throw new Error('x'); }, 20); } })));`,
  'crashes-later': answers(`EdgeRuntime.waitUntil(Promise.reject(new Error('in the background')))`),
  'dies-later': answers(
    `EdgeRuntime.waitUntil(new Promise(() => setTimeout(() => { throw new Error('out of reach'); }, 200)))`,
  ),
  forges: `Deno.serve((request) => { console.log('\\x1e3other-id\\x1fby the console'); Deno.stdout.writeSync(new TextEncoder().encode('\\x1e3other-id\\x1fby hand\\n')); return new Response('ok', { headers: { 'x-request-id': 'mine', 'content-length': '2' } }); });`,
};

const soon = { timeout: 20_000 };

let world: FunctionsWorld;
let goodPid = '';
/** The first response of each function. All functions are called at the same time, so they run concurrently. */
const first = new Map<string, Promise<[number, string]>>();

const outcome = async (slug: string): Promise<[number, string]> => {
  const response = await world.call(slug);
  const text = await response.text();
  return [response.status, response.headers.get('sb-error-code') ?? text];
};
/** Checks that the function `good` still responds in the same process as before. */
const neighborIsWell = async () => expect(await (await world.call('good')).text()).toBe(goodPid);

beforeAll(async () => {
  world = await functionsWorld({
    files: sources,
    limits: { cpuMs: 700, bootCpuMs: 1500, maxWorkers: 30 },
  });
  goodPid = await (await world.call('good')).text();
  for (const slug of Object.keys(sources)) {
    const promise = outcome(slug);
    promise.catch(() => undefined);
    first.set(slug, promise);
  }
});
afterAll(() => world?.stop());

describe('a function that', () => {
  it.each([
    ['spins', 546, 'WORKER_LIMIT', /CPU time/],
    ['spins-while-it-waits', 546, 'WORKER_LIMIT', /CPU time/],
    ['spins-at-the-top', 503, 'BOOT_ERROR', /CPU time to start/],
    ['hoards-objects', 546, 'WORKER_LIMIT', /out of memory|memory:|CPU time/],
    ['hoards-in-threads', 546, 'WORKER_LIMIT', /memory|CPU time/],
  ])('%s is terminated with %i', async (slug, status, code, note) => {
    expect(await first.get(slug)).toEqual([status, code]);
    await expect.poll(() => world.lines(slug).join('\n'), soon).toMatch(note);
    await neighborIsWell();
  });

  it('allocates buffers endlessly is terminated, or its allocation fails', async () => {
    expect([500, 546]).toContain((await first.get('hoards-buffers'))?.[0]);
    await expect
      .poll(() => world.lines('hoards-buffers').join('\n'), soon)
      .toMatch(/memory:|allocation failed/i);
    await neighborIsWell();
  });

  it.each([
    ['spins-later', /worker ended: CPU time/],
    ['hoards-later', /worker ended: memory|out of memory|allocation failed/i],
    ['dies-later', /out of reach/],
  ])('%s after its response is also terminated, and can start again', async (slug, note) => {
    expect(await first.get(slug)).toEqual([200, 'answered']);
    await expect.poll(() => world.lines(slug).join('\n'), soon).toMatch(note);
    await expect.poll(() => world.functions.describe(slug)?.state, soon).toBe('idle');
    expect(await outcome(slug)).toEqual([200, 'answered']);
    await neighborIsWell();
  });

  it('rejects its waitUntil promise keeps running', async () => {
    expect(await first.get('crashes-later')).toEqual([200, 'answered']);
    await expect.poll(() => world.lines('crashes-later').join('\n'), soon).toMatch(/in the background/);
    expect(world.functions.describe('crashes-later')?.state).toBe('running');
  });

  it('runs other programs or sends signals to the server is denied permission', async () => {
    const [status, body] = (await first.get('forks')) ?? [];
    expect([status, JSON.parse(String(body))]).toEqual([200, Array(6).fill('refused')]);
  });

  it('prints 10,000 lines a second still responds to every call, and its log reports the dropped lines', async () => {
    expect(await first.get('floods')).toEqual([200, 'answered']);
    const lines = world.lines('floods');
    expect(lines.length).toBeLessThanOrEqual(500);
    expect(lines.join('\n')).toMatch(/more than 500 lines in one second/);
  });

  it('prints an endless line doesn’t use the server’s memory', async () => {
    expect(await first.get('floods-without-end')).toEqual([200, 'answered']);
    expect(world.lines('floods-without-end').length).toBeGreaterThan(0);
    for (const line of world.lines('floods-without-end')) expect(line.length).toBeLessThanOrEqual(4002);
  });

  it('stops in the middle of its response ends its response', async () => {
    const response = await world.call('stops-in-the-middle');
    expect(response.status).toBe(200);
    await expect(response.arrayBuffer()).rejects.toThrow();
    await neighborIsWell();
  });

  it('forges the header of a log line affects only its own log, but not a request ID', async () => {
    const response = await world.call('forges');
    const id = response.headers.get('x-request-id');
    expect(id).not.toBe('mine');
    const lines = () => world.functions.logs.recent({ function: 'forges' });
    await expect
      .poll(lines, soon)
      .toContainEqual(
        expect.objectContaining({ requestId: id, level: 'info', line: '\x1e3other-id\x1fby the console' }),
      );
    await expect
      .poll(lines, soon)
      .toContainEqual(expect.objectContaining({ requestId: 'other-id', line: 'by hand' }));
  });
});
