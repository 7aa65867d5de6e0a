/**
 * Tests that the Migrations page finds differences between the database and the migrations, shows them by object, and
 * saves them as a migration, and that migrations can be reverted and squashed.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createTestBackend } from '../../src/entry/testing.ts';
import { launchBrowser } from '../web/browser.ts';
import { pageStates } from '../web/states.ts';
import { type Backend, type Operator, operator } from './harness.ts';
import { expectSound, looks, signedIn } from './page-helpers.ts';

/** A comparison starts a PostgreSQL server, which takes long on a busy machine. */
const slow = { timeout: 600_000 };
const waiting = { timeout: 240_000 };

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
});

interface Project {
  readonly backend: Backend;
  readonly owner: Operator;
  readonly looker: Operator;
  readonly folder: string;
}

/** Starts a project with two migrations. */
async function start(): Promise<Project> {
  const projectDir = mkdtempSync(join(tmpdir(), 'plinth-drift-test-'));
  const folder = join(projectDir, 'supabase', 'migrations');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(projectDir, 'supabase', 'config.toml'), 'project_id = "drift"\n');
  writeFileSync(
    join(folder, '20260101000000_first.sql'),
    'create table public.notes (id int primary key);\nalter table public.notes enable row level security;\n',
  );
  writeFileSync(join(folder, '20260102000000_second.sql'), 'create table public.dropped (id int);\n');
  const backend = await createTestBackend({ projectDir });
  onTestFinished(async () => {
    await backend.stop();
    rmSync(projectDir, { recursive: true, force: true });
  });
  await backend.operators.createOperator('looker', 'read-only');
  return { backend, owner: await operator(backend), looker: await operator(backend, 'looker'), folder };
}

const change = ({ backend }: Project) =>
  backend.database.pool('postgres').exec(`
    alter table public.notes add column body text default 'x;y';
    create policy "Anyone; can read" on public.notes for select using (true);
    create function public.secret() returns text language sql as $$ select 'hidden-in-body' $$;
    create function public.hook() returns trigger language plpgsql as $$ begin return new; end $$;
    create trigger hooked after insert on public.notes for each row execute function public.hook('hidden-argument');
    drop table public.dropped`);

const filesOf = (folder: string): string[] =>
  readdirSync(folder)
    .filter((each) => each.endsWith('.sql'))
    .sort();

test(
  'differences are listed by object in both directions, and read-only operators see no secrets',
  slow,
  async () => {
    const project = await start();
    const { owner, looker } = project;
    expect((await owner.call('GET', '/migrations/drift')).body).toEqual({ running: null, last: null });
    expect((await looker.call('POST', '/migrations/drift')).status).toBe(403);
    await change(project);

    const comparing = owner.call('POST', '/migrations/drift');
    await expect
      .poll(async () => (await looker.call('GET', '/migrations/drift')).body.running?.step, waiting)
      .toEqual(expect.stringMatching(/server|migrations|compare|check/));
    const second = await owner.call('POST', '/migrations/drift');
    expect([second.status, second.body.code]).toEqual([429, 'busy']);
    const { status, body } = await comparing;
    expect(status, JSON.stringify(body)).toBe(200);
    const shown = body.objects.map((each: Record<string, unknown>) => [each.change, each.kind, each.name]);
    expect(shown.toSorted()).toEqual([
      ['added', 'function', 'public.hook'],
      ['added', 'function', 'public.secret'],
      ['changed', 'table', 'public.notes'],
      ['removed', 'table', 'public.dropped'],
    ]);
    const find = (name: string, from = body) =>
      from.objects.find((each: { name: string }) => each.name === name);
    const notes = find('public.notes');
    expect(notes.files).toEqual(['supabase/migrations/20260101000000_first.sql']);
    expect(notes.lines).toContainEqual({
      kind: 'added',
      text: expect.stringMatching(/"body" text DEFAULT 'x;y'/),
    });
    expect(notes.undo).toContain('DROP COLUMN "body"');
    expect(notes.undoLosesData).toBe(true);
    const dropped = find('public.dropped');
    expect(dropped.lines.every(({ kind }: { kind: string }) => kind === 'removed')).toBe(true);
    expect([dropped.sql, dropped.undo]).toEqual([
      expect.stringContaining('DROP TABLE'),
      expect.stringContaining('CREATE TABLE'),
    ]);
    expect([body.problem, body.canUndo]).toEqual([null, true]);

    const { last } = (await looker.call('GET', '/migrations/drift')).body;
    expect(find('public.notes', last).lines).toContainEqual({
      kind: 'added',
      text: expect.stringContaining('EXECUTE FUNCTION public.hook(…);'),
    });
    expect(find('public.secret', last).lines).toBeNull();
    expect(JSON.stringify(last)).not.toContain('hidden-');
    expect(last.sql).toBeNull();
  },
);

