/** Tests a server and the commands that communicate with it. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { makeProject } from '../config/project-folder.ts';
import { plinth, spawnPlinth } from './run-plinth.ts';

// The timeout is long, because each test starts several processes, some of which create a cluster.
const files = {
  'supabase/config.toml': [
    'project_id = "cli"',
    '[api]',
    'auto_expose_new_tables = true',
    '[storage.buckets.images]',
    'public = true',
    'objects_path = "./images"',
  ].join('\n'),
  'supabase/images/a.txt': 'hello',
  'supabase/migrations/20240101000000_init.sql':
    'create table todos (id int primary key, title text not null);',
  'supabase/seed.sql': "insert into todos values (1, 'from seed');",
};

/** The fields that the server prints with `--json`. */
type Status = Record<string, string>;

/** Starts a detached server that uses free ports. The server is stopped when the test ends. */
async function startDetached(cwd: string, ...args: string[]): Promise<Status> {
  onTestFinished(async () => {
    await plinth(['stop'], { cwd });
  });
  const { status, stdout, stderr } = await plinth(['start', '--detach', '--port', '0', '--json', ...args], {
    cwd,
  });
  expect(stderr).not.toContain('    at ');
  expect(status).toBe(0);
  expect(stdout.trim().split('\n')).toHaveLength(1);
  return JSON.parse(stdout) as Status;
}

const todos = async ({ REST_URL, ANON_KEY = '' }: Status) => {
  const response = await fetch(`${REST_URL}/todos`, { headers: { apikey: ANON_KEY } });
  return (await response.json()) as unknown;
};

