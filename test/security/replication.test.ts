/**
 * Tests that a project can't switch to a role with REPLICATION. The creator of a replication slot chooses the path to
 * the library that decodes the slot's changes, so such a role could make the server run an uploaded object. The role
 * could also read the whole cluster with a base backup.
 */
import { chmodSync, copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createDatabase, type Database } from '../../src/platform/database/index.ts';
import { createTestDatabase, type TestDatabase, testTarget } from '../../src/platform/database/testing.ts';
import { connectReplication } from '../../src/platform/database/wire/index.ts';

let own: TestDatabase;
const folder = mkdtempSync(join(tmpdir(), 'plinth-replication-'));
/** Simulates an uploaded object that is a library, although its file name doesn't look like that of a library. */
const object = join(folder, 'object');
beforeAll(async () => {
  own = await createTestDatabase('replication');
  const [row] = await own.database
    .pool('supabase_admin')
    .query<{ name: string }>(sql`select setting as name from pg_config() where name = 'PKGLIBDIR'`);
  copyFileSync(libraryIn(row?.name as string), object);
  // PostgreSQL must be able to read the folder, even if it runs as a different user.
  chmodSync(folder, 0o755);
});
afterAll(async () => {
  await own?.drop();
  rmSync(folder, { recursive: true });
});

const libraryIn = (dir: string): string =>
  ['so', 'dylib', 'dll'].map((end) => join(dir, `pgoutput.${end}`)).find(existsSync) as string;

const attempts = [
  `select pg_create_logical_replication_slot('taken', '${object}', true)`,
  `set local role supabase_realtime_admin; select pg_create_logical_replication_slot('taken', '${object}', true)`,
  `create role replicator replication`,
  `set local role supabase_realtime_admin; create role replicator replication`,
  `alter role supabase_realtime_admin replication`,
  `grant supabase_replication_admin to postgres`,
  `alter role supabase_replication_admin password 'taken'`,
  `set local role supabase_replication_admin`,
];

test.each(attempts)('postgres can’t load a library from a path: %s', async (text) => {
  await expect(own.database.pool('postgres').exec(`begin; ${text}; rollback`)).rejects.toMatchObject({
    code: '42501',
  });
});

test('postgres can’t open a replication connection', async () => {
  await expect(connectReplication(testTarget(own, 'postgres'))).rejects.toMatchObject({ code: '42501' });
});

test('postgres can’t become or grant a role with REPLICATION', async () => {
  const found = await own.database.pool('supabase_admin').query<{ name: string }>(sql`
    select r.rolname::text as name from pg_roles r
    where (r.rolreplication or r.rolsuper) and pg_has_role('postgres', r.oid, 'member')`);
  expect(found).toEqual([]);
});

test('the session that creates slots doesn’t run the project’s code', async () => {
  const name = await own.database
    .pool('postgres')
    .query<{ name: string }>(sql`select current_database()::text as name`);
  await own.database.pool('postgres').exec(`
    create function public.pg_drop_replication_slot(name) returns void language sql as $$ select 1 / 0 $$;
    alter database "${name[0]?.name}" set search_path = public, pg_catalog`);
  const other = await own.another();
  const path = await other
    .pool('supabase_replication_admin')
    .query(
      sql`select current_setting('search_path') as path, current_setting('event_triggers') as triggers, current_user::text as role`,
    );
  expect(path).toEqual([
    { path: 'pg_catalog, pg_temp', triggers: 'off', role: 'supabase_replication_admin' },
  ]);
  await other.stop();
});

const replicating = async (database: Database): Promise<string[]> =>
  (
    await database.pool('supabase_admin').query<{ name: string }>(sql`
      select rolname::text as name from pg_roles where rolreplication and pg_has_role('postgres', oid, 'member') order by 1`)
  ).map(({ name }) => name);

test('`[database] replication` grants the attribute to postgres, and disabling it revokes the attribute', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'plinth-replication-'));
  const start = (replication: boolean) =>
    createDatabase({ dataDir, port: null, durable: false, replication });
  try {
    const given = await start(true);
    expect(await replicating(given)).toEqual(['postgres']);
    await given.pool('postgres').exec('create role copier login replication');
    await given.stop();
    const taken = await start(false);
    expect(await replicating(taken)).toEqual([]);
    await taken.stop();
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});
