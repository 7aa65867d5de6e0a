/**
 * Tests that every start after a kill -9 of all processes succeeds without manual steps, and that no acknowledged row
 * is missing. The processes are killed ten times, at random moments during the first start, the migrations and the
 * writes.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, expect, it } from 'vitest';

const plinth = fileURLToPath(new URL('../../bin/plinth-built.mjs', import.meta.url));
const projectDir = mkdtempSync(join(tmpdir(), 'plinth-crash-'));
const rounds = 10;
/**
 * The maximum delay before the server is killed during the first start. The delay is short enough to interrupt initdb,
 * the bootstrap or the migrations. Later kills happen during the writes.
 */
const longestFirstStartMs = 1500;

const migration = (
  table: string,
) => `create table public.${table} (id bigint generated always as identity primary key, n int not null unique);
grant all on public.${table} to anon, authenticated, service_role;
select pg_sleep(0.05);
insert into public.${table} (n) values (-1);
`;

mkdirSync(join(projectDir, 'supabase', 'migrations'), { recursive: true });
writeFileSync(
  join(projectDir, 'supabase', 'config.toml'),
  'project_id = "crash"\n[api]\nauto_expose_new_tables = false\n',
);
for (const [index, table] of ['one', 'two', 'three', 'four', 'five'].entries()) {
  writeFileSync(
    join(projectDir, 'supabase', 'migrations', `2026010100000${index}_${table}.sql`),
    migration(table),
  );
}

interface Ready {
  API_URL: string;
  DB_URL: string;
  SERVICE_ROLE_KEY: string;
}

function start(): { child: ChildProcess; ready: Promise<Ready>; output: () => string } {
  const args = [plinth, 'start', '--workdir', projectDir, '--port', '0', '--json'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const ready = new Promise<Ready>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line)));
    child.once('exit', (code, signal) => reject(new Error(`ended with ${code ?? signal}:\n${errors}`)));
  });
  ready.catch(() => undefined);
  return { child, ready, output: () => errors };
}

/**
 * Returns the process, its descendants, and every process whose command line contains the project's folder, because
 * PostgreSQL may have left the process tree.
 */
function everything(root: number): number[] {
  const parents = new Map<number, number>();
  const found = new Set<number>([root]);
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
      if (readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(projectDir)) found.add(Number(name));
    } catch {
      // The process has ended since the folder was listed.
    }
  }
  for (let grew = true; grew; ) {
    grew = false;
    for (const [pid, parent] of parents) {
      if (!found.has(pid) && found.has(parent)) {
        found.add(pid);
        grew = true;
      }
    }
  }
  found.delete(process.pid);
  return [...found];
}

async function killAll(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  const ended = child.exitCode !== null || child.signalCode !== null;
  for (const pid of everything(child.pid ?? 0)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has already ended, either on its own or with its parent.
    }
  }
  if (!ended) await gone;
}

const acknowledged = new Set<number>();
let next = 0;

/** Inserts rows one by one until the server stops responding, and records the acknowledged rows. */
async function write({ API_URL, SERVICE_ROLE_KEY }: Ready): Promise<void> {
  for (;;) {
    const n = next++;
    try {
      const response = await fetch(`${API_URL}/rest/v1/five`, {
        method: 'POST',
        headers: {
          apikey: SERVICE_ROLE_KEY,
          authorization: `Bearer ${SERVICE_ROLE_KEY}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ n }),
      });
      if (response.status !== 201) return;
      acknowledged.add(n);
    } catch {
      return;
    }
  }
}

async function query(ready: Ready, path: string): Promise<{ n: number }[]> {
  const response = await fetch(`${ready.API_URL}/rest/v1/${path}`, {
    headers: { apikey: ready.SERVICE_ROLE_KEY, authorization: `Bearer ${ready.SERVICE_ROLE_KEY}` },
  });
  expect(response.status).toBe(200);
  return (await response.json()) as { n: number }[];
}

let last: ReturnType<typeof start> | undefined;
afterAll(async () => {
  if (last) await killAll(last.child);
  rmSync(projectDir, { recursive: true, force: true });
});

it(`the project survives ${rounds} kills of all processes`, { timeout: 240_000 }, async () => {
  for (let round = 0; round < rounds; round += 1) {
    last = start();
    if (round < rounds / 2) {
      await sleep(Math.random() * longestFirstStartMs);
    } else {
      const ready = await last.ready;
      await Promise.race([
        Promise.all([write(ready), write(ready), write(ready)]),
        sleep(100 + Math.random() * 500),
      ]);
    }
    await killAll(last.child);
  }
  last = start();
  const ready = await last.ready;
  for (const table of ['one', 'two', 'three', 'four'])
    expect(await query(ready, `${table}?select=n`)).toEqual([{ n: -1 }]);
  const stored = new Set<number>();
  for (let offset = 0; ; offset += 1000) {
    const page = await query(ready, `five?select=n&order=n&limit=1000&offset=${offset}`);
    for (const { n } of page) stored.add(n);
    if (page.length < 1000) break;
  }
  expect(acknowledged.size).toBeGreaterThan(0);
  expect([...acknowledged].filter((n) => !stored.has(n))).toEqual([]);
  const database = new pg.Client(ready.DB_URL);
  await database.connect();
  const { rows } = await database.query(
    "select name, setting from pg_settings where name in ('fsync', 'synchronous_commit')",
  );
  await database.end();
  expect(rows.map(({ setting }) => setting)).toEqual(['on', 'on']);
});
