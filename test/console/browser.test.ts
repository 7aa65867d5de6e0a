/** Tests the Console's pages in Chromium, with the keyboard, against a real server. */
import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type Complaints, launchBrowser, openContext } from '../web/browser.ts';
import { pageStates } from '../web/states.ts';
import { type Backend, operator, startBackend } from './harness.ts';
import { expectSound, looks } from './page-helpers.ts';

let backend: Backend;
let browser: Browser;
beforeAll(async () => {
  backend = await startBackend();
  browser = await launchBrowser();
  const owner = await operator(backend);
  await owner.call('POST', '/users', {
    email: 'ada@example.com',
    password: 'a-Good-password-1',
    confirmed: true,
  });
  await backend.fetch('/auth/v1/otp', {
    method: 'POST',
    headers: { apikey: backend.keys.publishableKey, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'ada@example.com' }),
  });
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
});

type Options = Parameters<typeof openContext>[1];

async function signedIn(
  options: Options = {},
  name?: string,
): Promise<{ page: Page; complaints: Complaints; close: () => Promise<void> }> {
  const { context, complaints } = await openContext(browser, {
    viewport: { width: 1280, height: 800 },
    ...options,
  });
  const page = await context.newPage();
  await page.goto(await backend.consoleLink(name));
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  return { page, complaints, close: () => context.close() };
}

const go = (page: Page, path: string) => page.goto(`${backend.console.url}/console${path}`);
const cell = (page: Page, row: number, column: number) => page.locator(`[data-cell="${row}:${column}"]`);

async function stored(id: number, column: string): Promise<unknown> {
  const [row] = await backend.database
    .pool('postgres')
    .query<{ value: unknown }>(sql`select ${sql.id(column)} as value from public.tasks where id = ${id}`);
  return row?.value;
}

/** Waits for the grid and moves the focus to a cell with the keyboard, starting at the first cell. */
async function focusCell(page: Page, row: number, column: number): Promise<void> {
  await cell(page, 0, 1).waitFor();
  await page.locator('[data-cell][tabindex="0"]').focus();
  await page.keyboard.press('Control+Home');
  for (let step = 0; step < row; step++) await page.keyboard.press('ArrowDown');
  for (let step = 0; step < column; step++) await page.keyboard.press('ArrowRight');
  await page.locator(`[data-cell="${row}:${column}"]:focus`).waitFor();
}

describe('sign-in', () => {
  test('first removes the secret from the address', async () => {
    const { page, complaints, close } = await signedIn();
    expect(page.url()).toBe(`${backend.console.url}/console/`);
    await page.goBack().catch(() => undefined);
    expect(page.url()).not.toContain('token');
    expect(complaints.list).toEqual([]);
    await close();
  });

  test('opens the requested page, and explains how to get a link without one', async () => {
    const { context } = await openContext(browser);
    const page = await context.newPage();
    await go(page, '/tables/public/tasks');
    await page.getByText('npm run -s plinth -- console').waitFor();
    expect(page.url()).toContain('next=');
    const other = await context.newPage();
    await other.goto(await backend.consoleLink());
    await other.getByRole('heading', { name: 'Home' }).waitFor();
    await page.getByRole('button', { name: 'I’m already signed in' }).press('Enter');
    await cell(page, 0, 1).waitFor();
    expect(page.url()).toBe(`${backend.console.url}/console/tables/public/tasks`);
    await page.goto(`${backend.console.url}/console/sign-in#token=spent`);
    await page.getByText('This sign-in link has expired').waitFor();
    await context.close();
  });
});

