/**
 * Runs `plinth serve` under load with a low memory limit, and compares the memory of all its processes with the limit.
 *
 *     node bench/small-container.ts [--limit 512] [--seconds 60]
 *
 * If the benchmark runs in a container, the kernel enforces the container's limit. With `--limit` (MiB, Linux, as
 * root), the server runs in a new control group with this limit. If the benchmark can't create a control group, the
 * server runs in a mount namespace in which its control group only appears to have the limit. Measures the sum of the
 * processes' proportional set sizes (PSS) every 200 ms, and prints the largest sum. Files in the page cache aren't
 * included, because the kernel frees them if necessary.
 *
 * The load consists of reads, sign-ups, uploads of 8 MiB, function calls, and realtime clients. Exits with 1 if the sum
 * reaches the limit, a server process ends, or all requests of one kind fail. The server may reject some requests.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import WebSocket from 'ws';
import { thisMachine } from '../src/base/shared/machine.ts';
import { buildPlinth } from './build.ts';

const { values } = parseArgs({
  options: { limit: { type: 'string' }, seconds: { type: 'string', default: '60' } },
});
const mib = 1024 ** 2;
const limitBytes = values.limit === undefined ? thisMachine().memoryBytes : Number(values.limit) * mib;
buildPlinth();
const bin = fileURLToPath(new URL('../bin/plinth-built.mjs', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'plinth-bench-'));

function makeProject(): void {
  mkdirSync(join(dir, 'supabase', 'migrations'), { recursive: true });
  mkdirSync(join(dir, 'supabase', 'functions', 'hello'), { recursive: true });
  writeFileSync(join(dir, 'supabase', 'config.toml'), 'project_id = "bench"\n');
  writeFileSync(
    join(dir, 'supabase', 'functions', 'hello', 'index.ts'),
    'Deno.serve(() => new Response("hello"));\n',
  );
  writeFileSync(
    join(dir, 'supabase', 'migrations', '20260101000000_items.sql'),
    `create table public.items (id int primary key, body text not null);
insert into public.items select id, repeat('x', 200) from generate_series(1, 20000) as id;
grant select on public.items to anon;
insert into storage.buckets (id, name, public) values ('box', 'box', true);
`,
  );
}

/** Returns the path to the file that contains the memory limit of this process's control group. */
function limitFile(): string {
  const groups = readFileSync('/proc/self/cgroup', 'utf8');
  const group = /^\d+:memory:(.*)$/m.exec(groups)?.[1] ?? '';
  const unified = /^0::(.*)$/m.exec(groups)?.[1] ?? '';
  const found = [
    `/sys/fs/cgroup/memory${group}/memory.limit_in_bytes`,
    '/sys/fs/cgroup/memory/memory.limit_in_bytes',
    `/sys/fs/cgroup${unified}/memory.max`,
  ].find((path) => existsSync(path));
  if (found === undefined) throw new Error('This machine has no control group with a memory limit.');
  return found;
}

/** Creates a control group with the limit (cgroup v1 or v2). Returns undefined if the group can't be created. */
function createGroup(): string | undefined {
  for (const [parent, limit] of [
    ['/sys/fs/cgroup/memory', 'memory.limit_in_bytes'],
    ['/sys/fs/cgroup', 'memory.max'],
  ] as const) {
    const path = join(parent, `plinth-bench-${process.pid}`);
    try {
      mkdirSync(path);
      writeFileSync(join(path, limit), String(limitBytes));
      return path;
    } catch {
      if (existsSync(path)) rmdirSync(path);
    }
  }
  return undefined;
}

/** Returns a command line that runs a command with the memory limit. */
function limited(command: readonly string[]): readonly string[] {
  if (values.limit === undefined) return command;
  if (group !== undefined)
    return ['sh', '-c', 'echo $$ > "$0" && exec "$@"', join(group, 'cgroup.procs'), ...command];
  const bind = 'mount --bind "$1" "$2" && shift 2 && exec "$@"';
  return ['unshare', '--mount', 'sh', '-c', bind, 'sh', limitCopy(), limitFile(), ...command];
}

async function serve(): Promise<{ child: ChildProcess; url: string }> {
  const command = [process.execPath, bin, 'serve', '--workdir', dir, '--port', '0', '--json'];
  const [file, ...args] = limited(command);
  const child = spawn(file as string, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout as NonNullable<ChildProcess['stdout']> }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`the server exited with ${code}`)));
  });
  return { child, url: (JSON.parse(line) as { API_URL: string }).API_URL };
}

function limitCopy(): string {
  const path = join(dir, 'limit');
  writeFileSync(path, `${limitBytes}\n`);
  return path;
}

interface Process {
  readonly pid: number;
  readonly name: string;
  readonly pssBytes: number;
}

/** Returns the process and all its descendants. */
function tree(root: number): Process[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = read(`/proc/${name}/stat`)?.split(') ').at(-1)?.split(' ');
    if (stat !== undefined) parents.set(Number(name), Number(stat[1]));
  }
  const isInside = (pid: number): boolean =>
    pid === root || (parents.has(pid) && isInside(parents.get(pid) as number));
  return [...parents.keys()].filter(isInside).flatMap((pid) => {
    const pss = /^Pss: +(\d+) kB$/m.exec(read(`/proc/${pid}/smaps_rollup`) ?? '')?.[1];
    const name = read(`/proc/${pid}/comm`)?.trim() ?? '';
    return pss === undefined ? [] : [{ pid, name, pssBytes: Number(pss) * 1024 }];
  });
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

