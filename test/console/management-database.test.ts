/** Tests the Management API's SQL, migrations, logs and project routes. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import type { Backend } from './harness.ts';

let projectDir: string;
let backend: Backend;
let ref: string;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  projectDir = mkdtempSync(join(tmpdir(), 'plinth-management-database-'));
  mkdirSync(join(projectDir, 'supabase'));
  backend = await createTestBackend({
    projectDir,
    config: {},
    sql: `create table public.notes (id bigint generated always as identity primary key, body text not null,
            tags text[] not null default '{}', data jsonb);
          insert into public.notes (body, tags, data) values ('first', '{a,"b c"}', '{"n":1}'), ('second', '{}', null);
          create function public.write_note() returns int language sql volatile as
            $$ insert into public.notes (body) values ('written') returning 1 $$;`,
  });
  await backend.consoleLink();
  await backend.operators.createOperator('looker', 'read-only');
  for (const [name, operator] of [
    ['owner', 'owner'],
    ['looker', 'looker'],
  ] as const)
    tokens[name] = (await backend.operators.tokens.create(name, operator, 3600)).token;
  ref = (await call('GET', '/projects')).body[0].ref;
});
afterAll(async () => {
  await backend?.stop();
  rmSync(projectDir, { recursive: true, force: true });
});

async function call(
  method: string,
  path: string,
  { as = 'owner', json, headers }: { as?: string; json?: unknown; headers?: Record<string, string> } = {},
) {
  const response = await backend.console.fetch(`/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${tokens[as]}`,
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  const text = await response.text();
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as any };
}

const of = (path: string): string => `/projects/${ref}${path}`;
const query = (text: string, more: object = {}, as = 'owner') =>
  call('POST', of('/database/query'), { as, json: { query: text, ...more } });

const countNotes = async (): Promise<number> =>
  (await query('select count(*)::int as n from public.notes')).body[0].n;
const auditOf = async (action: string) =>
  await backend.database
    .pool('supabase_admin')
    .query<{ operator_name: string; target: string; detail: Record<string, unknown> }>(
      sql`select operator_name, target, detail from _plinth.audit_log where action = ${action} order by id`,
    );

describe('a query', () => {
  test('returns the rows as JSON values', async () => {
    const { status, body } = await query(
      'select id, body, tags, data, null as nothing, 1.5::numeric as price from notes order by id',
    );
    expect(status).toBe(201);
    expect(body).toEqual([
      { id: 1, body: 'first', tags: ['a', 'b c'], data: { n: 1 }, nothing: null, price: '1.5' },
      { id: 2, body: 'second', tags: [], data: null, nothing: null, price: '1.5' },
    ]);
    expect((await query("select repeat('x', 10000) as long")).body[0].long).toHaveLength(10_000);
  });

  test('takes parameters', async () => {
    const parameters = [1, ['first', 'x'], { n: 1 }];
    const text = 'select id from notes where id = $1 and body = any ($2::text[]) and data = $3::jsonb';
    expect((await query(text, { parameters })).body).toEqual([{ id: 1 }]);
    expect((await query('select id from notes where id = $1', { parameters, read_only: true })).body).toEqual(
      [{ id: 1 }],
    );
    expect((await query('select $1', {})).status).toBe(400);
  });

  test('runs several statements in one transaction and returns the last rows', async () => {
    const before = await countNotes();
    expect(
      (await query("insert into notes (body) values ('a'); select body from notes where body = 'a'")).body,
    ).toEqual([{ body: 'a' }]);
    const failed = await query("insert into notes (body) values ('b'); select 1/0");
    expect(failed.status).toBe(400);
    expect(failed.body.message).toContain('22012: division by zero');
    expect(await countNotes()).toBe(before + 1);
    expect((await auditOf('sql.run')).at(-1)).toMatchObject({ detail: { token: 'owner' } });
  });

  test('rejects results that are too large', async () => {
    const { status, body } = await query("select repeat('x', 1000000) from generate_series(1, 100)");
    expect([status, body.message]).toEqual([400, expect.stringContaining('larger than 10 MiB')]);
    expect((await query('select from generate_series(1, 60000)')).body.message).toContain(
      'more than 50000 rows',
    );
  });

  test.each([
    "insert into notes (body) values ('x')",
    "select 1; commit; insert into notes (body) values ('x')",
    'begin; delete from notes; commit',
    'select public.write_note()',
    "with x as (insert into notes (body) values ('x') returning 1) select * from x",
    "copy (select 1) to program 'touch /tmp/plinth-agent'",
    'set role postgres',
    "select set_config('role', 'postgres', false)",
    'select * from auth.users',
    'select * from _plinth.operator_tokens',
    'select pg_terminate_backend(pg_backend_pid())',
    "do $$ begin insert into notes (body) values ('x'); end $$",
    'explain analyze delete from notes',
  ])('read-only, never runs %s', async (text) => {
    const before = await countNotes();
    for (const [as, more, path] of [
      ['looker', {}, '/database/query'],
      ['owner', { read_only: true }, '/database/query'],
      ['owner', {}, '/database/query/read-only'],
      ['owner', { read_only: false }, '/database/query/read-only'],
    ] as const) {
      const { status, body } = await call('POST', of(path), { as, json: { query: text, ...more } });
      expect([status, typeof body.message]).toEqual([400, 'string']);
    }
    expect(await countNotes()).toBe(before);
    expect(existsSync('/tmp/plinth-agent')).toBe(false);
  });

  test('read-only, reads the project', async () => {
    expect((await query('select body from notes where id = 1', {}, 'looker')).body).toEqual([
      { body: 'first' },
    ]);
  });
});

describe('a migration', () => {
  const migrations = () => join(projectDir, 'supabase', 'migrations');

  test('is applied, recorded and written to the project folder', async () => {
    const { status, body } = await call('POST', of('/database/migrations'), {
      json: { name: 'add todos', query: '-- The list\ncreate table public.todos (id int);\n' },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: 'add_todos', file: expect.stringMatching(/_add_todos\.sql$/) });
    expect(readFileSync(join(projectDir, body.file), 'utf8')).toBe(
      '-- The list\ncreate table public.todos (id int);\n',
    );
    expect((await call('GET', of('/database/migrations'), { as: 'looker' })).body).toEqual([
      { version: body.version, name: 'add_todos' },
    ]);
    expect((await query('select count(*)::int as n from todos')).body).toEqual([{ n: 0 }]);
    expect((await auditOf('migration.apply')).at(-1)).toMatchObject({ target: body.version });
  });

  test('leaves nothing behind if it fails', async () => {
    const before = readdirSync(migrations());
    const { status, body } = await call('POST', of('/database/migrations'), {
      json: { name: 'bad', query: 'create table public.half (id int); select nothing;' },
    });
    expect(status).toBe(400);
    expect(body.message).toContain('nothing');
    expect(readdirSync(migrations())).toEqual(before);
    expect((await query("select to_regclass('public.half') as t")).body).toEqual([{ t: null }]);
  });

  test('with an idempotency key is applied once', async () => {
    const send = () =>
      call('POST', of('/database/migrations'), {
        json: { name: 'once', query: 'create table public.once (id int)' },
        headers: { 'idempotency-key': 'k1' },
      });
    const answers = await Promise.all([send(), send()]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[0]?.body.version).toBe(answers[1]?.body.version);
    expect((await send()).body.version).toBe(answers[0]?.body.version);
  });

  test('can be recorded without being applied', async () => {
    const { body } = await call('PUT', of('/database/migrations'), {
      json: { name: 'recorded', query: 'create table public.recorded (id int)' },
    });
    expect((await call('GET', of('/database/migrations'))).body).toContainEqual({
      version: body.version,
      name: 'recorded',
    });
    expect((await query("select to_regclass('public.recorded') as t")).body).toEqual([{ t: null }]);
  });

  test.each(['POST', 'PUT'])('needs the role developer (%s)', async (method) => {
    const json = { name: 'x', query: 'create table public.x (id int)' };
    expect((await call(method, of('/database/migrations'), { as: 'looker', json })).status).toBe(403);
  });

  test('stays in its folder whatever its name is', async () => {
    const { body } = await call('POST', of('/database/migrations'), {
      json: { name: '../../../escape', query: 'select 1' },
    });
    expect(body.file).toMatch(/^supabase\/migrations\/\d{14}_[\w.-]+\.sql$/);
    expect(existsSync(join(projectDir, body.file))).toBe(true);
  });
});

describe('the logs', () => {
  const logs = (text: string, path = 'logs') =>
    call('GET', of(`/analytics/endpoints/${path}?${new URLSearchParams({ sql: text })}`), { as: 'looker' });

  test('are queried per service', async () => {
    await backend.fetch('/rest/v1/notes?select=id', { headers: { apikey: backend.keys.anonKey } });
    const unified = `select log_attributes['request.path'] as path, timestamp from logs
      where source = 'edge_logs' and log_attributes['request.path'] = '/rest/v1/notes' order by timestamp desc limit 1`;
    await expect
      .poll(async () => (await logs(unified)).body.result)
      .toEqual([{ path: '/rest/v1/notes', timestamp: expect.stringMatching(/^\d{4}-.*Z$/) }]);
    const unnested = `select t.timestamp, request.path from edge_logs t cross join unnest(metadata) as m
      cross join unnest(m.request) as request where request.path = '/rest/v1/notes'`;
    expect((await logs(unnested, 'logs.all')).body.result[0]).toEqual({
      path: '/rest/v1/notes',
      timestamp: expect.any(Number),
    });
  });

  test('reject other SQL with the reason', async () => {
    const { status, body } = await logs('select * from auth.users');
    expect([status, body.message]).toEqual([400, expect.stringContaining("The log query isn't supported.")]);
  });
});

test('the project has an organization, a profile, buckets and itself as the only branch', async () => {
  const read = async (path: string) => (await call('GET', path, { as: 'looker' })).body;
  expect(await read('/organizations')).toEqual([{ id: 'plinth', slug: 'plinth', name: 'Plinth' }]);
  expect(await read('/organizations/plinth')).toMatchObject({ name: 'Plinth' });
  expect((await call('GET', '/organizations/other')).status).toBe(404);
  expect(await read('/profile')).toMatchObject({ username: 'looker' });
  await backend.fetch('/storage/v1/bucket', {
    method: 'POST',
    headers: { authorization: `Bearer ${backend.keys.serviceRoleKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'pictures', public: true }),
  });
  expect(await read(of('/storage/buckets'))).toMatchObject([{ name: 'pictures', public: true }]);
  expect(await read(of('/branches'))).toMatchObject([{ name: 'main', is_default: true }]);
  expect(await read(of('/api-keys/legacy'))).toEqual({ enabled: true });
  expect((await call('POST', of('/branches'), { json: { branch_name: 'x' } })).status).toBe(501);
  expect((await call('POST', '/projects', { json: {} })).body.message).toContain('exactly one project');
});
