/**
 * Tests that the embedded PostgreSQL's roles can't become superuser or reach the machine through role memberships,
 * SECURITY DEFINER functions or SQL statements.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestDatabase, type TestDatabase } from '../../src/platform/database/testing.ts';

let own: TestDatabase;
beforeAll(async () => {
  own = await createTestDatabase('database-roles');
});
afterAll(() => own?.drop());

const admin = <R extends object>(text: string): Promise<R[]> =>
  own.database.pool('supabase_admin').query<R>(sql.raw(text));

/** Runs `text` as `postgres` and rolls it back. Returns the error code, or `ok`. */
async function outcome(text: string): Promise<string> {
  try {
    await own.database.pool('postgres').transaction((tx) => tx.exec(text), { end: 'rollback' });
    return 'ok';
  } catch (error) {
    return (error as { code: string }).code;
  }
}

test('only the listed roles are members of a role that can reach the machine or read everything', async () => {
  const rows = await admin<{ role: string; of: string }>(`
    select member.rolname::text as role, granted.rolname::text as of
    from pg_roles member cross join pg_roles granted
    where not member.rolsuper and member.rolname !~ '^pg_' and member.oid <> granted.oid
      and granted.rolname ~ '^(pg_|supabase_admin)' and pg_has_role(member.oid, granted.oid, 'member')
      and granted.rolname <> 'pg_database_owner'
    order by 1, 2`);
  const found = Map.groupBy(rows, ({ role }) => role);
  expect(
    Object.fromEntries([...found].map(([role, of]) => [role, of.map((each) => each.of).join(' ')])),
  ).toEqual({
    postgres:
      'pg_create_subscription pg_maintain pg_monitor pg_read_all_data pg_read_all_settings pg_read_all_stats pg_signal_backend pg_stat_scan_tables',
    supabase_etl_admin:
      'pg_monitor pg_read_all_data pg_read_all_settings pg_read_all_stats pg_stat_scan_tables',
    supabase_read_only_user:
      'pg_monitor pg_read_all_data pg_read_all_settings pg_read_all_stats pg_stat_scan_tables',
  });
});

test('every definer function of a superuser sets a search_path with schemas that no one else can write to', async () => {
  for (const extension of ['http', 'pg_cron', 'pgmq', 'vector', 'dblink', 'postgres_fdw'])
    await own.database.pool('postgres').exec(`create extension if not exists ${extension} cascade`);
  const rows = await admin<{ name: string; path: string | null }>(`
    select p.oid::regprocedure::text as name,
      (select substr(s, 13) from unnest(p.proconfig) s where s like 'search_path=%') as path
    from pg_proc p join pg_roles r on r.oid = p.proowner where p.prosecdef and r.rolsuper`);
  const safe = ['""', 'pg_catalog, pg_temp'];
  expect(rows.filter(({ path }) => !safe.includes(path ?? '-'))).toEqual([]);
  expect(rows.length).toBeGreaterThan(5);
});

describe('postgres can neither become superuser nor reach the machine', () => {
  test.each([
    ['a file', "select pg_read_file('PG_VERSION')"],
    ['a file as bytes', "select pg_read_binary_file('PG_VERSION')"],
    ['a folder', "select pg_ls_dir('.')"],
    ['a file’s metadata', "select pg_stat_file('PG_VERSION')"],
    ['a file as a large object', "select lo_import('/etc/passwd')"],
    ['a large object as a file', "select lo_export(1, '/tmp/x')"],
    ['COPY from a file', "create table t (x text); copy t from '/etc/passwd'"],
    ['COPY to a file', "copy (select 1) to '/tmp/x'"],
    ['COPY from a program', "create table t (x text); copy t from program 'id'"],
    ['COPY to a program', "copy (select 1) to program 'id'"],
    ['a library', "load 'dblink'"],
    ['a C function', "create function f() returns int language c as 'dblink', 'dblink_connect'"],
    ['an internal function', "create function f() returns int language internal as 'int4in'"],
    [
      'an untrusted language',
      "create extension plpython3u; create function f() returns int language plpython3u as 'return 1'",
    ],
    ['a language', 'create language x handler plpgsql_call_handler'],
    ['a preload library', "alter role postgres set session_preload_libraries = 'x'"],
    ['a shared preload library', "alter database postgres set shared_preload_libraries = 'x'"],
    ['the library path', "set dynamic_library_path = '/tmp'"],
    ['the control file path', "set extension_control_path = '/tmp'"],
    ['event triggers during Plinth’s scripts', 'set event_triggers = on'],
    ['another user’s session', 'set session authorization supabase_admin'],
    ['the role', 'set role supabase_admin'],
    ['membership', 'grant supabase_admin to postgres'],
    ['the right to run programs', 'grant pg_execute_server_program to postgres'],
    ['the right to read files', 'grant pg_read_server_files to postgres'],
    ['the right to write files', 'grant pg_write_server_files to postgres'],
    ['a superuser', 'create role boss superuser'],
    ['itself as a superuser', 'alter role postgres superuser'],
    ["the superuser's password", "alter role supabase_admin password 'x'"],
    ["the superuser's name", 'alter role supabase_admin rename to boss'],
    ["the superuser's settings", "alter role supabase_admin set search_path = 'public'"],
    ["the superuser's objects", 'reassign owned by supabase_admin to postgres'],
    ['everything in a publication', 'create publication p for all tables'],
    [
      'an event trigger',
      'create event trigger e on ddl_command_start execute function extensions.pgrst_ddl_watch()',
    ],
    ['a foreign data wrapper', 'create foreign data wrapper w'],
    [
      "a superuser's function",
      "create or replace function vault._root_key() returns bytea language sql as 'select null::bytea'",
    ],
    [
      'a job of the superuser',
      "select cron.schedule_in_database('x', '* * * * *', 'select 1', current_database(), 'supabase_admin')",
    ],
    ['WAL', 'create extension pg_walinspect'],
    ['pages', 'create extension pageinspect'],
    ['foreign files', 'create extension file_fdw'],
  ])('with %s', async (_name, text) => {
    expect(await outcome(text)).toMatch(/^(42501|42939|0A000|55P02|42704)$/);
  });

  test('with ALTER SYSTEM, which isn’t allowed in a transaction', async () => {
    await expect(
      own.database.pool('postgres').exec("alter system set work_mem = '64MB'"),
    ).rejects.toMatchObject({ code: '42501' });
  });

  test('with a superuser’s session', async () => {
    const [session] = await admin<{ pid: number }>('select pg_backend_pid() as pid');
    expect(await outcome(`select pg_terminate_backend(${session?.pid})`)).toBe('42501');
    expect(await outcome(`select pg_cancel_backend(${session?.pid})`)).toBe('42501');
  });
});
