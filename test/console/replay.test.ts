/**
 * Tests that logged requests can be run again as any user, that a replay changes nothing, and that the tests made from
 * replays fail while the fault exists and pass once it's fixed.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { testDatabase } from '../../src/project/folder/index.ts';
import { type Backend, type Operator, operator } from './harness.ts';

const schema = `
  create extension if not exists pg_graphql;
  create table public.notes (
    id bigint generated always as identity primary key,
    owner uuid not null default auth.uid(),
    body text not null check (length(body) < 100)
  );
  alter table public.notes enable row level security;
  create policy own on public.notes to authenticated using (owner = auth.uid()) with check (owner = auth.uid());
  grant all on public.notes to anon, authenticated, service_role;
  create sequence public.tickets;
  grant usage on sequence public.tickets to authenticated;
  create procedure public.commits() language plpgsql as $$ begin insert into public.notes (body) values ('x'); commit; end $$;
  create function public.calls_commit() returns void language plpgsql as $$ begin call public.commits(); end $$;
  create function public.does_everything() returns text language plpgsql security definer set search_path = '' as $$
    begin
      insert into public.notes (owner, body) values (gen_random_uuid(), 'side effect');
      perform net.http_post('http://127.0.0.1:1/hook', '{}'::jsonb);
      perform realtime.send('{"a":1}', 'event', 'room', true);
      perform pg_notify('replayed', 'sent');
      perform pg_advisory_lock(77);
      perform nextval('public.tickets');
      perform set_config('search_path', 'public', false);
      return 'done';
    end $$;
  create function public.becomes_service() returns text language plpgsql as $$
    begin set local role service_role; delete from public.notes; return current_user; end $$;
  create function public.waits() returns int language plpgsql as $$ begin perform pg_advisory_xact_lock(42); return 1; end $$;
  create function public.times_out() returns int language plpgsql set statement_timeout = '100ms' as $$ begin perform pg_sleep(60); return 1; end $$;
  create function public.runs_long() returns int language plpgsql set statement_timeout = '100s' as $$ begin perform pg_sleep(90); return 1; end $$;
  create function public.secret_count() returns bigint language sql stable security definer as $$ select count(*) from auth.users $$;
  create table public.empty_box (id int primary key);
  alter table public.empty_box enable row level security;
  grant select on public.empty_box to authenticated;
  insert into public.empty_box values (1);
  create table public.locked (id int primary key);
  insert into public.locked values (1);
  revoke all on public.locked from anon;
`;

let projectDir: string;
let backend: Backend;
let owner: Operator;
let looker: Operator;
const users: Record<string, { id: string; token: string }> = {};

beforeAll(async () => {
  projectDir = mkdtempSync(join(tmpdir(), 'plinth-replay-'));
  mkdirSync(join(projectDir, 'supabase', 'migrations'), { recursive: true });
  writeFileSync(join(projectDir, 'supabase', 'migrations', '20260101000000_schema.sql'), schema);
  backend = await createTestBackend({ projectDir });
  await backend.operators.createOperator('looker', 'read-only');
  owner = await operator(backend);
  looker = await operator(backend, 'looker');
  for (const name of ['ada', 'ben']) {
    const made = await backend.fetch('/auth/v1/signup', {
      method: 'POST',
      headers: { apikey: backend.keys.anonKey, 'content-type': 'application/json' },
      body: JSON.stringify({ email: `${name}@example.com`, password: 'a-Good-password-1' }),
    });
    const { access_token, user } = (await made.json()) as { access_token: string; user: { id: string } };
    users[name] = { id: user.id, token: access_token };
  }
});
afterAll(async () => {
  await backend?.stop();
  rmSync(projectDir, { recursive: true, force: true });
});

const idOf = (name: string): string => users[name]?.id ?? '';
const db = () => backend.database.pool('postgres');

/** Sends a request as an app does, and returns its status and the ID with which it is logged. */
async function send(
  name: string | undefined,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string; id: string }> {
  const token = name === undefined ? backend.keys.anonKey : users[name]?.token;
  const response = await backend.fetch(path, {
    method,
    headers: {
      apikey: backend.keys.anonKey,
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return {
    status: response.status,
    text: await response.text(),
    id: response.headers.get('x-request-id') ?? '',
  };
}

async function logged(id: string, by = owner) {
  return (await by.call('GET', `/replays/${id}`)).body;
}

const replay = (input: object, by = owner) => by.call('POST', '/replays', input);

async function state(): Promise<unknown> {
  const [row] = await db().query(sql`
    select (select json_agg(n order by id) from public.notes n) as notes,
      (select count(*)::int from net.http_request_queue) as requests,
      (select count(*)::int from realtime.messages) as messages`);
  return row;
}

describe('a logged request', () => {
  test('is found with its user, its path and the headers that its statement shows', async () => {
    const sent = await send(
      'ada',
      'POST',
      '/rest/v1/notes?select=id',
      { body: 'mine' },
      { prefer: 'return=representation' },
    );
    expect(sent.status).toBe(201);
    expect(await logged(sent.id)).toMatchObject({
      method: 'POST',
      path: '/rest/v1/notes?select=id',
      status: 201,
      as: `user:${idOf('ada')}`,
      name: 'ada@example.com',
      isUserGone: false,
      kind: 'rest',
      unsupported: null,
      headers: { prefer: 'return=representation', 'content-type': 'application/json' },
      hasBody: true,
      isQueryCut: false,
    });
    const single = await send('ben', 'GET', '/rest/v1/notes?select=body&id=eq.1', undefined, {
      accept: 'application/vnd.pgrst.object+json',
    });
    expect(single.status).toBe(406);
    const found = await logged(single.id);
    expect(found.headers).toEqual({ accept: 'application/vnd.pgrst.object+json' });
    const again = await replay({
      as: found.as,
      method: found.method,
      path: found.path,
      headers: found.headers,
    });
    expect(again.body).toMatchObject({
      status: 406,
      rows: null,
      name: 'ben@example.com',
      access: 'read only',
    });
    const ada = await replay({ as: `user:${idOf('ada')}`, method: 'GET', path: found.path });
    expect(ada.body).toMatchObject({ status: 200, rows: 1, role: 'authenticated' });
    expect(JSON.parse(ada.body.body)).toEqual([{ body: 'mine' }]);
    expect(ada.body.headers).toContainEqual(['content-range', '0-0/*']);
    const service = await replay({ method: 'GET', path: '/rest/v1/notes?select=id' });
    expect(service.body).toMatchObject({ status: 200, rows: 1, role: 'service_role' });
  });

  test('of auth, functions and realtime, and changes of files, say that they can’t be replayed', async () => {
    const auth = await send(undefined, 'POST', '/auth/v1/token?grant_type=password', {
      email: 'a@b.c',
      password: 'x',
    });
    expect(await logged(auth.id)).toMatchObject({ kind: null, unsupported: 'auth' });
    for (const path of [
      '/auth/v1/user',
      '/functions/v1/hello',
      '/realtime/v1/websocket',
      '/console/api/keys',
      '/storage/v1/object/sign/a/b',
      // The gateway would resolve these paths to other services.
      '/storage/v1/object/a/../../../../auth/v1/admin/users',
      '/storage/v1/object/a/%2E%2e/%2e./../../auth/v1/admin/users',
    ])
      expect(await replay({ method: 'GET', path })).toMatchObject({
        status: 400,
        body: { code: 'bad_request' },
      });
    expect(await owner.call('GET', '/replays/no-such-request')).toMatchObject({ status: 404 });
  });

  test('secrets in its query are cut, and the page learns of it', async () => {
    const sent = await send('ada', 'GET', '/rest/v1/notes?select=id&token=eq.geheim');
    const found = await logged(sent.id);
    expect(found).toMatchObject({ isQueryCut: true });
    expect(JSON.stringify(found)).not.toContain('geheim');
  });

  test('of a deleted user runs with the ID and role that the log knows', async () => {
    const made = await owner.call('POST', '/users', {
      email: 'gone@example.com',
      password: 'a-Good-password-1',
      confirmed: true,
    });
    const signedIn = await backend.fetch('/auth/v1/token?grant_type=password', {
      method: 'POST',
      headers: { apikey: backend.keys.anonKey, 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'gone@example.com', password: 'a-Good-password-1' }),
    });
    users.gone = {
      id: made.body.id,
      token: ((await signedIn.json()) as { access_token: string }).access_token,
    };
    const sent = await send('gone', 'GET', '/rest/v1/notes?select=id');
    await owner.call('DELETE', `/users/${made.body.id}`);
    const found = await logged(sent.id);
    expect(found).toMatchObject({ isUserGone: true, name: made.body.id });
    expect((await replay({ as: found.as, method: 'GET', path: found.path })).body).toMatchObject({
      status: 200,
      rows: 0,
    });
    expect(await replay({ as: `user:${made.body.id}`, method: 'GET', path: found.path })).toMatchObject({
      status: 404,
    });
  });
});

describe('a replay changes nothing', () => {
  const ada = () => `user:${idOf('ada')}`;
  test.each([
    [
      'an insert',
      'POST',
      '/rest/v1/notes',
      { body: 'new' },
      { prefer: 'return=representation,tx=commit' },
      201,
    ],
    ['an update', 'PATCH', '/rest/v1/notes?id=gt.0', { body: 'changed' }, {}, 204],
    ['an upsert', 'POST', '/rest/v1/notes', { body: 'x' }, { prefer: 'resolution=merge-duplicates' }, 201],
    ['a deletion', 'DELETE', '/rest/v1/notes?id=gt.0', undefined, {}, 204],
    ['a function with every kind of effect', 'POST', '/rest/v1/rpc/does_everything', {}, {}, 200],
    ['a function that switches to another role', 'POST', '/rest/v1/rpc/becomes_service', {}, {}, 200],
    ['a function that calls a procedure that commits', 'POST', '/rest/v1/rpc/calls_commit', {}, {}, 500],
    [
      'a GraphQL mutation',
      'POST',
      '/graphql/v1',
      { query: 'mutation { insertIntonotesCollection(objects: [{body: "g"}]) { affectedCount } }' },
      {},
      200,
    ],
    [
      'a GraphQL mutation with a limit',
      'POST',
      '/graphql/v1',
      { query: 'mutation { deleteFromnotesCollection(atMost: 100) { affectedCount } }' },
      {},
      200,
    ],
  ] as const)('%s', async (_what, method, path, body, headers, status) => {
    const before = await state();
    const { body: replayed } = await replay({
      as: ada(),
      method,
      path,
      headers: { 'content-type': 'application/json', ...headers },
      body: body === undefined ? '' : JSON.stringify(body),
    });
    expect([replayed.status, replayed.body]).toEqual([status, expect.not.stringContaining('"errors"')]);
    expect(await state()).toEqual(before);
    expect(replayed.access).toBe('read write');
  });

  test('session locks are released, and sequence values are used up, as the documentation says', async () => {
    const locks = await db().query(sql`select 1 from pg_locks where locktype = 'advisory' and objid = 77`);
    expect(locks).toEqual([]);
    const [tickets] = await db().query<{ is_called: boolean }>(sql`select is_called from public.tickets`);
    expect(tickets?.is_called).toBe(true);
  });

  test('functions of extensions with outside effects must be confirmed', async () => {
    await db().exec('create extension http with schema extensions');
    expect((await owner.call('GET', '/replays')).body).toEqual({ effects: ['http'], writesTests: true });
    const insert = {
      as: ada(),
      method: 'POST',
      path: '/rest/v1/notes',
      body: '{"body":"x"}',
      headers: { 'content-type': 'application/json' },
    };
    expect(await replay(insert)).toMatchObject({ status: 409, body: { code: 'confirm' } });
    expect((await replay({ ...insert, acceptsEffects: true })).body.status).toBe(201);
    expect((await replay({ as: ada(), method: 'GET', path: '/rest/v1/notes' })).body.status).toBe(200);
    await db().exec('drop extension http');
  });

  test('the statement timeout of a function applies, as in the original request', async () => {
    const call = { method: 'POST', path: '/rest/v1/rpc/times_out', body: '{}' };
    const { body } = await replay({ as: ada(), ...call, headers: { 'content-type': 'application/json' } });
    expect([body.status, JSON.parse(body.body).code, body.isTimedOut]).toEqual([500, '57014', false]);
  });

  test('a request that runs longer than 15 seconds is canceled, whatever its timeout is', async () => {
    const call = { method: 'POST', path: '/rest/v1/rpc/runs_long', body: '{}' };
    const { body } = await replay({ ...call, headers: { 'content-type': 'application/json' } });
    expect(body).toMatchObject({ isTimedOut: true, status: 500, body: expect.stringContaining('57014') });
    const left = sql`select 1 from pg_stat_activity where query like '%runs_long%' and state = 'active' and pid <> pg_backend_pid()`;
    await expect.poll(() => db().query(left)).toEqual([]);
  });

  test('two replays can run at the same time, and a third is rejected', async () => {
    const session = await db().connect();
    const call = {
      method: 'POST',
      path: '/rest/v1/rpc/waits',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    };
    let running: Promise<unknown>[] = [];
    try {
      await session.query(sql`select pg_advisory_lock(42)`);
      running = [replay(call), replay(call)];
      await expect
        .poll(
          async () =>
            (
              await db().query(
                sql`select 1 from pg_locks where locktype = 'advisory' and objid = 42 and not granted`,
              )
            ).length,
        )
        .toBe(2);
      expect(await replay(call)).toMatchObject({ status: 429, body: { code: 'busy' } });
    } finally {
      await session.query(sql`select pg_advisory_unlock(42)`);
      session.release();
    }
    expect(await Promise.all(running)).toMatchObject([{ body: { status: 200 } }, { body: { status: 200 } }]);
  });
});

describe('a request to storage', () => {
  beforeAll(async () => {
    await db().exec(`insert into storage.buckets (id, name) values ('docs', 'docs');
      create policy own on storage.objects for select to authenticated using (owner_id = auth.uid()::text);`);
    const { keys } = backend;
    for (const [path, text, type] of [
      ['a.txt', 'the text', 'text/plain'],
      ['b.png', 'no text', 'image/png'],
    ] as const) {
      const { status } = await backend.fetch(`/storage/v1/object/docs/${path}`, {
        method: 'POST',
        headers: {
          apikey: keys.serviceRoleKey,
          authorization: `Bearer ${keys.serviceRoleKey}`,
          'content-type': type,
        },
        body: text,
      });
      expect(status).toBe(200);
    }
    await db().exec(`update storage.objects set owner_id = '${idOf('ada')}'`);
  });

  test.each([
    ['ada', 200, 'the text'],
    ['ben', 400, 'not_found'],
  ] as const)('reads as %s what the policies allow', async (name, status, text) => {
    for (const by of [owner, looker])
      expect(
        (
          await replay(
            { as: `user:${idOf(name)}`, method: 'GET', path: '/storage/v1/object/authenticated/docs/a.txt' },
            by,
          )
        ).body,
      ).toMatchObject({ status, body: expect.stringContaining(text), access: 'read only' });
  });

  test('lists files, and shows no bytes of other types', async () => {
    const list = {
      method: 'POST',
      path: '/storage/v1/object/list/docs',
      body: '{"prefix":""}',
      headers: { 'content-type': 'application/json' },
    };
    expect((await replay({ as: `user:${idOf('ada')}`, ...list })).body).toMatchObject({
      status: 200,
      rows: 2,
    });
    expect((await replay({ as: `user:${idOf('ben')}`, ...list })).body).toMatchObject({
      status: 200,
      rows: 0,
    });
    expect((await replay({ method: 'GET', path: '/storage/v1/object/docs/b.png' })).body).toMatchObject({
      status: 200,
      body: '',
      rows: null,
    });
  });

  test('never changes files', async () => {
    for (const [method, path] of [
      ['DELETE', '/storage/v1/object/docs/a.txt'],
      ['POST', '/storage/v1/object/docs/c.txt'],
      ['POST', '/storage/v1/object/sign/docs/a.txt'],
      ['POST', '/storage/v1/object/list/../docs/c.txt'],
      ['GET', '/storage/v1/object/../../auth/v1/admin/users'],
      ['GET', '/storage/v1/object/%2e%2e/%2e%2e/auth/v1/admin/users'],
      ['POST', '/storage/v1/bucket'],
    ])
      expect([path, (await replay({ method, path, body: '{}' })).status]).toEqual([path, 400]);
    const encoded = '/storage/v1/object/x/..%2f..%2f..%2fauth/v1/admin/users';
    expect((await replay({ method: 'GET', path: encoded })).body.status).toBe(400);
    const rows = await db().query(sql`select name from storage.objects order by name`);
    expect(rows).toEqual([{ name: 'a.txt' }, { name: 'b.png' }]);
  });
});

describe('the operator', () => {
  test('without write permission can replay reads only', async () => {
    const ada = `user:${idOf('ada')}`;
    expect((await replay({ as: ada, method: 'GET', path: '/rest/v1/notes' }, looker)).body).toMatchObject({
      status: 200,
      access: 'read only',
    });
    const query = { query: '{ notesCollection { edges { node { id } } } }' };
    const json = { 'content-type': 'application/json' };
    expect(
      (
        await replay(
          { as: ada, method: 'POST', path: '/graphql/v1', headers: json, body: JSON.stringify(query) },
          looker,
        )
      ).body.status,
    ).toBe(200);
    const before = await state();
    const mutation = { query: 'mutation { deleteFromnotesCollection(atMost: 100) { affectedCount } }' };
    const mutated = await replay(
      { as: ada, method: 'POST', path: '/graphql/v1', headers: json, body: JSON.stringify(mutation) },
      looker,
    );
    expect(mutated.body.body).toContain('read-only transaction');
    expect(await state()).toEqual(before);
    for (const [method, path] of [
      ['POST', '/rest/v1/notes'],
      ['DELETE', '/rest/v1/notes?id=gt.0'],
      ['GET', '/rest/v1/rpc/secret_count'],
      ['GET', '/rest/v1/%72pc/secret_count'],
      ['POST', '/rest/v1/rpc/secret_count'],
    ])
      expect(await replay({ method, path }, looker)).toMatchObject({
        status: 403,
        body: { code: 'forbidden' },
      });
    expect(
      await replay({ method: 'GET', path: '/rest/v1/users', headers: { 'accept-profile': 'auth' } }, looker),
    ).toMatchObject({ status: 403 });
    expect(
      await looker.call('POST', '/replays/test/file', {
        method: 'GET',
        path: '/rest/v1/notes',
        expects: 'succeeds',
      }),
    ).toMatchObject({ status: 403 });
  });

  test('can’t replace the token, and every replay is in the audit log', async () => {
    for (const headers of [
      { authorization: 'Bearer x' },
      { apikey: 'x' },
      { cookie: 'a=b' },
      { 'x-a': 'b\r\nc: d' },
    ])
      expect(await replay({ method: 'GET', path: '/rest/v1/notes', headers })).toMatchObject({ status: 400 });
    const service = Buffer.from('{"role":"service_role"}').toString('base64url');
    expect(
      await replay({ as: `claims:${service}`, method: 'GET', path: '/rest/v1/notes' }, looker),
    ).toMatchObject({ status: 400 });
    await replay({ as: 'anon', method: 'GET', path: '/rest/v1/notes?id=eq.5', requestId: 'abc' });
    const { entries } = (await owner.call('GET', '/audit?action=request.replay')).body;
    expect(entries[0]).toMatchObject({
      target: '/rest/v1/notes',
      detail: { method: 'GET', as: 'anon', access: 'read only', requestId: 'abc' },
    });
  });
});

describe('a generated test', () => {
  const generate = async (input: object) => (await owner.call('POST', '/replays/test', input)).body;
  /** Runs all tests in the project folder, as `plinth test db` does. */
  async function runTests(): Promise<{ passed: boolean; output: string }> {
    const lines: string[] = [];
    const passed = await testDatabase({
      url: backend.database.info.url,
      projectDir,
      paths: [],
      cwd: projectDir,
      verbose: true,
      print: (line) => void lines.push(line),
    });
    return { passed, output: lines.join('\n') };
  }
  const json = { 'content-type': 'application/json' };

  test.each([
    {
      what: 'a policy that hides rows',
      request: () => ({
        as: `user:${idOf('ada')}`,
        method: 'GET',
        path: '/rest/v1/empty_box?select=id',
        expects: 'rows',
      }),
      fix: 'create policy everyone on public.empty_box for select to authenticated using (true)',
    },
    {
      what: 'a policy that rejects an insert',
      request: () => ({
        as: `user:${idOf('ada')}`,
        method: 'POST',
        path: '/rest/v1/notes',
        headers: json,
        body: JSON.stringify({ body: "it's for Ben", owner: idOf('ben') }),
        expects: 'succeeds',
      }),
      fix: 'create policy gifts on public.notes for insert to authenticated with check (true)',
    },
    {
      what: 'a missing grant',
      request: () => ({ as: 'anon', method: 'GET', path: '/rest/v1/locked', expects: 'succeeds' }),
      fix: 'grant select on public.locked to anon',
    },
    {
      what: 'a missing column in the body',
      request: () => ({
        as: `user:${idOf('ada')}`,
        method: 'POST',
        path: '/rest/v1/notes',
        headers: json,
        body: '{"body":"x","color":"red"}',
        expects: 'succeeds',
      }),
      fix: 'alter table public.notes add color text',
    },
    {
      what: 'a missing function',
      request: () => ({
        as: 'anon',
        method: 'POST',
        path: '/rest/v1/rpc/not_yet',
        headers: json,
        body: '{}',
        expects: 'succeeds',
      }),
      fix: 'create function public.not_yet() returns int language sql as $$ select 1 $$',
    },
    {
      what: 'a function that returns no rows',
      request: () => ({
        as: `user:${idOf('ada')}`,
        method: 'POST',
        path: '/rest/v1/rpc/found_boxes',
        headers: json,
        body: '{}',
        expects: 'rows',
      }),
      before:
        'create function public.found_boxes() returns setof public.empty_box language sql as $$ select * from public.empty_box where id = 2 $$',
      fix: 'insert into public.empty_box values (2)',
    },
    {
      what: 'a single row that is missing',
      request: () => ({
        as: `user:${idOf('ada')}`,
        method: 'GET',
        path: '/rest/v1/empty_box?select=id&id=eq.3',
        headers: { accept: 'application/vnd.pgrst.object+json' },
        expects: 'succeeds',
      }),
      fix: 'insert into public.empty_box values (3)',
    },
    {
      what: 'rows that must be hidden',
      request: () => ({ as: 'anon', method: 'GET', path: '/rest/v1/locked', expects: 'no-rows' }),
      fix: 'alter table public.locked enable row level security',
    },
    {
      what: 'a GraphQL mutation that a policy rejects',
      request: () => ({
        as: 'anon',
        method: 'POST',
        path: '/graphql/v1',
        headers: json,
        body: JSON.stringify({
          query:
            'mutation { insertIntonotesCollection(objects: [{body: "g", owner: "00000000-0000-4000-8000-000000000009"}]) { affectedCount } }',
        }),
        expects: 'succeeds',
      }),
      fix: 'create policy guests on public.notes to anon using (true) with check (true)',
    },
  ])('fails while the fault exists and passes once it’s fixed: $what', async ({ request, before, fix }) => {
    if (before !== undefined) await db().exec(before);
    const input = request();
    await expect.poll(async () => (await generate(input)).passes).toBe(false);
    const written = await owner.call('POST', '/replays/test/file', input);
    expect([written.status, written.body.message]).toEqual([200, undefined]);
    expect(written.body.path).toMatch(/^supabase\/tests\/replay_\w+_test\.sql$/);
    const file = join(projectDir, written.body.path);
    expect(readFileSync(file, 'utf8')).not.toContain('Bearer');
    expect((await runTests()).passed).toBe(false);
    await db().exec(fix);
    const { passed, output } = await runTests();
    expect([passed, output]).toEqual([true, expect.stringContaining('replay_')]);
  });

  test('that can’t be written in SQL is refused, and a file is never replaced', async () => {
    const input = {
      as: 'anon',
      method: 'GET',
      path: '/rest/v1/notes?select=*,nothing(*)',
      expects: 'succeeds',
    };
    expect(await owner.call('POST', '/replays/test', input)).toMatchObject({
      status: 409,
      body: { code: 'refused' },
    });
    // The database would execute these requests, but the services reject the results.
    const many = { headers: { accept: 'application/vnd.pgrst.object+json' }, expects: 'succeeds' };
    await db().exec('insert into public.empty_box values (10), (11)');
    expect(
      await owner.call('POST', '/replays/test', { method: 'GET', path: '/rest/v1/empty_box', ...many }),
    ).toMatchObject({ status: 409, body: { code: 'refused' } });
    const query = 'mutation { deleteFromempty_boxCollection(atMost: 1) { affectedCount } }';
    expect(
      await owner.call('POST', '/replays/test', {
        method: 'POST',
        path: '/graphql/v1',
        headers: json,
        body: JSON.stringify({ query }),
        expects: 'succeeds',
      }),
    ).toMatchObject({ status: 409, body: { code: 'refused' } });
    const read = { as: 'anon', method: 'GET', path: '/rest/v1/notes', expects: 'no-rows' };
    const first = (await owner.call('POST', '/replays/test/file', read)).body.path;
    const second = (await owner.call('POST', '/replays/test/file', read)).body.path;
    expect(second).not.toBe(first);
  });
});
