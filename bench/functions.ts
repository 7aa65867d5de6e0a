/**
 * Measures the cost of functions and compares the results with limits. Measures the first response from a stopped
 * function (a trivial function, and a function that imports supabase-js from the cache), the gateway's overhead for a
 * call to a running function, and the memory of twenty idle functions. Also measures how long an endless loop runs
 * before Plinth stops it, and how much the loop delays other functions. Prints milliseconds and MiB, and exits with 0
 * even if a limit is exceeded.
 *
 *   node bench/functions.ts [--cold 20] [--warm 2000]
 *
 * Requires neither PostgreSQL nor a network, because the benchmark runs a package registry on the loopback interface
 * and builds its packages from node_modules. PSS and CPU time are measured only on Linux.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { functionsWorld } from '../test/functions/harness.ts';
import { startRegistry } from '../test/functions/registry.ts';
import { createReport } from './report.ts';

const { values } = parseArgs({
  options: {
    cold: { type: 'string', default: '20' },
    warm: { type: 'string', default: '2000' },
    json: { type: 'string' },
  },
});
const report = createReport(values.json);
const coldStarts = Number(values.cold);
const warmCalls = Number(values.warm);
const idleFunctions = 20;

const modules = fileURLToPath(new URL('../node_modules/', import.meta.url));

/** Returns the contents of a package's files by path, except type declarations and source maps. */
function packageFiles(name: string): Record<string, Buffer> {
  const files: Record<string, Buffer> = {};
  const root = join(modules, name);
  for (const path of readdirSync(root, { recursive: true }) as string[]) {
    if (/node_modules|\.map$|\.d\.[cm]?ts$|(^|\/)(src|umd)\//.test(path)) continue;
    const file = join(root, path);
    if (statSync(file).isFile()) files[path.replaceAll('\\', '/')] = readFileSync(file);
  }
  return files;
}

/** Returns a package and all its dependencies. */
function closure(name: string, found: Record<string, Record<string, Buffer>> = {}) {
  if (name in found) return found;
  const files = packageFiles(name);
  found[name] = files;
  const { dependencies = {} } = JSON.parse(String(files['package.json'])) as { dependencies?: object };
  for (const each of Object.keys(dependencies)) closure(each, found);
  return found;
}

const percentile = (times: readonly number[], share: number): number =>
  [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ??
  Number.NaN;
const ms = (time: number): string => `${time.toFixed(time < 10 ? 2 : 0)} ms`;
/** Prints and reports a duration or an amount of memory. */
function line(name: string, value: number, most?: number, unit: 'ms' | 'MiB' = 'ms'): void {
  report.add({ name, unit, value, ...(most !== undefined && { limit: { most } }) });
  const shown = unit === 'ms' ? ms(value) : `${value.toFixed(0)} MiB`;
  console.log(
    `${name.padEnd(70)}${shown.padStart(10)}   limit ${most === undefined ? '-' : `${most} ${unit}`}`,
  );
}

const registry = await startRegistry({ npm: closure('@supabase/supabase-js') });
const trivial = `Deno.serve(() => new Response('ok'));`;
const withClient = `import { createClient } from 'npm:@supabase/supabase-js@2';
  const client = createClient(Deno.env.get('SUPABASE_URL')!, Deno.env.get('SUPABASE_ANON_KEY')!);
  Deno.serve(() => new Response(typeof client.from === 'function' ? 'ok' : 'no'));`;
const world = await functionsWorld({
  files: {
    'supabase/functions/.env': `NPM_CONFIG_REGISTRY=${registry.url}/\n`,
    trivial,
    client: withClient,
    spins: 'Deno.serve(() => { for (;;); });',
    ...Object.fromEntries(Array.from({ length: idleFunctions }, (_, index) => [`idle${index}`, trivial])),
  },
  limits: { maxWorkers: idleFunctions + 5 },
});

/** Measures the time from the request to the complete response if no process of the function is running. */
async function cold(slug: string): Promise<number[]> {
  const times: number[] = [];
  // The first start isn't counted, because it also downloads and compiles the modules.
  for (let turn = -1; turn < coldStarts; turn += 1) {
    const end = world.functions.serve({});
    const before = performance.now();
    const response = await world.call(slug);
    if ((await response.text()) !== 'ok') throw new Error(`${slug}: ${world.lines(slug).join('\n')}`);
    if (turn >= 0) times.push(performance.now() - before);
    end();
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  return times;
}

/** Returns the processes of functions whose slug has this prefix. */
function workers(slug: string): { pid: string; socketPath: string }[] {
  const found: { pid: string; socketPath: string }[] = [];
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      if (!command.some((part) => part.startsWith(join(world.supabaseDir, 'functions', slug)))) continue;
      const socketPath = /DENO_SERVE_ADDRESS=unix:([^\0]+)/.exec(
        readFileSync(`/proc/${pid}/environ`, 'utf8'),
      )?.[1];
      if (socketPath !== undefined) found.push({ pid, socketPath });
    } catch {
      // The process exited before it was inspected.
    }
  }
  return found;
}

/** Measures the response time of a running function, both through the gateway and directly. */
async function warm(): Promise<{ direct: number; through: number }> {
  await (await world.call('trivial')).text();
  const gateway = new Pool(world.url, { connections: 1 });
  const [worker] = workers('trivial');
  if (worker === undefined)
    throw new Error('The process of the function was not found. This benchmark requires /proc.');
  const straight = new Pool('http://localhost', { connections: 1, socketPath: worker.socketPath });
  const time = async (pool: Pool, path: string): Promise<number> => {
    const startedAt = performance.now();
    const { body } = await pool.request({
      path,
      method: 'GET',
      headers: { authorization: world.authorization },
    });
    await body.text();
    return performance.now() - startedAt;
  };
  const times = { direct: [] as number[], through: [] as number[] };
  for (let call = 0; call < warmCalls; call += 1) {
    times.direct.push(await time(straight, '/trivial'));
    times.through.push(await time(gateway, '/functions/v1/trivial'));
  }
  await Promise.all([gateway.close(), straight.close()]);
  return { direct: percentile(times.direct, 0.5), through: percentile(times.through, 0.5) };
}

/** Returns the total memory (proportional set size) of all idle functions in MiB. */
async function idleMemory(): Promise<{ processes: number; mib: number }> {
  for (let index = 0; index < idleFunctions; index += 1) await (await world.call(`idle${index}`)).text();
  await new Promise((resolve) => setTimeout(resolve, 500));
  const pids = workers('idle').map(({ pid }) => pid);
  const kib = pids.map((pid) =>
    Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]),
  );
  return { processes: pids.length, mib: kib.reduce((sum, each) => sum + each, 0) / 1024 };
}

