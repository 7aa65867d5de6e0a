/**
 * Tests that the session state that a migration file leaves behind doesn't affect Plinth's own statements or the next
 * file.
 */
import { describe, expect, test } from 'vitest';
import { ProjectError } from '../../src/project/folder/index.ts';
import { projectWith } from './helpers.ts';

/** The kinds of session state that a migration file can leave behind. */
const leftovers: readonly (readonly [name: string, statement: string])[] = [
  ['a role', 'set role anon'],
  ['an empty search_path', `select set_config('search_path', '', false)`],
  [
    'a search_path that shadows pg_catalog',
    `create schema evil; create function evil.current_setting(text) returns text language sql as 'select (1/0)::text';
     grant usage on schema evil to public; set search_path = evil, public, pg_catalog`,
  ],
  ['a short timeout', `set lock_timeout = '1ms'; set statement_timeout = '1ms'`],
  ['read-only transactions', 'set default_transaction_read_only = on'],
  ['another encoding', `set client_encoding = 'LATIN1'`],
  ['a date style', `set datestyle = 'German'; set intervalstyle = 'iso_8601'; set timezone = 'Asia/Tokyo'`],
  ['strings with escapes', 'set standard_conforming_strings = off'],
  ['replica mode', 'set session_replication_role = replica'],
  ['a temporary table', 'create temp table leftover (id int)'],
  ['prepared statements', 'prepare s1 as select 1; prepare s2 as select 2; prepare leftover as select 3'],
  ['no prepared statements', 'deallocate all'],
  ['no prepared statements, indirectly', `do $$ begin execute 'deallocate all'; end $$`],
  ['advisory locks', 'select pg_advisory_lock(42)'],
  ['a cursor', 'declare leftover cursor with hold for select 1'],
  ['a listener', 'listen leftover'],
  ['a custom setting', `set app.leftover = 'x'`],
];

/**
 * Lengthens the timeout that a statement sets, because the following statements need more than a millisecond on a busy
 * machine.
 */
const patient = (statement: string): string => statement.replaceAll('1ms', '1s');

/** The positions that a statement can have in a file. */
const shapes: readonly (readonly [name: string, around: (statement: string) => string])[] = [
  ['at the end', (statement) => `create table public.a (); ${statement};`],
  [
    'between BEGIN and COMMIT',
    (statement) => `begin; create table public.a (); ${patient(statement)}; commit; select 1;`,
  ],
  ['in an open transaction', (statement) => `begin; create table public.a (); ${patient(statement)};`],
  [
    'for the session, before a statement without transaction',
    (statement) =>
      `create table public.a (); ${patient(statement)}; commit; vacuum pg_catalog.pg_am; select 1;`,
  ],
];

const stateOfSession = `create table public.state as select
  current_user::text as role, session_user::text as login, current_setting('search_path') as search_path,
  current_setting('statement_timeout') as statement_timeout, current_setting('lock_timeout') as lock_timeout,
  current_setting('transaction_read_only') as read_only, current_setting('client_encoding') as encoding,
  current_setting('datestyle') as datestyle, current_setting('timezone') as timezone,
  current_setting('standard_conforming_strings') as strings,
  current_setting('session_replication_role') as replication_role,
  to_regclass('pg_temp.leftover')::text as temporary, nullif(current_setting('app.leftover', true), '') as setting,
  (select count(*) from pg_prepared_statements) as prepared, (select count(*) from pg_cursors) as cursors,
  (select count(*) from pg_listening_channels()) as channels,
  (select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()) as locks`;

const state = 'select to_jsonb(s) from state s';

async function stateAfter(files: Readonly<Record<string, string>>): Promise<unknown> {
  const project = await projectWith({ ...files, 'migrations/9_state.sql': stateOfSession });
  await project.start();
  const versions = await project.values(
    `select version from supabase_migrations.schema_migrations where version < '9' order by 1`,
  );
  expect(versions).toEqual(Object.keys(files).map((path) => /\d+/.exec(path)?.[0]));
  expect(await project.values('select file from _plinth.project_progress')).toEqual([]);
  return (await project.values(state))[0];
}

