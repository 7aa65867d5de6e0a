/** Tests the lists of roles and privileges, and that the Console can change them. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import type {
  DefaultPrivilegesRow,
  GrantedObject,
  RoleRow,
} from '../../src/pages/console/access/contract.ts';
import { type Backend, type Operator, operator } from './harness.ts';

let backend: Backend;
let owner: Operator;
const projectDir = mkdtempSync(join(tmpdir(), 'plinth-access-'));
/** Roles belong to the whole cluster, which other test files use too. */
const roles = ['Access "Team"; --', 'access_worker', 'access_reader'];
const [team = '', worker = '', reader = ''] = roles;
const id = (name: string) => `"${name.replaceAll('"', '""')}"`;

beforeAll(async () => {
  backend = await createTestBackend({ projectDir });
  owner = await operator(backend);
  await run(`
    create table public."Odd ""Table"" x" (id int primary key, "Col ""A""" text, plain text);
    create table public.notes (id int primary key, title text, body text);
    alter table public.notes enable row level security;
    create function public."Fn ""x"""(a int, b text[]) returns int language sql as 'select 1';
    create function public."Fn ""x"""(a int) returns int language sql as 'select 1';
    create procedure public.proc(a int) language sql as 'select 1';
    create view public.note_titles as select id, title from public.notes;
    create sequence public.counter;`);
});
afterAll(async () => {
  for (const role of roles) await run(`drop role if exists ${id(role)}`);
  await backend?.stop();
  rmSync(projectDir, { recursive: true, force: true });
});

const run = (text: string) => backend.database.pool('postgres').exec(text);
const apply = (changes: readonly object[], more: object = {}) =>
  owner.call('POST', '/schema/apply', { changes, ...more });
const preview = (changes: readonly object[]) => owner.call('POST', '/schema/preview', { changes });
async function find(name: string, kind = 'table'): Promise<GrantedObject> {
  const { status, body } = await owner.call('GET', '/grants');
  expect(status).toBe(200);
  return body.objects.find((each: GrantedObject) => each.name === name && each.kind === kind);
}
async function roleNamed(name: string): Promise<RoleRow | undefined> {
  const { body } = await owner.call('GET', '/roles');
  return body.roles.find((each: RoleRow) => each.name === name);
}
const privilegesOf = async (name: string, role: string, kind?: string) =>
  (await find(name, kind)).grants.find((each) => each.role === role)?.privileges ?? [];
const table = (name: string) => ({ type: 'table', schema: 'public', name });

describe('roles', () => {
  test('a role is created, changed, used for requests and dropped, whatever its name is', async () => {
    const created = await apply([
      { kind: 'create_role', role: team, attributes: { login: false } },
      { kind: 'grant_role', role: team, member: 'authenticator' },
      { kind: 'create_role', role: worker, attributes: { login: true, connectionLimit: 3 } },
      { kind: 'grant_role', role: team, member: worker },
    ]);
    expect(created.body.statements).toEqual([
      `create role ${id(team)} nologin`,
      `grant ${id(team)} to "authenticator"`,
      'create role "access_worker" login connection limit 3',
      `grant ${id(team)} to "access_worker"`,
    ]);
    expect(await roleNamed(team)).toMatchObject({
      login: false,
      system: false,
      editable: true,
      members: expect.arrayContaining(['authenticator', worker]),
    });
    expect(await roleNamed(worker)).toMatchObject({
      login: true,
      connectionLimit: 3,
      memberOf: [team],
      inherits: [team],
    });
    expect(
      (
        await apply([
          { kind: 'alter_role', role: worker, attributes: { inherit: false, connectionLimit: -1 } },
        ])
      ).status,
    ).toBe(200);
    expect(await roleNamed(worker)).toMatchObject({ inherit: false, connectionLimit: -1 });
    expect((await apply([{ kind: 'revoke_role', role: team, member: worker }])).status).toBe(200);
    expect(await roleNamed(worker)).toMatchObject({ memberOf: [] });
    expect((await apply([{ kind: 'drop_role', role: worker }])).status).toBe(200);
    expect(await roleNamed(worker)).toBeUndefined();
  });

  test('the roles that Plinth needs keep their attributes and memberships', async () => {
    for (const [change, reason] of [
      [{ kind: 'drop_role', role: 'anon' }, 'Plinth needs the role anon'],
      [{ kind: 'drop_role', role: 'authenticator' }, 'Plinth needs the role authenticator'],
      [{ kind: 'alter_role', role: 'service_role', attributes: { bypassrls: false } }, 'Plinth needs'],
      [{ kind: 'revoke_role', role: 'anon', member: 'authenticator' }, 'authenticator switches to anon'],
      [{ kind: 'revoke_role', role: 'authenticated', member: 'supabase_realtime_admin' }, 'switches to'],
      [{ kind: 'revoke_role', role: 'authenticator', member: 'supabase_storage_admin' }, 'membership'],
      [{ kind: 'revoke_role', role: 'supabase_auth_admin', member: 'postgres' }, 'as a member'],
      [{ kind: 'grant_role', role: 'postgres', member: 'anon' }, 'policies wouldn’t apply'],
      [{ kind: 'grant_role', role: 'service_role', member: 'authenticated' }, 'policies wouldn’t apply'],
      [{ kind: 'grant_role', role: 'postgres', member: 'authenticator' }, 'tokens must never name'],
      [{ kind: 'grant_role', role: 'pg_read_all_data', member: 'anon' }, 'policies wouldn’t apply'],
      [{ kind: 'create_role', role: 'pg_mine', attributes: {} }, 'reserves'],
    ] as const) {
      for (const response of [await preview([change]), await apply([change])]) {
        expect([change, response.status, response.body.code]).toEqual([change, 409, 'refused']);
        expect(response.body.message.replaceAll("'", '’')).toContain(reason);
      }
    }
    expect(await roleNamed('anon')).toMatchObject({
      system: true,
      members: expect.arrayContaining(['authenticator']),
    });
  });
});

