/** Tests the Queries page in Chromium with the keyboard: statements, a plan, and ending a session. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { launchBrowser } from '../web/browser.ts';
import { pageStates } from '../web/states.ts';
import { type Backend, startBackend } from './harness.ts';
import { expectPanelAtEdge, expectSound, looks, signedIn } from './page-helpers.ts';

let backend: Backend;
let browser: Browser;

const postgres = () => backend.database.pool('postgres');

beforeAll(async () => {
  backend = await startBackend();
  await backend.operators.createOperator('looker', 'read-only');
  browser = await launchBrowser();
  await postgres().exec(`
    create table public.parents (id int primary key);
    create table public.children (id int primary key, parent_id int references public.parents);
    create table public.big (id int primary key, kind text);
    insert into public.big select i, 'kind ' || i % 100 from generate_series(1, 20000) i;
    analyze public.big;`);
  await postgres().query(sql`select count(*) as of_kind from public.big where kind = ${'kind 1'}::text`);
  await postgres().query(sql`
    select id as number_of_the_row, kind as kind_of_the_row, length(kind) as kind_length
    from public.big where id < ${10}::int`);
  await insertHistory();
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
});

const statement = (page: Page, part: string) =>
  page.getByRole('table', { name: 'Statements' }).getByRole('button', { name: part });

test('with the keyboard, a statement can be found, and its plan shows the missing index', async () => {
  const { page, go, complaints, close } = await signedIn(browser, backend);
  await go('/queries');
  await statement(page, 'of_kind').waitFor();
  await page.getByRole('button', { name: 'Mean' }).press('Enter');
  await page.locator('th[aria-sort="descending"]', { hasText: 'Mean' }).waitFor();
  await page.getByRole('searchbox', { name: 'Search statements' }).fill('of_kind');
  await expect.poll(() => page.url()).toContain('search=of_kind');
  await expect.poll(() => page.getByRole('table', { name: 'Statements' }).getByRole('row').count()).toBe(2);
  await statement(page, 'of_kind').press('Enter');
  const panel = page.getByRole('dialog');
  await panel.getByRole('button', { name: 'Show plan' }).press('Enter');
  await panel.getByText('This statement scans all of public.big', { exact: false }).waitFor();
  await panel.getByText('Seq Scan').first().waitFor();
  await expectPanelAtEdge(page);
  await page.reload();
  await panel.getByText('Share of the total time').waitFor();
  await panel.getByRole('button', { name: 'Show plan' }).press('Enter');
  await panel.getByRole('link', { name: 'View the structure of public.big', exact: true }).press('Enter');
  await page.getByRole('button', { name: 'Add index', exact: true }).waitFor();
  await page.goBack();
  await panel.waitFor();
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  await page.getByRole('searchbox', { name: 'Search statements' }).fill('no such statement');
  await page.getByRole('heading', { name: 'No results' }).waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

/** Inserts a statement that became slower after a migration, and one with few calls. */
async function insertHistory(): Promise<void> {
  const db = backend.database.pool('supabase_admin');
  await db.query(sql`
    insert into _plinth.history_statements (id, role, text, first_seen_at, last_seen_at) values
      (701, 'authenticated', 'select of_history from public.big where kind = $1', pg_catalog.now(), pg_catalog.now()),
      (702, 'anon', 'select rarely from public.big', pg_catalog.now(), pg_catalog.now())`);
  await db.query(sql`
    insert into _plinth.history_samples (step, at, id, role, calls, rows, total_ms, squares)
    select 'minute', pg_catalog.date_trunc('minute', pg_catalog.now()) - pg_catalog.make_interval(mins => age), 701,
      'authenticated', 600, 1200, 600 * mean, 600 * mean * mean / 4
    from (select age, case when age > 90 then 4 + age % 3 else 21 + age % 5 end as mean
      from pg_catalog.generate_series(5, 300, 5) as g (age)) v`);
  await db.query(sql`
    insert into _plinth.history_samples (step, at, id, role, calls, rows, total_ms, squares)
    values ('minute', pg_catalog.now() - interval '30 minutes', 702, 'anon', 2, 2, 8, 1)`);
  await db.query(sql`
    insert into _plinth.history_marks (kind, name, at)
    values ('migration', '20300101000000', pg_catalog.now() - interval '92 minutes')`);
}

