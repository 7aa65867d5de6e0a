/** Tests the lists of types, sequences, publications, event triggers and foreign servers, and their changes. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { type Backend, type Operator, operator } from './harness.ts';

let backend: Backend;
let owner: Operator;
const projectDir = mkdtempSync(join(tmpdir(), 'plinth-objects-'));
const odd = 'Odd "Name"; --';
const quoted = '"Odd ""Name""; --"';

beforeAll(async () => {
  backend = await createTestBackend({ projectDir });
  owner = await operator(backend);
});
afterAll(async () => {
  await backend?.stop();
  rmSync(projectDir, { recursive: true, force: true });
});

const run = (text: string) => backend.database.pool('postgres').exec(text);
const apply = (changes: readonly object[], more: object = {}) =>
  owner.call('POST', '/schema/apply', { changes, ...more });
async function done(changes: readonly object[]): Promise<readonly string[]> {
  const { status, body } = await apply(changes);
  expect([status, body.message]).toEqual([200, undefined]);
  return body.statements;
}
const listed = async (path: string) => {
  const { status, body } = await owner.call('GET', path);
  expect(status).toBe(200);
  return body;
};
// biome-ignore lint/suspicious/noExplicitAny: lists of different rows
const named = (rows: any[], name: string) => rows.find((row) => row.name === name);
const files = () =>
  readdirSync(join(projectDir, 'supabase/migrations')).map((file) =>
    readFileSync(join(projectDir, 'supabase/migrations', file), 'utf8'),
  );

describe('types', () => {
  const at = { schema: 'public', name: odd };
  test('a domain can be created, changed, renamed and dropped', async () => {
    expect(
      await done([
        {
          kind: 'create_domain',
          ...at,
          type: { name: 'text' },
          notNull: true,
          default: "'a'",
          check: "value <> ''",
        },
      ]),
    ).toEqual([
      `create domain public.${quoted} as text default ('a') not null check (value <> '')`.replace(
        'public',
        '"public"',
      ),
    ]);
    await run(
      `drop table if exists public.uses_domain; create table public.uses_domain (id int, a public.${quoted})`,
    );
    await done([
      { kind: 'add_domain_check', ...at, constraint: 'It"s short', check: 'length(value) < 9' },
      { kind: 'alter_domain', ...at, default: null, notNull: false },
    ]);
    // PostgreSQL can't check the values of arrays, so it changes no domain that an array column uses.
    await run(`alter table public.uses_domain add b public.${quoted}[]`);
    expect(named((await listed('/types')).types, odd)).toMatchObject({
      kind: 'domain',
      base: 'text',
      notNull: false,
      default: null,
      editable: true,
      checks: expect.arrayContaining([{ name: 'It"s short', definition: 'CHECK ((length(VALUE) < 9))' }]),
      columns: [
        { schema: 'public', table: 'uses_domain', column: 'a' },
        { schema: 'public', table: 'uses_domain', column: 'b' },
      ],
    });
    await done([
      { kind: 'drop_domain_check', ...at, constraint: 'It"s short' },
      { kind: 'rename_domain', ...at, to: 'short_text' },
    ]);
    const drop = { kind: 'drop_domain', schema: 'public', name: 'short_text' };
    expect((await apply([drop])).status).toBe(422);
    await run('drop table public.uses_domain');
    await done([drop]);
    expect(named((await listed('/types')).types, 'short_text')).toBeUndefined();
  });

  test('a composite type can be created, extended, renamed and dropped', async () => {
    await done([
      { kind: 'create_composite', ...at, attributes: [{ name: 'A "b"', type: { name: 'integer' } }] },
      {
        kind: 'add_attribute',
        ...at,
        attribute: { name: 'c', type: { name: 'numeric', modifiers: [10, 2], array: true } },
      },
    ]);
    expect(named((await listed('/types')).types, odd)).toMatchObject({
      kind: 'composite',
      attributes: [
        { name: 'A "b"', type: 'integer' },
        { name: 'c', type: 'numeric(10,2)[]' },
      ],
    });
    await done([
      { kind: 'rename_composite', ...at, to: 'pair' },
      { kind: 'drop_composite', schema: 'public', name: 'pair' },
    ]);
  });

  test.each([
    ['a condition', { kind: 'add_domain_check', ...at, check: 'true); drop table x; --' }],
    [
      'a default',
      { kind: 'create_domain', ...at, type: { name: 'text' }, notNull: false, default: "'a'; x" },
    ],
    ['a type', { kind: 'create_domain', ...at, type: { name: 'text; drop' }, notNull: false }],
    ['a number', { kind: 'create_sequence', ...at, type: 'bigint', options: { min: '1; drop' } }],
    [
      'a large number',
      { kind: 'create_sequence', ...at, type: 'bigint', options: { max: '9999999999999999999' } },
    ],
    ['an operation', { kind: 'alter_publication', publication: 'x', operations: ["insert'"] }],
    [
      'a privilege',
      { kind: 'grant', target: { type: 'schema', name: 'x' }, privileges: ['all, x'], role: 'anon' },
    ],
  ])('%s that contains other SQL is rejected', async (_what, change) => {
    expect((await apply([change])).status).toBe(400);
  });
});

describe('sequences', () => {
  test('they are listed with the share of the values that are used', async () => {
    await run(`
      drop table if exists public.numbered, public.narrow cascade;
      drop sequence if exists public.down, public.wide;
      create table public.numbered (id int generated always as identity, small smallserial, note text);
      select setval('public.numbered_small_seq', 32000);
      create sequence public.down increment -1 minvalue -10 maxvalue 0;
      select setval('public.down', -4)`);
    const { sequences } = await listed('/sequences');
    expect(named(sequences, 'numbered_small_seq')).toMatchObject({
      column: { table: 'numbered', column: 'small' },
      identity: false,
      last: '32000',
      limit: 'smallint',
      used: expect.closeTo(32000 / 32767, 5),
    });
    expect(named(sequences, 'numbered_id_seq')).toMatchObject({ identity: true, last: null, used: null });
    expect(named(sequences, 'down')).toMatchObject({ used: expect.closeTo(5 / 11, 5), increment: '-1' });
    // The column limits the values, although the sequence has more.
    await run(`
      create sequence public.wide; create table public.narrow (id int default nextval('public.wide'));
      alter sequence public.wide owned by public.narrow.id; select setval('public.wide', 2147480000)`);
    expect(named((await listed('/sequences')).sequences, 'wide')).toMatchObject({
      limit: 'integer',
      used: expect.closeTo(1, 3),
    });
  });

  test('one can be created, changed and dropped', async () => {
    const at = { schema: 'public', name: odd };
    expect(
      await done([
        {
          kind: 'create_sequence',
          ...at,
          type: 'integer',
          options: { increment: '5', min: '5', max: '500', cycle: true, restart: '10' },
        },
      ]),
    ).toEqual([
      `create sequence "public".${quoted} as integer increment by 5 minvalue 5 maxvalue 500 start with 10 cycle`,
    ]);
    await done([{ kind: 'alter_sequence', ...at, options: { cycle: false, restart: '25' } }]);
    const rows = await backend.database
      .pool('postgres')
      .query<{ next: number }>(sql`select nextval(format('public.%I', ${odd}::text))::int as next`);
    expect(rows).toEqual([{ next: 25 }]);
    expect(named((await listed('/sequences')).sequences, odd)).toMatchObject({ cycle: false, last: '25' });
    await done([{ kind: 'drop_sequence', ...at }]);
  });
});

describe('publications', () => {
  test('tables are published for Realtime and withdrawn', async () => {
    await run(`drop table if exists public.${quoted}; create table public.${quoted} (id int primary key)`);
    const tables = [{ schema: 'public', name: odd }];
    const change = { kind: 'publish_tables', publication: 'supabase_realtime', tables };
    const { body } = await owner.call('POST', '/schema/preview', { changes: [change] });
    expect(body.warnings).toMatchObject([{ kind: 'published' }]);
    await run(
      'drop table if exists public.second_open; create table public.second_open (id int primary key)',
    );
    const both = { ...change, tables: [...tables, { schema: 'public', name: 'second_open' }] };
    expect((await owner.call('POST', '/schema/preview', { changes: [both] })).body.warnings).toMatchObject([
      { kind: 'published' },
      { kind: 'published', on: 'public.second_open' },
    ]);
    await done([change, { kind: 'replica_identity', schema: 'public', table: odd, identity: 'full' }]);
    const { publications, tables: choices } = await listed('/publications');
    expect(publications[0]).toMatchObject({ name: 'supabase_realtime', editable: true, allTables: false });
    expect(publications[0].tables).toMatchObject([
      { name: odd, columns: null, where: null, identity: 'full', hasPrimaryKey: true, rls: false },
    ]);
    expect(choices).toContainEqual({ schema: 'public', name: odd });
    const structure = () => listed(`/tables/public/${encodeURIComponent(odd)}/structure`);
    expect(await structure()).toMatchObject({
      publications: ['supabase_realtime'],
      replica_identity: 'full',
    });
    await done([{ ...change, kind: 'unpublish_tables' }]);
    expect(await structure()).toMatchObject({ publications: [] });
  });

  test('a publication can be created, changed and dropped, except the one of Realtime', async () => {
    const publication = 'Pub "x"';
    await run(`drop publication if exists "Pub ""x"""; drop table if exists public.published;
      create table public.published (id int primary key, a text, b text)`);
    await done([
      {
        kind: 'create_publication',
        publication,
        tables: [{ schema: 'public', name: 'published' }],
        operations: ['insert', 'update'],
      },
      { kind: 'alter_publication', publication, operations: ['insert', 'delete'] },
    ]);
    await run(`alter publication "Pub ""x""" set table public.published (id, a) where (id > 5)`);
    expect(named((await listed('/publications')).publications, publication)).toMatchObject({
      operations: ['insert', 'delete'],
      tables: [{ columns: ['id', 'a'], where: '(id > 5)' }],
    });
    await done([{ kind: 'drop_publication', publication }]);
    const refused = await apply([{ kind: 'drop_publication', publication: 'supabase_realtime' }]);
    expect(refused.body).toMatchObject({ code: 'refused', message: expect.stringContaining('Realtime') });
  });
});

describe('event triggers', () => {
  test('one is created by a migration, turned off and dropped', async () => {
    await run(`create or replace function public.on_ddl() returns event_trigger language plpgsql as
      $$ begin perform 1; end $$`);
    const before = await listed('/event-triggers');
    expect(before).toMatchObject({ run: true, functions: [{ schema: 'public', name: 'on_ddl' }] });
    expect(named(before.triggers, 'plinth_guard_dropped')).toMatchObject({
      editable: false,
      enabled: 'always',
    });
    const wanted = {
      name: "On DDL's end",
      event: 'ddl_command_end',
      tags: ['CREATE TABLE', 'ALTER TABLE'],
      function: { schema: 'public', name: 'on_ddl' },
      migration: 'watch_ddl',
    };
    const created = await owner.call('POST', '/event-triggers', wanted);
    expect([created.status, created.body.message]).toEqual([200, undefined]);
    expect(created.body.file).toContain('watch_ddl.sql');
    expect(files().join('\n')).toContain('create event trigger "On DDL\'s end" on ddl_command_end');
    expect(named((await listed('/event-triggers')).triggers, wanted.name)).toMatchObject({
      event: 'ddl_command_end',
      tags: ['CREATE TABLE', 'ALTER TABLE'],
      enabled: 'on',
      owner: 'postgres',
      editable: true,
    });
    await done([{ kind: 'set_event_trigger', trigger: wanted.name, enabled: false }]);
    expect(named((await listed('/event-triggers')).triggers, wanted.name)).toMatchObject({ enabled: 'off' });
    await done([{ kind: 'drop_event_trigger', trigger: wanted.name }]);
    const guard = await apply([{ kind: 'drop_event_trigger', trigger: 'plinth_guard_dropped' }]);
    expect(guard.status).toBe(422);
  });

  test.each([
    ['a name', { name: 'a"b' }],
    ['a command', { tags: ["CREATE TABLE') execute function x(); --"] }],
    ['an event', { event: 'login; x' }],
    ['a function', { function: { schema: 'public', name: 'x"() ; --' } }],
  ])('%s that could contain other SQL is rejected', async (_what, part) => {
    const wanted = {
      name: 'ok',
      event: 'sql_drop',
      tags: [],
      function: { schema: 'public', name: 'on_ddl' },
      migration: 'm',
      ...part,
    };
    expect((await owner.call('POST', '/event-triggers', wanted)).status).toBe(400);
  });
});

describe('foreign servers', () => {
  // Other test files on the same PostgreSQL use other secrets, because the statistics contain statements of all databases.
  const secret = 'swordfish9 "secret" \\ \'x';
  test('servers and user mappings are created and dropped, and their secrets are never shown', async () => {
    await run('create extension if not exists postgres_fdw with schema extensions');
    await run(`drop server if exists ${quoted} cascade`);
    const server = { kind: 'create_server', server: odd, wrapper: 'postgres_fdw' };
    await done([{ ...server, options: { host: 'db.example', port: '5432' } }]);
    const mapping = {
      kind: 'create_user_mapping',
      server: odd,
      role: 'authenticated',
      options: { user: "o'neil", password: secret },
    };
    const preview = await owner.call('POST', '/schema/preview', { changes: [mapping] });
    expect(preview.body).toMatchObject({ hasSecrets: true });
    const asFile = await apply([mapping], { migration: 'mapping' });
    expect(asFile.body).toMatchObject({ code: 'bad_request', message: expect.stringContaining('secret') });
    const applied = await apply([mapping, { ...mapping, role: 'postgres' }]);
    expect(applied.status).toBe(200);
    await run(
      `create foreign table public.far (id int) server ${quoted} options (schema_name 'public', table_name 'near')`,
    );
    const list = await listed('/foreign-servers');
    expect(list.wrappers).toContain('postgres_fdw');
    expect(named(list.servers, odd)).toMatchObject({
      wrapper: 'postgres_fdw',
      options: [
        { name: 'host', value: 'db.example' },
        { name: 'port', value: '5432' },
      ],
      mappings: [
        {
          role: 'authenticated',
          // PostgreSQL shows the options of a mapping to its role and to superusers.
          options: null,
        },
        {
          role: 'postgres',
          options: [
            { name: 'user', value: "o'neil" },
            { name: 'password', value: null },
          ],
        },
      ],
      tables: [{ name: 'far' }],
      editable: true,
    });
    const audit = await backend.database.pool('supabase_admin').query(sql`select * from _plinth.audit_log`);
    const statistics = await backend.database.pool('supabase_admin').query(sql`
      select query from extensions.pg_stat_statements where query ilike '%user mapping%' and query !~ 'pg_stat_statements'`);
    for (const text of [preview, applied, list, audit, files(), statistics].map((each) =>
      JSON.stringify(each),
    ))
      expect(text).not.toContain('swordfish9');
    // The mapping itself has the value.
    const [stored] = await backend.database
      .pool('supabase_admin')
      .query<{ options: string[] }>(sql`select umoptions as options from pg_user_mapping limit 1`);
    expect(stored?.options).toContain(`password=${secret}`);

    expect((await apply([{ kind: 'drop_server', server: odd }])).status).toBe(422);
    await run('drop foreign table public.far');
    await done([
      { kind: 'drop_user_mapping', server: odd, role: 'authenticated' },
      { kind: 'drop_user_mapping', server: odd, role: 'postgres' },
      { kind: 'drop_server', server: odd },
    ]);
  });

  test('an error of PostgreSQL doesn’t contain the secret', async () => {
    const { status, body } = await apply([
      { kind: 'create_user_mapping', server: 'missing', role: 'anon', options: { password: secret } },
    ]);
    expect(status).toBe(422);
    expect(JSON.stringify(body)).not.toContain('swordfish9');
  });

  test('a trial of other definitions doesn’t leave the secret in the statistics', async () => {
    await run(`drop schema if exists trial cascade; create schema trial;
      drop server if exists trial cascade; create server trial foreign data wrapper postgres_fdw`);
    const { status } = await owner.call('POST', '/schema/preview', {
      changes: [
        { kind: 'create_user_mapping', server: 'trial', role: 'anon', options: { password: 'tried_secret' } },
        { kind: 'define', object: 'view', text: 'create view trial.one as select 1' },
      ],
    });
    expect(status).toBe(200);
    const found = await backend.database.pool('supabase_admin').query(sql`
      select from extensions.pg_stat_statements where query like '%tried_' || 'secret%'`);
    expect(found).toEqual([]);
  });
});

test('an operator whose role is read-only sees every list and changes nothing', async () => {
  await backend.operators.createOperator('looker', 'read-only');
  const looker = await operator(backend, 'looker');
  for (const path of ['/types', '/sequences', '/publications', '/event-triggers', '/foreign-servers'])
    expect([path, (await looker.call('GET', path)).status]).toEqual([path, 200]);
  const changes = [{ kind: 'drop_sequence', schema: 'public', name: 'down' }];
  expect((await looker.call('POST', '/schema/apply', { changes })).status).toBe(403);
  expect((await looker.call('POST', '/event-triggers', {})).status).toBe(403);
});
