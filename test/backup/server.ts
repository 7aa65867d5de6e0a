/**
 * Creates a project with backups, runs the project's server in a separate process, and simulates clients that write to
 * the server.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const plinth = fileURLToPath(new URL('../../bin/plinth-built.mjs', import.meta.url));

export interface Project {
  readonly dir: string;
  readonly dataDir: string;
  readonly key: string;
  remove(): void;
}

const migration = `create table public.notes (n bigint primary key, at timestamptz not null default now());
create sequence public.tickets;
grant all on public.notes to anon, authenticated, service_role;
select vault.create_secret('the secret', 'kept');
`;

/**
 * Creates a project. `to` is the backup target, or undefined for a project without backups. `more` contains additional
 * lines for the section `[backup]` of the settings.
 */
export function makeProject(to: string | undefined, more = ''): Project {
  const dir = mkdtempSync(join(tmpdir(), 'plinth-backup-'));
  const key = randomBytes(32).toString('hex');
  mkdirSync(join(dir, 'supabase', 'migrations'), { recursive: true });
  writeFileSync(
    join(dir, 'supabase', 'config.toml'),
    'project_id = "backup"\n[storage.buckets.files]\npublic = true\n',
  );
  if (to !== undefined)
    writeFileSync(
      join(dir, 'supabase', 'plinth.toml'),
      `[backup]\nto = "${to}"\nencryption_key = "env(BACKUP_KEY)"\n${more}`,
    );
  writeFileSync(join(dir, 'supabase', 'migrations', '20260101000000_notes.sql'), migration);
  return {
    dir,
    key,
    dataDir: join(dir, '.plinth'),
    remove: () => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }),
  };
}

export interface Ready {
  readonly API_URL: string;
  readonly DB_URL: string;
  readonly SERVICE_ROLE_KEY: string;
}

export interface RunningServer extends Ready {
  stop(): Promise<void>;
  /** Kills the server and its PostgreSQL without warning. */
  kill(): Promise<void>;
}

const environment = (project: Project): NodeJS.ProcessEnv => ({ ...process.env, BACKUP_KEY: project.key });

export async function startServer(
  project: Project,
  dataDir = project.dataDir,
  command: 'start' | 'serve' = 'start',
): Promise<RunningServer> {
  const args = [plinth, command, '--workdir', project.dir, '--data-dir', dataDir, '--port', '0', '--json'];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment(project),
  });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const ready = await new Promise<Ready>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line)));
    child.once('exit', (code, signal) => reject(new Error(`ended with ${code ?? signal}:\n${errors}`)));
  });
  return {
    ...ready,
    async stop() {
      child.kill('SIGTERM');
      await exited(child);
    },
    async kill() {
      for (const pid of descendants(child.pid as number)) process.kill(pid, 'SIGKILL');
      await exited(child);
    },
  };
}

const exited = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', () => resolve());
  });

/**
 * Returns a process and all its descendants. PostgreSQL runs in a separate session, so descendants are found by their
 * parent IDs.
 */
function descendants(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = process.getBuiltinModule('node:fs').readFileSync(`/proc/${name}/stat`, 'utf8');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // The process has ended.
    }
  }
  const found = [root];
  for (const pid of found) for (const [child, parent] of parents) if (parent === pid) found.push(child);
  return found;
}

export interface CommandResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function run(
  project: Project,
  args: readonly string[],
  { env = {}, cwd }: { readonly env?: Readonly<Record<string, string>>; readonly cwd?: string } = {},
): Promise<CommandResult> {
  const child = spawn(process.execPath, [plinth, ...args, '--workdir', project.dir], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...environment(project), ...env },
    cwd,
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, stdout, stderr })));
}

/** Runs a command until its output matches a pattern, and then sends the process a signal, by default SIGTERM. */
export function interrupt(
  project: Project,
  args: readonly string[],
  progress: RegExp,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<number | null> {
  const child = spawn(process.execPath, [plinth, ...args, '--workdir', project.dir], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: environment(project),
  });
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
    if (!progress.test(stderr)) return;
    stderr = '';
    child.kill(signal);
  });
  return new Promise((resolve) => child.once('exit', resolve));
}

/** Returns the processes whose working directory is below `dir`. */
export const processesBelow = (dir: string): string[] =>
  readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readlinkSync(`/proc/${name}/cwd`).startsWith(dir);
    } catch {
      return false;
    }
  });

export interface Write {
  readonly n: number;
  readonly sentAtMs: number;
  /** When the response arrived. Undefined if the response didn't arrive. */
  ackedAtMs?: number;
}

export interface Upload extends Write {
  readonly name: string;
  readonly md5: string;
}

export interface Writer {
  readonly rows: Write[];
  readonly uploads: Upload[];
  stop(): Promise<void>;
}