describe('the grid with the keyboard', () => {
  test('can edit a row: a value, NULL, an empty string, a rejected value, and undo', async () => {
    const { page, complaints, close } = await signedIn();
    await go(page, '/tables/public/tasks');
    await focusCell(page, 1, 2);
    await page.keyboard.press('Enter');
    await page.keyboard.type('By keyboard');
    await page.keyboard.press('Enter');
    await page.getByText('Saved title').waitFor();
    expect(await stored(2, 'title')).toBe('By keyboard');
    await page.locator('[data-cell="2:2"]:focus').waitFor();

    // The operator can enter NULL or an empty string by pressing a single key.
    await focusCell(page, 1, 3);
    await page.keyboard.press('F2');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText('Saved note').waitFor();
    expect(await stored(2, 'note')).toBeNull();
    await expect.poll(() => cell(page, 1, 3).textContent()).toBe('NULL');
    await page.keyboard.press('Control+z');
    await page.getByRole('status').getByText('Undid the change to note').waitFor();
    expect(await stored(2, 'note')).toBe('note 2');

    // A rejected edit restores the cell and shows the database's message.
    await focusCell(page, 1, 6);
    await page.keyboard.type('9');
    await page.keyboard.press('Tab');
    const alert = page.getByRole('alert');
    await alert.getByText('tasks_priority_check').waitFor();
    await alert.getByText('23514').waitFor();
    await expect.poll(() => cell(page, 1, 6).textContent()).toBe('3');

    // Escape cancels the edit without a change.
    await focusCell(page, 3, 2);
    await page.keyboard.press('Enter');
    await page.keyboard.type('never');
    await page.keyboard.press('Escape');
    await page.locator('[data-cell="3:2"]:focus').waitFor();
    expect(await stored(4, 'title')).toBe('Task 4');
    expect(complaints.list).toEqual([]);
    await close();
  });

  test('shows both values of a conflict to choose from', async () => {
    const { page, close } = await signedIn();
    await go(page, '/tables/public/tasks');
    await focusCell(page, 6, 2);
    await page.keyboard.press('Enter');
    await backend.database.pool('postgres').query(sql`update public.tasks set title = 'theirs' where id = 7`);
    await page.keyboard.type('mine');
    await page.keyboard.press('Enter');
    const alert = page.getByRole('alert');
    await alert.getByText('Someone else changed title while you were editing').waitFor();
    await alert.getByText('theirs', { exact: true }).waitFor();
    await alert.getByText('mine', { exact: true }).waitFor();
    await alert.getByRole('button', { name: 'Overwrite' }).press('Enter');
    await expect.poll(() => stored(7, 'title')).toBe('mine');

    // If the value has changed since the edit, Undo doesn't overwrite it without confirmation.
    await backend.database.pool('postgres').query(sql`update public.tasks set title = 'newer' where id = 7`);
    await page.getByRole('button', { name: 'Undo' }).press('Enter');
    await alert.getByText('Undo failed because title has changed since.').waitFor();
    await alert.getByRole('button', { name: 'Keep current value' }).press('Enter');
    expect(await stored(7, 'title')).toBe('newer');
    await close();
  });

  test('moves by screens and to both ends, even through rows that aren’t loaded yet', async () => {
    const { page, close } = await signedIn();
    await go(page, '/tables/public/tasks');
    await focusCell(page, 0, 1);
    await page.keyboard.press('PageDown');
    await page.keyboard.press('End');
    const grid = page.getByRole('grid');
    expect(await grid.getAttribute('aria-colcount')).toBe('8');
    await page.keyboard.press('Control+End');
    await page.getByText('350 rows', { exact: true }).waitFor();
    await page.keyboard.press('Control+End');
    await page.locator('[data-cell="349:7"]:focus').waitFor();
    expect(await grid.getAttribute('aria-rowcount')).toBe('351');
    await page.keyboard.press('Control+Home');
    await page.locator('[data-cell="0:0"]:focus').waitFor();
    await close();
  });

  test('opens a long cell completely, sorts by a header, and keeps the state in the URL', async () => {
    const { page, close } = await signedIn();
    await go(page, '/tables/public/tasks');
    await focusCell(page, 4, 3);
    await page.keyboard.press('Enter');
    const field = page.getByRole('dialog').getByLabel('note', { exact: true });
    await expect.poll(() => field.inputValue()).toHaveLength(1000);
    expect(decodeURIComponent(page.url())).toContain('row={"id":"5"}');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await focusCell(page, 0, 1);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page
      .getByRole('columnheader', { name: 'id' })
      .and(page.locator('[aria-sort=descending]'))
      .waitFor();
    await expect.poll(() => cell(page, 0, 1).textContent()).toBe('350');
    await page.reload();
    await cell(page, 0, 1).filter({ hasText: '350' }).waitFor();
    await close();
  });

  test('inserts rows in the panel, and deletes rows after a confirmation', async () => {
    const { page, close } = await signedIn();
    // A repeated run doesn't find the row of the first run.
    const title = `From the panel ${randomUUID()}`;
    await go(page, '/tables/public/tasks?insert=true');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('title', { exact: true }).fill(title);
    await dialog.getByRole('button', { name: 'Insert', exact: true }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await go(page, `/tables/public/tasks?filters=[{"column":"title","operator":"eq","value":"${title}"}]`);
    await page.getByText(title).first().waitFor();
    await focusCell(page, 0, 0);
    await page.keyboard.press('Space');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('Delete');
    // The confirmation has no effect before the dialog shows the consequences.
    await page.getByText('You can undo the deletion').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete row' }).press('Enter');
    await page.getByText('No matching rows').waitFor();
    await close();
  });

  test('doesn’t show controls for changing data to a read-only operator', async () => {
    await backend.operators.createOperator('looker', 'read-only');
    const { page, close } = await signedIn({}, 'looker');
    await go(page, '/tables/public/tasks');
    await cell(page, 0, 1).waitFor();
    await page.locator('[data-cell][tabindex="0"]').focus();
    expect(await page.getByRole('button', { name: 'Insert row' }).count()).toBe(0);
    // This operator can't select rows, so the grid starts with the first column of the table.
    expect(await page.getByRole('gridcell', { name: 'not selected' }).count()).toBe(0);
    expect(await cell(page, 0, 1).getAttribute('aria-colindex')).toBe('1');
    await page.keyboard.press('Home');
    await cell(page, 0, 1).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Shift+Space');
    expect(await page.getByText('1 selected').count()).toBe(0);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('Task 1').first().waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
    await go(page, '/inbox');
    await page.getByText('Your role can’t read the inbox').waitFor();
    // Missing permissions aren't shown as a failed request, which would have a request ID.
    await go(page, '/tables/auth/users');
    const limit = page.getByRole('alert').filter({ hasText: "Your role can't read rows of auth." });
    await limit.waitFor();
    expect(await limit.getByText('Request ID').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Count', exact: true }).count()).toBe(0);
    await close();
  });
});

test('the command palette finds a table', async () => {
  const { page, complaints, close } = await signedIn();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find anything' }).waitFor();
  await page.keyboard.type('froz');
  await page.getByText('frozen').first().waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/tables/public/frozen');
  expect(complaints.list).toEqual([]);
  await close();
});

test('an email is shown in a frame that can’t run scripts', async () => {
  const { page, complaints, close } = await signedIn();
  await go(page, '/inbox');
  await page.getByRole('list', { name: 'Messages' }).getByRole('link').first().press('Enter');
  await page.frameLocator('iframe').locator('body').waitFor();
  expect(await page.locator('iframe').getAttribute('sandbox')).toBe(
    'allow-popups allow-popups-to-escape-sandbox',
  );
  expect(complaints.list).toEqual([]);
  await close();
});

test.each(looks)(
  'every page is accessible and fits at $width px, $colorScheme first',
  { ...pageStates, timeout: 120_000 },
  async ({ colorScheme, ...viewport }) => {
    const { page, complaints, close } = await signedIn({ viewport, colorScheme });
    const places: [path: string, ready: () => Promise<unknown>][] = [
      ['/', () => page.getByRole('heading', { name: 'Connect' }).waitFor()],
      ['/tables', () => page.getByRole('link', { name: 'tasks' }).waitFor()],
      ['/tables/public/tasks', () => cell(page, 0, 1).waitFor()],
      [
        '/tables/public/tasks?row={"id":"3"}',
        () => page.getByRole('dialog').getByLabel('title', { exact: true }).waitFor(),
      ],
      [
        '/tables/public/tasks?insert=true',
        () => page.getByRole('dialog').getByLabel('title', { exact: true }).waitFor(),
      ],
      [
        '/tables/public/tasks?filters=[{"column":"id","operator":"lt","value":"0"}]',
        () => page.getByText('No matching rows').waitFor(),
      ],
      ['/users', () => page.getByRole('link', { name: 'ada@example.com' }).waitFor()],
      ['/inbox', () => page.getByRole('list', { name: 'Messages' }).waitFor()],
      ['/sign-in', () => page.getByText('npm run -s plinth -- console').waitFor()],
      ['/nowhere', () => page.getByRole('heading', { name: 'Page not found' }).waitFor()],
      ['/users/elsewhere', () => page.getByRole('link', { name: 'Go to Home' }).waitFor()],
    ];
    for (const [path, ready] of places) {
      await go(page, path);
      await ready();
      await expectSound(page, path);
    }
    expect(complaints.list).toEqual([]);
    await close();
  },
);

test('the frame with the menu is visible before scripts and style sheets have loaded', async () => {
  const { page, complaints, close } = await signedIn();
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/assets\/.*\.(?:js|css)$/, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${backend.console.url}/console/tables/public/tasks`, { waitUntil: 'commit' });
  const frame = page.locator('#boot-frame');
  await frame.locator('[data-current][data-to="/tables"]').waitFor();
  release();
  await cell(page, 0, 1).waitFor();
  await frame.waitFor({ state: 'hidden' });
  expect(complaints.list).toEqual([]);
  await go(page, '/sign-in');
  await frame.waitFor({ state: 'detached' });
  await close();
});

test('the first render contains the whole page, even if its code is late', async () => {
  const { page, close } = await signedIn();
  await page.route(/\/assets\/table-page-.*\.js$/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await route.continue();
  });
  await page.addInitScript(`new MutationObserver((_changes, observer) => {
    if (document.querySelector('#root > *') === null) return;
    window.firstRender = document.querySelector('main')?.innerText;
    observer.disconnect();
  }).observe(document, { childList: true, subtree: true })`);
  await go(page, '/tables/public/tasks');
  await cell(page, 0, 1).waitFor();
  expect(await page.evaluate('window.firstRender')).toContain('public.tasks');
  await close();
});

test('after an update of the server, the next page is loaded with the new files', async () => {
  const { page, close } = await signedIn();
  let isReloaded = false;
  page.on('request', (request) => {
    isReloaded ||= request.isNavigationRequest();
  });
  // The previous version's files no longer exist.
  await page.route('**/assets/*', (route) =>
    isReloaded ? route.continue() : route.fulfill({ status: 404 }),
  );
  await page.getByRole('link', { name: 'Users', exact: true }).press('Enter');
  await page.getByRole('link', { name: 'ada@example.com' }).waitFor();
  expect(isReloaded).toBe(true);
  await close();
});

test('an operator who isn’t signed in doesn’t see the frame before the sign-in page', async () => {
  const { context, complaints } = await openContext(browser);
  const page = await context.newPage();
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/assets\/.*\.(?:js|css)$/, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${backend.console.url}/console/tables/public/tasks`, { waitUntil: 'commit' });
  await page.locator('#root').waitFor({ state: 'attached' });
  await page.waitForFunction('document.getElementById("boot-frame") === null');
  release();
  await page.getByText('npm run -s plinth -- console').waitFor();
  expect(complaints.list).toEqual([]);
  await context.close();
});
