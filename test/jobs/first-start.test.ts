/** Tests that migrations of a first start can call database functions that ask the server process. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type Backend, createBackend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { killEverything, temporaryFolder } from '../database/helpers.ts';
import { openTarget, type Target } from './target.ts';

let folder: ReturnType<typeof temporaryFolder>;
let target: Target;
let backend: Backend | undefined;

beforeEach(async () => {
  folder = temporaryFolder();
  target = await openTarget();
  const migrations = join(folder.path, 'supabase', 'migrations');
  mkdirSync(migrations, { recursive: true });
  writeFileSync(
    join(migrations, '20260101000000_questions.sql'),
    `create extension pg_graphql;
     create extension http with schema extensions;
     create table public.note (id int primary key);
     create table public.answers (of text, value text);
     insert into public.answers values
       ('http', (select status from extensions.http_get('${target.url}/hello'))),
       ('graphql', graphql.resolve('{ noteCollection { edges { node { id } } } }'));
     do $$ begin
       perform extensions.http_get('http://kong:8000/rest/v1/');
     exception when others then
       insert into public.answers values ('own', sqlerrm);
     end $$;`,
  );
});
afterEach(async () => {
  await backend?.stop();
  backend = undefined;
  await target.close();
  killEverything(folder.path);
  folder.remove();
});

const expectAnswers = async ({ database }: Backend): Promise<void> => {
  const rows = await database.pool('postgres').query(sql`select of, value from public.answers order by of`);
  expect(rows).toEqual([
    { of: 'graphql', value: '{"data": {"noteCollection": {"edges": []}}}' },
    { of: 'http', value: '200' },
    { of: 'own', value: expect.stringContaining("doesn't accept requests until its migrations have run") },
  ]);
};

test('in the template of a test backend', async () => {
  backend = await createTestBackend({ projectDir: folder.path });
  await expectAnswers(backend);
});

test('in a new data folder', async () => {
  backend = await createBackend({
    projectDir: folder.path,
    dataDir: join(folder.path, '.plinth'),
    durable: false,
    ...{ port: 0, dbPort: 0, consolePort: 0, mailPort: 0 },
  });
  await backend.start();
  await expectAnswers(backend);
});
