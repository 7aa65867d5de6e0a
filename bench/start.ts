/**
 * Measures the startup time and the idle memory for a new user, who starts Plinth through npm with a project that has
 * one small migration.
 *
 *     node bench/start.ts [--rounds 3] [--package FOLDER]
 *
 * With --package, runs `npx plinth start` in a project in which the npm package from FOLDER is installed. The command
 * `node scripts/package.mjs` builds this package in dist/package. Plinth's native programs are loaded from the user's
 * cache. With --package, the times include the run time of npx, which is also printed separately.
 *
 * Prints the milliseconds from the start of the command to the first REST response. The first start uses an empty data
 * folder, and each warm start uses the same folder again. Also prints the CPU time that all of Plinth's processes have
 * used until then, excluding npm's own processes. CPU time depends less than the elapsed time on other programs that
 * run on the machine.
 *
 * Also prints how much longer the first start takes if a migration creates the extension `vector`, whose pack is already in
 * the cache. The starts with and without the extension take turns.
 *
 * Ten seconds after the last start is ready, also prints the proportional set size (PSS) of Plinth's processes. PSS
 * divides each page among the processes that have mapped it. This benchmark runs the same Node program as Plinth, so
 * PSS would attribute about half of that program's pages to the benchmark. The pages of the Node program are therefore
 * counted in full. Runs only on Linux, because the figures are read from /proc.
 */
import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildPlinth } from './build.ts';
import { createReport } from './report.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    package: { type: 'string' },
    json: { type: 'string' },
  },
});
const report = createReport(values.json);
const packageFolder = values.package === undefined ? undefined : resolve(values.package);
const rounds = Number(values.rounds);
const pollMs = 15;
const settleMs = 2000;
const bars = {
  firstMs: packageFolder === undefined ? 2000 : 1500,
  warmMs: 500,
  vectorMs: 200,
  idleMiB: 150,
};

// Building isn't part of the measurement.
if (packageFolder === undefined) buildPlinth();

const median = (numbers: number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;

async function makeProject({ hasVector = false } = {}): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'plinth-bench-'));
  mkdirSync(join(dir, 'supabase', 'migrations'), { recursive: true });
  // The project uses free ports, because another project may be running.
  const config = `project_id = "bench"\n[studio]\nport = ${await freePort()}\n[local_smtp]\nport = ${await freePort()}\n`;
  writeFileSync(join(dir, 'supabase', 'config.toml'), config);
  writeFileSync(
    join(dir, 'supabase', 'migrations', '20260101000000_todos.sql'),
    `${hasVector ? 'create extension vector with schema extensions;\n' : ''}create table public.todos (id bigint generated always as identity primary key, task text not null, owner uuid default auth.uid());
alter table public.todos enable row level security;
create policy "all read" on public.todos for select using (true);
insert into public.todos (task) values ('measure');
`,
  );
  if (packageFolder !== undefined) {
    writeFileSync(join(dir, 'package.json'), '{ "private": true }');
    execFileSync('npm', ['install', '--offline', '--install-links', '--silent', packageFolder], { cwd: dir });
  }
  return dir;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function start(dir: string): Promise<{ child: ChildProcess; ms: number; cpuMs: number }> {
  const port = await freePort();
  const ports = ['--port', String(port), '--db-port', String(await freePort())];
  const options: SpawnOptions = { stdio: ['ignore', 'ignore', 'pipe'], detached: true };
  const startedAt = performance.now();
  const child: ChildProcess =
    packageFolder === undefined
      ? spawn('npm', ['start', '--silent', '--', '--workdir', dir, ...ports], { ...options, cwd: root })
      : spawn('npx', ['plinth', 'start', ...ports], { ...options, cwd: dir });
  let output = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the start failed:\n${output}`);
    try {
      const response = await fetch(`http://127.0.0.1:${port}/rest/v1/todos?select=task`);
      if (response.ok && ((await response.json()) as unknown[]).length === 1) {
        const ms = performance.now() - startedAt;
        const cpuMs = descendantsOf(child.pid ?? 0).reduce((sum, each) => sum + each.cpuMs, 0);
        return { child, ms, cpuMs };
      }
    } catch {
      // The server doesn't accept connections yet.
    }
    // Polling more often would take CPU time from the measured process if the machine has only two cores.
    await sleep(pollMs);
  }
}

async function stop({ child }: { child: ChildProcess }): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  process.kill(-child.pid, 'SIGINT');
  await gone;
  // Pending disk writes (by PostgreSQL, and for removed folders) must not slow down the next start.
  await sleep(settleMs);
}

interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  /** The CPU time of the process and of its children that have exited. */
  readonly cpuMs: number;
}

/** The unit of CPU times in /proc, which is 1/100 s on all common platforms. */
const tickMs = 10;

/** Returns a process's descendants, without the process itself. */
function descendantsOf(rootPid: number): ProcessFacts[] {
  const known = new Map<number, ProcessFacts>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const fields = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number);
      const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15);
      const cpuMs = (user + system + childUser + childSystem) * tickMs;
      known.set(Number(name), { pid: Number(name), parent: fields[1] ?? 0, cpuMs });
    } catch {
      // The process exited before it was inspected.
    }
  }
  return [...known.values()].filter(({ parent }) => {
    let above = parent;
    while (above > 1 && above !== rootPid) above = known.get(above)?.parent ?? 0;
    return above === rootPid;
  });
}

