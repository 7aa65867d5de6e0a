/** Tests `db push` and the migration commands through the link to a running server. */

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { linkProject, losingProxy, type Role, tokenOf } from './linked-project.ts';

let backend: Backend;
let ref: string;
const tokens = {} as Record<Role, string>;

beforeAll(async () => {
  backend = await createTestBackend({ mode: 'production' });
  for (const role of ['owner', 'developer', 'read-only'] as const)
    tokens[role] = await tokenOf(backend, role);
  ref = (await call('GET', '/projects')).body[0].ref;
});
afterAll(() => backend?.stop());
beforeEach(() =>
  backend.database.pool('postgres').exec(
    `drop schema if exists supabase_migrations cascade;
       drop table if exists public.one, public.two, public.three, public.four, public.five`,
  ),
);

async function call(method: string, path: string, json?: unknown, role: Role = 'owner') {
  const response = await backend.console.fetch(`/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${tokens[role]}`, 'content-type': 'application/json' },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  return { status: response.status, body: (await response.json().catch(() => undefined)) as any };
}

const history = async () =>
  (await call('GET', `/projects/${ref}/database/migrations`)).body.map(
    ({ version }: { version: string }) => version,
  );

const tables = async () =>
  (
    await backend.database.pool('postgres').query<{ name: string }>(sql`
      select relname::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by oid`)
  ).map(({ name }) => name);

const auditOf = (version: string) =>
  backend.database.pool('supabase_admin').query<{ operator_name: string; detail: Record<string, unknown> }>(
    sql`select operator_name, detail from _plinth.audit_log
        where action = 'migration.apply' and target = ${version} order by id`,
  );

const names = ['one', 'two', 'three', 'four', 'five'];
const file = (index: number): string => `supabase/migrations/2026010100000${index + 1}_${names[index]}.sql`;
const versionOf = (index: number): string => `2026010100000${index + 1}`;
const files = (count: number): Record<string, string> =>
  Object.fromEntries(
    names
      .slice(0, count)
      .map((name, index) => [file(index), `create table public.${name} (id int primary key);\n`]),
  );
const link = (role: Role, given: Record<string, string>, url = backend.console.url) =>
  linkProject(url, tokens[role], given);

