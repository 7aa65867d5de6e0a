/** Tests `db lint`: problems that PostgreSQL finds in function bodies, in upstream's JSON format. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestDatabase, type TestDatabase, testTarget } from '../../src/platform/database/testing.ts';
import { makeProject } from '../config/project-folder.ts';
import { plinth } from './run-plinth.ts';

let other: TestDatabase;
beforeAll(async () => {
  other = await createTestDatabase('lint');
  await other.database.pool('postgres').exec(`
    set check_function_bodies = off;
    create schema app;
    create table app.items (id int primary key, name text);
    create function app.fine(n int) returns bigint language sql set search_path = app as 'select count(*) from items where id = n';
    create function app.fine_trigger() returns trigger language plpgsql as 'begin return new; end';
    create function public.renamed() returns text language sql as 'select nmae from app.items';
    create function public.broken() returns int language plpgsql as $$
begin
  return 1 +;
end $$;
    create function public.late() returns bigint language plpgsql as 'begin return (select count(*) from nowhere); end';
    create function public.open_path() returns int language sql security definer as 'select 1';
    reset check_function_bodies`);
});
afterAll(() => other?.drop());

const lint = async (...args: string[]) => {
  const cwd = makeProject({ 'supabase/config.toml': '' });
  const { status, stdout, stderr } = await plinth(
    ['db', 'lint', '--db-url', other.database.info.projectUrl, ...args],
    { cwd },
  );
  return {
    status,
    found: stdout === '' ? [] : (JSON.parse(stdout) as { function: string; issues: object[] }[]),
    stderr,
  };
};

test('the report contains the findings and lists what isn’t checked', async () => {
  const { status, found, stderr } = await lint();
  expect(status).toBe(0);
  expect(found).toEqual([
    {
      function: 'public.broken',
      issues: [
        {
          level: 'error',
          message: expect.stringContaining('syntax error'),
          query: { position: expect.stringMatching(/^\d+$/), text: expect.stringContaining('1 +') },
          sqlState: '42601',
        },
      ],
    },
    {
      function: 'public.open_path',
      issues: [{ level: 'warning', message: expect.any(String), hint: expect.any(String) }],
    },
    {
      function: 'public.renamed',
      issues: [
        expect.objectContaining({
          level: 'error',
          message: 'column "nmae" does not exist',
          sqlState: '42703',
        }),
      ],
    },
  ]);
  expect(stderr).toMatch(/Linting schema: app\nLinting schema: public\nNames, types .*plpgsql_check/);
});

test('--level, --fail-on and --schema determine what is shown and what fails', async () => {
  const errors = await lint('--level', 'error', '--fail-on', 'error');
  expect([errors.status, errors.found.map((each) => each.function)]).toEqual([
    1,
    ['public.broken', 'public.renamed'],
  ]);
  expect((await lint('--fail-on', 'none')).status).toBe(0);
  expect((await lint('--fail-on', 'warning')).status).toBe(1);
  const app = await lint('-s', 'app', '--fail-on', 'warning');
  expect([app.status, app.found, app.stderr]).toEqual([
    0,
    [],
    expect.stringContaining('No schema errors found'),
  ]);
  expect((await lint('--level', 'bad')).status).toBe(2);
});

test('db lint changes nothing', async () => {
  const before = await other.database.pool('postgres').query(sql`select count(*) from pg_proc`);
  await lint();
  expect(await other.database.pool('postgres').query(sql`select count(*) from pg_proc`)).toEqual(before);
});

test('a hostile database can’t run code in a superuser’s session', async () => {
  const hostile = await createTestDatabase('lint-hostile');
  const { database } = hostile;
  const uri = (role: 'supabase_admin' | 'postgres') => {
    const { user, password = '', port } = testTarget(hostile, role);
    const socket = encodeURIComponent(hostile.place.socketDir ?? '');
    return `postgresql://${user}:${encodeURIComponent(password)}@${socket}:${port}/${hostile.name}`;
  };
  try {
    await database.pool('supabase_admin').exec(`
      create table public.sightings (place text, role text);
      grant insert on public.sightings to public;
      create function public.seen(place text) returns void language sql
        as 'insert into public.sightings values (place, session_user)';
      create function public.on_login() returns event_trigger language plpgsql
        as $$ begin perform public.seen('login'); end $$;
      create event trigger on_login on login execute function public.on_login();
      alter event trigger on_login enable always;
      create function public.set_config(text, text, boolean) returns text language sql
        as $$ select public.seen('set_config')::text $$;
      create function public.is_fine(text) returns boolean language plpgsql
        as $$ begin perform public.seen('domain'); return true; end $$;
      create domain public.checked as text check (public.is_fine(value));
      create function public.uses_domain() returns text language sql as $$ select 'x'::public.checked::text $$;
      alter role supabase_admin in database ${hostile.name} set search_path = public, pg_catalog;
      alter role supabase_admin in database ${hostile.name} set event_triggers = on;
      alter role postgres in database ${hostile.name} set search_path = public, pg_catalog;
      delete from public.sightings`);
    const cwd = makeProject({ 'supabase/config.toml': '' });
    const refused = await plinth(['db', 'lint', '--db-url', uri('supabase_admin')], { cwd });
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining("can't use a superuser") });
    const inspected = await plinth(['inspect', 'sizes', '--db-url', uri('supabase_admin')], { cwd });
    expect(inspected, inspected.stderr).toMatchObject({ status: 0 });
    const sightings = () =>
      database.pool('postgres').query(sql`select place, role from public.sightings
      where role = 'supabase_admin' or place = 'set_config'`);
    expect(await sightings()).toEqual([]);
    expect((await plinth(['db', 'lint', '--db-url', uri('postgres')], { cwd })).status).toBe(0);
    expect(await sightings()).toEqual([]);
  } finally {
    await database.pool('supabase_admin').exec('drop event trigger if exists on_login');
    await hostile.drop();
  }
});

test('without a target, the project’s own database is checked', async () => {
  const own = makeProject({
    'supabase/config.toml': '',
    'supabase/migrations/20260101000000_a.sql':
      "set check_function_bodies = off; create function public.lost() returns int language sql as 'select n from nowhere';",
  });
  const up = await plinth(['migration', 'up'], { cwd: own });
  expect([up.status, up.stderr]).toEqual([0, expect.any(String)]);
  const { status, stdout } = await plinth(['db', 'lint', '--local', '--fail-on', 'error'], { cwd: own });
  expect([status, stdout]).toEqual([1, expect.stringContaining('relation \\"nowhere\\" does not exist')]);
});
