/** Tests that a start updates an extension whose version isn't the latest one. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createDatabase, type Database } from '../../src/platform/database/index.ts';
import { copyTemplateFolder } from '../../src/platform/database/testing/template-folder.ts';
import { killEverything, temporaryFolder } from './helpers.ts';

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
