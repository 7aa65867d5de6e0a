/** Tests a project's pgTAP suites, which "plinth test db" runs. */
import { expect, test } from 'vitest';
import { testDatabase } from '../../src/project/folder/index.ts';
import { projectWith, type TestProject } from './helpers.ts';

async function run(project: TestProject, ...paths: string[]): Promise<{ passed: boolean; lines: string[] }> {
  const lines: string[] = [];
  const passed = await testDatabase({
    url: project.deps.database.info.url,
    projectDir: project.projectDir,
    paths,
    cwd: project.projectDir,
    verbose: false,
    print: (line) => lines.push(line),
  });
  return { passed, lines };
}

const passing = `begin;
select plan(2);
select has_table('public', 'notes', 'notes are there');
set local role authenticated;
select is_empty('select from public.notes', 'nothing to see');
select * from finish();
rollback;
`;

test('passing suites succeed, and pgTAP is removed afterwards', async () => {
  const project = await projectWith({
    'migrations/1_a.sql': `create table notes (id int); alter table notes enable row level security;
      insert into notes values (1); grant select on notes to authenticated;`,
    'tests/database/a_test.sql': passing,
    'tests/database/b.pg': passing,
    'tests/c.test.sql': `\\set ON_ERROR_STOP 1
\\set wanted 'it''s'
\\ir helpers/setup.psql
begin;
select no_plan();
select count(*) as n from public.notes \\gset
select is(:n, 1, 'one note');
select is('it''s'::text, :'wanted', 'a variable');
select is(current_user::text, 'postgres', 'the role');
\\echo # a word
select * from finish();
rollback;`,
    'tests/helpers/setup.psql': 'select 1 where false;',
    'tests/notes.md': 'no test',
  });
  await project.start();
  const { passed, lines } = await run(project);
  expect(lines).toEqual([
    'supabase/tests/c.test.sql ........... ok',
    'supabase/tests/database/a_test.sql .. ok',
    'supabase/tests/database/b.pg ........ ok',
    'All tests successful.',
    expect.stringMatching(/^Files=3, Tests=7, .\d wallclock secs$/),
    'Result: PASS',
  ]);
  expect(passed).toBe(true);
  expect(await project.values(`select extname from pg_extension where extname = 'pgtap'`)).toEqual([]);
});

test('a failing test, a test that ends early, and one that needs a missing extension are reported', async () => {
  const project = await projectWith({
    'migrations/1_a.sql': 'create extension pgtap with schema extensions',
    'tests/a.sql': `begin; select plan(1); select is(1, 2, 'a number'); select * from finish(); rollback;`,
    'tests/b.sql': `begin;\nselect plan(2);\nselect pass('x');\nselect 1/0;\nrollback;`,
    'tests/c.sql': `begin; select plan(1);\nselect st_point(1, 2); rollback;`,
    'tests/e.sql': `create extension "olirice-read_once";`,
    'tests/d.sql': `\\copy notes from 'x'\n`,
  });
  await project.start();
  const { passed, lines } = await run(project);
  expect(passed).toBe(false);
  expect(lines.slice(0, 6)).toEqual([
    'supabase/tests/a.sql .. ',
    '# Failed test 1: "a number"',
    '#         have: 1',
    '#         want: 2',
    '# Looks like you failed 1 test of 1',
    'Failed 1/1 subtests ',
  ]);
  const text = lines.join('\n');
  expect(text).toContain('supabase/tests/b.sql:4: ERROR:  division by zero');
  expect(text).toContain(
    'division by zero\nDubious, test returned 3 (wstat 768, 0x300)\nFailed 1/2 subtests ',
  );
  expect(text).toContain(`HINT:  The embedded PostgreSQL doesn't have the extension "postgis": `);
  expect(text).toContain(`supabase/tests/d.sql:1: "plinth test db" doesn't support psql's command \\copy.`);
  expect(text).toContain(
    `HINT:  The embedded PostgreSQL doesn't have the extension "olirice-read_once": put its SQL into`,
  );
  expect(lines.at(-1)).toBe('Result: FAIL');
  expect(await project.values(`select extname::text from pg_extension where extname = 'pgtap'`)).toEqual([
    'pgtap',
  ]);
});