test('commands work from start to stop', async () => {
  const cwd = makeProject(files);
  const status = await startDetached(cwd);
  expect(await todos(status)).toEqual([{ id: 1, title: 'from seed' }]);
  const image = await fetch(`${status.API_URL}/storage/v1/object/public/images/a.txt`);
  expect(await image.text()).toBe('hello');
  expect(statSync(join(cwd, '.plinth/state.json')).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(cwd, '.plinth/.gitignore'), 'utf8')).toBe('*\n');

  // A second `start` prints the status of the running server.
  const again = await plinth(['start', '--json'], { cwd });
  expect(again.status).toBe(0);
  expect(JSON.parse(again.stdout)).toEqual(status);

  // Another project that is configured with a port of this project.
  const port = new URL(status.MAILPIT_URL ?? '').port;
  const other = makeProject({
    'supabase/config.toml': `[api]\nport = 0\n[db]\nport = 0\n[studio]\nport = 0\n[local_smtp]\nport = ${port}`,
  });
  const rejected = await plinth(['start', '--detach'], { cwd: other });
  expect(rejected.status).toBe(1);
  expect(rejected.stderr).toContain(`Port ${port} is in use by another Plinth project: cli (${cwd}).`);
  expect(rejected.stderr).toContain('set a different [local_smtp] port in supabase/config.toml');

  // A table of a migration that isn't applied yet.
  const missing = async () => {
    const response = await fetch(`${status.REST_URL}/later`, { headers: { apikey: status.ANON_KEY ?? '' } });
    return ((await response.json()) as { hint: string | null }).hint;
  };
  expect(await missing()).toBeNull();
  writeFileSync(join(cwd, 'supabase/migrations/20240102000000_later.sql'), 'select 1');
  expect(await missing()).toBe('1 pending migration. Run "plinth migration up" to apply it.');
  await plinth(['migration', 'up'], { cwd });
  expect(await missing()).toBeNull();

  const formats = await Promise.all(
    ['json', 'env', 'yaml', 'toml'].map((format) => plinth(['status', '-o', format], { cwd })),
  );
  const [json, env, yaml, toml] = formats.map(({ stdout }) => stdout);
  expect(JSON.parse(json ?? '')).toEqual(status);
  expect(env?.split('\n')[1]).toBe(`API_URL="${status.API_URL}"`);
  expect(yaml?.split('\n')[1]).toBe(`API_URL: ${status.API_URL}`);
  expect(toml?.split('\n')[1]).toBe(`API_URL = "${status.API_URL}"`);
  const renamed = await plinth(['status', '-o', 'env', '--override-name', 'api.url=NEXT_URL'], { cwd });
  expect(renamed.stdout).toContain(`NEXT_URL="${status.API_URL}"`);

  const link = await plinth(['console'], { cwd });
  expect(link.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/console\//);

  expect((await plinth(['users', 'create', 'ada@example.com'], { cwd })).stdout).toContain('password');
  const users = await plinth(['users', 'list', '--json'], { cwd });
  expect(JSON.parse(users.stdout)).toMatchObject([{ email: 'ada@example.com' }]);
  expect((await plinth(['operators', 'create', 'ada', '--role', 'read-only'], { cwd })).status).toBe(0);
  expect((await plinth(['operators', 'create', 'ada'], { cwd })).stderr).toContain(
    'The operator ada already exists.',
  );
  expect((await plinth(['operators', 'list'], { cwd })).stdout).toMatch(/ada +read-only/);

  // The command applies migrations on the running server. A migration that fails changes nothing, and the output
  // explains the failure.
  await plinth(['migration', 'new', 'more'], {
    cwd,
    stdin: 'alter table todos add done boolean not null default false;',
  });
  const up = await plinth(['migration', 'up'], { cwd });
  expect(up.stderr).toMatch(/^Applying migration \d{14}_more\.sql\.\.\.\nApplied 1\.\n$/);
  expect((await plinth(['migration', 'up'], { cwd })).stderr).toBe('Local database is up to date.\n');
  writeFileSync(
    join(cwd, 'supabase/migrations/30000101000000_bad.sql'),
    'create table x ();\nselect nonsense;',
  );
  const bad = await plinth(['migration', 'up'], { cwd });
  expect(bad.status).toBe(1);
  expect(bad.stderr).toContain(
    'supabase/migrations/30000101000000_bad.sql:2: column "nonsense" does not exist',
  );
  expect(bad.stderr).toContain('select nonsense\n       ^');
  expect((await plinth(['migration', 'list'], { cwd })).stdout).toMatch(
    /30000101000000 {18}3000-01-01 00:00:00 {2}bad/,
  );

  const types = await plinth(['gen', 'types', 'typescript'], { cwd });
  expect(types.stdout).toMatch(/^export type Json =/);
  expect(types.stdout).toContain('done: boolean');
  expect(types.stdout).toContain('        ComputedFields: never\n');
  const go = await plinth(['gen', 'types', '--lang', 'go'], { cwd });
  expect(go.stdout).toContain('package database');

  // A reset recreates the database. The addresses stay the same.
  writeFileSync(join(cwd, 'supabase/migrations/30000101000000_bad.sql'), 'create table x ();');
  const reset = await plinth(['db', 'reset', '--last', '1', '--no-seed'], { cwd });
  expect(reset.stderr).toContain('Finished db reset.');
  expect(reset.stderr).not.toContain('bad.sql');
  expect(await todos(status)).toEqual([]);

  // After a failed reset, the database isn't left in a partial state, the output explains what to do, and the reset can
  // be repeated.
  writeFileSync(join(cwd, 'supabase/migrations/30000101000000_bad.sql'), 'select nonsense;');
  expect((await plinth(['db', 'reset'], { cwd })).stderr).toContain('column "nonsense" does not exist');
  expect((await plinth(['status'], { cwd })).stderr).toContain(
    'Plinth doesn\'t serve requests because the last "plinth db reset" failed.',
  );
  writeFileSync(join(cwd, 'supabase/migrations/30000101000000_bad.sql'), 'create table x ();');
  expect((await plinth(['db', 'reset'], { cwd })).status).toBe(0);
  expect(await todos(status)).toMatchObject([{ id: 1, title: 'from seed' }]);

  const stopped = await plinth(['stop'], { cwd });
  expect(stopped.stderr).toBe('Stopping...\nStopped.\n');
  expect((await plinth(['status'], { cwd })).status).toBe(1);
  await expect(fetch(status.API_URL ?? '')).rejects.toThrow();

  // If the server isn't running, a command starts the database itself.
  expect((await plinth(['migration', 'list'], { cwd })).stdout).toMatch(/20240101000000 {2}20240101000000/);
  expect((await plinth(['stop', '--no-backup'], { cwd })).status).toBe(0);
  expect(existsSync(join(cwd, '.plinth/postgres'))).toBe(false);
});

test('in the foreground, start prints one line of JSON to stdout and stops cleanly on a signal', async () => {
  const cwd = makeProject({});
  const child = spawnPlinth(['start', '--port', '0', '--json'], { cwd });
  let stdout = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  while (!stdout.includes('\n')) await sleep(20);
  const status = JSON.parse(stdout) as Status;
  expect((await fetch(`${status.API_URL}/health`)).status).toBe(200);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  expect(await ended).toBe(0);
  expect(stdout.trim().split('\n')).toHaveLength(1);
  expect(existsSync(join(cwd, '.plinth/state.json'))).toBe(false);
  await expect(fetch(`${status.API_URL}/health`)).rejects.toThrow();
});

