/**
 * Tests migrations of a hosted project on a server that Plinth doesn't install. The server has contrib modules, but not
 * the extensions that Plinth replaces.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { silentLogger } from '../../src/base/kernel/log.ts';
import { sql } from '../../src/base/kernel/sql.ts';
import { migrateServices } from '../../src/entry/main.ts';
import { loadConfig } from '../../src/platform/config/index.ts';
import { createDatabase, type Database } from '../../src/platform/database/index.ts';
import { Client, parseConnectionString } from '../../src/platform/database/wire/index.ts';
import { migrateUp, migrations, type ProjectDeps } from '../../src/project/folder/index.ts';
import { makeProject } from '../config/project-folder.ts';
import { availableServers, type ExternalServer, startExternalServer } from '../database/external-server.ts';
import { temporaryFolder } from '../database/helpers.ts';

let server: ExternalServer;

/** Starts a server for the tests of a group, because the roles of different accounts exclude each other. */
function startsServer(prepare: readonly string[]): void {
  const folder = temporaryFolder();
  beforeAll(async () => {
    const [newest] = availableServers();
    server = await startExternalServer(newest?.bin as string, folder.path);
    const admin = await Client.connect(parseConnectionString(server.url('admin')));
    for (const statement of prepare) await admin.exec(statement);
    await admin.connection.close();
  });
  afterAll(async () => {
    await server?.stop();
    folder.remove();
  });
}

interface Applied {
  readonly database: Database;
  readonly progress: readonly string[];
}

/** Applies the migrations to a new project's database and calls `work`. */
async function apply(
  databaseUrl: string,
  files: Readonly<Record<string, string>>,
  work: (applied: Applied) => Promise<void>,
): Promise<void> {
  const named = Object.entries(files).map(([name, text]) => [`supabase/migrations/${name}.sql`, text]);
  const projectDir = makeProject({ 'supabase/config.toml': '', ...Object.fromEntries(named) });
  const { config } = loadConfig({ projectDir, env: {} });
  const database = await createDatabase({ dataDir: '/nowhere', databaseUrl });
  try {
    await migrateServices(database);
    await database.migrate([migrations]);
    const progress: string[] = [];
    const deps: ProjectDeps = {
      ...{
        database,
        config,
        keys: { secretKey: '' },
        projectDir,
        mode: 'development',
        log: silentLogger,
      },
      onProgress: (message) => progress.push(message),
    };
    await migrateUp(deps, { includeAll: true });
    await work({ database, progress });
  } finally {
    await database.stop();
  }
}

/** What the migrations of public projects contain. */
const hosted = `
  create extension if not exists pg_net with schema extensions;
  create extension if not exists "supabase_vault" with schema "vault";
  create extension if not exists "pg_graphql" with schema "graphql";
  create extension if not exists pgjwt with schema extensions;
  create extension if not exists pgmq;
  create extension if not exists "uuid-ossp" with schema extensions;
  comment on extension pg_net is 'Async HTTP';
  comment on extension pgjwt is 'JSON Web Tokens';
  create table public.seen (path text);
  insert into public.seen values (current_setting('search_path'));
  select net.http_get('http://127.0.0.1:1');
  select vault.create_secret('value', 'name');
  select pgmq.create('tasks'); select pgmq.send('tasks', '{}');`;

async function checkHosted({ database, progress }: Applied): Promise<void> {
  const postgres = database.pool('postgres');
  expect(await postgres.query(sql`select path from public.seen`)).toEqual([
    { path: '"$user", public, extensions' },
  ]);
  const [row] = await postgres.query(sql`
    select (select count(*)::int from pgmq.q_tasks) as messages,
      extensions.sign('{"sub":"1234567890","name":"John Doe","admin":true}', 'secret') as token,
      (select decrypted_secret from vault.decrypted_secrets where name = 'name') as secret`);
  expect(row).toEqual({
    messages: 1,
    token:
      'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiYWRtaW4iOnRydWV9.TJVA95OrM7E2cBab30RMHrHDcEfxjoYZgeFONFh7HgQ',
    secret: 'value',
  });
  expect(progress).toContain('extension "pg_graphql" is skipped: the server doesn\'t have it');
}

