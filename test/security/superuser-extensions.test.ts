/**
 * Tests that extensions' scripts and functions, if they run as a superuser, never run project code. The project owns
 * the extension and its schema, and controls all later statements.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend, type TestBackendOptions } from '../../src/entry/testing.ts';
import { plant, plantNotes, sightings } from './plants.ts';

let backend: Backend;
const start = async (options: TestBackendOptions = {}): Promise<void> => {
  backend = await createTestBackend(options);
};
afterEach(() => backend?.stop());

const asPostgres = (text: string): Promise<void> => backend.database.pool('postgres').exec(text);
const ranAsSuperuser = async (): Promise<string[]> =>
  (await sightings(backend.database.pool('supabase_admin'))).superuser;

/** The statements with which a cron job or a client of the project can replace pg_cron's tables. */
const otherCron = `
  drop extension pg_cron cascade;
  create schema cron;
  create table cron.job (jobid bigint);
  create table cron._call (x int);
  create table cron._run (runid bigint, pid int, backend_start timestamptz);
  create table cron.job_run_details (jobid bigint, runid bigint, job_pid int, status text, return_message text,
    start_time timestamptz, end_time timestamptz);
  insert into cron.job_run_details (runid) select generate_series(1, 100);
  insert into cron._run (runid) select generate_series(1, 100);
  create trigger planted before update on cron.job_run_details for each row execute function seen.trap('1');
  create trigger planted before delete or update on cron._run for each row execute function seen.trap('1');
`;

test('a cron job that replaces pg_cron’s tables can’t run code as a superuser', async () => {
  await start();
  await plantNotes(backend.database.pool('postgres'));
  await asPostgres(`select seen.plant('cron'); create extension pg_cron`);
  await backend.database.pool('postgres').query(sql`select cron.schedule('swap', '1 second', ${otherCron})`);
  await expect
    .poll(() => backend.database.pool('postgres').query(sql`select to_regclass('cron._timetable') as name`), {
      timeout: 20_000,
    })
    .toEqual([{ name: null }]);
  // The end of the run has been recorded, so this notification starts the next check for due jobs.
  await asPostgres(`select pg_notify('plinth_cron', '')`);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(await ranAsSuperuser()).toEqual([]);
});

test.each(['supabase_admin', 'supabase_replication_admin', 'supabase_read_only_user', 'pg_monitor'])(
  'a job’s session can’t be opened as %s',
  async (role) => {
    await start();
    const [row] = await backend.database
      .pool('postgres')
      .query<{ name: string }>(sql`select current_database()::text as name`);
    await expect(backend.database.signIn(role, row?.name ?? '')).rejects.toMatchObject({ code: '28000' });
  },
);

test('renaming the schema of functions that vault and http call doesn’t run code as a superuser', async () => {
  await start();
  await plantNotes(backend.database.pool('postgres'));
  await asPostgres(`
    select seen.plant('renamed');
    create extension http with schema extensions;
    create schema mine;
    grant usage on schema mine to public;
    alter schema extensions rename to extensions_before;
    create schema extensions;
    grant usage on schema extensions to public;
    create function extensions.hmac(bytea, bytea, text) returns bytea language plpgsql as
      $$ begin perform seen.note(1); return $1; end $$;
    create function extensions.encrypt_iv(bytea, bytea, bytea, text) returns bytea language plpgsql as
      $$ begin perform seen.note(1); return $1; end $$;
    create function extensions.decrypt_iv(bytea, bytea, bytea, text) returns bytea language plpgsql as
      $$ begin perform seen.note(1); return $1; end $$;
    create function extensions.gen_random_bytes(int) returns bytea language plpgsql as
      $$ begin perform seen.note(1); return '\\x00'; end $$;
    create function extensions._http_dblink(text, text) returns setof record language plpgsql as
      $$ begin perform seen.note(1); return query select '{"error": "x"}'::text; end $$;
    create function extensions._http_ask(text) returns text language plpgsql as
      $$ begin perform seen.note(1); return '{"error": "x"}'; end $$;
    create type extensions.http_header as (field varchar, value varchar);
    create function extensions.http_list_curlopt(out curlopt text, out value text) returns setof record language plpgsql as
      $$ begin perform seen.note(1); end $$;
  `);
  for (const text of [
    `select vault.create_secret('s', 'n')`,
    `select * from vault.decrypted_secrets`,
    `select extensions_before.http_get('http://127.0.0.1:1/')`,
  ])
    await asPostgres(text).catch(() => undefined);
  expect(await ranAsSuperuser()).toEqual([]);
});

