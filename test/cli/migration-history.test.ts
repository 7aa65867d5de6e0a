/** Tests `migration list`, `repair` and `fetch` on a database other than the project's own database. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestDatabase, type TestDatabase } from '../../src/platform/database/testing.ts';
import { makeProject } from '../config/project-folder.ts';
import { plinth } from './run-plinth.ts';

// The timeouts are long, because each test starts several processes, some of which create a cluster.
let other: TestDatabase;
let url: string;
let cwd: string;
beforeAll(async () => {
  other = await createTestDatabase('migration_history');
  url = other.database.info.projectUrl;
});
afterAll(() => other?.drop());
beforeEach(async () => {
  await other.database.pool('postgres').exec(`
    drop schema if exists supabase_migrations cascade;
    create schema supabase_migrations;
    create table supabase_migrations.schema_migrations (version text primary key, statements text[], name text);
    insert into supabase_migrations.schema_migrations values
      ('20260101000000', array['create table a ()', 'select '';'''], 'a'), ('20260103000000', array['select 3'], 'c')`);
  cwd = makeProject({
    'supabase/config.toml': '',
    'supabase/migrations/20260101000000_a.sql': 'select 1;',
    'supabase/migrations/20260102000000_b.sql': 'select 2;\nselect 22;',
  });
});

const run = (...args: string[]) => plinth(['migration', ...args, '--db-url', url], { cwd });
const history = async () =>
  await other.database
    .pool('postgres')
    .query(sql`select version, name, statements from supabase_migrations.schema_migrations order by 1`);
const folder = () => join(cwd, 'supabase', 'migrations');

test('list shows pending files and versions without a file', async () => {
  const { status, stdout } = await run('list');
  expect([status, stdout.match(/\d{14}/g)]).toEqual([
    0,
    ['20260101000000', '20260101000000', '20260102000000', '20260103000000'],
  ]);
});

test('repair records a file with its statements, and removes a version', async () => {
  expect((await run('repair', '--status', 'applied', '20260102000000')).status).toBe(0);
  expect((await run('repair', '--status', 'reverted', '20260103000000')).stderr).toContain(
    'Repaired migration history: [20260103000000] => reverted',
  );
  expect(await history()).toEqual([
    { version: '20260101000000', name: 'a', statements: ['create table a ()', "select ';'"] },
    { version: '20260102000000', name: 'b', statements: ['select 2', 'select 22'] },
  ]);
});

test('repair without versions asks for confirmation, and replaces the whole history only with --yes', async () => {
  const asked = await run('repair', '--status', 'applied');
  expect([asked.status, (await history()).length, asked.stderr]).toEqual([
    1,
    2,
    expect.stringContaining('--yes'),
  ]);
  expect((await run('repair', '--status', 'applied', '--yes')).status).toBe(0);
  expect(await history()).toEqual([
    { version: '20260101000000', name: 'a', statements: ['select 1'] },
    { version: '20260102000000', name: 'b', statements: ['select 2', 'select 22'] },
  ]);
});

test('repair of an unknown version changes nothing', async () => {
  const { status, stderr } = await run('repair', '--status', 'applied', '20260102000000', '20260109000000');
  expect([status, stderr, (await history()).length]).toEqual([
    1,
    expect.stringContaining('20260109000000'),
    2,
  ]);
});

test('fetch writes the recorded statements as files', async () => {
  writeFileSync(join(folder(), '20260101000000_a.sql'), 'changed');
  const { status, stderr } = await run('fetch');
  expect([status, stderr]).toEqual([0, 'Wrote 2 migrations to supabase/migrations.\n']);
  expect(readdirSync(folder()).toSorted()).toEqual([
    '20260101000000_a.sql',
    '20260102000000_b.sql',
    '20260103000000_c.sql',
  ]);
  expect(readFileSync(join(folder(), '20260101000000_a.sql'), 'utf8')).toBe(
    "create table a ();\nselect ';';\n",
  );
});

test('fetch never writes outside the folder, regardless of the database’s content', async () => {
  for (const name of ['../../escaped', '..\\escaped', 'x\u001b[2J', 'x\ny']) {
    await other.database
      .pool('postgres')
      .query(
        sql`update supabase_migrations.schema_migrations set name = ${name} where version = '20260103000000'`,
      );
    const { status, stderr } = await run('fetch');
    expect([status, stderr]).toEqual([1, expect.stringContaining("can't be a file name")]);
  }
  expect(readdirSync(folder()).toSorted()).toEqual(['20260101000000_a.sql', '20260102000000_b.sql']);
});

test('without a target, fetch requires a linked database', async () => {
  const { status, stderr } = await plinth(['migration', 'fetch'], { cwd });
  expect([status, stderr]).toEqual([1, expect.stringContaining('No server or database is linked.')]);
});
