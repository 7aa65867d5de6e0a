/**
 * Tests that the Migrations page finds changes to the schema that no migration contains, and saves them as a migration.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestBackend } from '../../src/entry/testing.ts';
import { launchBrowser } from '../web/browser.ts';
import { withStates } from '../web/states.ts';
import { type Backend, type Operator, operator } from './harness.ts';
import { expectSound, signedIn } from './page-helpers.ts';

const projectDir = mkdtempSync(join(tmpdir(), 'plinth-drift-test-'));
const folder = join(projectDir, 'supabase', 'migrations');
let backend: Backend;
let browser: Browser;
let owner: Operator;

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(projectDir, 'supabase', 'config.toml'), 'project_id = "drift"\n');
  writeFileSync(
    join(folder, '20260101000000_first.sql'),
    'create table public.notes (id int primary key);\nalter table public.notes enable row level security;\n',
  );
  backend = await createTestBackend({ projectDir });
  browser = await launchBrowser();
  owner = await operator(backend);
  await backend.operators.createOperator('looker', 'read-only');
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
  rmSync(projectDir, { recursive: true, force: true });
});

const check = async (who = owner) => who.call('POST', '/migrations/drift');

test('a change that no migration contains is shown and becomes an applied migration', {
  ...withStates,
  timeout: 120_000,
}, async () => {
  await backend.database.pool('postgres').exec(`
    alter table public.notes add column body text default 'x;y';
    create policy "Anyone; can read" on public.notes for select using (true)`);

  const { page, complaints, go, close } = await signedIn(browser, backend);
  await go('/migrations');
  await page.getByRole('button', { name: 'Check for drift' }).press('Enter');
  const panel = page.getByRole('dialog', { name: 'Drift' });
  const statements = panel.getByRole('region', { name: 'SQL of the changes' });
  await statements.getByText(/CREATE POLICY "Anyone; can read"/i).waitFor({ timeout: 60_000 });
  await expectSound(page, 'drift');
  const name = panel.getByRole('textbox', { name: 'File name' });
  await name.fill('Not a name');
  expect(await panel.getByRole('button', { name: 'Save as a migration file' }).isDisabled()).toBe(true);
  await name.fill('notes_body');
  await name.press('Enter');
  await panel.getByText(/Saved as supabase\/migrations\/\d{14}_notes_body\.sql/).waitFor();
  expect(complaints.list).toEqual([]);
  await close();

  const file = readdirSync(folder).find((each) => each.endsWith('_notes_body.sql')) ?? '';
  expect(readFileSync(join(folder, file), 'utf8')).toMatch(/"?body"? text[\s\S]*Anyone; can read/i);
  const { body } = await owner.call('GET', '/migrations');
  expect(body.migrations.map(({ name: each, state }: Record<string, string>) => [each, state])).toEqual([
    ['first', 'applied'],
    ['notes_body', 'applied'],
  ]);
  expect((await check()).body).toEqual({ sql: '', problem: null });
});

test('only reviewed and current statements are saved, and only operators with write permission can compare', async () => {
  const stale = await owner.call('POST', '/migrations/drift/save', {
    name: 'x',
    sql: 'drop table public.notes;',
  });
  expect([stale.status, stale.body.code]).toEqual([409, 'refused']);
  const path = await owner.call('POST', '/migrations/drift/save', { name: '../x', sql: 'select 1' });
  expect(path.status).toBe(400);
  const looker = await operator(backend, 'looker');
  expect((await check(looker)).status).toBe(403);
  writeFileSync(join(folder, '29990101000000_pending.sql'), 'select 1;\n');
  expect((await check()).body.message).toBe('Apply the pending migrations first.');
});