describe('db push through the link', () => {
  test('lists, applies and records the files, and the API then has the new tables', async () => {
    const { cwd, run } = await link('developer', files(2));
    writeFileSync(
      join(cwd, file(2)),
      'create table public.three (id int);\ncreate index concurrently on public.three (id);',
    );
    const dry = await run('db', 'push', '--dry-run');
    expect([dry.status, dry.stderr]).toEqual([0, expect.stringContaining(`• ${file(2)}`)]);
    expect(await tables()).toEqual([]);

    const pushed = await run('db', 'push', '--linked');
    expect([pushed.status, pushed.stdout]).toEqual([0, 'Finished db push.\n']);
    expect(pushed.stderr).toContain(`To ${backend.console.url} (${ref}):`);
    expect(pushed.stderr).toContain(`Applying migration ${versionOf(0)}_one.sql...`);
    expect(pushed.stderr).toContain('Applied 3 migrations.');
    const read = await backend.fetch('/rest/v1/three', {
      headers: { authorization: `Bearer ${backend.keys.serviceRoleKey}` },
    });
    expect([read.status, await read.json()]).toEqual([200, []]);
    expect(await history()).toEqual([versionOf(0), versionOf(1), versionOf(2)]);
    expect((await auditOf(versionOf(2))).at(-1)).toMatchObject({
      operator_name: 'developer',
      detail: { name: 'three', source: 'push', token: 'developer token' },
    });

    const again = await run('db', 'push');
    expect([again.status, again.stdout, again.stderr]).toEqual([0, 'Remote database is up to date.\n', '']);
    const list = await run('migration', 'list', '--linked');
    expect(list.stdout).toMatch(new RegExp(`^${versionOf(2)}  ${versionOf(2)} `, 'm'));
  });

  test('stops at the first file that fails, and continues with it after it was corrected', async () => {
    const { cwd, run } = await link('developer', files(5));
    writeFileSync(join(cwd, file(2)), 'create table public.three (id int);\nselect * from public.nowhere;\n');
    const failed = await run('db', 'push');
    expect([failed.status, failed.stdout]).toEqual([1, '']);
    expect(failed.stderr).toMatch(new RegExp(`${file(2)}:2: relation "public.nowhere" does not exist`));
    expect(failed.stderr).toContain("None of this file's statements were applied.");
    expect(await tables()).toEqual(['one', 'two']);
    expect(await history()).toEqual([versionOf(0), versionOf(1)]);
    expect((await auditOf(versionOf(2))).at(-1)).toMatchObject({ detail: { failed: true } });

    writeFileSync(join(cwd, file(2)), 'create table public.three (id int);\n');
    expect((await run('db', 'push')).status).toBe(0);
    expect(await tables()).toEqual(names);
  });

  test('continues a file with several transactions after the one that failed', async () => {
    const { cwd, run } = await link('developer', {
      [file(0)]:
        'create table public.one (id int);\ncreate index concurrently one_id on public.one (id);\nselect 1/0;\n',
    });
    const failed = await run('db', 'push');
    expect([failed.status, failed.stderr]).toEqual([1, expect.stringContaining('already committed')]);
    writeFileSync(
      join(cwd, file(0)),
      'create table public.one (id int);\ncreate index concurrently one_id on public.one (id);\nselect 1;\n',
    );
    expect((await run('db', 'push')).status).toBe(0);
    expect(await history()).toEqual([versionOf(0)]);
  });

  test('runs roles, vault secrets and seeds, and each seed once', async () => {
    const { run } = await link('developer', {
      ...files(1),
      'supabase/config.toml': '[db.seed]\nsql_paths = ["./seed.sql"]\n[db.vault]\npushed = "secret value"\n',
      'supabase/roles.sql': 'alter role postgres set statement_timeout to default;',
      'supabase/seed.sql': 'insert into public.one values (1);',
    });
    const pushed = await run('db', 'push', '--include-seed', '--include-roles');
    expect([pushed.status, pushed.stderr.match(/^\w+ing .*/gm)]).toEqual([
      0,
      [
        'Creating roles from supabase/roles.sql...',
        'Updating vault secrets...',
        `Applying migration ${versionOf(0)}_one.sql...`,
        'Seeding data from supabase/seed.sql...',
      ],
    ]);
    const [secret] = await backend.database
      .pool('postgres')
      .query<{ value: string }>(
        sql`select decrypted_secret as value from vault.decrypted_secrets where name = 'pushed'`,
      );
    expect(secret?.value).toBe('secret value');
    expect((await run('db', 'push', '--include-seed')).stdout).toBe('Remote database is up to date.\n');
    const logged = await backend.database
      .pool('supabase_admin')
      .query<{ text: string }>(sql`select string_agg(a::text, ' ') as text from _plinth.audit_log a`);
    expect(logged[0]?.text).not.toContain('secret value');
  });

  test('sends a file again if the response is lost, and the file runs once', async () => {
    const proxy = await losingProxy(
      backend.console.url,
      (method, path) => method === 'PUT' && path.includes('/database/migrations/'),
    );
    const { run } = await link('developer', files(2), proxy.url);
    const pushed = await run('db', 'push');
    expect([pushed.status, proxy.lost()]).toEqual([0, 1]);
    expect(pushed.stderr).toContain('Trying again...');
    expect(await tables()).toEqual(['one', 'two']);
    expect(await history()).toEqual([versionOf(0), versionOf(1)]);
  });

  test('waits for a file that is still running when the connection is lost', async () => {
    const { run } = await link('developer', files(1));
    expect((await run('db', 'push')).status).toBe(0);
    const proxy = await losingProxy(backend.console.url, () => false);
    const blocked = await link(
      'developer',
      { ...files(1), [file(1)]: 'alter table public.one add column late int;' },
      proxy.url,
    );
    const pool = backend.database.pool('postgres');
    const blocker = await pool.connect();
    const isWaiting = async (): Promise<boolean> =>
      (await pool.query(sql`select from pg_locks where relation = 'public.one'::regclass and not granted`))
        .length > 0;
    try {
      await blocker.exec('begin; lock table public.one');
      const pushing = blocked.run('db', 'push');
      await expect.poll(isWaiting, { timeout: 60_000 }).toBe(true);
      proxy.cut();
      await blocker.exec('commit');
      const pushed = await pushing;
      expect([pushed.status, pushed.stderr]).toEqual([0, expect.stringContaining('Trying again...')]);
    } finally {
      blocker.destroy();
    }
    expect(await history()).toEqual([versionOf(0), versionOf(1)]);
  });

  test('can run twice at the same time', async () => {
    const [first, second] = [await link('developer', files(5)), await link('owner', files(5))];
    const results = await Promise.all([first.run('db', 'push'), second.run('db', 'push')]);
    expect(results.map(({ status }) => status)).toEqual([0, 0]);
    expect(await tables()).toEqual(names);
    expect(await history()).toEqual(names.map((_, index) => versionOf(index)));
  });

  test('is rejected if another push has changed the history in the meantime', async () => {
    const push = (version: string, query: string, after: string) =>
      call('PUT', `/projects/${ref}/database/migrations/${version}`, { name: 'x', query, after });
    expect(await push('1', 'create table public.one ();', '')).toMatchObject({
      status: 200,
      body: { version: '1', is_new: true },
    });
    expect(await push('1', 'create  table public.one ()', '')).toMatchObject({ body: { is_new: false } });
    expect(await push('1', 'create table public.two ();', '')).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('different statements') },
    });
    expect(await push('2', 'create table public.two ();', '')).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('Another push') },
    });
    expect(await tables()).toEqual(['one']);
  });

  test('requires the role developer', async () => {
    const { run } = await link('read-only', files(1));
    const refused = await run('db', 'push');
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('the role read-only')]);
    expect((await run('migration', 'repair', '--status', 'applied', versionOf(0), '--linked')).status).toBe(
      1,
    );
    expect((await run('migration', 'fetch', '--yes')).stderr).toContain('the role read-only');
    expect((await run('migration', 'list', '--linked')).status).toBe(0);
    expect(await tables()).toEqual([]);
  });

  test.each([
    ['PUT', '/database/migrations/1', { name: 'x', query: 'select 1', after: '' }],
    ['PATCH', '/database/history', { reverted: ['1'] }],
    ['POST', '/database/seeds', { path: 'supabase/seed.sql', query: 'select 1' }],
    ['POST', '/database/roles', { query: 'select 1' }],
    ['POST', '/database/vault', { secrets: [{ name: 'a', value: 'b' }] }],
    ['POST', '/database/tests', { shown_path: 'a', texts: ['begin; rollback;'], includes: [] }],
    ['GET', '/database/history', undefined],
    ['GET', '/database/migrations/1', undefined],
    ['GET', '/database/schema', undefined],
  ])('a read-only operator can’t %s %s', async (method, path, json) => {
    expect((await call(method, `/projects/${ref}${path}`, json, 'read-only')).status).toBe(403);
  });

  test.each([
    ['a/b', 'slashes'],
    ['a\nb', 'control characters'],
  ])('rejects the name %j', async (name, reason) => {
    const { status, body } = await call('PUT', `/projects/${ref}/database/migrations/1`, {
      name,
      query: 'select 1',
      after: '',
    });
    expect([status, body.message]).toEqual([400, expect.stringContaining(reason)]);
  });

  test('explains that a server is too old', async () => {
    const old = createServer((request, response) => {
      const isList = request.url === '/v1/projects' || request.url?.endsWith('/database/migrations');
      response.writeHead(isList ? 200 : 404, { 'content-type': 'application/json' });
      response.end(
        request.url === '/v1/projects'
          ? '[{"ref":"aaaaaaaaaaaaaaaaaaaa","name":"old"}]'
          : isList
            ? '[]'
            : '{"message":"Not Found"}',
      );
    });
    await new Promise<void>((resolve) => {
      old.listen(0, '127.0.0.1', resolve);
    });
    onTestFinished(() => void old.close());
    const url = `http://127.0.0.1:${(old.address() as AddressInfo).port}`;
    const { run } = await link('developer', files(1), url);
    const failed = await run('db', 'push');
    expect([failed.status, failed.stderr]).toEqual([1, expect.stringContaining('older version of Plinth')]);
  });
});