let fresh: Promise<unknown> | undefined;

/** Returns the session state of a project in which no file leaves any state behind. The state is read only once. */
function freshState(): Promise<unknown> {
  fresh ??= stateAfter({});
  return fresh;
}

describe.each(shapes)('%s', (_, around) => {
  test.each(leftovers)('%s', async (_name, statement) => {
    expect(await stateAfter({ 'migrations/1_a.sql': around(statement) })).toEqual(await freshState());
  });
});

test('roles.sql and seeds don’t leave session state behind either', async () => {
  const all = leftovers.map(([, statement]) => statement).filter((text) => !/role|timeout/.test(text));
  const text = `${all.join(';\n')};\nset role anon;`;
  const project = await projectWith({
    'config.toml': '[db.seed]\nsql_paths = ["./1.sql", "./2.sql"]',
    'roles.sql': text,
    'migrations/1_state.sql': stateOfSession,
    '1.sql': text.replace('create schema evil; create', 'create or replace'),
    '2.sql': `insert into state ${stateOfSession.replace('create table public.state as', '')}`,
  });
  await project.start();
  const [afterRoles, afterSeed] = await project.values(state);
  expect(afterSeed).toEqual(afterRoles);
});

test('a setting still applies to later statements in the same file', async () => {
  const project = await projectWith({
    'migrations/1_a.sql': `
      create schema app; set search_path = app; commit;
      vacuum pg_catalog.pg_am;
      create table inside ();
      set role service_role; commit;
      create temp table whose as select current_user::text as name; reset role;
      create table app.names as select * from whose;`,
  });
  await project.start();
  expect(await project.values(`select to_regclass('app.inside')::text`)).toEqual(['app.inside']);
  expect(await project.values('select name from app.names')).toEqual(['service_role']);
});

test('a read-only transaction in the middle or at the end of a file doesn’t affect the next one', async () => {
  const project = await projectWith({
    'migrations/1_a.sql': 'begin read only; select 1; commit; create table a ();',
    'migrations/2_b.sql': 'create table b (); commit; start transaction read only; select 2; commit;',
  });
  await project.start();
  expect(await project.values('select version from supabase_migrations.schema_migrations')).toEqual([
    '1',
    '2',
  ]);
});

test('text in another encoding is stored in the history unchanged', async () => {
  const project = await projectWith({
    'migrations/1_a.sql': `set client_encoding = 'LATIN1'; comment on schema public is 'x'; -- ä €`,
  });
  await project.start();
  expect(await project.values('select statements[3] from supabase_migrations.schema_migrations')).toEqual([
    '-- ä €',
  ]);
});

describe('mistakes', () => {
  test.each([
    [
      'a deleted migration history',
      'create table a ();\n\ndrop schema supabase_migrations cascade;',
      /^supabase\/migrations\/1_a\.sql:3: .*could not be updated/,
    ],
    [
      'ending the session',
      'create table a ();\nselect pg_terminate_backend(pg_backend_pid());',
      /^supabase\/migrations\/1_a\.sql:2: /,
    ],
    [
      'a superuser statement with another role',
      'set role anon;\ncreate publication p for all tables;',
      /^supabase\/migrations\/1_a\.sql:2: (?!.*_plinth)/,
    ],
    [
      'a foreign key violation at commit',
      'create table a (id int primary key, b int references a deferrable initially deferred);\ninsert into a values (1, 2);',
      /^supabase\/migrations\/1_a\.sql:2: .*while committing the transaction/,
    ],
  ])('%s causes an error with file and line', async (_, text, message) => {
    const project = await projectWith({ 'migrations/1_a.sql': text });
    const error = await project.start().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ProjectError);
    expect((error as ProjectError).message).toMatch(message);
  });
});
