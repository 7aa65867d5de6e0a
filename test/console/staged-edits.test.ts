/** Tests, in Chromium and with the keyboard, edits that are collected and saved together. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { launchBrowser } from '../web/browser.ts';
import { type Backend, startBackend } from './harness.ts';
import { expectSound, type SignedIn, signedIn } from './page-helpers.ts';

let backend: Backend;
let browser: Browser;
let open: SignedIn;
let page: Page;
const pool = () => backend.database.pool('postgres');

beforeAll(async () => {
  backend = await startBackend();
  await pool().exec(`
    create table public.plants (id int primary key, name text not null, beds int check (beds < 100));
    create table public.others (id int primary key)`);
  browser = await launchBrowser();
  open = await signedIn(browser, backend);
  page = open.page;
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
});
beforeEach(async () => {
  await pool().exec(`
    truncate public.plants;
    insert into public.plants values (1, 'Leek', 1), (2, 'Kale', 2), (3, 'Pea', 3)`);
});

const cell = (row: number, column: number) => page.locator(`[data-cell="${row}:${column}"]`);
const focused = (row: number, column: number) => cell(row, column).and(page.locator(':focus'));
const staged = () => page.locator('[data-staged]');
const stored = async (): Promise<unknown> =>
  (await pool().queryText(sql`select id, name, beds from public.plants order by id`)).rows;

async function focusCell(row: number, column: number): Promise<void> {
  await cell(0, 1).waitFor();
  await page.locator('[data-cell][tabindex="0"]').focus();
  await page.keyboard.press('Control+Home');
  for (let step = 0; step < row; step++) await page.keyboard.press('ArrowDown');
  for (let step = 0; step < column; step++) await page.keyboard.press('ArrowRight');
  await focused(row, column).waitFor();
}

async function type(row: number, column: number, text: string): Promise<void> {
  await focusCell(row, column);
  await page.keyboard.press('F2');
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
  await page.keyboard.press('Enter');
}

/** Opens the table. The choice to save edits together is stored in the browser. */
async function collecting(): Promise<void> {
  await open.go('/tables/public/plants');
  await page.evaluate(() => localStorage.setItem('plinth-staged-edits', 'on'));
  await open.go('/tables/public/plants');
}

test('edits can be saved immediately or together', async () => {
  await open.go('/tables/public/plants');
  await type(0, 2, 'Onion');
  await expect.poll(stored).toContainEqual(['1', 'Onion', '1']);
  await page.getByRole('button', { name: 'Columns' }).press('Enter');
  await page.getByRole('radio', { name: 'Together, on Ctrl S' }).check();
  await page.keyboard.press('Escape');
  await type(0, 2, 'Chard');
  await page.getByText('1 unsaved cell in 1 row').waitFor();
  // Until the edits are saved or discarded, the setting can't be changed.
  await page.getByRole('button', { name: 'Columns' }).press('Enter');
  expect(await page.getByRole('radio', { name: 'Immediately' }).isDisabled()).toBe(true);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Discard all' }).press('Enter');
  await page.getByRole('button', { name: 'Columns' }).press('Enter');
  await page.getByRole('radio', { name: 'Immediately' }).check();
  await page.keyboard.press('Escape');
  await type(0, 2, 'Chive');
  await expect.poll(stored).toContainEqual(['1', 'Chive', '1']);
});

test('several cells are marked, saved in one transaction, and undone in one step', async () => {
  await collecting();
  let saves = 0;
  const count = (request: { method(): string }): void => {
    if (request.method() === 'PATCH') saves++;
  };
  page.on('request', count);
  await type(0, 2, 'Onion');
  await type(0, 3, '11');
  await type(2, 2, 'Bean');
  await page.getByText('3 unsaved cells in 2 rows').waitFor();
  expect(await staged().allTextContents()).toEqual(['Onion', '11', 'Bean']);
  expect(await cell(0, 2).getAttribute('title')).toBe('Not saved yet. Stored value: Leek');
  expect(await stored()).toEqual([
    ['1', 'Leek', '1'],
    ['2', 'Kale', '2'],
    ['3', 'Pea', '3'],
  ]);
  await expectSound(page, 'unsaved cells');
  // Ctrl+S also ends the edit of the cell that is open.
  await focusCell(1, 3);
  await page.keyboard.press('F2');
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('22');
  await page.keyboard.press('Control+s');
  await page.getByText('Saved 4 cells').waitFor();
  await focused(1, 3).waitFor();
  expect(await staged().count()).toBe(0);
  expect(saves).toBe(1);
  expect(await stored()).toEqual([
    ['1', 'Onion', '11'],
    ['2', 'Kale', '22'],
    ['3', 'Bean', '3'],
  ]);
  const { rows } = await pool().queryText(sql`select count(distinct xmin::text) from public.plants`);
  expect(rows).toEqual([['1']]);
  await page.keyboard.press('Control+z');
  await expect.poll(stored).toEqual([
    ['1', 'Leek', '1'],
    ['2', 'Kale', '2'],
    ['3', 'Pea', '3'],
  ]);
  page.off('request', count);
  expect(open.complaints.list).toEqual([]);
});