test(
  'with the keyboard, differences become a migration with a down script, which can be reverted',
  slow,
  async () => {
    const project = await start();
    const { backend, owner, looker, folder } = project;
    await change(project);
    const { page, complaints, go, close } = await signedIn(browser, backend);
    await go('/migrations');
    await page.getByRole('button', { name: 'Check for drift' }).press('Enter');
    const panel = page.getByRole('dialog', { name: 'Drift' });
    await panel.getByRole('button', { name: 'Compare' }).press('Enter');
    await panel.getByText('4 objects differ from the migrations.').waitFor(waiting);
    await panel
      .getByRole('region', { name: 'Differences in table public.notes' })
      .getByText('CREATE POLICY "Anyone; can read"')
      .waitFor();
    const name = panel.getByRole('textbox', { name: 'File name' });
    await name.fill('Not a name');
    expect(await panel.getByRole('button', { name: 'Save as a migration file' }).isDisabled()).toBe(true);
    await name.fill('notes_body');
    await panel.getByRole('checkbox', { name: 'Also save a down script' }).press('Space');
    await name.press('Enter');
    await panel.getByText(/Saved as supabase\/migrations\/\d{14}_notes_body\.sql/).waitFor(waiting);
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });

    const file = filesOf(folder).find((each) => each.endsWith('_notes_body.sql')) ?? '';
    const version = file.slice(0, 14);
    expect(readFileSync(join(folder, file), 'utf8')).toMatch(/"?body"? text[\s\S]*Anyone; can read/i);
    expect(readFileSync(join(folder, 'down', file), 'utf8')).toContain('CREATE TABLE "public"."dropped"');
    const { body } = await owner.call('GET', '/migrations');
    expect(body.migrations.at(-1)).toMatchObject({ version, state: 'applied', hasDown: true });
    const early = await owner.call('POST', '/migrations/revert', { version: '20260101000000' });
    expect([early.status, early.body.message]).toEqual([409, expect.stringContaining('newest')]);
    expect((await looker.call('POST', '/migrations/revert', { version })).status).toBe(403);

    await page.getByRole('button', { name: `Open ${version} notes_body` }).press('Enter');
    await page.getByRole('region', { name: 'Down script' }).waitFor();
    await page.getByRole('button', { name: 'Revert with the down script' }).press('Enter');
    const question = page.getByRole('dialog', { name: `Revert with the down script: ${version}` });
    await question.getByRole('textbox').fill(version);
    await question.getByRole('textbox').press('Enter');
    await question.waitFor({ state: 'detached', ...waiting });
    const after = (await owner.call('GET', '/migrations')).body.migrations;
    expect(after.at(-1)).toMatchObject({ version, state: 'pending' });
    expect(complaints.list).toEqual([]);
    await close();

    rmSync(join(folder, file));
    expect((await owner.call('POST', '/migrations/drift')).body).toMatchObject({ objects: [], sql: '' });
  },
);

test('a failed down script changes nothing', slow, async () => {
  const { owner, folder } = await start();
  mkdirSync(join(folder, 'down'));
  writeFileSync(
    join(folder, 'down', '20260102000000_second.sql'),
    'drop table public.dropped;\nselect 1 / 0;\n',
  );
  const failed = await owner.call('POST', '/migrations/revert', { version: '20260102000000' });
  expect([failed.status, failed.body.message]).toEqual([409, expect.stringContaining('division by zero')]);
  expect((await owner.call('GET', '/migrations')).body.migrations.at(-1).state).toBe('applied');
  expect((await owner.call('GET', '/migrations/20260102000000')).body.down).toContain('select 1 / 0');
});

