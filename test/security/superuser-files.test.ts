/**
 * Tests that Plinth's numbered SQL files, which run as a superuser, don't run project code, even in a database with a
 * project's objects. Only superusers may add functions to schemas whose functions superuser sessions call. Each use of
 * a superuser session must be reviewed.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, afterEach, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { plant, sightings } from './plants.ts';

// Event triggers check each of the several thousand statements that create the traps.
let backend: Backend;
const dir = mkdtempSync(join(tmpdir(), 'plinth-files-'));
afterEach(() => backend?.stop());
afterAll(() => rmSync(dir, { recursive: true }));

const applyNext = (module: string, text: string): Promise<number> => {
  const folder = join(dir, module);
  mkdirSync(folder);
  writeFileSync(join(folder, '0001_next.sql'), text);
  return backend.database.migrate([{ module, dir: pathToFileURL(`${folder}/`) }]);
};

test('a file of the next version doesn’t run hostile code in the database', async () => {
  backend = await createTestBackend();
  const postgres = backend.database.pool('postgres');
  await plant(postgres);
  await applyNext(
    'traps',
    `do $$ begin perform quote_ident(n.nspname), lower('X'::varchar) = 'x'::name from pg_catalog.pg_namespace n; end $$;
     create table _plinth.next (id int primary key);`,
  );
  await postgres.exec(`select lower('X'::varchar)`);
  const { superuser, others } = await sightings(backend.database.pool('supabase_admin'));
  expect(others).toContain('function lower');
  expect(superuser).toEqual([]);
});

test('only a superuser can create objects in schemas whose functions superuser sessions call', async () => {
  backend = await createTestBackend();
  const found = await backend.database.pool('supabase_admin').query<{ name: string }>(sql`
    select r.rolname || ' in ' || n.nspname as name from pg_roles r, pg_namespace n
    where n.nspname in ('_plinth', 'pg_catalog', 'information_schema', 'vault', 'net') and not r.rolsuper
      and has_schema_privilege(r.oid, n.oid, 'create') order by 1`);
  expect(found).toEqual([]);
});

/**
 * The reviewed tables: tables to which services write with their own roles, and tables with the progress of a project,
 * which only the project's own migrations read.
 */
const writable = [
  'event_reversals: delete insert update',
  'factor_removals: delete insert update',
  'known_devices: delete insert update',
  'oauth_client_logout: delete insert update',
  'oauth_machine_clients: delete insert update',
  'organization_connections: delete insert update',
  'organization_domains: delete insert update',
  'organization_events: delete insert update',
  'organization_setup_links: delete insert update',
  'organization_sso_tests: delete insert update',
  'project_failures: delete insert',
  'project_progress: delete insert update',
  'project_steps: delete insert update',
  'realtime_channels: delete insert update',
  'realtime_nodes: delete insert update',
  'recovery_codes: delete insert update',
  'resumable_parts: delete insert update',
  'resumable_uploads: delete insert update',
  'scim_group_members: delete insert update',
  'scim_groups: delete insert update',
  'scim_tokens: delete insert update',
  'scim_users: delete insert update',
  'security_events: delete insert update',
  'session_browsers: delete insert update',
  'storage_checksums: delete insert',
  'storage_events: insert',
  'user_api_keys: delete insert update',
  'user_events: delete insert update',
];

test('operators other than owners write as `postgres`, which can’t change operators, sessions or logs of the Console', async () => {
  backend = await createTestBackend();
  const found = await backend.database.pool('supabase_admin').query<{ line: string }>(sql`
    select c.relname || ': ' || string_agg(p.name, ' ' order by p.name) as line
    from pg_class c, unnest(array['insert', 'update', 'delete', 'truncate', 'trigger', 'references']) as p (name)
    where c.relnamespace = '_plinth'::regnamespace and c.relkind in ('r', 'p', 'v')
      and has_table_privilege('postgres', c.oid, p.name)
    group by c.relname order by 1`);
  const hint = 'Review the privileges of a new table in `_plinth`, and add it to `writable` in this test.';
  expect(
    found.map(({ line }) => line),
    hint,
  ).toEqual(writable);
});

/**
 * The reviewed source files that use a superuser session. A new entry requires a review. Statements in such a session
 * must be constants, and must access only `_plinth` and the system catalogs.
 */
const reviewed = [
  'pages/account/index.ts',
  'services/auth/index.ts',
  // Reads WAL positions, the slot and the system identifier with functions and views in `pg_catalog`, which objects in
  // a project's search path must not replace. Dropping the slot requires REPLICATION.
  'operations/backup/archive/archiver.ts',
  'operations/backup/base-backup.ts',
  'operations/backup/session.ts',
  'operations/branches/copied-values.ts',
  'operations/branches/copy.ts',
  'operations/branches/neutralize.ts',
  // Passes the session to the features that are listed below.
  'pages/console/api-routes.ts',
  'pages/console/index.ts',
  'pages/console/operators/factors.ts',
  'pages/console/operators/routes.ts',
  'pages/console/policies/routes.ts',
  'pages/console/sql-page/routes.ts',
  'pages/console/undo/recorder.ts',
  'pages/console/undo/routes.ts',
  'pages/console/users/impersonation-routes.ts',
  'platform/database/auto-expose.ts',
  // Drops the unused slot, which requires REPLICATION.
  'platform/database/backup-slot.ts',
  'platform/database/database.ts',
  // Sets the password of the role that reads the restored tables.
  'platform/database/embedded/recovery.ts',
  // Sets the passwords of login roles, and gives project roles temporary logins.
  'platform/database/embedded/sign-ins.ts',
  'platform/database/testing/test-cluster.ts',
  'platform/group/index.ts',
  'services/mail/index.ts',
  // Reads whether the login is a superuser. Extensions are read with the session that applies the files.
  'project/folder/external-extensions.ts',
  // Holds a lock while the project's files run as `postgres`, and drops what interrupted runs have left behind.
  'project/folder/first-start.ts',
  'project/folder/index.ts',
  'project/folder/privileged.ts',
  'services/storage/index.ts',
  'services/storage/s3/operation.ts',
];

test('superuser sessions are opened only in reviewed files', () => {
  const sources = fileURLToPath(new URL('../../src/', import.meta.url));
  const found = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?<!\.test)\.ts$/.test(file))
    .filter((file) =>
      /\b(pool|target|clusterTarget)\([^)]*'supabase_admin'/.test(readFileSync(join(sources, file), 'utf8')),
    )
    .map((file) => file.replaceAll('\\', '/'));
  const hint =
    'Review the statements of a new superuser session, and add its file to `reviewed` in this test.';
  expect(found.sort(), hint).toEqual([...reviewed].sort());
});