/** Inserts rows, and uploads, replaces and deletes objects, at a steady rate. */
export function startWriter(
  server: Ready,
  { rowsPerSecond = 200, uploadsPerSecond = 10, from = 0 } = {},
): Writer {
  const rows: Write[] = [];
  const uploads: Upload[] = [];
  let stopped = false;
  const pending = new Set<Promise<unknown>>();
  const headers = {
    apikey: server.SERVICE_ROLE_KEY,
    authorization: `Bearer ${server.SERVICE_ROLE_KEY}`,
  };
  const track = (work: Promise<unknown>): void => {
    const caught = work.catch(() => undefined);
    pending.add(caught);
    void caught.finally(() => pending.delete(caught));
  };
  const insert = async (): Promise<void> => {
    const write: Write = { n: from + rows.length, sentAtMs: Date.now() };
    rows.push(write);
    const response = await fetch(`${server.API_URL}/rest/v1/notes`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ n: write.n }),
    });
    await response.arrayBuffer();
    if (response.status === 201) write.ackedAtMs = Date.now();
  };
  const upload = async (): Promise<void> => {
    const body = randomBytes(1000 + Math.floor(Math.random() * 50_000));
    const n = from + uploads.length;
    // Every fourth upload replaces an object.
    const name = n % 4 === 3 ? 'replaced.bin' : `${n}.bin`;
    const write: Upload = {
      n,
      name,
      md5: createHash('md5').update(body).digest('hex'),
      sentAtMs: Date.now(),
    };
    uploads.push(write);
    const response = await fetch(`${server.API_URL}/storage/v1/object/files/${name}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/octet-stream', 'x-upsert': 'true' },
      body,
    });
    await response.arrayBuffer();
    if (response.status === 200) write.ackedAtMs = Date.now();
  };
  const repeat = async (perSecond: number, work: () => Promise<void>): Promise<void> => {
    if (perSecond === 0) return;
    const startedMs = performance.now();
    for (let count = 0; !stopped; count++) {
      const restMs = startedMs + (count * 1000) / perSecond - performance.now();
      if (restMs > 1) await sleep(restMs);
      // On a slow machine, fewer writes are sent, so that pending writes don't accumulate.
      if (pending.size < 40) track(work());
    }
  };
  const loops = [repeat(rowsPerSecond, insert), repeat(uploadsPerSecond, upload)];
  return {
    rows,
    uploads,
    async stop() {
      stopped = true;
      await Promise.all(loops);
      await Promise.all(pending);
    },
  };
}

export interface Found {
  readonly rows: ReadonlySet<number>;
  /** The MD5 of each object's downloaded bytes, by name. Undefined if the download failed. */
  readonly objects: ReadonlyMap<string, string | undefined>;
}

/** Reads everything from a restored server with a stock HTTP client. */
export async function readAll(server: Ready): Promise<Found> {
  const headers = { apikey: server.SERVICE_ROLE_KEY, authorization: `Bearer ${server.SERVICE_ROLE_KEY}` };
  const rows = new Set<number>();
  for (let offset = 0; ; offset += 1000) {
    const page = `${server.API_URL}/rest/v1/notes?select=n&order=n&limit=1000&offset=${offset}`;
    const found = (await (await fetch(page, { headers })).json()) as { n: number }[];
    for (const { n } of found) rows.add(n);
    if (found.length < 1000) break;
  }
  const objects = new Map<string, string | undefined>();
  for (let offset = 0; ; offset += 1000) {
    const response = await fetch(`${server.API_URL}/storage/v1/object/list/files`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ prefix: '', limit: 1000, offset }),
    });
    const found = (await response.json()) as { name: string }[];
    for (const { name } of found) {
      const body = await fetch(`${server.API_URL}/storage/v1/object/files/${name}`, { headers });
      const bytes = Buffer.from(await body.arrayBuffer());
      objects.set(name, body.ok ? createHash('md5').update(bytes).digest('hex') : undefined);
    }
    if (found.length < 1000) break;
  }
  return { rows, objects };
}

/**
 * Returns the differences from the state at `timeMs`: missing writes that were acknowledged before that time, and
 * existing writes that were sent after that time.
 */
export function differences({ rows, objects }: Found, writer: Writer, timeMs: number): string[] {
  const wrong: string[] = [];
  for (const { n, sentAtMs, ackedAtMs } of writer.rows) {
    if (ackedAtMs !== undefined && ackedAtMs < timeMs && !rows.has(n)) wrong.push(`row ${n} is missing`);
    if (sentAtMs > timeMs && rows.has(n)) wrong.push(`row ${n} was written later`);
  }
  const byName = Map.groupBy(writer.uploads, ({ name }) => name);
  for (const [name, uploads] of byName) {
    const md5 = objects.get(name);
    const before = uploads.findLast(({ ackedAtMs }) => ackedAtMs !== undefined && ackedAtMs < timeMs);
    if (before !== undefined && !objects.has(name)) wrong.push(`object ${name} is missing`);
    if (!objects.has(name)) continue;
    if (md5 === undefined) wrong.push(`object ${name} has no bytes`);
    else if (!uploads.some((upload) => upload.md5 === md5 && upload.sentAtMs <= timeMs))
      wrong.push(`object ${name} has other bytes`);
    else if (before !== undefined) {
      const shown = uploads.find((upload) => upload.md5 === md5);
      if ((shown?.ackedAtMs ?? Number.POSITIVE_INFINITY) < before.sentAtMs)
        wrong.push(`object ${name} has bytes of an earlier upload`);
    }
  }
  return wrong;
}