test('a failed first start explains the reason, and the next one continues', async () => {
  const cwd = makeProject(files);
  mkdirSync(join(cwd, 'supabase/migrations'), { recursive: true });
  const bad = join(cwd, 'supabase/migrations/20240102000000_bad.sql');
  writeFileSync(bad, 'create table x ();\ncreat table y ();');
  const { status, stdout, stderr } = await plinth(['start', '--detach', '--port', '0'], { cwd });
  expect(status).toBe(1);
  expect(stdout).toBe('');
  expect(stderr).toContain('supabase/migrations/20240102000000_bad.sql:2: syntax error at or near "creat"');
  expect(stderr).toContain('creat table y ()\n^');
  for (const line of ['gen types', 'db dump', 'db lint', 'db advisors', 'inspect sizes']) {
    const read = await plinth(line.split(' '), { cwd });
    expect([line, read.status, read.stdout]).toEqual([line, 1, '']);
    expect(read.stderr).toContain("This project's database is incomplete");
  }
  const queried = await plinth(['db', 'query', 'select 7 as n', '-o', 'csv'], { cwd });
  expect([queried.status, queried.stdout]).toEqual([0, 'n\n7\n']);
  expect(queried.stderr).toContain("WARNING: This project's database is incomplete");
  writeFileSync(bad, 'create table x ();');
  expect(await todos(await startDetached(cwd))).toEqual([{ id: 1, title: 'from seed' }]);
});

test("an excluded service isn't served", async () => {
  const cwd = makeProject({});
  const { API_URL } = await startDetached(cwd, '-x', 'storage-api', '-x', 'kong');
  expect((await fetch(`${API_URL}/storage/v1/bucket`)).status).toBe(404);
});

test('serve creates its own keys, readable by the owner only', async () => {
  const cwd = makeProject({});
  const child = spawnPlinth(['serve', '--port', '0', '--json'], { cwd });
  let stdout = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  while (!stdout.includes('\n')) await sleep(20);
  // The output of `plinth serve` is often written to a log, so secrets are printed only on request.
  const secretsFile = JSON.parse(readFileSync(join(cwd, '.plinth/secrets.json'), 'utf8')) as Record<
    string,
    unknown
  >;
  const secrets = Object.values(secretsFile).flatMap((value) => (typeof value === 'string' ? [value] : []));
  expect(secrets.length).toBeGreaterThan(3);
  for (const secret of secrets) expect(stdout + stderr).not.toContain(secret);
  expect(stdout + stderr).not.toContain('token=');
  expect(Object.keys(JSON.parse(stdout)).filter((name) => !name.endsWith('_URL'))).toEqual([]);
  expect(new URL((JSON.parse(stdout) as Status).DB_URL ?? '').password).toBe('');
  const asked = await plinth(['status', '-o', 'json'], { cwd });
  const { JWT_SECRET, PUBLISHABLE_KEY } = JSON.parse(asked.stdout) as Status;
  expect(JWT_SECRET).not.toContain('super-secret');
  expect(PUBLISHABLE_KEY).toMatch(/^sb_publishable_/);
  expect(PUBLISHABLE_KEY).not.toBe('sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH');
  expect(statSync(join(cwd, '.plinth/secrets.json')).mode & 0o777).toBe(0o600);
  expect((await plinth(['serve'], { cwd })).stderr).toContain('Plinth is already running in this folder');
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});

test('serve rejects the public development keys, also on loopback', async () => {
  const cwd = makeProject({
    'supabase/config.toml': `[auth]\njwt_secret = "super-secret-jwt-token-with-at-least-32-characters-long"\n`,
  });
  const { status, stdout, stderr } = await plinth(['serve', '--port', '0'], { cwd });
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toContain('auth.jwt_secret');
});

test('functions serve prints the functions’ output and applies other secrets and --no-verify-jwt until it ends', async () => {
  const cwd = makeProject({
    'supabase/config.toml': 'project_id = "serve"\n[functions.off]\nenabled = false\n',
    'supabase/functions/.env': 'WORD=usual\n',
    'supabase/functions/hello/index.ts': `Deno.serve(() => { console.warn('printed', Deno.env.get('WORD')); return new Response('ok'); });`,
    'test.env': 'WORD=other\n',
  });
  expect((await plinth(['functions', 'serve'], { cwd })).stderr).toContain("isn't running");
  const { API_URL } = await startDetached(cwd);
  const refused = await plinth(['functions', 'serve', '--import-map', 'none.json'], { cwd });
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining("doesn't exist")]);
  const serving = spawnPlinth(['functions', 'serve', '--env-file', 'test.env', '--no-verify-jwt'], { cwd });
  let shown = '';
  serving.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    shown += chunk;
  });
  await vi.waitFor(() => expect(shown).toContain(`Serving functions on ${API_URL}/functions/v1/`), 20_000);
  expect(shown).toContain('Skipped serving Function: off');
  expect(await (await fetch(`${API_URL}/functions/v1/hello`)).text()).toBe('ok');
  await vi.waitFor(() => expect(shown).toMatch(/\[hello\] warn: printed other/), 20_000);
  serving.kill('SIGINT');
  // The previous state is restored after the command has ended, regardless of how the command was stopped.
  await vi.waitFor(
    async () => expect((await fetch(`${API_URL}/functions/v1/hello`)).status).toBe(401),
    20_000,
  );
});