test('the setup from database.dev is replaced, and its test helpers create users and freeze time', async () => {
  const project = await projectWith({
    'migrations/1_a.sql': `set role supabase_auth_admin;
      create table auth.users (id uuid, email text, phone text, raw_user_meta_data jsonb, raw_app_meta_data jsonb,
        created_at timestamptz, updated_at timestamptz);
      grant all on auth.users to postgres;
      reset role;
      -- Neither pgTAP nor the helpers may depend on it.
      alter default privileges revoke execute on functions from public;
      create table public.notes (owner uuid default auth.uid());
      alter table public.notes enable row level security;
      create policy own on public.notes using (owner = auth.uid()) with check (true);`,
    'tests/000_setup.sql': `create extension if not exists http with schema extensions;
      create extension if not exists pg_tle;
      drop extension if exists "supabase-dbdev";
      select pgtle.uninstall_extension_if_exists('supabase-dbdev');
      -- It would download the package.
      select pgtle.install_extension('supabase-dbdev', r ->> 'version', 'a package manager', r ->> 'sql')
      from http(('GET', 'http://127.0.0.1:9/', null, null, null)) x, lateral (select x.content::json) c (r);
      create extension "supabase-dbdev";
      select dbdev.install('basejump-supabase_test_helpers');
      begin; select plan(1); select throws_like($$select dbdev.install('a-b')$$, '%download packages from database.dev: a-b');
      select * from finish(); rollback;`,
    'tests/1_users.sql': `begin;
      create extension "basejump-supabase_test_helpers" version '0.0.6';
      select plan(9);
      select tests.create_supabase_user('ann', 'ann@b.example', null, '{"plan": "x"}');
      select tests.create_supabase_user('bob');
      select is(tests.get_supabase_user('bob') ->> 'email', 'bob@test.com', 'default email');
      select tests.authenticate_as('ann');
      select is(auth.uid(), tests.get_supabase_uid('ann'), 'uid');
      select is(auth.jwt() -> 'user_metadata' ->> 'plan', 'x', 'metadata');
      insert into public.notes default values;
      select isnt_empty('select * from public.notes', 'own rows');
      select tests.authenticate_as('bob');
      select is_empty('select * from public.notes', 'rows of others');
      select tests.clear_authentication();
      select is(current_user::text || coalesce(auth.uid()::text, '-'), 'anon-', 'anon without a user');
      select tests.authenticate_as_service_role();
      select isnt_empty('select * from public.notes', 'all rows');
      select throws_ok($$select tests.get_supabase_uid('eve')$$, 'User with identifier eve not found');
      select tests.rls_enabled('public', 'notes');
      select * from finish(); rollback;`,
    'tests/2_time.sql': `begin;
      create extension "basejump-supabase_test_helpers";
      select plan(2);
      select tests.freeze_time('2020-01-01 00:00:00+00');
      select is(now(), '2020-01-01 00:00:00+00'::timestamptz, 'frozen');
      select tests.unfreeze_time();
      select isnt(now(), '2020-01-01 00:00:00+00'::timestamptz, 'running');
      select * from finish(); rollback;`,
  });
  await project.start();
  const { passed, lines } = await run(project);
  expect([passed, lines.join('\n')]).toEqual([true, expect.stringContaining('Result: PASS')]);
  expect(
    await project.values(`select extname::text from pg_extension where extname like '%-%'`),
  ).not.toContain('supabase-dbdev');
});

test('files that commit run one after another, and others run concurrently without affecting each other', async () => {
  const create = `begin; create table public.made (); select plan(1); select has_table('public', 'made', 'made'); rollback;`;
  const project = await projectWith({
    'tests/000_helpers.sql': `create schema tests; create function tests.two() returns int language sql as 'select 2';
      select plan(1); select pass('made');`,
    ...Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [`tests/1_${name}.sql`, create])),
    'tests/2_uses.sql': `begin; select plan(1); select is(tests.two(), 2, 'two'); rollback;`,
  });
  await project.start();
  expect(await run(project)).toMatchObject({ passed: true });
  expect((await run(project, 'supabase/tests/2_uses.sql')).lines[0]).toBe('supabase/tests/2_uses.sql .. ok');
  await expect(run(project, 'supabase/tests/nothing')).rejects.toMatchObject({ code: 'tests_path' });
});

test('a project without tests succeeds', async () => {
  const project = await projectWith({ 'migrations/1_a.sql': 'select 1' });
  await project.start();
  const { passed, lines } = await run(project);
  expect([passed, lines]).toEqual([
    true,
    ['No tests found in supabase/tests. To create one, run "plinth test new NAME".'],
  ]);
});
