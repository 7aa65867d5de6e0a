/** Tests `db pull` and `db diff` with the schema that a running server sends through its link. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { makeProject } from '../config/project-folder.ts';
import { linkProject, tokenOf } from './linked-project.ts';
import { plinth } from './run-plinth.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 60_000 });

/** Objects of kinds that are compared in different ways. */
const schema = `
  create type public.mood as enum ('calm', 'busy');
  create table public.notes (
    id bigint generated always as identity primary key,
    title text not null,
    mood public.mood,
    length int generated always as (char_length(title)) virtual
  );
  comment on table public.notes is 'Notes';
  alter table public.notes alter column title set storage external;
  alter table public.notes enable row level security;
  create policy "Read" on public.notes for select to authenticated using (true);
  create statistics public.by_mood on id, mood from public.notes;
  create text search configuration public.words (copy = pg_catalog.simple);
  create view public.titles as select id, title from public.notes;
  create function public.shout(text) returns text language sql immutable as 'select upper($1)';
`;

let backend: Backend;
let token: string;

beforeAll(async () => {
  backend = await createTestBackend({ sql: schema });
  token = await tokenOf(backend, 'developer');
});
afterAll(() => backend?.stop());

const change = (text: string) => backend.database.pool('postgres').exec(text);

function onlyMigration(cwd: string): { readonly name: string; readonly text: string } {
  const folder = join(cwd, 'supabase/migrations');
  const [name = ''] = readdirSync(folder);
  return { name, text: readFileSync(join(folder, name), 'utf8') };
}

test('the schema is pulled, recorded and compared through the link', async () => {
  const byUrl = makeProject({ 'supabase/config.toml': '' });
  expect(
    (await plinth(['db', 'pull', '--db-url', backend.database.info.projectUrl], { cwd: byUrl })).status,
  ).toBe(0);
  await change('drop schema supabase_migrations cascade');

  const { cwd, run } = await linkProject(backend.console.url, token, {});
  const pulled = await run('db', 'pull');
  expect([pulled.status, pulled.stdout]).toEqual([0, 'Finished db pull.\n']);
  const { name, text } = onlyMigration(cwd);
  expect(text).toBe(onlyMigration(byUrl).text);
  expect((await run('migration', 'list', '--linked')).stdout).toContain(
    `${name.slice(0, 14)}  ${name.slice(0, 14)}`,
  );

  await change('alter table public.notes add column done boolean');
  const diff = await run('db', 'diff', '--linked');
  expect([diff.status, diff.stdout]).toEqual([
    0,
    expect.stringMatching(/^ALTER TABLE "?public"?\."?notes"? ADD COLUMN "?done"? boolean;\s*$/i),
  ]);
  const named = await run('db', 'diff', '--from', 'migrations', '--to', 'linked');
  expect(named.stdout).toBe(diff.stdout);
});

test('a read-only operator can’t read the schema', async () => {
  const reader = await tokenOf(backend, 'read-only');
  const { run } = await linkProject(backend.console.url, reader, {});
  const { status, stderr } = await run('db', 'diff', '--linked');
  expect([status, stderr]).toEqual([1, expect.stringContaining('the role read-only')]);
  expect(stderr).not.toContain('shadow database');
});