/**
 * Returns how long an endless loop runs (excluding the start of its process), and the longest response time of another
 * function while the loop runs.
 */
async function runaway(): Promise<{ status: number; endMs: number; neighborMs: number }> {
  await (await world.call('trivial')).text();
  const startedAt = performance.now();
  let isOver = false;
  const spinning = world.call('spins').finally(() => {
    isOver = true;
  });
  const times: number[] = [];
  while (!isOver) {
    const before = performance.now();
    await (await world.call('trivial')).text();
    times.push(performance.now() - before);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { status } = await spinning;
  const bootMs = world.functions.invocations.recent('spins', 1)[0]?.bootMs ?? 0;
  return { status, endMs: performance.now() - startedAt - bootMs, neighborMs: percentile(times, 0.95) };
}

try {
  for (const [what, slug, most] of [
    ['First call of a function', 'trivial', 100],
    ['First call of a function that imports supabase-js', 'client', 200],
  ] as const) {
    const times = await cold(slug);
    line(`${what}: median`, percentile(times, 0.5));
    line(`${what}: 95% within`, percentile(times, 0.95), most);
  }
  const { direct, through } = await warm();
  line('Later call, without the gateway: median', direct);
  line('Later call, additional time in the gateway: median', through - direct, 0.5);
  const { processes, mib } = await idleMemory();
  line(`${processes} idle functions: memory of all processes (PSS)`, mib, 300, 'MiB');
  const { status, endMs, neighborMs } = await runaway();
  line(`Endless loop: time until it is ended with ${status}`, endMs, 2500);
  line('Another function during the endless loop: 95% within', neighborMs, 50);
} finally {
  registry.close();
  await world.stop();
}
