/** Tests the branch commands with a running server: creating, selecting, comparing, merging and deleting a branch. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { plinth, plinthInHook } from './run-plinth.ts';

const cwd = mkdtempSync(join(tmpdir(), 'plinth-branch-cli-'));

beforeAll(async () => {
  mkdirSync(join(cwd, 'supabase', 'migrations'), { recursive: true });
  writeFileSync(join(cwd, 'supabase', 'config.toml'), 'project_id = "branch-cli"\n');
  writeFileSync(
    join(cwd, 'supabase', 'migrations', '20260101000000_notes.sql'),
    'create table public.notes (id int primary key);',
  );
  const { status, stderr } = await plinthInHook(['start', '--detach', '--port', '0'], { cwd });
  expect(status, stderr).toBe(0);
});
afterAll(async () => {
  await plinthInHook(['stop'], { cwd });
  rmSync(cwd, { recursive: true, force: true, maxRetries: 5 });
});

/** Runs a command that must succeed. */
async function run(...args: string[]) {
  const result = await plinth(args, { cwd });
  expect(result.status, result.stderr).toBe(0);
  return result;
}

test('a branch is created, selected, changed, merged and deleted', async () => {
  const created = await run('branch', 'create', 'try', '--switch', '-o', 'json');
  const [branch] = JSON.parse(created.stdout);
  expect(branch).toMatchObject({ name: 'try', with_data: true });
  expect((await run('branch', 'list')).stdout).toMatch(/\* try/);
  const environment = (await run('branch', 'get', 'try', '-o', 'env')).stdout;
  expect(environment).toContain(`API_URL="${branch.api_url}"`);

  await run('secrets', 'set', 'TEST_KEY=1');
  expect((await run('secrets', 'list')).stdout).toContain('TEST_KEY');
  await run('branch', 'switch', 'main');
  expect((await run('secrets', 'list')).stdout).not.toContain('TEST_KEY');

  const databaseUrl = /DB_URL="(.+)"/.exec(environment)?.[1] ?? '';
  await run('db', 'query', 'create table public.extra (id int primary key)', '--db-url', databaseUrl);
  expect((await run('branch', 'diff', 'try')).stdout).toContain('CREATE TABLE "public"."extra"');
  const unmerged = await run('branch', 'merge', 'try', '--yes');
  expect(unmerged.stderr).toContain('no migration contains');

  const file = join(cwd, 'supabase', 'migrations', '20260102000000_moods.sql');
  writeFileSync(file, 'create table public.moods (id int primary key);');
  await run('db', 'push', '--db-url', databaseUrl, '--yes');
  rmSync(file);
  const dry = await run('branch', 'merge', 'try', '--dry-run');
  expect(dry.stdout).toContain('create table public.moods');
  await run('branch', 'merge', 'try', '--yes');
  expect(readdirSync(join(cwd, 'supabase', 'migrations'))).toContain('20260102000000_moods.sql');
  await run('branch', 'delete', 'try', '--yes');
  expect((await run('branch', 'list')).stdout).not.toContain('try');
});

test.each([
  [['branch', 'create'], 2, 'The name of a branch is required'],
  [['branch', 'create', 'main'], 1, 'reserved'],
  [['branch', 'delete', 'nothing', '--yes'], 1, 'Branch not found'],
  [['branch', 'create', 'x', '--with-data', '--without-data'], 2, "can't be used together"],
])('%j fails with advice', async (args, status, message) => {
  const result = await plinth(args, { cwd });
  expect([result.status, result.stderr]).toEqual([status, expect.stringContaining(message)]);
});
