/**
 * Tests the grid while its view, its rows and the network change. Displayed, selected and saved values must always
 * belong to the same rows.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { launchBrowser } from '../web/browser.ts';
import { type Backend, startBackend } from './harness.ts';
import { type SignedIn, signedIn } from './page-helpers.ts';

// The timeout is long, because each test has several steps and the machine may be busy.
let backend: Backend;
let browser: Browser;
let open: SignedIn;
let page: Page;
const pool = () => backend.database.pool('postgres');

beforeAll(async () => {
  backend = await startBackend();
  await pool().exec(`
    create table public.heap (name text, n int);
    insert into public.heap select 'row ' || i, i from generate_series(1, 20) i;
    analyze public.tasks;
  `);
  browser = await launchBrowser();
  open = await signedIn(browser, backend);
  page = open.page;
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
});

const cell = (row: number, column: number) => page.locator(`[data-cell="${row}:${column}"]`);

async function focusCell(row: number, column: number): Promise<void> {
  await cell(row, column).click();
  await page.locator(`[data-cell="${row}:${column}"]:focus`).waitFor();
}

async function type(row: number, column: number, text: string): Promise<void> {
  await focusCell(row, column);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}

async function titleOf(id: number): Promise<unknown> {
  const [row] = await pool().query<{ title: string }>(sql`select title from public.tasks where id = ${id}`);
  return row?.title;
}

async function filterByPriority(): Promise<void> {
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByLabel('Column', { exact: true }).selectOption('priority');
  await page.getByLabel('Value', { exact: true }).fill('3');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('70 rows', { exact: true }).waitFor();
}

/** Delays saves, to simulate a slow connection. */
async function slowly(work: () => Promise<void>): Promise<void> {
  await page.route('**/rows', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    await route.continue();
  });
  await work();
  await page.unroute('**/rows');
}

test('removing a filter shows all rows again and clears the selection', async () => {
  await open.go('/tables/public/tasks');
  await page.getByText('350 rows').waitFor();
  await filterByPriority();
  await cell(0, 0).click();
  await page.getByRole('button', { name: 'Select all matching rows' }).click();
  await page.getByText('all matching rows are selected').waitFor();
  await page.goBack();
  await page.getByText('350 rows').waitFor();
  await expect.poll(() => page.getByText('selected').count()).toBe(0);
  await expect.poll(() => page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
  await focusCell(0, 1);
  await page.keyboard.press('Control+End');
  await page.getByText('350 rows', { exact: true }).waitFor();
});

test('undo and edits apply to their rows, even if the order has changed', async () => {
  await open.go('/tables/public/tasks');
  await type(0, 2, 'Once');
  await page.getByText('Saved title').waitFor();
  await page.getByRole('columnheader', { name: 'id' }).click();
  await page.getByRole('columnheader', { name: 'id' }).click();
  await cell(0, 1).filter({ hasText: '350' }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => titleOf(1)).toBe('Task 1');
  await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });
  await expect.poll(() => cell(0, 1).textContent()).toBe('350');
  await expect.poll(() => cell(0, 2).textContent()).toBe('Task 350');
  await page.getByRole('columnheader', { name: 'id' }).click();
  await cell(0, 1).filter({ hasText: /^1$/ }).waitFor();
  await cell(0, 2)
    .filter({ hasText: /^Task 1$/ })
    .waitFor();
});

test('rows that move during an edit don’t get each other’s values', async () => {
  await page.clock.install();
  await open.go('/tables/public/tasks');
  await focusCell(1, 2);
  await page.keyboard.press('Enter');
  await page.keyboard.type('Meant for the second');
  await pool().exec('delete from public.tasks where id = 1');
  // The page refetches when the user returns to this window after a while.
  await page.clock.fastForward(60_000);
  await page.evaluate('void document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))');
  await cell(0, 1).filter({ hasText: '2' }).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => titleOf(2)).toBe('Meant for the second');
  expect(await titleOf(3)).toBe('Task 3');
  await page.clock.resume();
});

test('edits made faster than the network responds don’t conflict with each other', async () => {
  await open.go('/tables/public/tasks');
  await slowly(async () => {
    await type(8, 2, 'first');
    await type(8, 2, 'second');
    await expect.poll(() => titleOf(10)).toBe('second');
    await page.getByText('Saved title').waitFor();
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await expect.poll(() => titleOf(10)).toBe('Task 10');
  });
  await open.go('/tables/public/heap');
  await slowly(async () => {
    await type(2, 1, 'both');
    await type(2, 2, '99');
    await expect
      .poll(() => pool().query(sql`select name, n from public.heap where name = 'both'`))
      .toEqual([{ name: 'both', n: 99 }]);
    await page.getByText('Saved n', { exact: true }).waitFor();
  });
  expect(await page.getByRole('alert').count()).toBe(0);
  expect(open.complaints.list).toEqual([]);
});

test('an edit is shown if the server is unreachable, and can be retried', async () => {
  await open.go('/tables/public/tasks');
  await page.route('**/rows', (route) => route.abort(), { times: 1 });
  await type(12, 2, 'Typed without a server');
  const alert = page.getByRole('alert');
  await alert.getByText('Typed without a server').waitFor();
  expect(await titleOf(14)).toBe('Task 14');
  await alert.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(() => titleOf(14)).toBe('Typed without a server');
  await alert.waitFor({ state: 'detached' });
});

test('a paste also changes rows that haven’t been loaded yet', async () => {
  await open.go('/tables/public/tasks');
  await focusCell(0, 3);
  const lines = Array.from({ length: 250 }, (_, index) => `"two\nlines of ${index}"`);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(lines.join('\r\n'))})`);
  await page.keyboard.press('Control+v');
  await page.getByText('250 cells pasted').waitFor();
  const pasted = sql`select from public.tasks where note like 'two_lines of %'`;
  await expect.poll(async () => (await pool().query(pasted)).length).toBe(250);
  await page.evaluate(`navigator.clipboard.writeText('x\\n'.repeat(5001))`);
  await page.keyboard.press('Control+v');
  await page.getByText('You can paste at most 5,000 rows').waitFor();
});

test('after a table is altered, its values are in the right columns', async () => {
  await open.go('/tables/public/heap');
  await cell(0, 2).filter({ hasText: '1' }).waitFor();
  await pool().exec(
    `alter table public.heap drop column n; alter table public.heap add column later text default 'new'`,
  );
  await page.getByRole('button', { name: 'Refresh' }).click();
  await cell(0, 2).filter({ hasText: 'new' }).waitFor();
  await page.getByRole('columnheader', { name: 'later' }).waitFor();
  expect(await page.getByRole('columnheader', { name: /^n\b/ }).count()).toBe(0);
});
