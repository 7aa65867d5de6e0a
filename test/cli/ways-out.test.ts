/**
 * Tests what users can do on the command line if a project's migrations fail. Users can write the baseline that the
 * error suggests, or use `--keep-going`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeProject } from '../config/project-folder.ts';
import { plinth, type Result } from './run-plinth.ts';

const migration = 'supabase/migrations/20240101000000_policies.sql';

const files = {
  'supabase/config.toml': '[edge_runtime]\nenabled = false\n[realtime]\nenabled = false',
  [migration]: 'create policy "everyone" on public.notes for select using (true);',
  'src/integrations/supabase/types.ts': `
    export type Database = { public: { Tables: { notes: {
      Row: { id: string; title: string }
      Insert: { id?: string; title: string }
      Relationships: []
    } } } }`,
};

/** Starts a detached server that uses free ports. The server is stopped when the test ends. */
async function start(cwd: string, ...args: string[]): Promise<Result> {
  onTestFinished(async () => {
    await plinth(['stop'], { cwd });
  });
  return await plinth(['start', '--detach', '--port', '0', '--json', ...args], { cwd });
}

async function notes({ stdout }: Result): Promise<number> {
  const { REST_URL, ANON_KEY = '' } = JSON.parse(stdout) as Record<string, string>;
  return (await fetch(`${REST_URL}/notes`, { headers: { apikey: ANON_KEY } })).status;
}

test('the error suggests a command that writes a baseline with which the project starts', async () => {
  const cwd = makeProject(files);
  const failed = await start(cwd);
  expect(failed.status).toBe(1);
  const command = /^plinth (db baseline .*)$/m.exec(failed.stderr)?.[1]?.split(' ') ?? [];
  expect(command).toEqual(['db', 'baseline', '--from-types', 'src/integrations/supabase/types.ts']);

  const written = await plinth(command, { cwd });
  expect(written.stdout).toBe('Created supabase/migrations/00000000000000_baseline.sql\n');
  expect(written.status).toBe(0);
  const text = readFileSync(join(cwd, 'supabase/migrations/00000000000000_baseline.sql'), 'utf8');
  expect(text).toContain('create table public.notes');

  const started = await start(cwd);
  expect(started.status).toBe(0);
  expect(await notes(started)).toBe(200);
});

test('a folder without a configuration file can be served', async () => {
  const cwd = makeProject(files);
  expect((await plinth(['db', 'baseline'], { cwd })).stderr).toContain('--from-types FILE is required');
  const missing = await plinth(['db', 'baseline', '--from-types', 'nowhere.ts'], { cwd });
  expect(missing.stderr).toContain("--from-types: the file nowhere.ts doesn't exist");
});

test('with --keep-going, the server runs with the applied statements, and db reset reports a partial schema', async () => {
  const cwd = makeProject({ ...files, [migration]: 'create table notes (id int);\nselect nonsense;' });
  const failed = await start(cwd);
  expect(failed.status).toBe(1);
  expect(failed.stderr).toContain('run "plinth start --keep-going"');
  const started = await start(cwd, '--keep-going');
  expect(started.status).toBe(0);
  expect(started.stderr).toContain('The schema is incomplete: 1 statement of 1 file failed');
  expect(started.stderr).toMatch(
    /20240101000000_policies\.sql:2 {2}select nonsense {2}column "nonsense" does not exist/,
  );
  expect(await notes(started)).toBe(200);
  const diff = await plinth(['db', 'diff'], { cwd });
  expect([diff.status, diff.stdout]).toEqual([0, '']);
  expect(diff.stderr).toContain('No schema changes found');

  const partial = await plinth(['db', 'reset', '--keep-going'], { cwd });
  expect(partial.status).toBe(3);
  expect(partial.stderr).toContain('Finished db reset, but the schema is incomplete.');
  const reset = await plinth(['db', 'reset'], { cwd });
  expect(reset.status).toBe(1);
  expect(reset.stderr).toContain('run "plinth db reset --keep-going"');
  writeFileSync(join(cwd, migration), 'create table notes (id int)');
  const whole = await plinth(['db', 'reset', '--keep-going'], { cwd });
  expect([whole.status, whole.stderr.includes('partial')]).toEqual([0, false]);
});
