/** Tests that `migration squash` creates one file with the same schema and updates the history. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestDatabase } from '../../src/platform/database/testing.ts';
import { makeProject } from '../config/project-folder.ts';
import { plinth } from './run-plinth.ts';
import { type SharedProject, startSharedProject } from './shared-project.ts';

const migrations = {
  'supabase/config.toml': '',
  'supabase/roles.sql': 'create role readers;',
  'supabase/migrations/20260101000000_notes.sql': [
    'create extension if not exists citext with schema extensions;',
    "create type public.mood as enum ('good');",
    'create table public.notes (id bigint generated always as identity primary key, old text, mood public.mood);',
    'alter table public.notes enable row level security;',
    'create role writers;',
    'grant insert on public.notes to writers;',
  ].join('\n'),
  'supabase/migrations/20260102000000_rename.sql': [
    'alter table public.notes rename column old to title;',
    'create policy mine on public.notes for select to authenticated using (true);',
    "insert into storage.buckets (id, name) values ('files', 'files');",
    "create policy files on storage.objects for select using (bucket_id = 'files');",
    'create function public.on_user() returns trigger language plpgsql as $$ begin return new; end $$;',
    'create trigger on_user after insert on auth.users for each row execute function public.on_user();',
  ].join('\n'),
  'supabase/migrations/20260103000000_index.sql':
    'create index notes_title on public.notes (title);\nalter default privileges in schema public grant select on tables to readers;',
};

let project: SharedProject;
beforeAll(async () => {
  project = await startSharedProject(migrations);
});
afterAll(() => project?.stop());

const folder = (cwd: string) => readdirSync(join(cwd, 'supabase/migrations'));
const query = async (text: string) =>
  (await project.run(['db', 'query', text, '-o', 'csv'])).stdout.trim().split('\n').slice(1);

test('squashes up to a version, then everything, and the schema stays the same', async () => {
  const before = await project.run(['db', 'diff']);
  expect(before.stderr).toContain('No schema changes found');

  const partly = await project.run(['migration', 'squash', '--version', '20260102000000']);
  expect(partly.stderr).toContain(
    'Squashed local migrations to supabase/migrations/20260102000000_rename.sql',
  );
  expect([partly.status, partly.stdout]).toEqual([0, 'Finished plinth migration squash.\n']);
  expect(folder(project.cwd)).toEqual(['20260102000000_rename.sql', '20260103000000_index.sql']);
  expect(partly.stderr).toContain(
    " • supabase/migrations/20260102000000_rename.sql:3: insert into storage.buckets (id, name) values ('files', 'files')",
  );
  expect(partly.stderr.match(/^ • supabase/gm)).toHaveLength(1);
  expect(await query('select version from supabase_migrations.schema_migrations order by 1')).toEqual([
    '20260102000000',
    '20260103000000',
  ]);
  expect(readdirSync(join(project.cwd, 'supabase/.temp/squashed-20260102000000'))).toEqual([
    '20260101000000_notes.sql',
    '20260102000000_rename.sql',
  ]);

  const whole = await project.run(['migration', 'squash']);
  expect([whole.status, folder(project.cwd)]).toEqual([0, ['20260103000000_index.sql']]);
  const [list] = (await project.run(['migration', 'list'])).stdout.split('\n').slice(1);
  expect(list).toMatch(/^20260103000000 +20260103000000 /);
  const text = readFileSync(join(project.cwd, 'supabase/migrations/20260103000000_index.sql'), 'utf8');
  for (const part of ['CREATE ROLE "writers"', 'ON storage.objects', 'ON auth.users', 'notes_title'])
    expect(text).toContain(part);
  expect(text).not.toContain('CREATE ROLE "readers"');

  // The running database still contains everything that the original migration files created.
  const after = await project.run(['db', 'diff']);
  expect(after.stderr).toContain('No schema changes found');
  const again = await project.run(['migration', 'squash']);
  expect(again.stderr).toContain('20260103000000_index.sql is already the earliest migration.');
});

test("another database's history is replaced only if it has applied the version", async () => {
  const other = await createTestDatabase('squash');
  const pool = other.database.pool('postgres');
  try {
    await pool.exec(`
      create schema if not exists supabase_migrations;
      create table if not exists supabase_migrations.schema_migrations (version text primary key, statements text[], name text);
      insert into supabase_migrations.schema_migrations (version) values ('1'), ('3')`);
    const history = async () =>
      (
        await pool.query<{ version: string }>(
          sql`select version from supabase_migrations.schema_migrations order by 1`,
        )
      ).map(({ version }) => version);
    const cwd = makeProject({ 'supabase/config.toml': '', 'supabase/migrations/2_b.sql': 'select 2;' });
    const squash = () => plinth(['migration', 'squash', '--db-url', other.database.info.projectUrl], { cwd });
    const lacking = await squash();
    expect([lacking.status, lacking.stderr]).toEqual([0, expect.stringContaining("hasn't applied 2")]);
    expect(await history()).toEqual(['1', '3']);
    await pool.exec("insert into supabase_migrations.schema_migrations (version) values ('2')");
    const updated = await squash();
    expect([updated.status, updated.stderr]).toEqual([
      0,
      expect.stringContaining('Baselining migration history to 2'),
    ]);
    expect(await history()).toEqual(['2', '3']);
  } finally {
    await other.drop();
  }
});

test('a failing migration changes no file', async () => {
  const cwd = makeProject({
    'supabase/config.toml': '',
    'supabase/migrations/1_a.sql': 'create table public.a ();',
    'supabase/migrations/2_b.sql': 'create table public.a ();',
  });
  const { status, stderr } = await plinth(['migration', 'squash'], { cwd });
  expect([status, stderr]).toEqual([1, expect.stringContaining('supabase/migrations/2_b.sql:1')]);
  expect(folder(cwd)).toEqual(['1_a.sql', '2_b.sql']);
  expect(readFileSync(join(cwd, 'supabase/migrations/2_b.sql'), 'utf8')).toBe('create table public.a ();');
});

test.each([
  [['--version', 'x'], 2, '--version: x must consist of digits'],
  [['--version', '9'], 1, "Migration 9 doesn't exist"],
  [[], 1, 'contains no migrations'],
])('%j gets an explanation', async (args, status, reason) => {
  const cwd = makeProject({ 'supabase/config.toml': '' });
  const failed = await plinth(['migration', 'squash', ...args], { cwd });
  expect([failed.status, failed.stderr]).toEqual([status, expect.stringContaining(reason)]);
});
