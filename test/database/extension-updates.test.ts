/** Tests extensions of a database that an earlier version of Plinth created. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createDatabase, type Database } from '../../src/platform/database/index.ts';
import { copyTemplateFolder } from '../../src/platform/database/testing/template-folder.ts';
import { killEverything, temporaryFolder } from './helpers.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** The script of Plinth's first version of the extension, which had only the `vector` type. */
const firstScript = fileURLToPath(new URL('./fixtures/vector--0.8.0.sql', import.meta.url));

let folder: ReturnType<typeof temporaryFolder>;
let database: Database | undefined;
const progress: string[] = [];

async function start(): Promise<Database> {
  database = await createDatabase({
    dataDir: folder.path,
    durable: false,
    onProgress: (message) => progress.push(message),
  });
  return database;
}

async function restart(): Promise<Database> {
  await database?.stop();
  progress.length = 0;
  return start();
}

beforeEach(async () => {
  folder = temporaryFolder();
  await copyTemplateFolder(folder.path);
});
afterEach(async () => {
  await database?.stop();
  killEverything(folder.path);
  folder.remove();
});

const objects = async ({ pool }: Database, extension: string) => {
  const rows = await pool('postgres').query<{ name: string }>(sql`
    select pg_describe_object(d.classid, d.objid, 0) as name
    from pg_depend d join pg_extension e on e.oid = d.refobjid
    where d.refclassid = 'pg_extension'::regclass and d.deptype = 'e' and e.extname = ${extension}`);
  return rows.map(({ name }) => name).sort();
};

const update = 'Updating the extension vector from 0.8.0 to 0.8.6';

test('a start updates Plinth’s first version of vector, and tables, views and indexes that use it keep working', async () => {
  const first = await start();
  copyFileSync(firstScript, join(folder.path, 'extensions', 'extension', 'vector--0.8.0.sql'));
  await first.pool('postgres').exec(`
    create extension vector with schema extensions version '0.8.0';
    create table public.items (id int primary key, v extensions.vector(3));
    insert into public.items values (1, '[1,2,3]'), (2, '[3,2,1]'), (3, '[1, 2, 3.0]');
    create index on public.items using hnsw (v extensions.vector_cosine_ops);
    create unique index on public.items (v, id);
    create view public.nearest as
      select id, v operator(extensions.<->) '[1,2,3]' as distance, extensions.l2_squared_distance(v, '[1,2,2]') as squared,
        v::real[] as numbers
      from public.items;
    create view public.totals as select extensions.sum(v) as total, extensions.avg(v) as mean from public.items`);
  const pool = (await restart()).pool('postgres');
  expect(progress).toContain(update);
  expect(await pool.query(sql`select extversion from pg_extension where extname = 'vector'`)).toEqual([
    { extversion: '0.8.6' },
  ]);
  expect(
    await pool.query(
      sql`select id, round(distance::numeric, 3)::text as distance, squared, numbers::text from nearest order by id`,
    ),
  ).toEqual([
    { id: 1, distance: '0.000', squared: 1, numbers: '{1,2,3}' },
    { id: 2, distance: '2.828', squared: 5, numbers: '{3,2,1}' },
    { id: 3, distance: '0.000', squared: 1, numbers: '{1,2,3}' },
  ]);
  expect(
    await pool.query(sql`select total::text, round((mean::real[])[1]::numeric, 3)::text as mean from totals`),
  ).toEqual([{ total: '[5,6,7]', mean: '1.667' }]);
  await pool.exec(`set search_path = public, extensions;
    create table halves (h halfvec(2), s sparsevec(3));
    insert into halves values ('[1,2]', '{1:1}/3');
    create index on halves using hnsw (h halfvec_l2_ops)`);
  await pool.exec('create index on public.items using hnsw (v extensions.vector_l1_ops)');

  const updated = await objects(database as Database, 'vector');
  await pool.exec('drop extension vector cascade; create extension vector with schema extensions');
  const fresh = await objects(database as Database, 'vector');
  // A view of the project uses this function, which doesn't exist in later versions.
  const kept = 'function l2_squared_distance(vector,vector)';
  expect(updated.filter((name) => name !== kept)).toEqual(fresh);
  expect(updated).toContain(kept);
});

test('a project can request the version of the hosted service, and the next start updates it', async () => {
  const first = await start();
  await first.pool('postgres').exec(`create extension vector with schema extensions version '0.8.0';
    create table public.halves (h extensions.halfvec(2))`);
  const before = await objects(first, 'vector');
  const second = await restart();
  expect(progress).toContain(update);
  expect(await objects(second, 'vector')).toEqual(before);
  await restart();
  expect(progress).not.toContain(update);
});