test('an edit is discarded with Escape, and Ctrl+Z undoes the last step', async () => {
  await collecting();
  await type(0, 2, 'Onion');
  await type(1, 2, 'Chard');
  await focusCell(0, 2);
  await page.keyboard.press('Escape');
  await page.getByText('1 unsaved cell in 1 row').waitFor();
  expect(await cell(0, 2).textContent()).toBe('Leek');
  await page.keyboard.press('Control+z');
  await page.getByText('2 unsaved cells in 2 rows').waitFor();
  expect(await cell(0, 2).textContent()).toBe('Onion');
  // Typing the stored value again removes the mark.
  await type(0, 2, 'Leek');
  await page.getByText('1 unsaved cell in 1 row').waitFor();
  await page.getByRole('button', { name: 'Discard all' }).press('Enter');
  await expect.poll(() => staged().count()).toBe(0);
  await focusCell(0, 2);
  await page.keyboard.press('Control+z');
  await page.getByText('1 unsaved cell in 1 row').waitFor();
  expect(await staged().allTextContents()).toEqual(['Chard']);
});

test('one rejected edit saves nothing, and the others stay unsaved', async () => {
  await collecting();
  await type(0, 2, 'Onion');
  await type(1, 3, '500');
  await page.getByRole('button', { name: 'Save all' }).press('Enter');
  await page.getByRole('alert').getByText('plants_beds_check').first().waitFor();
  await page.getByText('2 unsaved cells in 2 rows').waitFor();
  expect(await cell(1, 3).getAttribute('data-failed')).toBe('true');
  expect(await stored()).toContainEqual(['1', 'Leek', '1']);
  await type(1, 3, '50');
  await page.keyboard.press('Control+s');
  await page.getByText('Saved 2 cells').waitFor();
  expect(await stored()).toEqual([
    ['1', 'Onion', '1'],
    ['2', 'Kale', '50'],
    ['3', 'Pea', '3'],
  ]);
});

test('a row that changed in the database is a conflict, which both values resolve', async () => {
  await collecting();
  await type(0, 2, 'Onion');
  await type(1, 2, 'Chard');
  await pool().exec(`update public.plants set name = 'Theirs' where id = 2`);
  await page.keyboard.press('Control+s');
  const conflict = page.getByRole('alert').filter({ hasText: 'Theirs' });
  await conflict.waitFor();
  expect(await stored()).toContainEqual(['1', 'Leek', '1']);
  await page.getByRole('button', { name: 'Overwrite' }).press('Enter');
  await page.getByText('Saved 2 cells').waitFor();
  expect(await stored()).toContainEqual(['2', 'Chard', '2']);
  // The other choice discards only the edits of that row.
  await type(0, 2, 'Squash');
  await type(1, 2, 'Cress');
  await pool().exec(`update public.plants set name = 'Theirs again' where id = 2`);
  await page.keyboard.press('Control+s');
  await page.getByRole('button', { name: 'Keep current value' }).press('Enter');
  await page.getByText('1 unsaved cell in 1 row').waitFor();
  await page.keyboard.press('Control+s');
  await page.getByText('Saved name').waitFor();
  expect(await stored()).toEqual([
    ['1', 'Squash', '1'],
    ['2', 'Theirs again', '2'],
    ['3', 'Pea', '3'],
  ]);
});

test('leaving the table requires confirmation, and filters keep the edits', async () => {
  await collecting();
  await type(0, 2, 'Onion');
  await page.getByText('1 unsaved cell in 1 row').waitFor();
  await page.getByRole('columnheader', { name: 'name' }).click();
  await page.waitForURL('**sort**');
  await page.getByText('1 unsaved cell in 1 row').waitFor();
  await page.getByRole('link', { name: 'others' }).click();
  const question = page.getByRole('dialog', { name: /Discard/ });
  await question.waitFor();
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  expect(page.url()).toContain('plants');
  await page.getByRole('link', { name: 'others' }).click();
  await question.getByRole('button', { name: 'Discard' }).press('Enter');
  await page.waitForURL('**/public/others**');
  expect(await stored()).toContainEqual(['1', 'Leek', '1']);
});
