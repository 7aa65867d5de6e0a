/**
 * Compares a server that has only one process with a server that has API workers, and restarts the workers under load.
 * Each server is `plinth serve` with the embedded PostgreSQL, on the same machine as the clients.
 *
 *     node bench/workers.ts [--workers 2] [--seconds 10] [--connections 32] [--requests 30000] [--rate 500]
 *
 * Prints the reads per second with one process and with workers, and their ratio. Also prints the memory of each
 * process before and after these reads: the RSS, and the part of the RSS that isn't shared with other processes. Then
 * sends `--requests` requests at `--rate` per second over connections that stay open. Prints how many requests fail
 * while the workers are replaced repeatedly, and how many fail while one worker is killed. Exits with 1 if a request
 * failed during the rolling restarts, or if killing a worker caused more failures than the worker had connections.
 * Linux only.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startLoad } from '../test/cluster/load.ts';
import { buildPlinth } from './build.ts';
import { runLoad } from './load/processes.ts';
import { wireText } from './load/requests.ts';
import { createReport } from './report.ts';

const { values } = parseArgs({
  options: {
    workers: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '10' },
    connections: { type: 'string', default: '32' },
    requests: { type: 'string', default: '30000' },
    rate: { type: 'string', default: '500' },
    json: { type: 'string' },
  },
});
const report = createReport(values.json);
buildPlinth();
const bin = fileURLToPath(new URL('../bin/plinth-built.mjs', import.meta.url));
const connections = Number(values.connections);
const ROWS = 1000;
const OWNER = 'bench';

interface Running {
  readonly url: string;
  readonly key: string;
  readonly dir: string;
  readonly pid: number;
  stop(): Promise<void>;
}

function makeProject(): string {
  const dir = mkdtempSync(join(tmpdir(), 'plinth-bench-'));
  mkdirSync(join(dir, 'supabase', 'migrations'), { recursive: true });
  writeFileSync(join(dir, 'supabase', 'config.toml'), 'project_id = "bench"\n');
  writeFileSync(
    join(dir, 'supabase', 'migrations', '20260101000000_items.sql'),
    `create table public.items (id int primary key, owner text not null);
insert into public.items select id, '${OWNER}' from generate_series(1, ${ROWS}) as id;
alter table public.items enable row level security;
create policy "all read" on public.items for select using (true);
grant select on public.items to anon;
`,
  );
  return dir;
}

async function serve(workers: number): Promise<Running> {
  const dir = makeProject();
  const child: ChildProcess = spawn(
    process.execPath,
    [bin, 'serve', '--workdir', dir, '--workers', String(workers), '--port', '0', '--json'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout as NonNullable<ChildProcess['stdout']> }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`the server exited with ${code}`)));
  });
  const secrets = readFileSync(join(dir, '.plinth', 'secrets.json'), 'utf8');
  return {
    url: (JSON.parse(line) as { API_URL: string }).API_URL,
    key: (JSON.parse(secrets) as { publishableKey: string }).publishableKey,
    dir,
    pid: child.pid as number,
    async stop() {
      child.kill('SIGTERM');
      await new Promise((resolve) => child.once('exit', resolve));
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function readsPerSecond({ url, key }: Running): Promise<number> {
  const requests = Array.from({ length: ROWS }, (_none, index) => ({
    text: wireText('GET', `/rest/v1/items?select=*&id=eq.${index + 1}`, { apikey: key }),
    owner: OWNER,
    rows: 1,
  }));
  const job = { port: Number(new URL(url).port), requests, connections, dropEvery: 0 };
  await runLoad({ ...job, seconds: 3 });
  const result = await runLoad({ ...job, seconds: Number(values.seconds) });
  if (result.errors + result.wrong > 0) throw new Error(`${result.errors} errors: ${result.samples[0]}`);
  return result.requests / result.seconds;
}

/** Returns the process IDs of the API workers. */
function workersOf(lead: number): number[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      const parent = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1];
      const isWorker = readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('--api-worker');
      return Number(parent) === lead && isWorker ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

