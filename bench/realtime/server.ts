/**
 * Starts the whole product with an empty project in a separate process, and measures its resource usage. Runs only on
 * Linux, because CPU time is read from /proc.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { WebSocket } from 'ws';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Server {
  readonly child: ChildProcess;
  readonly dir: string;
  readonly status: Record<'API_URL' | 'DB_URL' | 'ANON_KEY' | 'JWT_SECRET', string>;
}

export async function startServer(): Promise<Server> {
  const dir = mkdtempSync(join(tmpdir(), 'plinth-bench-'));
  mkdirSync(join(dir, 'supabase'));
  writeFileSync(
    join(dir, 'supabase', 'config.toml'),
    'project_id = "bench"\n[local_smtp]\nenabled = false\n',
  );
  const args = [join(root, 'bin', 'plinth.mjs'), 'start', '--workdir', dir, '--port', '0', '--json'];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  for await (const chunk of child.stdout as NonNullable<ChildProcess['stdout']>) {
    output += chunk;
    if (output.includes('\n')) return { child, dir, status: JSON.parse(output) };
  }
  throw new Error('The server did not start.');
}

export async function stopServer({ child, dir }: Server): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  await gone;
  rmSync(dir, { recursive: true, force: true });
}

export const userId = (number: number): string =>
  `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

export function tokenOf(secret: string, user: number): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const exp = Math.floor(Date.now() / 1000) + 3600;
  const claims = { sub: userId(user), role: 'authenticated', aud: 'authenticated', exp };
  const body = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  return `${body}.${createHmac('sha256', secret).update(body).digest('base64url')}`;
}

const cpuOf = (pid: number): number => {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e9;
  } catch {
    return 0; // The process has already exited.
  }
};

/** Returns the CPU time of a process, including all of its threads. */
const cpuOfThreads = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`).reduce((sum, tid) => sum + cpuOf(Number(tid)), 0);

function descendants(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((tid) =>
    readFileSync(`/proc/${pid}/task/${tid}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return children.flatMap((child) => [child, ...descendants(child)]);
}

export interface Cpu {
  readonly server: number;
  readonly postgres: number;
  /** The CPU time of the walsender and of the PostgreSQL backends that run realtime's queries. */
  readonly realtime: number;
}

export async function cpuNow({ child }: Server, client: pg.Client): Promise<Cpu> {
  const pids = [child.pid as number, ...descendants(child.pid as number)];
  const isPostgres = (pid: number): boolean => /postgres/.test(readFileSync(`/proc/${pid}/comm`, 'utf8'));
  const { rows } = await client.query(
    `select pid from pg_stat_activity where usename = 'supabase_realtime_admin'`,
  );
  const sum = (list: readonly number[]): number => list.reduce((total, pid) => total + cpuOfThreads(pid), 0);
  const postgres = pids.filter(isPostgres);
  return {
    server: sum(pids.filter((pid) => !postgres.includes(pid))),
    postgres: sum(postgres),
    realtime: sum(rows.map(({ pid }) => pid)),
  };
}

/** Returns the proportional set size (PSS) of the server's process in bytes. */
export function memoryOf({ child }: Server): number {
  const text = readFileSync(`/proc/${child.pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1]) * 1024;
}

/** Opens a socket and joins a topic. `onFrame` receives all later frames. */
export async function joinedSocket(
  { status }: Server,
  topic: string,
  payload: object,
  onFrame: (data: Buffer, binary: boolean) => void,
): Promise<WebSocket> {
  const url = `${status.API_URL.replace('http', 'ws')}/realtime/v1/websocket?vsn=2.0.0&apikey=${status.ANON_KEY}`;
  const socket = new WebSocket(url, { perMessageDeflate: false });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('open', () =>
      socket.send(JSON.stringify(['1', '1', `realtime:${topic}`, 'phx_join', payload])),
    );
    socket.once('message', (data: Buffer) => {
      const [, , , event, { status: response }] = JSON.parse(data.toString());
      if (event === 'phx_reply' && response === 'ok') resolve();
      else reject(new Error(data.toString()));
    });
  });
  socket.on('message', onFrame);
  return socket;
}