describe('privileges', () => {
  test('they are granted and revoked on every kind of object, whatever its name is', async () => {
    await run(`
      do $$ begin create role ${id(reader)}; exception when duplicate_object then null; end $$`);
    const odd = table('Odd "Table" x');
    const overloaded = {
      type: 'function',
      schema: 'public',
      name: 'Fn "x"',
      arguments: [
        { schema: 'pg_catalog', name: 'int4' },
        { schema: 'pg_catalog', name: '_text' },
      ],
    };
    const objects = (await owner.call('GET', '/grants')).body.objects as GrantedObject[];
    expect(objects.filter(({ name }) => name === 'Fn "x"').map(({ target }) => target)).toContainEqual(
      overloaded,
    );
    const changes = [
      { kind: 'grant', target: odd, privileges: ['select', 'insert'], role: reader },
      { kind: 'grant', target: odd, privileges: ['update'], columns: ['Col "A"', 'plain'], role: reader },
      { kind: 'grant', target: overloaded, privileges: ['execute'], role: reader },
      {
        kind: 'grant',
        target: (await find('proc', 'procedure')).target,
        privileges: ['execute'],
        role: reader,
      },
      { kind: 'grant', target: table('note_titles'), privileges: ['select'], role: reader },
      {
        kind: 'grant',
        target: { type: 'sequence', schema: 'public', name: 'counter' },
        privileges: ['usage', 'select'],
        role: reader,
      },
      { kind: 'grant', target: { type: 'schema', name: 'public' }, privileges: ['usage'], role: reader },
    ];
    const { status, body } = await apply(changes, { migration: 'reader_grants' });
    expect([status, body.message]).toEqual([200, undefined]);
    expect(body.statements).toContain(
      `grant execute on function "public"."Fn ""x"""("pg_catalog"."int4", "pg_catalog"."_text") to "access_reader"`,
    );
    expect(await privilegesOf('Odd "Table" x', reader)).toEqual(['insert', 'select']);
    expect(await privilegesOf('proc', reader, 'procedure')).toEqual(['execute']);
    expect(await privilegesOf('note_titles', reader, 'view')).toEqual(['select']);
    expect(await privilegesOf('counter', reader, 'sequence')).toEqual(['select', 'usage']);
    expect((await find('Odd "Table" x')).columnGrants).toEqual([{ role: reader, privilege: 'update' }]);
    const path = `/grants/public/${encodeURIComponent('Odd "Table" x')}/columns`;
    const { columns } = (await owner.call('GET', path)).body;
    expect(columns).toMatchObject([
      { name: 'id', type: 'integer', grants: [] },
      { name: 'Col "A"', grants: [{ role: reader, privileges: ['update'] }] },
      { name: 'plain', grants: [{ role: reader, privileges: ['update'] }] },
    ]);
    const [file = ''] = readdirSync(join(projectDir, 'supabase/migrations'));
    expect(readFileSync(join(projectDir, 'supabase/migrations', file), 'utf8')).toContain(
      'grant update ("Col ""A""", "plain") on table "public"."Odd ""Table"" x" to "access_reader"',
    );

    const revoked = await apply(changes.map((change) => ({ ...change, kind: 'revoke' })));
    expect(revoked.status).toBe(200);
    expect(await privilegesOf('Odd "Table" x', reader)).toEqual([]);
    expect((await find('Odd "Table" x')).columnGrants).toEqual([]);
    const functions = (await owner.call('GET', '/grants')).body.objects as GrantedObject[];
    for (const { name, grants } of functions)
      expect([name, grants.filter(({ role }) => role === reader)]).toEqual([name, []]);
  });

  test('a privilege on the table can be replaced by privileges on columns', async () => {
    await apply([
      { kind: 'revoke', target: table('notes'), privileges: ['select'], role: 'anon' },
      {
        kind: 'grant',
        target: table('notes'),
        privileges: ['select'],
        columns: ['id', 'title'],
        role: 'anon',
      },
    ]);
    const found = await find('notes');
    expect(found.grants.find(({ role }) => role === 'anon')?.privileges).not.toContain('select');
    expect(found.columnGrants).toContainEqual({ role: 'anon', privilege: 'select' });
    const ask = (query: string) =>
      backend.fetch(`/rest/v1/notes?select=${query}`, { headers: { apikey: backend.keys.anonKey } });
    await expect.poll(async () => (await ask('id,title')).status).toBe(200);
    expect((await ask('body')).status).toBe(401);
  });

  test('the right to grant privileges is granted and taken away, and the privileges stay', async () => {
    await apply([{ kind: 'create_role', role: reader, attributes: {} }]);
    const target = table('notes');
    const change = { target, privileges: ['select', 'insert'], role: reader, grantOption: true };
    const granted = await apply([{ kind: 'grant', ...change }]);
    expect([granted.status, granted.body.statements]).toEqual([
      200,
      [`grant select, insert on table "public"."notes" to "${reader}" with grant option`],
    ]);
    const grantOf = async () => (await find('notes')).grants.find((each) => each.role === reader);
    expect((await grantOf())?.grantable.toSorted()).toEqual(['insert', 'select']);
    const taken = await apply([{ kind: 'revoke', ...change, privileges: ['insert'] }]);
    expect(taken.body.statements).toEqual([
      `revoke grant option for insert on table "public"."notes" from "${reader}"`,
    ]);
    expect(await grantOf()).toMatchObject({ privileges: ['insert', 'select'], grantable: ['select'] });
    // PUBLIC can't have the right, and PostgreSQL's reason is shown.
    const all = await apply([{ kind: 'grant', ...change, role: 'public' }]);
    expect(all.status).toBe(422);
    // A role that has passed the privilege on keeps the right until that grant is gone.
    await backend.database
      .pool('supabase_admin')
      .exec(`set role ${reader}; grant select on public.notes to anon; reset role`);
    const dependent = await apply([{ kind: 'revoke', ...change, privileges: ['select'] }]);
    expect([dependent.status, dependent.body.sqlstate]).toEqual([422, '2BP01']);
    expect((await grantOf())?.grantable).toEqual(['select']);
    await run(`revoke all on public.notes from ${reader} cascade; drop role ${reader}`);
  });

  test('PUBLIC loses and gets the privilege to execute a function', async () => {
    const target = {
      type: 'function',
      schema: 'public',
      name: 'Fn "x"',
      arguments: [{ schema: 'pg_catalog', name: 'int4' }],
    };
    const { body } = await apply([{ kind: 'revoke', target, privileges: ['execute'], role: 'public' }]);
    expect(body.statements).toEqual([
      'revoke execute on function "public"."Fn ""x"""("pg_catalog"."int4") from public',
    ]);
    expect((await apply([{ kind: 'grant', target, privileges: ['execute'], role: 'public' }])).status).toBe(
      200,
    );
  });

  test('a change that exposes rows, or takes away what requests need, has a warning', async () => {
    const exposed = { kind: 'grant', target: table('Odd "Table" x'), privileges: ['select'], role: 'anon' };
    const warned = async (change: object) => (await preview([change])).body.warnings;
    expect(await warned(exposed)).toMatchObject([{ kind: 'exposed', role: 'anon' }]);
    expect(await warned({ ...exposed, target: table('notes') })).toEqual([]);
    // A view reads its tables as its owner, to whom policies don't apply, unless it has security_invoker.
    const titles = { ...exposed, target: table('note_titles') };
    expect(await warned(titles)).toMatchObject([{ kind: 'exposed', on: 'public.note_titles' }]);
    await run('alter view public.note_titles set (security_invoker = on)');
    expect(await warned(titles)).toEqual([]);
    await run('alter view public.note_titles reset (security_invoker)');
    expect(
      await warned({ ...exposed, target: { type: 'table', schema: 'auth', name: 'users' } }),
    ).toMatchObject([{ kind: 'secrets', on: 'auth.users' }]);
    const usage = { kind: 'revoke', target: { type: 'schema', name: 'public' }, privileges: ['usage'] };
    expect(await warned({ ...usage, role: 'anon' })).toMatchObject([{ kind: 'closed_schema', on: 'public' }]);
    expect(
      await warned({ kind: 'revoke', target: table('notes'), privileges: ['select'], role: 'service_role' }),
    ).toMatchObject([{ kind: 'service_access' }]);
    expect(
      await warned({ kind: 'create_role', role: 'access_any', attributes: { bypassrls: true } }),
    ).toMatchObject([{ kind: 'bypass' }]);
  });

  test('the privileges of services can’t be revoked', async () => {
    for (const [role, target] of [
      ['authenticator', { type: 'schema', name: 'public' }],
      ['supabase_auth_admin', { type: 'schema', name: 'auth' }],
      ['supabase_storage_admin', { type: 'table', schema: 'storage', name: 'objects' }],
      ['service_role', { type: 'table', schema: 'storage', name: 'objects' }],
    ] as const) {
      const change = {
        kind: 'revoke',
        target,
        privileges: [target.type === 'schema' ? 'usage' : 'select'],
        role,
      };
      const { status, body } = await apply([change]);
      expect([role, status, body.code]).toEqual([role, 409, 'refused']);
    }
  });

  test('a change without an effect fails with the reason and is undone', async () => {
    await backend.database.pool('supabase_admin').exec(`
      drop table if exists public.own_by_admin;
      create table public.own_by_admin (id int);
      revoke all on public.own_by_admin from postgres, anon, authenticated, service_role;
      grant select on public.own_by_admin to postgres, anon`);
    const target = table('own_by_admin');
    expect(await find('own_by_admin')).toMatchObject({ editable: false });
    const { status } = await apply([{ kind: 'revoke', target, privileges: ['select'], role: 'anon' }]);
    expect(status).toBeGreaterThanOrEqual(409);
    await backend.database
      .pool('supabase_admin')
      .exec('grant select on public.own_by_admin to postgres with grant option');
    const revoked = await apply([{ kind: 'revoke', target, privileges: ['select'], role: 'anon' }]);
    expect(revoked.body).toMatchObject({
      code: 'refused',
      message: expect.stringContaining('because supabase_admin granted it'),
    });
    expect(await privilegesOf('own_by_admin', 'anon')).toEqual(['select']);
  });
});

