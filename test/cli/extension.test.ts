/** Tests the commands that list extensions, and that write migrations which create and drop them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { missingPack } from '../support/packs.ts';
import { type SharedProject, startSharedProject } from './shared-project.ts';

let project: SharedProject;
beforeAll(async () => {
  project = await startSharedProject({ 'supabase/config.toml': '' });
});
afterAll(() => project?.stop());

interface Listed {
  readonly name: string;
  readonly installed: string | null;
  readonly schema: string | null;
  readonly source: string;
}

async function listed(name: string): Promise<Listed | undefined> {
  const { status, stdout } = await project.run(['extension', 'list', '-o', 'json']);
  expect(status).toBe(0);
  return (JSON.parse(stdout) as Listed[]).find((each) => each.name === name);
}

const migrations = (): string[] => readdirSync(join(project.cwd, 'supabase', 'migrations')).sort();

/** Runs a command that writes a migration, and returns the migration's text. */
async function written(...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await project.run(['extension', ...args]);
  expect(status, stderr).toBe(0);
  const file = migrations().find((name) => stdout.includes(name));
  return readFileSync(join(project.cwd, 'supabase', 'migrations', file ?? ''), 'utf8');
}

async function apply(): Promise<void> {
  const { status, stderr } = await project.run(['migration', 'up']);
  expect(status, stderr).toBe(0);
}

test('an extension is added and removed with migrations', async () => {
  expect(await listed('citext')).toMatchObject({ source: 'PostgreSQL' });
  expect(await written('add', 'citext')).toBe(
    'create extension if not exists "citext" with schema "extensions";\n',
  );
  await apply();
  expect(await listed('citext')).toMatchObject({ installed: expect.any(String), schema: 'extensions' });
  const { stdout } = await project.run(['extension', 'list']);
  expect(stdout).toMatch(/^citext +\S+ +\S+ +extensions +PostgreSQL$/m);
  expect(await written('remove', 'citext')).toBe('drop extension if exists "citext";\n');
  await apply();
  expect(await listed('citext')).toMatchObject({ installed: null, schema: null });
});

test('extensions that are added in the same second are created, too', async () => {
  for (const name of ['hstore', 'ltree', 'isn']) await written('add', name);
  const versions = migrations().map((name) => name.split('_')[0]);
  expect(new Set(versions).size).toBe(versions.length);
  await apply();
  for (const name of ['hstore', 'ltree', 'isn'])
    expect(await listed(name)).toMatchObject({ schema: 'extensions' });
});

test('the schema can be chosen, unless the extension has a fixed one', async () => {
  expect(await written('add', 'cube', '--schema', 'public')).toBe(
    'create extension if not exists "cube" with schema "public";\n',
  );
  expect(await written('add', 'pgmq')).toBe('create extension if not exists "pgmq";\n');
  await apply();
  expect(await listed('pgmq')).toMatchObject({ schema: 'pgmq', source: 'Plinth' });
});

test.skipIf(await missingPack('vector'))('a pack is named as the source', async () => {
  await written('add', 'vector');
  await apply();
  expect(await listed('vector')).toMatchObject({
    installed: '0.8.6',
    source: expect.stringContaining('PyPI'),
  });
});

test.each([
  [[], 'The name of an extension is required'],
  [['pgvector'], 'The extension of pgvector is named vector'],
  [['"x"; drop table y'], "isn't the name of an extension"],
])('%j is rejected', async (names, message) => {
  const before = migrations();
  const { status, stderr } = await project.run(['extension', 'add', ...names]);
  expect(status).not.toBe(0);
  expect(stderr).toContain(message);
  expect(migrations()).toEqual(before);
});