describe('the migration history through the link', () => {
  test('is repaired and fetched', async () => {
    const { cwd, run } = await link('developer', files(2));
    const repaired = await run('migration', 'repair', '--status', 'applied', versionOf(0), '--linked');
    expect([repaired.status, repaired.stderr]).toEqual([
      0,
      `Repaired migration history: [${versionOf(0)}] => applied\n`,
    ]);
    expect([await history(), await tables()]).toEqual([[versionOf(0)], []]);
    expect((await call('GET', `/projects/${ref}/database/migrations/${versionOf(0)}`)).body).toMatchObject({
      name: 'one',
      statements: ['create table public.one (id int primary key)'],
    });
    rmSync(join(cwd, 'supabase/migrations'), { recursive: true });
    const fetched = await run('migration', 'fetch');
    expect([fetched.status, readdirSync(join(cwd, 'supabase/migrations'))]).toEqual([
      0,
      [`${versionOf(0)}_one.sql`],
    ]);
    expect(readFileSync(join(cwd, file(0)), 'utf8')).toContain('create table public.one');

    rmSync(join(cwd, file(0)));
    const orphan = await run('db', 'push');
    expect([orphan.status, orphan.stderr]).toEqual([
      1,
      expect.stringContaining(`migration repair --status reverted ${versionOf(0)} --linked`),
    ]);
    expect((await run('migration', 'repair', '--status', 'reverted', versionOf(0), '--linked')).status).toBe(
      0,
    );
    expect(await history()).toEqual([]);
    writeFileSync(join(cwd, file(1)), files(2)[file(1)] ?? '');
    expect((await run('migration', 'repair', '--status', 'applied', '--yes', '--linked')).status).toBe(0);
    expect(await history()).toEqual([versionOf(1)]);
  });
});
