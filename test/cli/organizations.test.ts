/** The command that adds organizations to a project, and the notice for projects without them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { missingOrganizations, organizationsMigration } from '../../src/entry/cli/organizations.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { makeProject } from '../config/project-folder.ts';
import { plinth } from './run-plinth.ts';

test('organizations init writes the migration and the setting once', async () => {
  const cwd = makeProject({ 'supabase/plinth.toml': '# Mine\n[account]\ndeletion = true\n' });
  const first = await plinth(['organizations', 'init'], { cwd });
  expect(first.stderr).toContain('plinth migration up');
  expect(first.status).toBe(0);
  const [name = '', ...others] = readdirSync(join(cwd, 'supabase/migrations'));
  expect(name).toMatch(/^\d{14}_organizations\.sql$/);
  expect(others).toEqual([]);
  expect(readFileSync(join(cwd, 'supabase/migrations', name), 'utf8')).toBe(organizationsMigration());
  const settings = readFileSync(join(cwd, 'supabase/plinth.toml'), 'utf8');
  expect(settings).toBe('# Mine\n[account]\ndeletion = true\norganizations = true\n');
  const second = await plinth(['organizations', 'init'], { cwd });
  expect(second.stdout).toContain('already creates organizations');
  expect(readdirSync(join(cwd, 'supabase/migrations'))).toEqual([name]);
  expect(readFileSync(join(cwd, 'supabase/plinth.toml'), 'utf8')).toBe(settings);
});

test('organizations init leaves invalid settings unchanged', async () => {
  const cwd = makeProject({ 'supabase/plinth.toml': '[account\n' });
  const result = await plinth(['organizations', 'init'], { cwd });
  expect(result.status).toBe(1);
  expect(result.stderr).toContain("plinth.toml isn't valid");
  expect(readFileSync(join(cwd, 'supabase/plinth.toml'), 'utf8')).toBe('[account\n');
  expect(existsSync(join(cwd, 'supabase/migrations'))).toBe(false);
});

test.each([
  ['the setting is on and the tables are missing', true, false, 'Run "plinth organizations init"'],
  ['both are there', true, true, undefined],
  ['the setting is off', false, false, undefined],
])('the notice at the start, if %s', async (_name, organizations, hasTables, notice) => {
  const backend = await createTestBackend({
    config: { plinth: { account: { organizations } } },
    ...(hasTables ? { sql: organizationsMigration() } : {}),
  });
  try {
    const shown = await missingOrganizations(backend);
    if (notice === undefined) expect(shown).toBeUndefined();
    else expect(shown).toContain(notice);
  } finally {
    await backend.stop();
  }
});

test('the migration stops in one sentence if a name is taken', async () => {
  const backend = await createTestBackend({ sql: 'create table public.organizations (id int);' });
  try {
    await expect(backend.database.pool('postgres').exec(organizationsMigration())).rejects.toThrow(
      'The migration for organizations needs names that this database already uses: public.organizations.',
    );
  } finally {
    await backend.stop();
  }
});
