/**
 * Tests the Migrations page, which shows the states of the files and the history, tries and applies pending files, and
 * repairs the history.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { launchBrowser } from '../web/browser.ts';
import { pageStates } from '../web/states.ts';
import { type Backend, type Operator, operator } from './harness.ts';
import { expectSound, looks, signedIn } from './page-helpers.ts';

const projectDir = mkdtempSync(join(tmpdir(), 'plinth-migrations-'));
const folder = join(projectDir, 'supabase', 'migrations');
const write = (file: string, text: string) => writeFileSync(join(folder, file), text);
let backend: Backend;
let browser: Browser;
let owner: Operator;
let looker: Operator;

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(projectDir, 'supabase', 'config.toml'), 'project_id = "migrations"\n');
  write('20260101000000_first.sql', 'create table public.first (id int primary key);\n');
  write('20260201000000_second.sql', 'create table public.second (id int primary key);\n');
  write('20260301000000_third.sql', 'create table public.third (id int primary key);\n');
  backend = await createTestBackend({ projectDir });
  browser = await launchBrowser();
  owner = await operator(backend);
  await backend.operators.createOperator('looker', 'read-only');
  looker = await operator(backend, 'looker');
  write('20260101000000_first.sql', 'create table   public.first (id int primary key)\n');
  write('20260201000000_second.sql', 'create table public.second (id int primary key, note text);\n');
  rmSync(join(folder, '20260301000000_third.sql'));
  write('20260215000000_older.sql', 'create table public.older (id int primary key);\n');
  write('20260401000000_fourth.sql', 'create table public.fourth (id int primary key);\n');
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
  rmSync(projectDir, { recursive: true, force: true });
});

const states = async (who = owner) => {
  const { body } = await who.call('GET', '/migrations');
  return body.migrations.map(({ name, state, isOlder }: Record<string, unknown>) =>
    isOlder ? [name, state, 'older'] : [name, state],
  );
};
const hasTable = async (name: string): Promise<boolean> => {
  const { rows } = await backend.database
    .pool('postgres')
    .queryText(sql`select to_regclass(${`public.${name}`})::text`);
  return rows[0]?.[0] !== null;
};
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

test('the states of files and history are compared, and only roles that can read secrets see the SQL', async () => {
  expect(await states(looker)).toEqual([
    ['first', 'applied'],
    ['second', 'changed'],
    ['older', 'pending', 'older'],
    ['third', 'missing'],
    ['fourth', 'pending'],
  ]);
  expect((await owner.call('GET', '/migrations/20260201000000')).body).toEqual({
    file: 'create table public.second (id int primary key, note text);\n',
    applied: 'create table public.second (id int primary key);\n',
    down: null,
    lines: [
      { kind: 'removed', text: 'create table public.second (id int primary key);' },
      { kind: 'added', text: 'create table public.second (id int primary key, note text);' },
    ],
  });
  expect((await owner.call('GET', '/migrations/1')).status).toBe(404);
  expect((await looker.call('GET', '/migrations/20260201000000')).status).toBe(403);
  for (const path of ['dry-run', 'apply'])
    expect((await looker.call('POST', `/migrations/${path}`, {})).status).toBe(403);
  expect(
    (await looker.call('POST', '/migrations/repair', { version: '20260301000000', status: 'reverted' }))
      .status,
  ).toBe(403);
});

test('with the keyboard, a missing file can be repaired, and pending migrations can be tried and applied', async () => {
  const { page, complaints, go, close } = await signedIn(browser, backend);
  await go('/migrations');
  await row(page, 'second').getByText('changed file').waitFor();
  await page.getByRole('button', { name: 'Apply 2 pending migrations' }).press('Enter');
  const panel = page.getByRole('dialog', { name: 'Apply pending migrations' });
  await panel.getByText('without a file').waitFor();
  expect(await panel.getByRole('button', { name: 'Apply', exact: true }).isDisabled()).toBe(true);
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });

  await row(page, 'third').getByRole('button').press('Enter');
  await page.getByText('doesn’t contain its file').waitFor();
  await page.getByText('create table public.third').waitFor();
  await page.getByRole('button', { name: 'Mark as not applied' }).press('Enter');
  await page
    .getByRole('dialog', { name: 'Mark as not applied: 20260301000000' })
    .getByRole('button', { name: 'Mark as not applied' })
    .press('Enter');
  await page.getByText('This migration doesn’t exist anymore.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await hasTable('third')).toBe(true);

  write('20260401000000_fourth.sql', 'create table public.fourth (id int primary key);\nselect 1 / 0;\n');
  await page.getByRole('button', { name: 'Apply 2 pending migrations' }).press('Enter');
  await panel.getByRole('button', { name: 'Dry run' }).press('Enter');
  await panel.getByText('20260401000000_fourth.sql:2').waitFor();
  await panel.getByText('division by zero').first().waitFor();
  expect([await hasTable('older'), await hasTable('fourth')]).toEqual([false, false]);
  write('20260401000000_fourth.sql', 'create table public.fourth (id int primary key);\n');
  await panel.getByRole('button', { name: 'Dry run' }).press('Enter');
  await panel.getByText('2 files would succeed.').waitFor();
  expect([await hasTable('older'), await hasTable('fourth')]).toEqual([false, false]);
  await panel.getByRole('button', { name: 'Apply', exact: true }).press('Enter');
  await page.getByText('2 migrations were applied.').waitFor();
  await page.getByText('No pending migrations').waitFor();
  expect([await hasTable('older'), await hasTable('fourth')]).toEqual([true, true]);
  const { body } = await owner.call('GET', '/audit?action=migration.apply');
  expect(body.entries[0]).toMatchObject({ target: '20260215000000 20260401000000' });
  expect(complaints.list).toEqual([]);
  await close();
});

test('a file that can’t be rolled back isn’t tried', async () => {
  write('20260501000000_index.sql', 'create index concurrently fourth_id on public.fourth (id);\n');
  expect((await owner.call('POST', '/migrations/dry-run', {})).body).toEqual({
    tried: [],
    untried: ['supabase/migrations/20260501000000_index.sql'],
  });
  const repaired = await owner.call('POST', '/migrations/repair', {
    version: '20260501000000',
    status: 'applied',
  });
  expect(repaired.status).toBe(204);
  expect(await states()).toContainEqual(['index', 'applied']);
  rmSync(join(folder, '20260501000000_index.sql'));
  await owner.call('POST', '/migrations/repair', { version: '20260501000000', status: 'reverted' });
});

test('in production, a migration that was deployed without a file is applied, not missing', async () => {
  const served = await createTestBackend({ mode: 'production', config: {} });
  onTestFinished(() => served.stop());
  const token = (await served.operators.tokens.create('ci', undefined, 3600)).token;
  const listed = await served.console.fetch('/v1/projects', {
    headers: { authorization: `Bearer ${token}` },
  });
  const [{ ref }] = (await listed.json()) as [{ ref: string }];
  const pushed = await served.console.fetch(`/v1/projects/${ref}/database/migrations/20260101000000`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'pushed', query: 'create table public.pushed (id int);', after: '' }),
  });
  expect(pushed.status, await pushed.clone().text()).toBe(200);
  // Without its statements, the migration can't have been recorded by Plinth.
  await served.database.pool('postgres').query(sql`
    insert into supabase_migrations.schema_migrations (version, name) values ('20260102000000', 'unknown')`);
  const own = await operator(served);
  expect((await own.call('GET', '/migrations')).body.migrations).toMatchObject([
    { name: 'pushed', state: 'recorded', file: null },
    { name: 'unknown', state: 'missing', file: null },
  ]);
  const { page, go, close } = await signedIn(browser, served);
  await go('/migrations');
  await row(page, 'unknown').getByText('missing file').waitFor();
  await row(page, 'pushed').getByText('applied', { exact: true }).waitFor();
  await row(page, 'pushed').getByRole('button').press('Enter');
  await page.getByText('from another machine').waitFor();
  await page.getByText('create table public.pushed').waitFor();
  await close();
});

test.each(looks)(
  'the page is accessible at $width px, $colorScheme first',
  pageStates,
  async ({ colorScheme, ...viewport }) => {
    const { page, complaints, go, close } = await signedIn(browser, backend, { viewport, colorScheme });
    write(`2027010100000${viewport.width % 10}_later.sql`, 'create table public.later (id int);\n');
    await go('/migrations');
    await row(page, 'second').getByText('changed file').waitFor();
    await expectSound(page, 'list');
    await row(page, 'second').getByRole('button').press('Enter');
    await page.getByText('note text').first().waitFor();
    await expectSound(page, 'a changed file');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^Apply \d pending/ }).press('Enter');
    await page.getByRole('button', { name: 'Dry run' }).press('Enter');
    await expectSound(page, 'pending');
    if (process.env.SHOTS)
      await page.screenshot({ path: `${process.env.SHOTS}/migrations-${viewport.width}-${colorScheme}.png` });
    expect(complaints.list).toEqual([]);
    await close();
  },
);
