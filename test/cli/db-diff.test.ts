/** Tests `db diff` and `db pull` on the command line: what they compare, print, write and record. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestDatabase, type TestDatabase } from '../../src/platform/database/testing.ts';
import { makeProject } from '../config/project-folder.ts';
import { plinth } from './run-plinth.ts';
import { type SharedProject, startSharedProject } from './shared-project.ts';

const init = 'create table public.notes (id bigint primary key, title text not null);';

let project: SharedProject;
beforeAll(async () => {
  project = await startSharedProject({
    'supabase/config.toml': '',
    'supabase/migrations/20260101000000_init.sql': init,
  });
});
afterAll(() => project?.stop());

const migrations = () => join(project.cwd, 'supabase/migrations');
const change = (text: string) => project.exec(text);

describe('db diff', () => {
  afterEach(async () => {
    await change('alter table public.notes drop column if exists done; drop schema if exists app cascade');
    for (const name of readdirSync(migrations()))
      if (!name.endsWith('_init.sql')) rmSync(join(migrations(), name));
  });

  test('prints the changes that are missing from the migrations, and warns about statements that delete data', async () => {
    await change(
      'alter table public.notes drop column title, add column done boolean not null default false; create schema app; create table app.log (id int)',
    );
    try {
      const all = await project.run(['db', 'diff']);
      expect(all.status).toBe(0);
      expect(all.stdout).toMatch(/ALTER TABLE "?public"?\."?notes"? ADD COLUMN "?done"? boolean/i);
      expect(all.stdout).toMatch(/CREATE TABLE "?app"?\."?log"?/i);
      expect(all.stdout).toMatch(/DROP COLUMN "?title"?/i);
      expect(all.stderr).toContain('Found drop statements in schema diff.');
      const one = await project.run(['db', 'diff', '--schema', 'public', '--local', '--use-migra']);
      expect(one.stdout).toContain('done');
      expect(one.stdout).not.toContain('log');
    } finally {
      await change(
        "alter table public.notes add column title text not null default ''; alter table public.notes alter column title drop default",
      );
    }
  });

  test('writes a migration, which creates the same schema when it is applied, so nothing is printed then', async () => {
    await change('alter table public.notes add column done boolean not null default false');
    const written = await project.run(['db', 'diff', '-f', 'add_done']);
    expect([written.status, written.stdout]).toEqual([0, '']);
    const [, name = ''] = readdirSync(migrations());
    expect(name).toMatch(/^\d{14}_add_done\.sql$/);
    expect(written.stderr).toContain(`Created supabase/migrations/${name}.`);
    expect(written.stderr).toContain(`plinth migration repair --status applied ${name.slice(0, 14)}`);
    const again = await project.run(['db', 'diff']);
    expect([again.status, again.stdout]).toEqual([0, '']);
    expect(again.stderr).toContain('Finished db diff.\n\nNo schema changes found\n');
  });

  test('never writes a migration that fails in a database with the migrations', async () => {
    project.write(
      'supabase/migrations/20260101000001_rows.sql',
      "insert into public.notes values (1, 'one');",
    );
    try {
      await change(
        "insert into supabase_migrations.schema_migrations values ('20260101000001', '{}', 'rows')",
      );
      await change('alter table public.notes add column done boolean not null');
      const before = readdirSync(migrations());
      const written = await project.run(['db', 'diff', '-f', 'add_done']);
      expect([written.status, written.stdout]).toEqual([1, '']);
      expect(written.stderr).toContain('no migration was written');
      expect(written.stderr).toContain('column "done" of relation "notes" contains null values');
      expect(readdirSync(migrations())).toEqual(before);
      const printed = await project.run(['db', 'diff']);
      expect([printed.status, printed.stdout]).toEqual([0, expect.stringMatching(/ADD COLUMN "?done"?/i)]);
    } finally {
      await change("delete from supabase_migrations.schema_migrations where version = '20260101000001'");
    }
  });

  test('writes renames and new enum values as one migration that can be applied', async () => {
    const kind = `create type public.kind as enum ('a'); alter table public.notes add done public.kind default 'a';`;
    await change(kind);
    project.write('supabase/migrations/20260101000001_kind.sql', kind);
    try {
      await change(
        "insert into supabase_migrations.schema_migrations values ('20260101000001', '{}', 'kind')",
      );
      await change("alter type public.kind add value 'b'; alter table public.notes rename title to name");
      await change("alter table public.notes alter column done set default 'b'");
      const rename = ['--rename', 'public.notes.title=public.notes.name'];
      const written = await project.run(['db', 'diff', '-f', 'rename', ...rename]);
      expect(written.status).toBe(0);
      const again = await project.run(['db', 'diff']);
      expect([again.stdout, again.stderr]).toEqual(['', expect.stringContaining('No schema changes found')]);
    } finally {
      await change(
        'alter table public.notes rename name to title; alter table public.notes drop column done',
      );
      await change('drop type public.kind');
      await change("delete from supabase_migrations.schema_migrations where version = '20260101000001'");
    }
  });

  test('writes statements for the PostgreSQL version of the hosted project', async () => {
    await change(
      'create schema app; create table app.log (id int); grant all on app.log to anon; revoke select on app.log from anon',
    );
    const usual = await project.run(['db', 'diff']);
    expect(usual.stdout).toContain('GRANT DELETE, INSERT, MAINTAIN, REFERENCES');
    project.write('supabase/config.toml', '[db]\nmajor_version = 15\n');
    const older = await project.run(['db', 'diff']);
    project.write('supabase/config.toml', '');
    expect(older.stdout).toContain('GRANT DELETE, INSERT, REFERENCES');
    expect(older.stdout).not.toContain('MAINTAIN');
  });

  test('--from and --to compare any two databases', async () => {
    await change('create schema app; create table app.log (id int)');
    const forth = await project.run(['db', 'diff', '--from', 'migrations', '--to', 'local']);
    expect(forth.stdout).toMatch(/CREATE TABLE "?app"?\."?log"?/i);
    const { DB_URL = '' } = project.status;
    const back = await project.run([
      'db',
      'diff',
      '--from',
      DB_URL,
      '--to',
      'migrations',
      '--output',
      'back.sql',
    ]);
    expect([back.status, back.stdout]).toEqual([0, '']);
    expect(readFileSync(join(project.cwd, 'back.sql'), 'utf8')).toMatch(/DROP (TABLE|SCHEMA) "?app"?/i);
  });

  test('compares declarative schema files if the project has any', async () => {
    project.write('supabase/schemas/notes.sql', `${init}\ncreate table public.tags (name text primary key);`);
    try {
      const { stdout, stderr } = await project.run(['db', 'diff']);
      expect(stderr).toContain('• supabase/schemas/notes.sql');
      expect(stdout).toMatch(/CREATE TABLE "?public"?\."?tags"?/i);
    } finally {
      rmSync(join(project.cwd, 'supabase/schemas'), { recursive: true });
    }
  });

  test.each([
    [['--from', 'local'], '--from and --to can only be used together'],
    [['--output', 'x.sql'], '--output can only be used with --from and --to'],
    [['--local', '--linked'], "can't be used together"],
    [['--from', 'nowhere', '--to', 'local'], 'nowhere must be local, linked, migrations, or a URL'],
  ])('%j is rejected', async (args, reason) => {
    const failed = await project.run(['db', 'diff', ...args]);
    expect([failed.status, failed.stdout, failed.stderr]).toEqual([2, '', expect.stringContaining(reason)]);
  });
});

describe('db pull', () => {
  let other: TestDatabase;
  let url: string;
  beforeAll(async () => {
    other = await createTestDatabase('pull');
    url = other.database.info.projectUrl;
    await other.database.pool('postgres').exec(`
      create table public.notes (id bigint primary key, title text not null);
      create view public.titles as select title from public.notes`);
  });
  afterAll(() => other?.drop());

  const history = async () =>
    (
      await other.database
        .pool('postgres')
        .query<{ version: string }>(sql`select version from supabase_migrations.schema_migrations order by 1`)
    ).map(({ version }) => version);

  test('writes the whole schema first, then only changes, and records both', async () => {
    const cwd = makeProject({ 'supabase/config.toml': '' });
    const folder = join(cwd, 'supabase/migrations');
    const pull = (...args: string[]) => plinth(['db', 'pull', '--db-url', url, ...args], { cwd });
    const first = await pull();
    expect([first.status, first.stdout]).toEqual([0, 'Finished db pull.\n']);
    const [name = ''] = readdirSync(folder);
    expect(name).toMatch(/^\d{14}_remote_schema\.sql$/);
    expect(first.stderr).toContain(`Schema written to supabase/migrations/${name}`);
    const text = readFileSync(join(folder, name), 'utf8');
    expect(text).toMatch(/CREATE TABLE "?public"?\."?notes"?/i);
    expect(text).toMatch(/CREATE (OR REPLACE )?VIEW "?public"?\."?titles"?/i);
    expect(await history()).toEqual([name.slice(0, 14)]);

    const none = await pull('again');
    expect([none.status, none.stderr]).toEqual([1, expect.stringContaining('No schema changes found')]);
    expect(readdirSync(folder)).toEqual([name]);

    await other.database.pool('postgres').exec('alter table public.notes add column done boolean');
    const second = await pull('add_done', '--schema', 'public');
    expect(second.status).toBe(0);
    const added = readdirSync(folder).find((entry) => entry.endsWith('_add_done.sql')) ?? '';
    expect(readFileSync(join(folder, added), 'utf8')).toMatch(/ADD COLUMN "?done"? boolean/i);
    expect(await history()).toEqual([name.slice(0, 14), added.slice(0, 14)].sort());

    // The migration files on their own create the same schema.
    const check = await plinth(['db', 'diff', '--db-url', url], { cwd });
    expect([check.stdout, check.stderr]).toEqual(['', expect.stringContaining('No schema changes found')]);
  });

  test('rejects a history that the files do not match', async () => {
    const cwd = makeProject({
      'supabase/config.toml': '',
      'supabase/migrations/20250101000000_local.sql': 'select 1;',
    });
    const { status, stderr } = await plinth(['db', 'pull', '--db-url', url], { cwd });
    expect(status).toBe(1);
    expect(stderr).toContain('does not match local files');
    expect(stderr).toContain('plinth migration repair --status applied 20250101000000');
    for (const version of await history())
      expect(stderr).toContain(`plinth migration repair --status reverted ${version}`);
    expect(readdirSync(join(cwd, 'supabase/migrations'))).toHaveLength(1);
  });

  test('requires a linked database unless another one is given', async () => {
    const cwd = makeProject({ 'supabase/config.toml': '' });
    const { status, stderr } = await plinth(['db', 'pull'], { cwd });
    expect([status, stderr]).toEqual([1, expect.stringContaining('No server or database is linked.')]);
    expect(existsSync(join(cwd, 'supabase/migrations'))).toBe(false);
  });
});
