/** Tests the routes for database functions: list, details, try, and changes with the rights of each operator. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type Backend, type Operator, operator, startBackend } from './harness.ts';

let backend: Backend;
let owner: Operator;
let looker: Operator;
let userId: string;

const schema = `
  create table public.notes (id int primary key, owner uuid, body text);
  alter table public.notes enable row level security;
  create policy own on public.notes using (owner = auth.uid());
  create function public.add(a int, b int default 10) returns int language sql as $$ select a + b $$;
  create function public.twice(n int) returns int language plpgsql as $$ begin return public.add(n, n); end $$;
  create function public.who() returns table (role text, id uuid) language sql as
    $$ select current_user::text, auth.uid() $$;
  create function public.write_note(body text) returns int language plpgsql as
    $$ begin raise notice 'writing %', body; insert into public.notes values (7, auth.uid(), body); return 7; end $$;
  create function public.hidden() returns text language sql security definer as $$ select 'sk_secret_key' $$;
  revoke execute on function public.hidden() from public, anon, authenticated;
  create function public.many() returns setof int language sql as $$ select generate_series(1, 500) $$;
  create function public.first_of(variadic items text[]) returns text language sql as $$ select items[1] $$;
  create function public.same(anyelement) returns anyelement language sql as $$ select $1 $$;
  create procedure public.clear(out removed int) language plpgsql as
    $$ begin delete from public.notes; removed := 3; commit; end $$;
  create schema "We""ird; --";
  create type "We""ird; --"."mo od" as enum ('a');
  create function "We""ird; --"."f'n ""x"""("ar g" "We""ird; --"."mo od", "B" text default 'it''s') returns text
    language sql as $$ select "B" || "ar g" $$;
  create table public.parents (id int primary key);
  create table public.children (id int primary key, parent int references public.parents deferrable initially deferred);
  create function public.orphan() returns void language sql as $$ insert into public.children values (1, 99) $$;
  create view public.uses_add as select public.add(1, 2) as three;
`;

beforeAll(async () => {
  backend = await startBackend();
  await backend.database.pool('postgres').exec(schema);
  await backend.operators.createOperator('looker', 'read-only');
  owner = await operator(backend);
  looker = await operator(backend, 'looker');
  const user = { email: 'ada@example.com', password: 'a-Good-password-1', confirmed: true };
  userId = (await owner.call('POST', '/users', user)).body.id;
});
afterAll(() => backend?.stop());

const detail = (signature: string, by = owner) =>
  by.call('GET', `/database/function?signature=${encodeURIComponent(signature)}`);
const value = (text: string | null) => ({ kind: 'value', value: text });
const attempt = (signature: string, args: unknown[], as?: string, by = owner) =>
  by.call('POST', '/database/function/try', { signature, arguments: args, ...(as ? { as } : {}) });
const change = (changes: unknown[], more = {}) => owner.call('POST', '/schema/apply', { changes, ...more });
const preview = (changes: unknown[]) => owner.call('POST', '/schema/preview', { changes });
const define = (text: string) => ({ kind: 'define', object: 'routine', text });
const weird = `"We""ird; --"."f'n ""x"""("We""ird; --"."mo od", text)`;

test('the list contains functions of every schema, with their signatures', async () => {
  const { body } = await owner.call('GET', '/database/functions');
  const bySignature = new Map(body.functions.map((each: { signature: string }) => [each.signature, each]));
  expect(bySignature.get('public.add(integer, integer)')).toMatchObject({
    schema: 'public',
    name: 'add',
    kind: 'function',
    arguments: 'a integer, b integer DEFAULT 10',
    returns: 'integer',
    language: 'sql',
    security_definer: false,
    volatility: 'volatile',
    extension: null,
  });
  expect(bySignature.get('public.clear()')).toMatchObject({ kind: 'procedure' });
  expect(bySignature.get('public.hidden()')).toMatchObject({ security_definer: true });
  expect(bySignature.get('auth.uid()')).toBeDefined();
  expect(bySignature.has(weird)).toBe(true);
  expect(body.functions.some(({ schema }: { schema: string }) => schema === '_plinth')).toBe(false);
});

test('functions, views and triggers of other owners are marked, because changes run as postgres', async () => {
  expect((await detail('public.add(integer, integer)')).body.may_change).toBe(true);
  expect((await detail('extensions.pgrst_ddl_watch()')).body.may_change).toBe(false);
  const { views } = (await owner.call('GET', '/database/views')).body;
  const ownersOf = (mayChange: boolean): Set<string> =>
    new Set(
      views
        .filter((view: { may_change: boolean }) => view.may_change === mayChange)
        .map((view: { owner: string }) => view.owner),
    );
  expect(ownersOf(false)).toContain('supabase_admin');
  expect(ownersOf(true)).not.toContain('supabase_admin');
  const { triggers } = (await owner.call('GET', '/database/triggers')).body;
  const encrypts = triggers.find(({ name }: { name: string }) => name === 'encrypt_secret');
  expect(encrypts.may_change).toBe(false);
});

test('details contain the source, the grants, and the objects that use the function', async () => {
  const { body } = await detail('public.add(integer, integer)');
  expect(body.source).toMatch(/^CREATE OR REPLACE FUNCTION public\.add\(a integer, b integer DEFAULT 10\)/);
  expect(body.grants.map(({ role }: { role: string }) => role)).toContain('anon');
  expect(body.dependents).toEqual([
    { kind: 'view', name: 'uses_add', table: { schema: 'public', name: 'uses_add' }, signature: null },
  ]);
  expect(body.mentions).toEqual([
    { kind: 'function', name: 'twice', table: null, signature: 'public.twice(integer)' },
  ]);
  const hidden = await detail('public.hidden()');
  expect(hidden.body.grants.map(({ role }: { role: string }) => role)).toEqual(['postgres', 'service_role']);
  expect((await detail(weird)).body).toMatchObject({ name: `f'n "x"`, schema: 'We"ird; --' });
  expect((await detail('public.nothing()')).status).toBe(404);
});

test('a policy, a trigger, a default and an index are listed as dependents', async () => {
  await backend.database.pool('postgres').exec(`
    drop table if exists public.users_of; drop function if exists public.used(int);
    create function public.used(int) returns int immutable language sql as $$ select $1 $$;
    create table public.users_of (id int default public.used(1) check (public.used(id) > 0));
    create index of_used on public.users_of (public.used(id));
    alter table public.users_of enable row level security;
    create policy uses on public.users_of using (public.used(id) = 1);
    create trigger kept before update on public.users_of for each row execute function public.keep();`);
  const kinds = (await detail('public.used(integer)')).body.dependents.map(
    ({ kind, name }: { kind: string; name: string }) => `${kind} ${name}`,
  );
  expect(kinds).toEqual(['check users_of_id_check', 'default id', 'index of_used', 'policy uses']);
  const trigger = await detail('public.keep()');
  expect(trigger.body.can_try).toBe(false);
  expect(trigger.body.dependents).toContainEqual({
    kind: 'trigger',
    name: 'kept',
    table: { schema: 'public', name: 'users_of' },
    signature: null,
  });
});

describe('trying a function', () => {
  test('returns the rows, the notices and the statement, and changes nothing', async () => {
    const { body } = await attempt('public.write_note(text)', [value('x')]);
    expect(body).toMatchObject({ rows: [['7']], error: null, role: 'postgres', more: false });
    expect(body.notices).toEqual([{ severity: 'NOTICE', message: 'writing x' }]);
    expect(body.statement).toBe('select * from "public"."write_note"($1::text)');
    expect(await backend.database.pool('postgres').query(sql`select from public.notes`)).toHaveLength(0);
  });

  test('runs as the chosen user, with the policies and grants of that user', async () => {
    const as = `user:${userId}`;
    expect((await attempt('public.who()', [], as)).body.rows).toEqual([['authenticated', userId]]);
    expect((await attempt('public.who()', [], 'anon')).body.rows).toEqual([['anon', null]]);
    expect((await attempt('public.hidden()', [], as)).body).toMatchObject({
      rows: [],
      error: { sqlstate: '42501' },
    });
    const note = await attempt('public.write_note(text)', [value('x')], 'anon');
    expect(note.body.error).toMatchObject({ sqlstate: '42501' });
    expect(note.body.error.where).toContain('write_note');
  });

  test('values aren’t SQL, and NULL, defaults and arrays can be passed', async () => {
    const quoted = `'); drop table public.notes; --`;
    expect((await attempt('public.write_note(text)', [value(quoted)])).body.notices[0].message).toBe(
      `writing ${quoted}`,
    );
    const add = 'public.add(integer, integer)';
    expect((await attempt(add, [value('1'), { kind: 'default' }])).body.rows).toEqual([['11']]);
    expect((await attempt(add, [value('1'), value(null)])).body.rows).toEqual([[null]]);
    expect((await attempt(add, [value('one'), value('2')])).body.error.sqlstate).toBe('22P02');
    expect((await attempt(add, [value('1')])).status).toBe(400);
    expect((await attempt(add, [{ kind: 'default' }, value('1')])).status).toBe(400);
    expect((await attempt('public.first_of(text[])', [value('{a,b}')])).body.rows).toEqual([['a']]);
    expect((await attempt(weird, [value('a'), { kind: 'default' }])).body.rows).toEqual([["it'sa"]]);
  });

  test('long results are cut, and deferred constraints are checked', async () => {
    const { body } = await attempt('public.many()', []);
    expect([body.rows.length, body.more]).toEqual([100, true]);
    expect((await attempt('public.orphan()', [])).body.error.sqlstate).toBe('23503');
  });

  test('long messages are cut', async () => {
    await backend.database
      .pool('postgres')
      .exec(`create or replace function public.loud() returns void language plpgsql as
      $$ begin
        raise notice '%', repeat('n', 100000) using hint = repeat('h', 100000);
        raise exception '%', repeat('e', 100000) using detail = repeat('d', 100000);
      end $$`);
    const { notices, error } = (await attempt('public.loud()', [])).body;
    const lengths = [notices[0].message, notices[0].hint, error.message, error.detail].map(
      (text: string) => text.length,
    );
    expect(lengths).toEqual([4097, 4097, 4097, 4097]);
    expect(error.sqlstate).toBe('P0001');
  });

  test('a procedure can’t commit, and a polymorphic function can’t be tried', async () => {
    expect((await attempt('public.clear()', [])).body.error.sqlstate).toBe('2D000');
    expect((await detail('public.same(anyelement)')).body.can_try).toBe(false);
    expect((await attempt('public.same(anyelement)', [value('1')])).status).toBe(400);
    expect((await attempt('public.keep()', [])).status).toBe(400);
  });

  test('is recorded without the values', async () => {
    await attempt('public.write_note(text)', [value('a private text')], 'anon');
    const entries = await backend.database.pool('supabase_admin').query(sql`
      select target, detail from _plinth.audit_log where action = 'function.try' order by at desc limit 1`);
    expect(entries).toEqual([{ target: 'public.write_note(text)', detail: { role: 'anon' } }]);
  });
});

describe('changing a function', () => {
  test('a definition replaces the function and becomes a migration', async () => {
    await change([
      define('create or replace function public.edited() returns int language sql as $$ select 1 $$'),
    ]);
    const { body } = await detail('public.edited()');
    const text = body.source.replace('select 1', 'select 2');
    expect((await preview([define(text)])).body).toMatchObject({ confirm: null, warnings: [] });
    expect((await change([define(text)])).status).toBe(200);
    expect((await attempt('public.edited()', [])).body.rows).toEqual([['2']]);
  });

  test('another signature is reported as an overload, which can be replaced with its grants', async () => {
    const pool = backend.database.pool('postgres');
    await pool.exec('drop function if exists public.grows(int), public.grows(text)');
    await change([define('create function public.grows(a int) returns int language sql as $$ select a $$')]);
    await pool.exec(`
      revoke execute on function public.grows(int) from public, anon;
      comment on function public.grows(int) is 'It''s kept'`);
    const added =
      'create or replace function public.grows(a text) returns int language sql as $$ select 1 $$';
    expect((await preview([define(added)])).body.warnings).toEqual([
      { kind: 'overload', on: 'public.grows', rows: null, exact: true },
    ]);
    const { recreation } = (await detail('public.grows(integer)')).body;
    const text = recreation.replace('RETURNS integer', 'RETURNS bigint');
    expect((await preview([define(text)])).body.warnings).toEqual([]);
    expect((await change([define(text)])).status).toBe(200);
    const { body } = await detail('public.grows(integer)');
    expect(body).toMatchObject({ returns: 'bigint', comment: "It's kept" });
    expect(body.grants.map(({ role }: { role: string }) => role)).toEqual([
      'authenticated',
      'postgres',
      'service_role',
    ]);
  });

  test('errors are shown in the preview', async () => {
    const { status, body } = await preview([
      define('create function public.bad() returns int language sql as $$ select x $$'),
    ]);
    expect([status, body.sqlstate]).toEqual([422, '42703']);
    expect((await detail('public.bad()')).status).toBe(404);
  });

  test('the text can’t contain other statements', async () => {
    const text =
      'create function public.x() returns int language sql as $$ select 1 $$; drop table public.notes';
    expect((await preview([define(text)])).status).toBe(400);
    expect((await change([define(text)])).status).toBe(400);
    expect((await change([define('drop table public.notes')])).status).toBe(400);
  });

  test('the audit log doesn’t contain the source', async () => {
    const key = 'sk_live_do_not_log';
    await change([
      define(
        `create or replace function public.keyed(a text default '${key}') returns text language sql as $$ select '${key}' $$`,
      ),
    ]);
    const [entry] = await backend.database
      .pool('supabase_admin')
      .query<{ target: string; detail: object }>(
        sql`select target, detail from _plinth.audit_log where action = 'schema.change' order by at desc limit 1`,
      );
    expect(entry?.target).toBe('public.keyed');
    expect(JSON.stringify(entry)).not.toContain(key);
  });

  test('functions with any name can be dropped', async () => {
    const { types } = (await detail(weird)).body;
    const drop = {
      kind: 'drop_routine',
      routine: 'function',
      schema: 'We"ird; --',
      name: `f'n "x"`,
      types,
      cascade: false,
    };
    expect((await preview([drop])).body.statements).toEqual([
      `drop function "We""ird; --"."f'n ""x"""("We""ird; --"."mo od", "pg_catalog"."text")`,
    ]);
    expect((await change([drop])).status).toBe(200);
    expect((await detail(weird)).status).toBe(404);
    const used = { ...drop, schema: 'public', name: 'add', cascade: true };
    const int = { schema: 'pg_catalog', name: 'int4' };
    expect((await change([{ ...used, types: [int, int] }])).status).toBe(400);
    expect((await change([{ ...used, types: [int, int] }], { confirmed: 'add' })).status).toBe(200);
    expect(await backend.database.pool('postgres').query(sql`select to_regclass('public.uses_add')`)).toEqual(
      [{ to_regclass: null }],
    );
  });
});

test('a read-only operator doesn’t see defaults of parameters and the project’s own settings', async () => {
  await backend.database.pool('postgres').exec(`
    create or replace function public.signs(a text, key text default 'sk_default_key') returns text language sql
      set search_path = '' as $$ select a $$`);
  await backend.database
    .pool('supabase_admin')
    .exec(`alter function public.signs(text, text) set app.key = 'sk_setting_key'`);
  const signature = 'public.signs(text, text)';
  const [list, one] = await Promise.all([
    looker.call('GET', '/database/functions'),
    detail(signature, looker),
  ]);
  const looked = await looker.call('POST', '/sql/look', {
    text: `select pg_get_function_arguments(oid::oid) from generate_series(16384, 30000) oid`,
  });
  expect(looked.body).toContain("can't call pg_catalog.pg_get_function_arguments");
  expect(JSON.stringify([list.body, one.body])).not.toMatch(/sk_(default|setting)_key/);
  expect(one.body).toMatchObject({
    arguments: 'a text, key text',
    settings: ['search_path=""', 'app.key=…'],
  });
  expect(one.body.parameters.map((each: { default: string | null }) => each.default)).toEqual([null, '…']);
  expect((await detail(signature)).body).toMatchObject({
    arguments: `a text, key text DEFAULT 'sk_default_key'::text`,
    settings: ['search_path=""', 'app.key=sk_setting_key'],
  });
});

test('a read-only operator sees no source, and can’t try or change a function', async () => {
  const { body } = await detail('public.hidden()', looker);
  expect(body).toMatchObject({ source: null, recreation: null, is_source_hidden: true });
  expect(JSON.stringify(body)).not.toContain('sk_secret_key');
  expect((await looker.call('GET', '/database/functions')).status).toBe(200);
  expect((await attempt('public.who()', [], undefined, looker)).status).toBe(403);
  const text = 'create function public.x() returns int language sql as $$ select 1 $$';
  for (const path of ['/schema/preview', '/schema/apply'])
    expect((await looker.call('POST', path, { changes: [define(text)] })).status).toBe(403);
});