/** Returns the command and the PSS in MiB of a process. Returns undefined if the process has exited. */
function memoryOf(pid: number): { readonly command: string; readonly mib: number } | undefined {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    const kib = sumOf(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'), 'Pss') + sharedProgramKib(pid);
    return { command, mib: kib / 1024 };
  } catch {
    return undefined;
  }
}

/**
 * Returns the size of the Node program's pages that PSS attributes to other processes. Returns 0 for other programs,
 * such as PostgreSQL, which only Plinth runs.
 */
function sharedProgramKib(pid: number): number {
  const program = readlinkSync(`/proc/${pid}/exe`);
  if (program !== readlinkSync('/proc/self/exe')) return 0;
  const mappings = readFileSync(`/proc/${pid}/smaps`, 'utf8').split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m);
  const own = mappings.filter((mapping) => mapping.split('\n', 1)[0]?.endsWith(program));
  return own.reduce((sum, mapping) => sum + sumOf(mapping, 'Rss') - sumOf(mapping, 'Pss'), 0);
}

const sumOf = (smaps: string, field: 'Pss' | 'Rss'): number =>
  Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(smaps)?.[1] ?? 0);

/** Returns the memory of Plinth's processes, which are the descendants of npm, grouped by command. */
function idleMemory(npmPid: number): { total: number; rows: [string, number][] } {
  const rows = new Map<string, number>();
  for (const { pid } of descendantsOf(npmPid)) {
    const memory = memoryOf(pid);
    if (memory === undefined) continue;
    const { command, mib } = memory;
    const label = /postgres/.test(command) ? 'postgres' : (command.split('/').pop() ?? command).slice(0, 60);
    rows.set(label, (rows.get(label) ?? 0) + mib);
  }
  return { total: [...rows.values()].reduce((sum, value) => sum + value, 0), rows: [...rows] };
}

/** Returns how many milliseconds npx takes to run a program that does almost nothing. */
function npxMs(dir: string): number {
  const startedAt = performance.now();
  execFileSync('npx', ['plinth', '--version'], { cwd: dir });
  return performance.now() - startedAt;
}

const first: number[] = [];
const withVector: number[] = [];
/** The additional CPU time of each first start with vector. */
const vectorCpu: number[] = [];
const warm: number[] = [];
const warmCpu: number[] = [];
let memory: ReturnType<typeof idleMemory> | undefined;
// The first start isn't counted, because it fills the compile cache for modules, as any earlier start on a user's
// machine would.
const warmUp = await makeProject({ hasVector: true });
await stop(await start(warmUp));
const ownTime = packageFolder === undefined ? [] : [npxMs(warmUp), npxMs(warmUp), npxMs(warmUp)];
rmSync(warmUp, { recursive: true, force: true });
for (let round = 0; round < rounds; round += 1) {
  const dir = await makeProject();
  const cold = await start(dir);
  first.push(cold.ms);
  await stop(cold);
  const again = await start(dir);
  warm.push(again.ms);
  warmCpu.push(again.cpuMs);
  if (round === rounds - 1) {
    await sleep(10_000);
    memory = idleMemory(again.child.pid ?? 0);
  }
  await stop(again);
  rmSync(dir, { recursive: true, force: true });
  const other = await makeProject({ hasVector: true });
  const extended = await start(other);
  withVector.push(extended.ms);
  vectorCpu.push(extended.cpuMs - cold.cpuMs);
  await stop(extended);
  rmSync(other, { recursive: true, force: true });
}
const line = (label: string, value: number, bar: number, unit: 'ms' | 'MiB'): void => {
  report.add({ name: label, unit, value, limit: { most: bar } });
  console.log(
    `${label.padEnd(45)} ${value.toFixed(0).padStart(6)} ${unit}   ${(value / bar).toFixed(2)} of the limit (${bar} ${unit})`,
  );
};
line('First start: time until the first response', median(first), bars.firstMs, 'ms');
line('Later start: time until the first response', median(warm), bars.warmMs, 'ms');
line('First start: additional time with vector', median(withVector) - median(first), bars.vectorMs, 'ms');
report.add({ name: 'Later start: CPU time until the first response', unit: 'ms', value: median(warmCpu) });
report.add({ name: 'First start: additional CPU time with vector', unit: 'ms', value: median(vectorCpu) });
console.log(`first start, additional CPU time with vector ${median(vectorCpu).toFixed(0)} ms`);
console.log(`warm start, CPU time ${median(warmCpu).toFixed(0)} ms`);
if (ownTime.length > 0) console.log(`npx plinth --version: ${median(ownTime).toFixed(0)} ms`);
if (memory) {
  line('Idle memory of all processes (PSS)', memory.total, bars.idleMiB, 'MiB');
  for (const [label, value] of memory.rows) console.log(`  ${label.padEnd(60)} ${value.toFixed(1)} MiB`);
}
console.log(
  `rounds: ${rounds}; first ${first.map((ms) => ms.toFixed(0)).join(', ')}; warm ${warm.map((ms) => ms.toFixed(0)).join(', ')}`,
);
