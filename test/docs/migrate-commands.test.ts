/** Runs every command of docs/migrate.md, starting with a server that has data in every service. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CommandResult, type RunningServer, startServer } from '../backup/server.ts';
import { commandLines, readPage, root } from './pages.ts';

const lines = commandLines(readPage('migrate'));

const migration = `
  create extension if not exists pg_cron;
  create table public.notes (id bigint generated always as identity primary key, body text);
  insert into public.notes (body) select 'note ' || n from generate_series(1, 100) n;
  insert into auth.users (instance_id, id, aud, role, email)
    values ('00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated', 'ada@example.com');
  select vault.create_secret('the secret value', 'kept');
  select cron.schedule('nightly', '0 3 * * *', 'select 1');
`;

interface Project {
  readonly dir: string;
  readonly dataDir: string;
}

function makeProject(sql: string | undefined): Project {
  const dir = mkdtempSync(join(tmpdir(), 'plinth-migrate-'));
  mkdirSync(join(dir, 'supabase', 'migrations'), { recursive: true });
  writeFileSync(join(dir, 'supabase', 'config.toml'), 'project_id = "migrate"\n');
  if (sql !== undefined) writeFileSync(join(dir, 'supabase', 'migrations', '20260101000000_notes.sql'), sql);
  return { dir, dataDir: join(dir, '.plinth') };
}

const projects = [makeProject(migration), makeProject(undefined), makeProject(undefined)] as const;
const [, middle] = projects;
const start = ({ dir, dataDir }: Project): Promise<RunningServer> =>
  startServer({ dir, dataDir, key: '', remove: () => {} });
let servers: RunningServer[] = [];

beforeAll(async () => {
  servers = await Promise.all(projects.map(start));
  const { API_URL, SERVICE_ROLE_KEY } = servers[0] as RunningServer;
  const headers = { authorization: `Bearer ${SERVICE_ROLE_KEY}` };
  await fetch(`${API_URL}/storage/v1/bucket`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'files' }),
  });
  for (const name of ['a.txt', 'folder/b.txt']) {
    const response = await fetch(`${API_URL}/storage/v1/object/files/${name}`, {
      method: 'POST',
      headers,
      body: `body of ${name}`,
    });
    expect(response.status).toBe(200);
  }
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  for (const { dir } of projects) rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
});

/**
 * Runs a command in the second project. As the page describes, the environment variables refer to the other project.
 */
function runLine(line: string, other: RunningServer): Promise<CommandResult> {
  const args = line
    .split(' ')
    .slice(1)
    .map((word) => {
      if (word.startsWith('postgresql://')) return other.DB_URL;
      return word === 'export' ? join(middle.dir, 'export') : word;
    });
  const child = spawn(process.execPath, [`${root}bin/plinth-built.mjs`, ...args, '--workdir', middle.dir], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      MIGRATE_DB_URL: other.DB_URL,
      MIGRATE_PROJECT_URL: other.API_URL,
      MIGRATE_SERVICE_KEY: other.SERVICE_ROLE_KEY,
    },
  });
  const result = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk) => {
      result[name] += chunk;
    });
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, ...result })));
}

it('every line is a Plinth command', () => {
  expect(lines.filter((line) => !line.startsWith('plinth migrate '))).toEqual([]);
  expect(lines.length).toBeGreaterThan(6);
});

it.each(lines)(
  '%s',
  async (line) => {
    const other = servers[line.includes('migrate to') ? 2 : 0] as RunningServer;
    const { status, stdout, stderr } = await runLine(line, other);
    expect(status, `${stdout}\n${stderr}`).toBe(0);
    expect(stdout + stderr).not.toContain(other.SERVICE_ROLE_KEY);
    expect(stdout + stderr).not.toContain('the secret value');
  },
  120_000,
);

it('the plain files contain everything', () => {
  const folder = join(middle.dir, 'export');
  expect(readFileSync(join(folder, 'dump.sql'), 'utf8')).toContain('note 100');
  const objects = readFileSync(join(folder, 'objects', 'manifest.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text) as { file: string; name: string });
  expect(objects.map(({ name }) => name).sort()).toEqual(['a.txt', 'folder/b.txt']);
  for (const { file, name } of objects)
    expect(readFileSync(join(folder, file), 'utf8')).toBe(`body of ${name}`);
  expect(readFileSync(join(folder, 'vault.json'), 'utf8')).toContain('the secret value');
});

it('the last project has the users, rows and objects', async () => {
  const { API_URL, SERVICE_ROLE_KEY } = servers[2] as RunningServer;
  const headers = { authorization: `Bearer ${SERVICE_ROLE_KEY}`, apikey: SERVICE_ROLE_KEY };
  const object = await fetch(`${API_URL}/storage/v1/object/authenticated/files/folder/b.txt`, { headers });
  expect(await object.text()).toBe('body of folder/b.txt');
  const users = await fetch(`${API_URL}/auth/v1/admin/users`, { headers });
  expect(await users.json()).toMatchObject({ users: [{ email: 'ada@example.com' }] });
});
