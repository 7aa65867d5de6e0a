/** Tests the Advisors page and the problems on the home page in Chromium, and the permissions of their routes. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../web/browser.ts';
import { pageStates } from '../web/states.ts';
import { type Backend, operator, startBackend } from './harness.ts';
import { expectPanelAtEdge, expectSound, looks, signedIn } from './page-helpers.ts';

let projectDir: string;
let backend: Backend;
let browser: Browser;

beforeAll(async () => {
  projectDir = mkdtempSync(join(tmpdir(), 'plinth-advisors-'));
  mkdirSync(join(projectDir, 'supabase'));
  writeFileSync(join(projectDir, 'supabase/config.toml'), '');
  backend = await startBackend({ projectDir });
  browser = await launchBrowser();
  await backend.database.pool('postgres').exec(`
    create table public.open (id int primary key, parent int references public.open);
    create extension if not exists pg_cron with schema pg_catalog;
    select cron.schedule('nightly', '0 0 * * *', 'select 1 / 0');
    insert into cron.job_run_details (jobid, runid, job_pid, database, username, command, status, start_time)
    select jobid, 1, 1, 'postgres', 'postgres', command, 'failed', now() from cron.job`);
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
  rmSync(projectDir, { recursive: true, force: true });
});

test('with the keyboard, an operator can follow a problem on the home page to its fix and save the fix as a migration', async () => {
  const { page, complaints, go, close } = await signedIn(browser, backend);
  await go('/');
  const problems = page.getByRole('region', { name: 'Problems' });
  await problems.getByText('The last run of the cron job “nightly” failed', { exact: false }).waitFor();
  const findings = problems.getByRole('listitem').filter({ hasText: 'security finding' });
  const onHome = /\d+/.exec((await findings.textContent()) ?? '')?.[0];
  await findings.getByRole('link', { name: 'View findings' }).press('Enter');
  await page.getByRole('heading', { name: 'RLS Disabled in Public' }).waitFor();
  // Both pages count the same findings, and suggestions are counted separately.
  await page
    .getByRole('link', { name: new RegExp(`^Security \\(${onHome}( and \\d+ suggestions?)?\\)$`) })
    .waitFor();
  await page.getByRole('button', { name: 'Table public.open is exposed' }).press('Enter');
  const panel = page.getByRole('dialog');
  await panel.getByText('alter table "public"."open" enable row level security;').waitFor();
  await expectPanelAtEdge(page);
  await panel
    .getByText(
      'Anyone with the publishable key can read, change, and delete every row, and can insert new rows.',
    )
    .waitFor();
  await panel.getByRole('checkbox', { name: 'Save as a migration file' }).press('Space');
  await panel.getByRole('textbox', { name: 'File name' }).fill('Not a name');
  await panel.getByText('Use lowercase letters', { exact: false }).waitFor();
  expect(await panel.getByRole('button', { name: 'Apply fix' }).isDisabled()).toBe(true);
  await panel.getByRole('textbox', { name: 'File name' }).fill('protect_open');
  await page.keyboard.press('Enter');
  await panel.getByText('The fix was applied and saved as supabase/migrations/', { exact: false }).waitFor();
  await panel.getByRole('button', { name: 'Close' }).last().press('Enter');
  await panel.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Table public.open is exposed' }).waitFor({ state: 'detached' });
  expect(complaints.list).toEqual([]);
  await close();

  const folder = join(projectDir, 'supabase/migrations');
  const file = readdirSync(folder).find((name) => name.endsWith('_protect_open.sql')) ?? '';
  expect(readFileSync(join(folder, file), 'utf8')).toContain(
    'alter table "public"."open" enable row level security',
  );
});

test('the tabs show numbers only after the findings have loaded', async () => {
  const { page, go, close } = await signedIn(browser, backend);
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/console/api/advisors', async (route) => {
    await held;
    await route.continue();
  });
  await go('/advisors');
  const tabs = page.getByRole('navigation', { name: 'Type' });
  await tabs.getByRole('link', { name: 'All', exact: true }).waitFor();
  release();
  await tabs.getByRole('link', { name: /^All \([1-9]/ }).waitFor();
  await close();
});

test('a read-only operator sees findings but can’t apply a fix', async () => {
  await backend.operators.createOperator('looker', 'read-only');
  const looker = await operator(backend, 'looker');
  const { body } = await looker.call('GET', '/advisors');
  const index = body.findings.find(({ name }: { name: string }) => name === 'unindexed_foreign_keys');
  const fix = { name: index.name, key: index.cache_key, sql: index.fix.sql };
  expect((await looker.call('POST', '/advisors/fix', fix)).status).toBe(403);

  const owner = await operator(backend);
  const unknown = await owner.call('POST', '/advisors/fix', { ...fix, key: 'drop table' });
  expect([unknown.status, unknown.body.message]).toEqual([404, 'This problem no longer exists.']);
  const changed = await owner.call('POST', '/advisors/fix', { ...fix, sql: 'drop table public.open;' });
  expect([changed.status, changed.body.message]).toEqual([
    409,
    'The database has changed. Review the new statements.',
  ]);
  const applied = await owner.call('POST', '/advisors/fix', fix);
  expect(applied.body).toEqual({
    statements: ['create index on "public"."open" ("parent")'],
    file: null,
    isGone: true,
  });
  expect((await owner.call('POST', '/advisors/fix', fix)).status).toBe(404);
});

test.each(looks)(
  'both pages are accessible at $width px, $colorScheme first',
  { ...pageStates, timeout: 120_000 },
  async (look) => {
    const { page, go, close } = await signedIn(browser, backend, {
      viewport: look,
      colorScheme: look.colorScheme,
    });
    await go('/');
    await page.getByRole('region', { name: 'Problems' }).getByRole('listitem').first().waitFor();
    await expectSound(page, 'home');
    await go('/advisors');
    await page
      .getByRole('button', { name: /^Table public\./ })
      .first()
      .press('Enter');
    await page.getByRole('dialog').getByText('Why it matters').waitFor();
    await expectSound(page, 'finding');
    await close();
  },
);
