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
    await go('/queries/activity');
    await page.getByText('idle in transaction').first().waitFor();
    await expectSound(page, 'activity');
    await session.exec('rollback');
    session.release();
    await close();
  });
});
