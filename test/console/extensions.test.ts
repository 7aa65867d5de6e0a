/** Tests the list of extensions, and that the Console can install, update and drop them. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import type { ExtensionRow } from '../../src/pages/console/extensions/contract.ts';
import { type Backend, type Operator, operator } from './harness.ts';

let backend: Backend;
let owner: Operator;
const projectDir = mkdtempSync(join(tmpdir(), 'plinth-extensions-'));
beforeAll(async () => {
  backend = await createTestBackend({ projectDir });
  owner = await operator(backend);
});
afterAll(async () => {
  await backend?.stop();
  rmSync(projectDir, { recursive: true, force: true });
});

const run = (text: string) => backend.database.pool('postgres').exec(text);
const apply = (change: object, more: object = {}) =>
  owner.call('POST', '/schema/apply', { changes: [change], ...more });
const preview = async (change: object) =>
  (await owner.call('POST', '/schema/preview', { changes: [change] })).body;
const find = async (name: string): Promise<ExtensionRow | undefined> => {
  const { status, body } = await owner.call('GET', '/extensions');
  expect(status).toBe(200);
  return body.extensions.find((row: ExtensionRow) => row.name === name);
};

test('the list contains installed and available extensions, and explains placeholders', async () => {
  expect(await find('uuid-ossp')).toMatchObject({
    installed: { schema: 'extensions', isPlaceholder: false },
    source: 'PostgreSQL',
  });
  expect(await find('vector')).toMatchObject({ source: expect.stringContaining('PyPI') });
  expect(await find('citext')).toMatchObject({ installed: null, schema: null, requires: [], advice: null });
  expect(await find('earthdistance')).toMatchObject({ requires: ['cube'] });
  expect(await find('plpgsql')).toBeUndefined();
  expect(await find('postgis')).toBeUndefined();
  await run('create extension postgis with schema extensions');
  const placeholder = await find('postgis');
  expect(placeholder).toMatchObject({ version: null, installed: { isPlaceholder: true } });
  expect(placeholder?.advice).toContain('--database-url');
  const { body } = await owner.call('GET', '/extensions');
  expect(body.schemas[0]).toBe('extensions');
  expect(body.schemas).toContain('public');
  expect(body.schemas).not.toContain('_plinth');
});

test('an extension is installed with those that it requires, and saved as a migration', async () => {
  const change = {
    kind: 'create_extension',
    extension: 'earthdistance',
    schema: 'geo data',
    cascade: true,
  };
  expect((await preview(change)).statements).toEqual([
    'create schema if not exists "geo data"',
    'create extension "earthdistance" with schema "geo data" cascade',
  ]);
  const { status, body } = await apply(change, { migration: 'distances' });
  expect(status).toBe(200);
  expect(await find('earthdistance')).toMatchObject({ installed: { schema: 'geo data' } });
  expect(await find('cube')).toMatchObject({ installed: { schema: 'geo data' } });
  const [file = ''] = readdirSync(join(projectDir, 'supabase/migrations'));
  expect(body.file).toContain(file);
  expect(readFileSync(join(projectDir, 'supabase/migrations', file), 'utf8')).toContain(
    'create extension "earthdistance"',
  );
});

test('an older version can be updated', async () => {
  await run("create extension pg_trgm with schema extensions version '1.3'");
  expect(await find('pg_trgm')).toMatchObject({ version: '1.6', installed: { version: '1.3' } });
  expect((await apply({ kind: 'update_extension', extension: 'pg_trgm' })).status).toBe(200);
  expect(await find('pg_trgm')).toMatchObject({ installed: { version: '1.6' } });
});

test('before an extension is dropped, its data and the columns that use it are counted', async () => {
  await run(`
    create extension citext with schema extensions;
    create table public.people (id int, name extensions.citext, names extensions.citext[]);
    insert into public.people values (1, 'Ann', '{a,b}'), (2, 'Ben', null);
    create extension pg_cron;
    select cron.schedule('nightly', '0 3 * * *', 'select 1');`);
  const drop = { kind: 'drop_extension', extension: 'citext', cascade: true };
  expect(await preview(drop)).toMatchObject({
    confirm: 'citext',
    warnings: [
      { kind: 'values', on: 'public.people', column: 'name', rows: 2, cascade: true },
      { kind: 'values', on: 'public.people', column: 'names', rows: 1, cascade: true },
    ],
  });
  expect(
    (await preview({ kind: 'drop_extension', extension: 'pg_cron', cascade: false })).warnings,
  ).toContainEqual(expect.objectContaining({ kind: 'rows', on: 'cron.job', rows: 1 }));
  expect((await apply(drop)).status).toBe(400);
  const refused = await apply({ ...drop, cascade: false }, { confirmed: 'citext' });
  expect(refused.status).toBe(422);
  expect(JSON.stringify(refused.body)).toContain('depend');
  expect((await apply(drop, { confirmed: 'citext' })).status).toBe(200);
  expect(await find('citext')).toMatchObject({ installed: null });
  expect(await backend.database.pool('postgres').query(sql`select * from public.people`)).toEqual([
    { id: 1 },
    { id: 2 },
  ]);
});

test('an operator whose role is read-only sees the list but changes nothing', async () => {
  await backend.operators.createOperator('looker', 'read-only');
  const looker = await operator(backend, 'looker');
  expect((await looker.call('GET', '/extensions')).status).toBe(200);
  const change = { kind: 'create_extension', extension: 'citext', schema: 'public', cascade: false };
  expect((await looker.call('POST', '/schema/apply', { changes: [change] })).status).toBe(403);
  expect((await looker.call('POST', '/schema/preview', { changes: [change] })).status).toBe(403);
});