test('with the keyboard, statements are compared before and after a migration', async () => {
  const { page, go, complaints, close } = await signedIn(browser, backend);
  await go('/queries/statements');
  await page.getByRole('link', { name: 'History', exact: true }).press('Enter');
  await statement(page, 'of_history').waitFor();
  await page.getByRole('img', { name: 'Execution time per minute' }).waitFor();
  const compare = page.getByRole('combobox', { name: 'Compare before and after' });
  const option = compare.getByRole('option', { name: 'Migration 20300101000000' });
  await compare.selectOption((await option.getAttribute('value')) ?? '');
  const row = page.getByRole('row').filter({ hasText: 'of_history' });
  await row.locator('[data-tone="slower"]').getByText('× 4').waitFor();
  await page.getByRole('row').filter({ hasText: 'rarely' }).getByText('new').waitFor();
  expect(page.url()).toContain('split=');
  await page.reload();
  await row.locator('[data-tone="slower"]').waitFor();
  await page.getByRole('combobox', { name: 'Role' }).selectOption('authenticated');
  await page.getByRole('row').filter({ hasText: 'rarely' }).waitFor({ state: 'detached' });
  await statement(page, 'of_history').press('Enter');
  // The statistics don't contain the statement, but the history does.
  const panel = page.getByRole('dialog');
  await panel.getByText('The statistics no longer contain this statement.').waitFor();
  await panel.getByRole('img', { name: 'Durations' }).waitFor();
  await panel.getByText('View as table').first().click();
  await panel.getByText('Migration 20300101000000', { exact: false }).first().waitFor();
  await panel.getByRole('columnheader', { name: 'p95 (estimated)' }).waitFor();
  await panel.getByRole('combobox', { name: 'Period' }).selectOption('7d');
  await panel.getByRole('img', { name: 'Calls and rows per step' }).waitFor();
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  await page.getByRole('combobox', { name: 'Role' }).selectOption('');
  // The browser reports the response with status 404.
  expect(complaints.list.filter((each) => !each.includes('404'))).toEqual([]);
  await close();
});

test('a list of columns is collapsed, so the tables of a statement are visible', async () => {
  const { page, go, close } = await signedIn(browser, backend);
  await go('/queries/statements?search=kind_of_the_row');
  const button = statement(page, 'select … from public.big where id <');
  expect(await button.getAttribute('title')).toContain('kind as kind_of_the_row');
  await button.press('Enter');
  await page.getByRole('dialog').getByText('kind as kind_of_the_row', { exact: false }).waitFor();
  await close();
});

test('a session that blocks another one can be terminated after a confirmation', async () => {
  const [holder, waiter] = [await postgres().connect(), await postgres().connect()];
  await holder.exec('begin; lock table public.parents in access exclusive mode');
  const waiting = waiter.query(sql`select id as waits_here from public.parents`).then(
    () => 'finished',
    () => 'failed',
  );
  const { page, go, complaints, close } = await signedIn(browser, backend);
  await go('/queries/activity');
  const row = page.getByRole('row').filter({ hasText: 'waits_here' });
  await row.getByText(`Blocked by ${holder.processId}`).waitFor();
  await page.getByRole('button', { name: 'lock table public.parents' }).press('Enter');
  await page.getByRole('button', { name: 'Terminate session' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: `Terminate session ${holder.processId}?` });
  await dialog.getByRole('button', { name: 'Terminate session' }).press('Enter');
  await page.getByText('The session was terminated.').waitFor();
  expect(await waiting).toBe('finished');
  expect(complaints.list).toEqual([]);
  holder.destroy();
  waiter.release();
  await close();
});

test('read-only operators see everything but can’t change anything', async () => {
  const { page, go, close } = await signedIn(browser, backend, {}, 'looker');
  await go('/queries/statements');
  await page.getByText('values in statements are hidden', { exact: false }).waitFor();
  expect(await page.getByRole('button', { name: 'Reset statistics' }).count()).toBe(0);
  await statement(page, 'of_kind').click();
  await page.getByText('Your role can’t request query plans.').waitFor();
  await go('/queries/history');
  await page.getByText('values in statements are hidden', { exact: false }).waitFor();
  await statement(page, 'of_history').waitFor();
  await close();
});

describe('every state is accessible', () => {
  test.each(looks)('$width px, $colorScheme first', pageStates, async ({ width, height, colorScheme }) => {
    const { page, go, close } = await signedIn(browser, backend, {
      viewport: { width, height },
      colorScheme,
    });
    await go('/queries/statements');
    await statement(page, 'of_kind').waitFor();
    await expectSound(page, 'statements');
    await statement(page, 'of_kind').click();
    await page.getByRole('button', { name: 'Show plan' }).click();
    await page.getByText('Seq Scan').first().waitFor();
    await expectSound(page, 'panel');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Performance advisors' }).press('Enter');
    await page.waitForURL('**/advisors?type=performance');
    await page.getByText('children_parent_id_fkey').first().waitFor();
    const session = await postgres().connect();
    await session.exec('begin; select 1');
    await go('/queries/history');
    await page.getByRole('img', { name: 'Execution time per minute' }).waitFor();
    await statement(page, 'of_history').waitFor();
    await expectSound(page, 'history');
    await statement(page, 'of_history').click();
    await page.getByRole('img', { name: 'Calls and rows per step' }).waitFor();
    await expectSound(page, 'history panel');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await go('/queries/activity');
    await page.getByText('idle in transaction').first().waitFor();
    await expectSound(page, 'activity');
    await session.exec('rollback');
    session.release();
    await close();
  });
});
