/** Tests that the Console doesn't follow symbolic links in a project to write or delete files elsewhere. */
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Backend, type Operator, operator, startBackend } from './harness.ts';

const base = mkdtempSync(join(tmpdir(), 'plinth-links-'));
const projectDir = join(base, 'project');
const supabaseDir = join(projectDir, 'supabase');
const elsewhere = join(base, 'elsewhere');
const packages = join(projectDir, 'packages');

let backend: Backend;
let owner: Operator;
beforeAll(async () => {
  for (const folder of [join(supabaseDir, 'functions'), elsewhere, packages])
    mkdirSync(folder, { recursive: true });
  symlinkSync(elsewhere, join(supabaseDir, 'migrations'));
  backend = await startBackend({ projectDir });
  owner = await operator(backend);
});
afterAll(async () => {
  await backend?.stop();
  rmSync(base, { recursive: true });
});

const addColumn = (name: string) =>
  owner.call('POST', '/schema/apply', {
    migration: name,
    changes: [
      {
        kind: 'add_column',
        schema: 'public',
        table: 'tasks',
        column: { name, type: { name: 'text' }, nullable: true },
      },
    ],
  });
const createFunction = (name: string) => owner.call('POST', '/functions', { name });

test('a link without a target isn’t replaced by a new function', async () => {
  const link = join(supabaseDir, 'functions', 'dangling');
  symlinkSync(join(elsewhere, 'missing'), link);
  const { status, body } = await createFunction('dangling');
  expect([status, body.message]).toEqual([
    400,
    'A function with this name already exists. Enter another name.',
  ]);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
});

test('a migration isn’t written outside the project folder', async () => {
  const { status, body } = await addColumn('outside');
  expect([status, body.code, body.hint]).toEqual([
    409,
    'refused',
    expect.stringContaining('allowed_folders'),
  ]);
  expect(readdirSync(elsewhere)).toEqual([]);
  const { body: table } = await owner.call('GET', '/tables/public/tasks');
  expect(table.columns.map(({ name }: { name: string }) => name)).not.toContain('outside');
});

test('a function isn’t created outside the project folder', async () => {
  rmSync(join(supabaseDir, 'functions'), { recursive: true });
  symlinkSync(elsewhere, join(supabaseDir, 'functions'));
  const { status, body } = await createFunction('outside');
  expect([status, body.code, body.hint]).toEqual([
    409,
    'refused',
    expect.stringContaining('allowed_folders'),
  ]);
  expect(readdirSync(elsewhere)).toEqual([]);
});

test('links within the project and to allowed folders work', async () => {
  rmSync(join(supabaseDir, 'functions'));
  symlinkSync(packages, join(supabaseDir, 'functions'));
  expect((await createFunction('inside')).status).toBe(200);
  expect(readdirSync(join(packages, 'inside')).sort()).toEqual(['deno.json', 'index.ts']);
  writeFileSync(join(supabaseDir, 'plinth.toml'), '[files]\nallowed_folders = ["../elsewhere"]\n');
  expect((await owner.call('POST', '/settings/reload')).status).toBe(200);
  expect((await addColumn('allowed')).status).toBe(200);
  expect(readdirSync(elsewhere)).toEqual([expect.stringMatching(/^\d{14}_allowed\.sql$/)]);
});
