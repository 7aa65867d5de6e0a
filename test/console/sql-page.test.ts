/** Tests the SQL page in Chromium, with the keyboard. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/kernel/sql.ts';
import { axeViolations, launchBrowser, openContext } from '../web/browser.ts';
import { type Backend, operator, startBackend } from './harness.ts';
import { expectSound, looks, signInWindow } from './page-helpers.ts';

let backend: Backend;
let browser: Browser;
beforeAll(async () => {
  backend = await startBackend();
  browser = await launchBrowser();
  await backend.operators.createOperator('looker', 'read-only');
  const owner = await operator(backend);
  await owner.call('POST', '/users', {
    email: 'ada@example.com',
    password: 'a-Good-password-1',
    confirmed: true,
  });
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
});

type Options = Parameters<typeof openContext>[1];

async function opened(options: Options = {}, name?: string) {
  const { context, complaints } = await openContext(browser, {
    viewport: { width: 1280, height: 800 },
    ...options,
  });
  await signInWindow(context, backend, name);
  const page = await context.newPage();
  await page.goto(`${backend.console.url}/console/sql`);
  await editor(page).waitFor();
  return { page, complaints, close: () => context.close() };
}

const editor = (page: Page) => page.getByRole('textbox', { name: 'SQL to run' });

async function write(page: Page, text: string): Promise<void> {
  await editor(page).focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
}

test('statements run with the keyboard and show a result each, and the draft survives a reload', async () => {
  const { page, complaints, close } = await opened();
  await write(page, `select '<img src=x onerror=alert(1)>' as "<b>head</b>", null as n; select 2 as two`);
  await page.keyboard.press('Control+Enter');
  await page.getByText('Committed').waitFor();
  await page.getByRole('cell', { name: '<img src=x onerror=alert(1)>' }).waitFor();
  await page.getByRole('columnheader', { name: '<b>head</b> text' }).waitFor();
  await expect.poll(() => page.getByRole('region', { name: /^Rows of Statement/ }).count()).toBe(2);
  expect(page.url()).toContain('tab=');
  await page.reload();
  await editor(page).getByText('two').waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

test('only the selected text runs', async () => {
  const { page, close } = await opened();
  await write(page, 'select 1 as one;\nselect 2 as two');
  await page.keyboard.press('Shift+Home');
  await page.getByRole('button', { name: 'Run selection' }).waitFor();
  await page.keyboard.press('Control+Enter');
  await page.getByRole('columnheader', { name: 'two integer' }).waitFor();
  await expect.poll(() => page.getByRole('columnheader').count()).toBe(1);
  await close();
});

test('an error is marked in the editor, and its position can be opened', async () => {
  const { page, close } = await opened();
  await write(page, 'select id,\n  nonsense from tasks');
  await page.keyboard.press('Control+Enter');
  const alert = page.getByRole('alert');
  await alert.getByText('column "nonsense" does not exist').waitFor();
  expect(await page.locator('.cm-fault').textContent()).toBe('nonsense');
  await alert.getByRole('button', { name: 'Show line 2, column 3' }).press('Enter');
  await page.keyboard.insertText('title, ');
  expect(await editor(page).textContent()).toContain('title, nonsense');
  await close();
});

test('names are completed from the live schema', async () => {
  const { page, close } = await opened();
  await write(page, '');
  await page.keyboard.type('select prio');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('select * from tas');
  await page.locator('.cm-tooltip-autocomplete').getByText('tasks').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('select auth.ui');
  await page.locator('.cm-tooltip-autocomplete').getByText('auth.uid').waitFor();
  await close();
});

test('destructive statements require confirmation', async () => {
  const { page, close } = await opened();
  await backend.database.pool('postgres').exec('create table public.doomed (a int)');
  await write(page, 'drop table public.doomed');
  await page.keyboard.press('Control+Enter');
  const dialog = page.getByRole('dialog', { name: 'Destructive statement' });
  await dialog.getByText('Drops an object').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(await table('doomed')).toBe(true);
  await editor(page).focus();
  await page.keyboard.press('Control+Enter');
  await dialog.getByRole('button', { name: 'Run statement' }).press('Enter');
  await page.getByText('Committed').waitFor();
  expect(await table('doomed')).toBe(false);
  await close();
});

async function table(name: string): Promise<boolean> {
  const [row] = await backend.database
    .pool('postgres')
    .query<{ is: boolean }>(sql`select to_regclass(${`public.${name}`}) is not null as is`);
  return row?.is ?? false;
}

test('a run can be canceled', async () => {
  const { page, close } = await opened();
  await write(page, 'select pg_sleep(60)');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('button', { name: 'Cancel', exact: true }).press('Enter');
  await page.getByRole('alert').getByText('canceling statement').waitFor();
  await close();
});

test('a script runs as a user found by email, and the URL contains the choice', async () => {
  const { page, close } = await opened();
  await page.getByRole('button', { name: 'View as Operator' }).press('Enter');
  await page.getByLabel('Search by email, phone or ID').fill('ADA');
  await page.getByRole('button', { name: 'ada@example.com' }).press('Enter');
  await page.getByRole('button', { name: 'View as ada@example.com' }).waitFor();
  await write(page, `select current_user || ' ' || auth.email() as who`);
  await page.keyboard.press('Control+Enter');
  await page.getByRole('cell', { name: 'authenticated ada@example.com' }).waitFor();
  expect(page.url()).toMatch(/as=user(:|%3A)/);
  await close();
});

test('a truncated cell can be shown completely, and the editor can search', async () => {
  const { page, complaints, close } = await opened();
  await write(page, `select 1; select repeat('long ', 2000) || 'end' as essay`);
  await page.keyboard.press('Control+Enter');
  await page.getByRole('button', { name: 'Show full value' }).press('Enter');
  await page.getByRole('dialog', { name: 'essay' }).getByText('long end').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await editor(page).focus();
  await page.keyboard.press('Control+f');
  await page.getByRole('textbox', { name: 'Find' }).fill('essay');
  await page.keyboard.press('Escape');
  expect(complaints.list).toEqual([]);
  await close();
});

test('a plan is shown as a tree and as a table', async () => {
  const { page, close } = await opened();
  await write(page, 'select * from tasks order by title');
  await page.getByRole('button', { name: 'Explain and run' }).press('Enter');
  const picture = page.getByRole('region', { name: 'Plan as a tree' });
  await picture.getByText('Seq Scan').waitFor();
  await page.getByText('View as table').press('Enter');
  await page.getByRole('rowheader', { name: 'Seq Scan tasks' }).waitFor();
  await close();
});

test('a saved query can be opened by all operators, and the history is private', async () => {
  const { page, close } = await opened();
  await write(page, 'select 42 as answer');
  await page.keyboard.press('Control+Enter');
  await page.getByText('Committed').waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).press('Enter');
  await page.getByLabel('Name').fill('The answer');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'The answer' }).waitFor();
  await page.getByRole('button', { name: 'Close The answer' }).press('Enter');
  await page.getByRole('button', { name: 'History and saved queries' }).press('Enter');
  await page.getByRole('button', { name: 'The answer by owner' }).press('Enter');
  await editor(page).getByText('answer').waitFor();
  await close();
});

test('a read-only operator can view data, and the page says so', async () => {
  const { page, complaints, close } = await opened({}, 'looker');
  await page.getByText('Your role is read-only, so every query').waitFor();
  expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
  await write(page, 'select count(*) from tasks; ');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('cell', { name: '350' }).waitFor();
  await write(page, 'delete from tasks');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('alert').getByText('It can only run queries').waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

test.each(looks)(
  'every state is accessible and never scrolls horizontally at $width px, $colorScheme first',
  async ({ colorScheme, width }) => {
    const { page, complaints, close } = await opened({ colorScheme, viewport: { width, height: 800 } });
    const judge = (state: string) => expectSound(page, state);
    await judge('empty');
    await write(page, `select * from tasks where id < 9; -- and\nselect nonsense from tasks`);
    await page.keyboard.press('Control+Enter');
    await page.getByRole('alert').waitFor();
    await judge('results and an error');
    await write(page, 'select * from tasks a join tasks b using (id)');
    await page.getByRole('button', { name: 'Explain', exact: true }).press('Enter');
    await page.getByRole('region', { name: 'Plan as a tree' }).waitFor();
    await page.getByText('View as table').press('Enter');
    await judge('plan');
    await page.getByRole('button', { name: 'View as Operator' }).press('Enter');
    await page.getByRole('button', { name: 'ada@example.com' }).waitFor();
    await judge('personas');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'History and saved queries' }).press('Enter');
    await page.getByRole('dialog').getByText('nonsense').first().waitFor();
    await judge('library');
    await page.keyboard.press('Escape');
    await write(page, 'truncate keyless');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('dialog', { name: 'Destructive statement' }).waitFor();
    await judge('question');
    expect(complaints.list).toEqual([]);
    await close();
  },
  120_000,
);