test('default privileges are listed and changed', async () => {
  const find = async () => {
    const { body } = await owner.call('GET', '/default-privileges');
    return (body.rows as DefaultPrivilegesRow[]).find(
      (row) => row.owner === 'postgres' && row.schema === 'public' && row.objects === 'tables',
    );
  };
  expect((await find())?.grants).toContainEqual(
    expect.objectContaining({ role: 'anon', privileges: expect.arrayContaining(['select', 'delete']) }),
  );
  const change = {
    kind: 'default_privileges',
    action: 'revoke',
    owner: 'postgres',
    schema: 'public',
    objects: 'tables',
    privileges: ['insert', 'delete'],
    role: 'anon',
  };
  const { body } = await apply([change]);
  expect(body.statements).toEqual([
    'alter default privileges for role "postgres" in schema "public" revoke insert, delete on tables from "anon"',
  ]);
  expect((await find())?.grants.find(({ role }) => role === 'anon')?.privileges).not.toContain('delete');
  await run('drop table if exists public.later; create table public.later (id int)');
  expect(await privilegesOf('later', 'anon')).not.toContain('insert');
});

test('an operator whose role is read-only sees everything and changes nothing', async () => {
  await backend.operators.createOperator('looker', 'read-only');
  const looker = await operator(backend, 'looker');
  for (const path of ['/roles', '/grants', '/grants/public/notes/columns', '/default-privileges'])
    expect([path, (await looker.call('GET', path)).status]).toEqual([path, 200]);
  const changes = [{ kind: 'create_role', role: 'access_any', attributes: {} }];
  expect((await looker.call('POST', '/schema/preview', { changes })).status).toBe(403);
  expect((await looker.call('POST', '/schema/apply', { changes })).status).toBe(403);
});

test('each change is recorded, and a list has hundreds of entries', async () => {
  await run(`do $$ begin for i in 1..400 loop
    execute format('create table if not exists public.many_%s (id int)', i); end loop; end $$`);
  const start = performance.now();
  const { body } = await owner.call('GET', '/grants');
  expect(body.objects.filter(({ name }: GrantedObject) => name.startsWith('many_'))).toHaveLength(400);
  expect(performance.now() - start).toBeLessThan(5000);
  const rows = await backend.database.pool('supabase_admin').query<{ target: string }>(sql`
    select target from _plinth.audit_log where action = 'schema.change'`);
  expect(rows.map(({ target }) => target)).toContain('public.notes');
});
