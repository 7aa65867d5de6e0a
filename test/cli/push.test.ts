/** Tests `link`, `unlink` and `db push` with a database other than the project's own database. */
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestDatabase, type TestDatabase } from '../../src/platform/database/testing.ts';
import { makeProject } from '../config/project-folder.ts';
import { plinth } from './run-plinth.ts';

const ref = 'abcdefghijklmnopqrst';
let other: TestDatabase;
let url: string;
let cwd: string;

beforeAll(async () => {
  other = await createTestDatabase('push');
  url = other.database.info.projectUrl;
});
afterAll(() => other?.drop());
beforeEach(async () => {
  await other.database
    .pool('postgres')
    .exec(
      'drop schema if exists supabase_migrations cascade; drop table if exists public.a, public.b cascade',
    );
  cwd = makeProject({
    'supabase/config.toml': '[db.seed]\nenabled = true\nsql_paths = ["./seed.sql"]\n',
    'supabase/migrations/20260101000000_a.sql': 'create table public.a (id int primary key);',
    'supabase/migrations/20260102000000_b.sql':
      'create table public.b (id int);\ncreate index concurrently b_id on public.b (id);\nalter table public.b add column c text;',
    'supabase/seed.sql': 'insert into public.a values (1);',
    'supabase/roles.sql': 'alter role postgres set statement_timeout to default;',
  });
});

const tables = async () =>
  (
    await other.database
      .pool('postgres')
      .query<{ name: string }>(
        sql`select relname::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relname in ('a', 'b') order by 1`,
      )
  ).map(({ name }) => name);

describe('db push', () => {
  test('applies pending files, including one with several steps, and a second push changes nothing', async () => {
    const dry = await plinth(['db', 'push', '--db-url', url, '--dry-run'], { cwd });
    expect([dry.status, dry.stderr]).toEqual([
      0,
      expect.stringContaining('• supabase/migrations/20260102000000_b.sql'),
    ]);
    expect(dry.stderr).not.toContain(`:${new URL(url).password}@`);
    expect(await tables()).toEqual([]);

    const first = await plinth(['db', 'push', '--db-url', url], { cwd });
    expect([first.status, first.stdout]).toEqual([0, 'Finished db push.\n']);
    expect(first.stderr).toContain('Applying migration 20260101000000_a.sql...');
    expect(await tables()).toEqual(['a', 'b']);

    const again = await plinth(['db', 'push', '--db-url', url], { cwd });
    expect([again.status, again.stdout, again.stderr]).toEqual([0, 'Remote database is up to date.\n', '']);
  });

  test('applies roles first and seeds last if requested, and each seed once', async () => {
    const all = ['db', 'push', '--db-url', url, '--include-seed', '--include-roles', '--yes'];
    const first = await plinth(all, { cwd });
    expect([first.status, first.stderr.match(/^\w+ing .*/gm)]).toEqual([
      0,
      [
        'Creating roles from supabase/roles.sql...',
        'Applying migration 20260101000000_a.sql...',
        'Applying migration 20260102000000_b.sql...',
        'Seeding data from supabase/seed.sql...',
      ],
    ]);
    const again = await plinth(['db', 'push', '--db-url', url, '--include-seed'], { cwd });
    expect(again.stdout).toBe('Remote database is up to date.\n');
  });

  test('reports the file, line and statement of an error, and keeps what was applied', async () => {
    writeFileSync(
      join(cwd, 'supabase/migrations/20260102000000_b.sql'),
      'select 1;\nselect * from public.nowhere;',
    );
    const failed = await plinth(['db', 'push', '--db-url', url], { cwd });
    expect([failed.status, failed.stderr]).toEqual([1, expect.stringMatching(/_b\.sql:2[\s\S]*nowhere/)]);
    expect(await tables()).toEqual(['a']);
    const older = join(cwd, 'supabase/migrations/20251231000000_older.sql');
    writeFileSync(older, 'create table public.b (id int);');
    rmSync(join(cwd, 'supabase/migrations/20260102000000_b.sql'));
    const refused = await plinth(['db', 'push', '--db-url', url], { cwd });
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('--include-all')]);
    expect((await plinth(['db', 'push', '--db-url', url, '--include-all'], { cwd })).status).toBe(0);
    expect(await tables()).toEqual(['a', 'b']);
  });

  test('uses the linked database, with a password from the environment if the link doesn’t contain one', async () => {
    const unlinked = await plinth(['db', 'push'], { cwd });
    expect([unlinked.status, unlinked.stderr]).toEqual([
      1,
      expect.stringContaining('No server or database is linked.'),
    ]);
    const bare = new URL(url);
    const { password } = bare;
    bare.password = '';
    expect((await plinth(['link', '--db-url', bare.href], { cwd })).status).toBe(0);
    const pushed = await plinth(['db', 'push', '--linked'], { cwd, env: { SUPABASE_DB_PASSWORD: password } });
    expect([pushed.status, pushed.stdout]).toEqual([0, 'Finished db push.\n']);
  });

  test('rejects two targets', async () => {
    expect((await plinth(['db', 'push', '--linked', '--local'], { cwd })).status).toBe(2);
  });
});

describe('link', () => {
  test('stores a URL in a file that only its owner can read, and never shows the password', async () => {
    const linked = await plinth(['link', '--db-url', 'postgresql://app:s3cret@db.example/app'], { cwd });
    expect([linked.status, linked.stdout, linked.stderr]).toEqual([
      0,
      'Finished link.\n',
      'Linked to postgresql://app@db.example/app.\n',
    ]);
    const file = join(cwd, '.plinth/link.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(existsSync(join(cwd, 'supabase/.temp/project-ref'))).toBe(false);
  });

  test('stores a hosted project where upstream’s CLI does, and unlink removes it', async () => {
    const linked = await plinth(['link', '--project-ref', ref, '-p', 'secret', '--skip-pooler'], { cwd });
    expect(linked.status).toBe(0);
    expect(readFileSync(join(cwd, 'supabase/.temp/project-ref'), 'utf8')).toBe(ref);
    expect(readFileSync(join(cwd, '.plinth/link.json'), 'utf8')).not.toContain('secret');
    expect((await plinth(['unlink'], { cwd })).stderr).toBe('Finished unlink.\n');
    expect(existsSync(join(cwd, 'supabase/.temp/project-ref'))).toBe(false);
    const again = await plinth(['unlink'], { cwd });
    expect([again.status, again.stderr]).toEqual([0, 'No server or database was linked.\n']);
  });

  test.each([
    [[], 'No database was linked. Specify a database'],
    [['--project-ref', 'evil.example/#'], "isn't a project ref"],
    [['--db-url', 'nonsense'], 'No database was linked. --db-url:'],
  ])('%j succeeds in scripts', async (args, text) => {
    const { status, stderr } = await plinth(['link', ...args], { cwd });
    expect([status, stderr]).toEqual([0, expect.stringContaining(text)]);
    expect(existsSync(join(cwd, '.plinth/link.json'))).toBe(false);
  });
});
