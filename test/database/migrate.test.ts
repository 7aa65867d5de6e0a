/**
 * Tests that each of Plinth's numbered files is applied once, in one transaction, and as the role that the file sets.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type Database, setAutoExposeNewTables } from '../../src/platform/database/index.ts';
import { createTestDatabase, type TestDatabase } from '../../src/platform/database/testing.ts';
import { temporaryFolder } from './helpers.ts';

// The timeouts are long, because starting a server can take a long time on a busy machine.
let own: TestDatabase;
let database: Database;
let folder: ReturnType<typeof temporaryFolder>;
beforeAll(async () => {
  own = await createTestDatabase('bootstrap-only');
  database = own.database;
});
afterAll(() => own?.drop());
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

function setOf(module: string, files: Record<string, string>) {
  const dir = join(folder.path, module);
  mkdirSync(dir, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  return { module, dir: pathToFileURL(`${dir}/`) };
}

async function ledger(module: string): Promise<string[]> {
  const rows = await database
    .pool('postgres')
    .query<{ file: string }>(
      sql`select version || '_' || name as file from _plinth.migrations where room = ${module} order by 1`,
    );
  return rows.map(({ file }) => file);
}

test('new migrations are applied in order, each only once', async () => {
  const first = {
    '0001_table.sql': 'set local role supabase_storage_admin; create table storage.counted (n int);',
    '0002_row.sql': 'insert into storage.counted values (1)',
  };
  await database.migrate([setOf('counting', first)]);
  await database.migrate([
    setOf('counting', { ...first, '0003_row.sql': 'insert into storage.counted values (2); -- done' }),
  ]);
  expect(await ledger('counting')).toEqual(['0001_table', '0002_row', '0003_row']);
  expect(await database.pool('postgres').query(sql`select n from storage.counted order by n`)).toEqual([
    { n: 1 },
    { n: 2 },
  ]);
  const [owner] = await database
    .pool('postgres')
    .query(
      sql`select relowner::regrole::text as owner from pg_class where oid = 'storage.counted'::regclass`,
    );
  expect(owner).toEqual({ owner: 'supabase_storage_admin' });
});

test('the error of a failing file contains its name and line, and everything is rolled back', async () => {
  const files = {
    '0001_good.sql': 'create table public.good (id int)',
    '0002_bad.sql': 'create table public.half (id int);\n\nselect nonsense;\n',
    '0003_never.sql': 'create table public.never (id int)',
  };
  await expect(database.migrate([setOf('failing', files)])).rejects.toMatchObject({
    code: 'migration_failed',
    message: expect.stringMatching(
      /failing\/sql\/0002_bad\.sql.*column "nonsense" does not exist \(line 3\)/,
    ),
  });
  expect(await ledger('failing')).toEqual(['0001_good']);
  const [row] = await database
    .pool('postgres')
    .query(
      sql`select to_regclass('public.good') as good, to_regclass('public.half') as half, to_regclass('public.never') as never`,
    );
  expect(row).toEqual({ good: 'good', half: null, never: null });
});

test('two concurrent processes apply each file once', async () => {
  const set = setOf('racing', {
    '0001_table.sql': 'create table public.raced (n int)',
    '0002_slow.sql': 'select pg_sleep(0.05); insert into public.raced values (1)',
  });
  await Promise.all([database.migrate([set]), database.migrate([set])]);
  expect(await database.pool('postgres').query(sql`select n from public.raced`)).toEqual([{ n: 1 }]);
});

test('objects that Plinth’s files created are protected, and a later file can change them', async () => {
  const files = {
    '0001_table.sql': 'set local role supabase_auth_admin; create table auth.guarded (a int, b int);',
  };
  await database.migrate([setOf('guarding', files)]);
  const postgres = database.pool('postgres');
  await postgres.exec('alter table auth.guarded add column own int');
  await expect(postgres.exec('alter table auth.guarded drop column a')).rejects.toMatchObject({
    code: '42501',
    message: 'must be owner of table guarded',
  });
  const more = {
    ...files,
    '0002_change.sql': 'alter table auth.guarded rename column a to c; alter table auth.guarded add d int',
  };
  await database.migrate([setOf('guarding', more)]);
  for (const column of ['b', 'c', 'd']) {
    await expect(postgres.exec(`alter table auth.guarded drop column ${column}`)).rejects.toMatchObject({
      code: '42501',
    });
  }
  await postgres.exec('alter table auth.guarded drop column own');
});

test.each([
  ['a name without a number', { 'table.sql': '' }, /NNNN_subject/],
  ['the same number twice', { '0001_a.sql': '', '0001_b.sql': '' }, /0001/],
])('%s is rejected', async (_name, files, message) => {
  await expect(database.migrate([setOf('wrong', files as Record<string, string>)])).rejects.toThrow(message);
});

test('auto_expose_new_tables controls the grants on new tables', async () => {
  const grants = async (name: string) => {
    await database.pool('postgres').exec(`create table public.${name} (id int)`);
    const [row] = await database.pool('postgres').query(sql`
      select has_table_privilege('anon', ${`public.${name}`}, 'select') as anon,
        has_table_privilege('service_role', ${`public.${name}`}, 'insert') as service`);
    return row;
  };
  await setAutoExposeNewTables(database, false);
  expect(await grants('hidden')).toEqual({ anon: false, service: false });
  await setAutoExposeNewTables(database, true);
  expect(await grants('exposed')).toEqual({ anon: true, service: true });
});