test('migrations are squashed into one file with copies of the originals', slow, async () => {
  const { owner, looker, folder } = await start();
  writeFileSync(join(folder, '20260103000000_third.sql'), 'insert into public.notes values (1);\n');
  const pending = await owner.call('POST', '/migrations/squash', { version: '20260103000000' });
  expect([pending.status, pending.body.message]).toEqual([409, expect.stringContaining("isn't applied")]);
  expect((await owner.call('POST', '/migrations/apply', {})).status).toBe(200);
  expect((await looker.call('POST', '/migrations/squash', { version: '20260103000000' })).status).toBe(403);
  const { status, body } = await owner.call('POST', '/migrations/squash', { version: '20260103000000' });
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body.omitted.join()).toContain('insert into public.notes');
  expect(filesOf(folder)).toEqual(['20260103000000_third.sql']);
  expect(readFileSync(join(folder, '20260103000000_third.sql'), 'utf8')).toMatch(
    /create table public\.notes/i,
  );
  expect(existsSync(join(folder, '..', '..', body.backup, '20260101000000_first.sql'))).toBe(true);
  expect((await owner.call('GET', '/migrations')).body.migrations).toMatchObject([
    { version: '20260103000000', state: 'applied' },
  ]);
});

test('only reviewed and current statements are saved, and pending migrations come first', async () => {
  const { owner, folder } = await start();
  const stale = await owner.call('POST', '/migrations/drift/save', {
    name: 'x',
    sql: 'drop table public.notes;',
  });
  expect([stale.status, stale.body.code]).toEqual([409, 'refused']);
  const path = await owner.call('POST', '/migrations/drift/save', { name: '../x', sql: 'select 1' });
  expect(path.status).toBe(400);
  writeFileSync(join(folder, '29990101000000_pending.sql'), 'select 1;\n');
  const refused = await owner.call('POST', '/migrations/drift');
  expect(refused.body.message).toBe('Apply the pending migrations first.');
});

test('in production, the recorded statements are compared, and files aren’t written', slow, async () => {
  const served = await createTestBackend({ mode: 'production', config: {} });
  onTestFinished(() => served.stop());
  await served.database.pool('postgres').exec(`
    create table public.deployed (id int primary key);
    create table public.manual (id int primary key);
    create schema if not exists supabase_migrations;
    create table if not exists supabase_migrations.schema_migrations (version text primary key, statements text[], name text);
    insert into supabase_migrations.schema_migrations values
      ('20260101000000', array['create table public.deployed (id int primary key)'], 'deployed')`);
  const owner = await operator(served);
  expect((await owner.call('GET', '/migrations')).body.writesFiles).toBe(false);
  const { status, body } = await owner.call('POST', '/migrations/drift');
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body.objects).toMatchObject([{ change: 'added', kind: 'table', name: 'public.manual' }]);
  const saved = await owner.call('POST', '/migrations/drift/save', { name: 'manual', sql: body.sql });
  expect([saved.status, saved.body.message]).toEqual([409, expect.stringContaining('In production')]);
  const { page, go, close } = await signedIn(browser, served);
  await go('/migrations');
  await page.getByRole('button', { name: 'Check for drift' }).press('Enter');
  const panel = page.getByRole('dialog', { name: 'Drift' });
  await panel.getByText('Copy this SQL into a migration file').waitFor();
  expect(await panel.getByRole('button', { name: 'Save as a migration file' }).count()).toBe(0);
  await close();
});

test.each(looks)(
  'the drift panel is accessible at $width px, $colorScheme first',
  { ...pageStates, ...slow },
  async ({ colorScheme, ...viewport }) => {
    const project = await start();
    await change(project);
    const { page, complaints, go, close } = await signedIn(browser, project.backend, {
      viewport,
      colorScheme,
    });
    expect((await project.owner.call('POST', '/migrations/drift')).status).toBe(200);
    await go('/migrations');
    await page.getByRole('button', { name: 'Check for drift' }).press('Enter');
    const panel = page.getByRole('dialog', { name: 'Drift' });
    await panel.getByText('4 objects differ from the migrations.').waitFor(waiting);
    await panel.getByText('SQL that undoes this change in the database').first().press('Enter');
    await expectSound(page, 'drift');
    if (process.env.SHOTS)
      await page.screenshot({ path: `${process.env.SHOTS}/drift-${viewport.width}-${colorScheme}.png` });
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Squash' }).press('Enter');
    await page.getByRole('combobox', { name: 'Squash up to and including' }).waitFor();
    await expectSound(page, 'squash');
    expect(complaints.list).toEqual([]);
    await close();
  },
);