test('creating an extension in a schema with hostile functions doesn’t run code as a superuser', async () => {
  await start();
  const postgres = backend.database.pool('postgres');
  await plant(postgres);
  const names = await postgres.query<{ name: string }>(sql`
    select name::text from pg_available_extensions() as e (name) where name not in (select extname from pg_extension) order by name`);
  const made: string[] = [];
  for (const { name } of names) {
    try {
      await asPostgres(`create extension "${name}" with schema public cascade`);
      made.push(name);
      await asPostgres(`drop extension "${name}" cascade`);
    } catch {
      // Projects may not create this extension, or the server doesn't support it.
    }
  }
  expect(made).toEqual(
    expect.arrayContaining(['citext', 'dblink', 'hstore', 'http', 'pg_cron', 'pgmq', 'postgis', 'vector']),
  );
  expect(await ranAsSuperuser()).toEqual([]);
});

test('renaming the schema of pgsodium doesn’t run code as a superuser', async () => {
  await start();
  await plantNotes(backend.database.pool('postgres'));
  await asPostgres(`
    select seen.plant('sodium');
    create extension pgsodium;
    alter schema pgsodium rename to before;
    create schema pgsodium;
    create function pgsodium._server_key() returns bytea language plpgsql as
      $$ begin perform seen.note(1); return decode(repeat('00', 32), 'hex'); end $$;
    create function pgsodium._checked(bytea, int, text) returns bytea language plpgsql as
      $$ begin perform seen.note(1); return $1; end $$;
    create function pgsodium._blake2b(bytea, bytea, int, bytea, bytea) returns bytea language plpgsql as
      $$ begin perform seen.note(1); return $1; end $$;
    create function pgsodium.crypto_kdf_derive_from_key(bigint, bigint, bytea, bytea) returns bytea language plpgsql as
      $$ begin perform seen.note(1); return $4; end $$;
    create function pgsodium.derive_key(bigint, int, bytea) returns bytea language plpgsql as
      $$ begin perform seen.note(1); return pgsodium._server_key(); end $$;`);
  for (const text of [
    'select before._server_key()',
    'select before.derive_key(1)',
    `select before.crypto_aead_det_encrypt('a'::bytea, 'b'::bytea, 1)`,
    'select before.create_key()',
  ])
    await asPostgres(text).catch(() => undefined);
  const { superuser, others } = await sightings(backend.database.pool('supabase_admin'));
  expect(superuser).toEqual([]);
  expect(others).toEqual(['sodium']);
});

test('a project’s event trigger doesn’t run as a superuser while an extension is created', async () => {
  const projectDir = mkdtempSync(join(tmpdir(), 'plinth-event-trigger-'));
  mkdirSync(join(projectDir, 'supabase/migrations'), { recursive: true });
  writeFileSync(
    join(projectDir, 'supabase/migrations/1_watch.sql'),
    `create function public.watch() returns event_trigger language plpgsql as $$
       begin if to_regclass('seen.other_1') is not null then perform seen.note(1); end if; end $$;
     create event trigger watch on ddl_command_end execute function public.watch();
     create event trigger watch_drops on sql_drop execute function public.watch();`,
  );
  try {
    await start({ projectDir });
    await plantNotes(backend.database.pool('postgres'));
    await asPostgres(`select seen.plant('event trigger')`);
    for (const name of [
      'hstore',
      'citext',
      'pg_trgm',
      'dblink',
      'moddatetime',
      'pg_cron',
      'http',
      'vector',
      'pgmq',
      'pg_hashids',
      'pg_jsonschema',
      'pg_tle',
      'pgsodium',
    ])
      await asPostgres(`create extension ${name}; drop extension ${name}`);
    const { superuser, others } = await sightings(backend.database.pool('supabase_admin'));
    expect(others).toEqual(['event trigger']);
    expect(superuser).toEqual([]);
  } finally {
    rmSync(projectDir, { recursive: true });
  }
});

test('Plinth’s functions that run as a superuser use only PostgreSQL’s own objects', async () => {
  await start();
  await asPostgres(
    `create extension pg_cron; create extension pgmq; create extension http with schema extensions;
    create extension pgsodium; create extension pg_tle; create extension pg_jsonschema; create extension pg_hashids`,
  );
  const found = await backend.database.pool('supabase_admin').query<{ name: string; settings: string }>(sql`
    select p.oid::regprocedure::text as name, array_to_string(p.proconfig, '; ') as settings
    from pg_proc p join pg_roles r on r.oid = p.proowner where p.prosecdef and r.rolsuper order by 1`);
  expect(found.length).toBeGreaterThan(8);
  expect(found.filter(({ settings }) => settings !== 'search_path=pg_catalog, pg_temp')).toEqual([]);
});
