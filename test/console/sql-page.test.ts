/** Tests the SQL page in Chromium, with the keyboard. */
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { templates } from '../../web/console/features/sql/templates.ts';
import { axeViolations, launchBrowser, openContext } from '../web/browser.ts';
import { pageStates } from '../web/states.ts';
import { type Backend, operator, startWithUser } from './harness.ts';
import { expectSound, holdScript, looks, signedIn, signInWindow } from './page-helpers.ts';

let backend: Backend;
let browser: Browser;
beforeAll(async () => {
  ({ backend } = await startWithUser());
  browser = await launchBrowser();
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

test('statements can be run with the keyboard, each shows its result, and the draft is kept after a reload', async () => {
  const { page, complaints, close } = await opened();
  await write(page, `select '<img src=x onerror=alert(1)>' as "<b>head</b>", null as n; select 2 as two`);
  await page.keyboard.press('Control+Enter');
  await page.getByText('Committed').waitFor();
  await page.getByRole('columnheader', { name: 'two integer' }).waitFor();
  await page.getByRole('tab', { name: /select 2 as two 1 row · [\d.]+ ms/ }).press('ArrowLeft');
  await page.getByRole('cell', { name: '<img src=x onerror=alert(1)>' }).waitFor();
  await page.getByRole('columnheader', { name: '<b>head</b> text' }).waitFor();
  expect(await page.getByRole('tab', { selected: true }).textContent()).toContain('head');
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

test('SQL is formatted, which undo takes back, and broken SQL stays as it is', async () => {
  const { page, complaints, close } = await opened();
  await write(page, 'select id, title from tasks where id = 1');
  await page.getByRole('button', { name: 'Format' }).press('Enter');
  await expect.poll(() => page.locator('.cm-line').count()).toBe(7);
  await editor(page).focus();
  await page.keyboard.press('Control+z');
  await expect.poll(() => page.locator('.cm-line').count()).toBe(1);
  await write(page, 'select (');
  await page.getByRole('button', { name: 'Format' }).press('Enter');
  await page.getByText('The SQL couldn’t be formatted.').waitFor();
  expect(await page.locator('.cm-line').allTextContents()).toEqual(['select (']);
  expect(complaints.list).toEqual([]);
  await close();
});

test('an error is marked in the editor, and a link moves the cursor to its position', async () => {
  const { page, close } = await opened();
  await write(page, 'select id,\n  nonsense from tasks');
  await page.keyboard.press('Control+Enter');
  const alert = page.getByRole('alert');
  await alert.getByText('column "nonsense" does not exist').waitFor();
  expect(await page.locator('.cm-fault').textContent()).toBe('nonsense');
  await alert.getByRole('button', { name: 'Show line 2, column 3' }).press('Enter');
  await page.keyboard.insertText('title, ');
  await expect.poll(() => editor(page).textContent()).toContain('title, nonsense');
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

const lateParts = [
  ['names', '**/console/api/sql/names'],
  ['completion', '**/sql-words*'],
] as const;

/** Types a word while the requests for `url` wait. */
async function typedBefore(url: string) {
  const { page, go, close } = await signedIn(browser, backend);
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(url, async (route) => {
    await released;
    await route.continue();
  });
  await go('/sql');
  await editor(page).focus();
  await page.keyboard.type('select * from tas');
  await editor(page).getByText('select * from tas').waitFor();
  return { page, release, close };
}

test.each(lateParts)('a word that is typed before the %s arrived is completed', async (_part, url) => {
  const { page, release, close } = await typedBefore(url);
  release();
  await page.locator('.cm-tooltip-autocomplete').getByText('tasks').waitFor();
  await close();
});

test.each(lateParts)(
  'a word is not completed if the focus leaves before the %s arrived',
  async (_part, url) => {
    const { page, release, close } = await typedBefore(url);
    await page.getByRole('button', { name: 'Query library' }).focus();
    const arrived = page.waitForResponse(url);
    release();
    await (await arrived).finished();
    await page.locator('.cm-line span').first().waitFor();
    // The search for completions starts a moment later.
    await page.waitForTimeout(300);
    expect(await page.locator('.cm-tooltip-autocomplete').count()).toBe(0);
    await close();
  },
);

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
  // The message depends on whether the statement has already begun.
  await page
    .getByRole('alert')
    .getByText(/cancel/)
    .first()
    .waitFor();
  await close();
});

test('a script can run as a user who is found by email, and the URL contains the choice', async () => {
  const { page, close } = await opened();
  const viewAs = page.getByRole('button', { name: 'View as Operator' });
  await viewAs.press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  // The focus returns to the button, even though the picker was loaded only when it was opened.
  await page.waitForFunction(`document.activeElement?.getAttribute('aria-label') === 'View as Operator'`);
  await viewAs.press('Enter');
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
  await page.getByRole('button', { name: 'Show full value' }).click();
  const cell = page.getByRole('dialog', { name: 'essay' });
  await cell.getByText('long end').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await cell.waitFor({ state: 'detached' });
  await editor(page).focus();
  await page.keyboard.press('Control+f');
  await page.getByRole('textbox', { name: 'Find' }).fill('essay');
  await page.keyboard.press('Escape');
  expect(complaints.list).toEqual([]);
  await close();
});

test('keys that are typed while the search panel is loading are part of the search', async () => {
  const { page, complaints, close } = await opened();
  await write(page, 'select 1');
  const release = await holdScript(page, 'search');
  await page.keyboard.press('Control+f');
  await page.keyboard.type('selx');
  await page.keyboard.press('Backspace');
  release();
  const find = page.getByRole('textbox', { name: 'Find' });
  await find.and(page.locator(':focus')).waitFor();
  await page.keyboard.type('e');
  await expect.poll(() => find.inputValue()).toBe('sele');
  expect(await editor(page).textContent()).toBe('select 1');
  await page.locator('.cm-searchMatch').waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

test('a plan is shown as a tree and as a table', async () => {
  const { page, close } = await opened();
  await write(page, 'select * from tasks order by title');
  await page.getByRole('button', { name: 'Explain and run' }).press('Enter');
  const picture = page.getByRole('region', { name: 'Plan as a tree' }).first();
  await picture.getByText('Seq Scan').waitFor();
  await page.getByText('View as table').press('Enter');
  await page.getByRole('rowheader', { name: 'Seq Scan tasks' }).waitFor();
  await close();
});

test('several statements can be explained, and a failing one doesn’t hide the others', async () => {
  const { page, close } = await opened();
  await write(page, 'select * from tasks;\nselect nope from tasks;\ndelete from tasks where id = 1');
  await page.getByRole('button', { name: 'Explain', exact: true }).press('Enter');
  const plans = page.getByRole('region', { name: 'Plans' });
  await plans.getByText('ModifyTable').first().waitFor();
  await plans.getByText('column "nope" does not exist').waitFor();
  await plans.getByRole('button', { name: 'Show line 2, column 8' }).waitFor();
  await close();
});

test('numbers are right-aligned, booleans are words, and only one element scrolls vertically', async () => {
  const { page, close } = await opened({ viewport: { width: 1280, height: 800 } });
  await write(page, 'select id, title, note from tasks order by id; select true');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('tab', { name: /select id/ }).press('Enter');
  const cell = page.getByRole('cell', { name: '1', exact: true });
  const align = await cell.evaluate((element) => getComputedStyle(element).textAlign);
  expect(['end', 'right']).toContain(align);
  expect(await page.getByRole('cell', { name: 'Task 1', exact: true }).evaluate(textAlign)).toMatch(
    /start|left/,
  );
  const scrolling = () =>
    page.evaluate(() =>
      [...document.querySelectorAll('main *')]
        .filter((element) => element.scrollHeight > element.clientHeight + 1)
        .filter((element) => ['auto', 'scroll'].includes(getComputedStyle(element).overflowY))
        .map((element) => element.getAttribute('aria-label') ?? element.className),
    );
  await expect.poll(scrolling).toEqual(['Rows of Statement 1']);
  await page.getByRole('tab', { name: /select true/ }).click();
  await page.getByRole('cell', { name: 'true', exact: true }).waitFor();
  await close();
});

const textAlign = (element: Element): string => getComputedStyle(element).textAlign;

test('at 360 x 740, the results can be scrolled with the keyboard', async () => {
  const { page, close } = await opened({ viewport: { width: 360, height: 740 } });
  await write(page, 'select * from tasks order by id');
  await page.keyboard.press('Control+Enter');
  const rows = page.getByRole('region', { name: 'Rows of Statement 1' });
  await rows.focus();
  await page.keyboard.press('End');
  await expect.poll(() => rows.evaluate((element) => element.scrollTop)).toBeGreaterThan(100);
  expect(await axeViolations(page)).toEqual([]);
  await close();
});

test('parameters have fields, and their values are bound and kept', async () => {
  const { page, complaints, close } = await opened();
  await write(page, 'select id from tasks where id = :id and title like $1');
  await page.getByLabel('Value of :id').fill('7');
  await page.getByLabel('Type of :id').selectOption('Integer');
  await page.getByLabel('Value of $1').fill(`Task'; drop table tasks; --`);
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'Run', exact: true }).press('Enter');
  await page.getByText('No rows returned').waitFor();
  await page.getByText('don’t put quotes around them').waitFor();
  await page.getByLabel('Value of $1').fill('Task%');
  await page.getByLabel('Value of $1').press('Enter');
  await page.getByRole('cell', { name: '7', exact: true }).waitFor();
  await page.reload();
  await expect.poll(() => page.getByLabel('Value of :id').inputValue()).toBe('7');
  await page.getByLabel(':id is NULL').check();
  await page.getByRole('button', { name: 'Run', exact: true }).press('Enter');
  await page.getByText('No rows returned').waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

test('a result can be shown as a chart, and the choice is kept', async () => {
  const { page, complaints, close } = await opened();
  await write(page, `select priority, count(*) as tasks, sum(id) as ids from tasks group by 1 order by 1`);
  await page.keyboard.press('Control+Enter');
  await page.getByRole('button', { name: 'Chart', exact: true }).press('Enter');
  const chart = page.getByRole('img', { name: /Chart of Statement 1/ });
  await chart.waitFor();
  await page.getByRole('button', { name: 'tasks', exact: true }).press('Space');
  await page.getByRole('button', { name: 'tasks', exact: true, pressed: false }).waitFor();
  await page.getByLabel('Chart', { exact: true }).selectOption('Bar');
  await page.getByRole('checkbox', { name: 'ids' }).uncheck();
  await page.getByText('View numbers').press('Enter');
  await page.getByRole('row', { name: '1 70' }).waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await page.reload();
  await editor(page).getByText('priority').waitFor();
  await page.getByRole('button', { name: 'Run', exact: true }).press('Enter');
  await chart.waitFor();
  await page.getByRole('checkbox', { name: 'ids', checked: false }).waitFor();
  await expect.poll(() => page.getByLabel('Chart', { exact: true }).inputValue()).toBe('bar');
  expect(complaints.list).toEqual([]);
  await close();
});

test('the complete result can be exported', async () => {
  const { page, close } = await opened();
  await write(page, `select n, '=1+1' as f from generate_series(1, 3000) n`);
  await page.keyboard.press('Control+Enter');
  await page.getByText('Showing the first').waitFor();
  const exported = async (name: string): Promise<string> => {
    await page.getByRole('button', { name: 'Export', exact: true }).press('Enter');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name, exact: true }).press('Enter'),
    ]);
    return readFileSync(await download.path(), 'utf8');
  };
  const csv = (await exported('All rows as CSV, with an apostrophe before formulas')).trim().split('\r\n');
  expect([csv.length, csv[3000]]).toEqual([3001, `3000,'=1+1`]);
  expect(JSON.parse(await exported('All rows as JSON'))).toHaveLength(3000);
  await close();
});

test('a query can run at an interval until an error occurs', async () => {
  const { page, close } = await opened();
  await backend.database
    .pool('postgres')
    .exec('create table public.ticking (n int); insert into ticking values (1)');
  await write(page, 'select n as ticks from ticking');
  await page.clock.install();
  await page.getByLabel('Run at intervals').selectOption('Every 5 s');
  await page.getByRole('cell', { name: '1', exact: true }).waitFor();
  await backend.database.pool('postgres').exec('update public.ticking set n = 2');
  await page.clock.runFor(5500);
  await page.getByRole('cell', { name: '2', exact: true }).waitFor();
  await backend.database.pool('postgres').exec('drop table public.ticking');
  await page.clock.runFor(5500);
  await page.getByRole('alert').getByText('relation "ticking" does not exist').waitFor();
  await expect.poll(() => page.getByLabel('Run at intervals').inputValue()).toBe('0');
  await close();
});

test('a template can be found and run', async () => {
  const { page, close } = await opened();
  await page.getByRole('button', { name: 'Query library' }).press('Enter');
  await page.getByRole('button', { name: 'Templates' }).press('Enter');
  await page.getByLabel('Search queries').fill('unused ind');
  await page.getByRole('button', { name: /^Unused indexes/ }).press('Enter');
  await editor(page).getByText('pg_stat_user_indexes').waitFor();
  await page.getByRole('button', { name: 'Run', exact: true }).press('Enter');
  await page.getByText('Committed').waitFor();
  await close();
});

test('every template works for all operators who can see it', async () => {
  const owner = await operator(backend);
  const looker = await operator(backend, 'looker');
  await backend.database.pool('postgres').exec('create extension if not exists pg_cron');
  for (const { id, needs, text } of templates) {
    const body = { text, parameters: [{ name: 'part', value: 'id' }] };
    const runs = [await owner.call('POST', '/sql/run', body)];
    if (needs === 'read') runs.push(await looker.call('POST', '/sql/look', body));
    for (const run of runs) expect([id, run.body]).toEqual([id, expect.stringContaining('"event":"end"')]);
  }
});

test('all operators can open a shared query, and the history is private', async () => {
  const { page, close } = await opened();
  await write(page, 'select 42 as answer');
  await page.keyboard.press('Control+Enter');
  await page.getByText('Committed').waitFor();
  const release = await holdScript(page, 'save-query');
  await page.getByRole('button', { name: 'Save', exact: true }).press('Enter');
  await page.keyboard.type('The ');
  release();
  const dialog = page.getByRole('dialog', { name: 'Save query' });
  const name = dialog.getByLabel('Name');
  await name.and(page.locator(':focus')).waitFor();
  await page.keyboard.type('answer');
  await expect.poll(() => name.inputValue()).toBe('The answer');
  await dialog.getByLabel('Folder').fill('Answers');
  await dialog.getByLabel('Share with all operators').check();
  await dialog.getByRole('button', { name: 'Save', exact: true }).press('Enter');
  await page.getByRole('link', { name: 'The answer' }).waitFor();
  await close();

  await (await operator(backend, 'looker')).call('DELETE', '/sql/history');
  const other = await opened({}, 'looker');
  await other.page.getByRole('button', { name: 'Query library' }).press('Enter');
  await other.page.getByRole('heading', { name: 'Answers' }).waitFor();
  await other.page.getByRole('button', { name: 'The answer by owner' }).press('Enter');
  await editor(other.page).getByText('answer').waitFor();
  await other.page.getByRole('button', { name: 'Query library' }).press('Enter');
  await other.page.getByRole('button', { name: 'The answer by owner' }).waitFor();
  expect(await other.page.getByRole('button', { name: 'Delete The answer' }).count()).toBe(0);
  await other.page.getByRole('button', { name: 'History' }).press('Enter');
  await other.page.getByText('Queries you run appear here').waitFor();
  await other.close();
});

test('a read-only operator can only view data, and the page explains this', async () => {
  const { page, complaints, close } = await opened({}, 'looker');
  await page.getByText('Your role is read-only, so every query').waitFor();
  expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
  await write(page, 'select count(*) from tasks; ');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('cell', { name: '350' }).waitFor();
  await write(page, 'delete from tasks');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('alert').getByText('It can run only queries').waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

test.each(looks)(
  'every state is accessible and never scrolls horizontally at $width px, $colorScheme first',
  { ...pageStates, timeout: 120_000 },
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
    await page.getByRole('button', { name: 'Query library' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'History' }).press('Enter');
    await page.getByRole('dialog').getByText('nonsense').first().waitFor();
    await judge('history');
    await page.getByRole('dialog').getByRole('button', { name: 'Templates' }).press('Enter');
    await page.getByRole('dialog').getByText('Table sizes').waitFor();
    await judge('templates');
    await page.keyboard.press('Escape');
    await write(page, 'select :a::int as a, id from tasks');
    await page.getByLabel('Value of :a').fill('1');
    await page.getByRole('button', { name: 'Run', exact: true }).press('Enter');
    await page.getByRole('button', { name: 'Chart', exact: true }).press('Enter');
    await page.getByRole('img', { name: /Chart of/ }).waitFor();
    await judge('parameters and a chart');
    await page.getByRole('button', { name: 'Save', exact: true }).press('Enter');
    await page.getByRole('dialog', { name: 'Save query' }).waitFor();
    await judge('save');
    await page.keyboard.press('Escape');
    await write(page, 'truncate keyless');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('dialog', { name: 'Destructive statement' }).waitFor();
    await judge('question');
    expect(complaints.list).toEqual([]);
    await close();
  },
);