/** Returns the memory of a process in MB, as the kernel reports it in proc_pid_smaps(5). */
function memoryOf(pid: number): { readonly rss: number; readonly own: number } {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const megabytes = (name: string): number =>
    (Number(new RegExp(`^${name}: +(\\d+) kB$`, 'm').exec(text)?.[1]) * 1024) / 1e6;
  return { rss: megabytes('Rss'), own: megabytes('Private_Clean') + megabytes('Private_Dirty') };
}

function printMemory({ pid }: Running, when: string): void {
  const shown = (one: number): string => {
    const { rss, own } = memoryOf(one);
    return `${Math.round(rss)} MB (${Math.round(own)} MB private)`;
  };
  const workers = workersOf(pid);
  const list = workers.length === 0 ? 'none' : workers.map(shown).join(', ');
  console.log(`memory ${when}: process that was started ${shown(pid)}, workers ${list}`);
}

const summary = (failures: readonly string[]): string =>
  failures.length === 0 ? '' : ` (${[...new Set(failures)].join(', ')})`;

async function restartUnderLoad({ url, key, dir }: Running): Promise<boolean> {
  const wanted = Number(values.requests);
  const load = startLoad({
    url: `${url}/rest/v1/items?id=eq.1`,
    headers: { apikey: key },
    connections,
    perSecond: Number(values.rate),
  });
  let restarts = 0;
  while (load.sent < wanted) {
    const reload = spawn(process.execPath, [bin, 'reload', '--workers', '--workdir', dir], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const code = await new Promise((resolve) => reload.once('exit', resolve));
    if (code !== 0) throw new Error('the rolling restart failed');
    restarts += 1;
  }
  await load.stop();
  report.add({
    name: 'Failed requests during rolling restarts of the workers',
    unit: '%',
    value: (100 * load.failures.length) / load.sent,
    limit: { most: 0 },
  });
  console.log(
    `${restarts} rolling restarts: ${load.failures.length} of ${load.sent} requests failed${summary(load.failures)}`,
  );
  return load.failures.length === 0;
}

async function killUnderLoad({ url, key, pid }: Running): Promise<boolean> {
  const load = startLoad({
    url: `${url}/rest/v1/items?id=eq.1`,
    headers: { apikey: key },
    connections,
    perSecond: Number(values.rate),
  });
  await sleep(2000);
  const before = workersOf(pid);
  process.kill(before[0] ?? 0, 'SIGKILL');
  const killedAt = performance.now();
  while (workersOf(pid).filter((one) => one !== before[0]).length < before.length) await sleep(20);
  const backMs = Math.round(performance.now() - killedAt);
  await sleep(5000);
  await load.stop();
  report.add({ name: 'Time until a killed worker is replaced', unit: 'ms', value: backMs });
  console.log(
    `killed worker: ${load.failures.length} of ${load.sent} requests failed${summary(load.failures)}; its replacement was started after ${backMs} ms`,
  );
  return load.failures.length <= Math.ceil(connections / before.length);
}

const count = Number(values.workers);
console.log(`${availableParallelism()} cores, load average ${loadavg()[0]?.toFixed(1)} before the run`);
const single = await serve(1);
printMemory(single, 'of 1 process after its start');
const one = await readsPerSecond(single);
printMemory(single, 'of 1 process after the reads');
await single.stop();
const server = await serve(count);
printMemory(server, `with ${count} workers after the start`);
const several = await readsPerSecond(server);
printMemory(server, `with ${count} workers after the reads`);
console.log(
  `reads by key: ${Math.round(one)}/s with 1 process, ${Math.round(several)}/s with ${count} workers`,
);
report.add({ name: 'Reads by ID, one process', unit: '/s', value: one });
report.add({ name: `Reads by ID, ${count} workers`, unit: '/s', value: several });
console.log(`ratio: ${(several / one).toFixed(2)}`);
const isRolling = await restartUnderLoad(server);
const isContained = await killUnderLoad(server);
await server.stop();
process.exitCode = isRolling && isContained ? 0 : 1;