const counts: Record<string, { ok: number; rejected: number; failed: number }> = {};

/** Repeats a request without pauses until the time has elapsed. */
async function repeat(kind: string, isOver: () => boolean, send: () => Promise<number>): Promise<void> {
  counts[kind] ??= { ok: 0, rejected: 0, failed: 0 };
  const count = counts[kind];
  while (!isOver()) {
    const status = await send().catch(() => 0);
    if (status >= 200 && status < 300) count.ok++;
    else if (status === 503 || status === 429) count.rejected++;
    else count.failed++;
    if (status !== 200) await sleep(100);
  }
}

async function drive(url: string, keys: { publishableKey: string; secretKey: string }): Promise<void> {
  const endsAt = performance.now() + Number(values.seconds) * 1000;
  const isOver = (): boolean => performance.now() > endsAt;
  const call = async (path: string, init: RequestInit = {}, key = keys.publishableKey): Promise<number> => {
    const response = await fetch(url + path, { ...init, headers: { apikey: key, ...init.headers } });
    await response.arrayBuffer();
    return response.status;
  };
  const json = { 'content-type': 'application/json' };
  const file = new Uint8Array(8 * mib);
  const sockets = Array.from({ length: 100 }, (_none, index) => joinChannel(url, keys.publishableKey, index));
  let number = 0;
  await Promise.all([
    ...Array.from({ length: 32 }, () =>
      repeat('reads of 1,000 rows', isOver, () => call('/rest/v1/items?limit=1000')),
    ),
    ...Array.from({ length: 4 }, () =>
      repeat('sign-ups', isOver, () => {
        const body = JSON.stringify({ email: `user${number++}@example.com`, password: 'correct horse' });
        return call('/auth/v1/signup', { method: 'POST', headers: json, body });
      }),
    ),
    ...Array.from({ length: 4 }, () =>
      repeat('uploads of 8 MiB', isOver, () =>
        call(
          `/storage/v1/object/box/${number++ % 20}`,
          { method: 'POST', headers: { 'content-type': 'text/plain', 'x-upsert': 'true' }, body: file },
          keys.secretKey,
        ),
      ),
    ),
    ...Array.from({ length: 4 }, () => repeat('function calls', isOver, () => call('/functions/v1/hello'))),
  ]);
  for (const socket of sockets) socket.terminate();
}

function joinChannel(url: string, key: string, index: number): WebSocket {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/realtime/v1/websocket?apikey=${key}&vsn=1.0.0`);
  const payload = { config: { broadcast: { self: true }, presence: { key: String(index) } } };
  socket.on('error', () => undefined);
  socket.on('open', () =>
    socket.send(JSON.stringify({ topic: 'realtime:room', event: 'phx_join', ref: '1', payload })),
  );
  return socket;
}

makeProject();
const group = values.limit === undefined ? undefined : createGroup();
const { child, url } = await serve();
const secrets = JSON.parse(readFileSync(join(dir, '.plinth', 'secrets.json'), 'utf8'));
const show = (bytes: number): string => `${Math.round(bytes / mib)} MiB`;
const totalOf = (processes: readonly Process[]): number =>
  processes.reduce((sum, { pssBytes }) => sum + pssBytes, 0);
const root = child.pid as number;
console.log(`limit: ${show(limitBytes)}; after the start: ${show(totalOf(tree(root)))}`);
let peak: readonly Process[] = [];
const sampling = setInterval(() => {
  const now = tree(root);
  if (totalOf(now) > totalOf(peak)) peak = now;
}, 200);
await drive(url, secrets);
clearInterval(sampling);
const isRunning = child.exitCode === null && child.signalCode === null;
const isReady = isRunning && (await fetch(`${url}/health/ready`)).status === 200;
for (const [kind, { ok, rejected, failed }] of Object.entries(counts))
  console.log(`${kind}: ${ok} succeeded, ${rejected} rejected, ${failed} failed`);
const byName = Map.groupBy(peak, ({ name }) => name);
const parts = [...byName].map(([name, all]) => `${all.length} ${name} ${show(totalOf(all))}`);
console.log(`most memory: ${show(totalOf(peak))} (${parts.join(', ')})`);
console.log(`ready after the load: ${isReady}`);
if (group !== undefined) {
  const most = read(join(group, 'memory.max_usage_in_bytes')) ?? read(join(group, 'memory.peak'));
  const events = read(join(group, 'memory.oom_control')) ?? read(join(group, 'memory.events')) ?? '';
  const kills = /^oom_kill (\d+)$/m.exec(events)?.[1];
  console.log(`the kernel's count with the page cache: ${show(Number(most))}, processes killed: ${kills}`);
}
if (isRunning) {
  child.kill('SIGTERM');
  await new Promise((resolve) => child.once('exit', resolve));
}
rmSync(dir, { recursive: true, force: true });
if (group !== undefined) rmdirSync(group);
const allSucceed = Object.values(counts).every(({ ok }) => ok > 0);
process.exitCode = totalOf(peak) < limitBytes && isReady && allSucceed ? 0 : 1;