describe('with a superuser’s URL', () => {
  startsServer(['create database own']);

  test('a hosted project’s extensions are replaced, or created by a superuser', async () => {
    const files = {
      '1_a': hosted,
      '2_b': `
        set search_path = public;
        create extension if not exists moddatetime with schema extensions;
        create extension postgres_fdw;
        create extension if not exists pgjwt;
        create extension if not exists dblink schema extensions;
        create server other foreign data wrapper postgres_fdw options (host 'x');
        insert into seen values (current_setting('search_path'), current_user);`.replace(
        ', current_user',
        '',
      ),
    };
    await apply(server.url('admin', 'own'), files, async (applied) => {
      const { database } = applied;
      const postgres = database.pool('postgres');
      expect(await postgres.query(sql`delete from public.seen where path = 'public' returning path`)).toEqual(
        [{ path: 'public' }],
      );
      await checkHosted(applied);
      expect(
        await postgres.query(sql`
          select extname::text as name, extnamespace::regnamespace::text as schema from pg_extension
          where extname in ('moddatetime', 'postgres_fdw') order by 1`),
      ).toEqual([
        { name: 'moddatetime', schema: 'extensions' },
        { name: 'postgres_fdw', schema: 'public' },
      ]);
      const [rights] = await postgres.query(sql`
        select rolsuper as super, has_function_privilege('anon', 'extensions.dblink(text)', 'execute') as dblink
        from pg_roles where rolname = 'postgres'`);
      expect(rights).toEqual({ super: false, dblink: false });
    });
  });

  test('a project’s types and operators don’t run as the superuser', async () => {
    const trap = `
      create schema evil;
      create table public.sightings (who pg_catalog.text);
      create function evil.note() returns boolean language plpgsql as
        $$ begin insert into public.sightings values (current_user); return true; end $$;
      create function evil.same(oid, oid) returns boolean language sql as 'select evil.note()';
      create function evil.same(name, name) returns boolean language sql as 'select evil.note()';
      create operator evil.= (leftarg = oid, rightarg = oid, function = evil.same);
      create operator evil.= (leftarg = name, rightarg = name, function = evil.same);
      create domain evil.text as pg_catalog.text check (evil.note());
      create function evil.current_setting(pg_catalog.text) returns pg_catalog.text language sql as 'select evil.note()::pg_catalog.text';
      set search_path = evil, pg_catalog, public;
      create extension pgrowlocks; drop extension pgrowlocks;
      drop extension if exists dblink; create extension dblink;
      select 1 from pg_class where oid = 1::oid limit 1;`;
    const files = { '1_a': hosted, '2_b': 'select 1', '3_c': trap };
    await apply(server.url('admin', 'own'), files, async ({ database }) => {
      const rows = await database.pool('postgres').query<{ who: string }>(sql`
        select distinct who::pg_catalog.text as who from public.sightings`);
      // The project's own statement shows that the trap works.
      expect(rows).toEqual([{ who: 'postgres' }]);
    });
  });

  test('an extension that isn’t allowed requires a superuser', async () => {
    await expect(
      apply(
        server.url('admin', 'own'),
        { '1_a': hosted, '2_b': 'select 1', '3_c': 'select 1', '4_d': 'create extension file_fdw' },
        async () => {},
      ),
    ).rejects.toThrow(/permission denied to create extension "file_fdw"/);
  });
});

describe('without superuser privileges', () => {
  startsServer([
    "create role app login createrole bypassrls password 'secret'",
    'create database app owner app',
  ]);

  test('a hosted project’s extensions are replaced', async () => {
    await apply(server.url('app', 'app'), { '1_a': hosted }, checkHosted);
  });

  test('an extension that needs a superuser fails with PostgreSQL’s error', async () => {
    await expect(
      apply(
        server.url('app', 'app'),
        { '1_a': hosted, '2_b': 'create extension moddatetime' },
        async () => {},
      ),
    ).rejects.toThrow(/permission denied to create extension "moddatetime"/);
  });
});
