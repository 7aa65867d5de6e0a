/** Tests the command palette in Chromium, with the keyboard. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../web/browser.ts';
import { pageStates } from '../web/states.ts';
import { type Backend, startWithUser } from './harness.ts';
import { expectSound, holdScript, looks, signedIn } from './page-helpers.ts';

let backend: Backend;
let browser: Browser;
beforeAll(async () => {
  const started = await startWithUser();
  backend = started.backend;
  browser = await launchBrowser();
  await started.owner.call('POST', '/sql/saved', {
    name: 'Weekly revenue',
    text: 'select 4711',
    isShared: true,
  });
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
});

type Options = Parameters<typeof signedIn>[2];

async function opened(options: Options = {}, name?: string) {
  const window = await signedIn(browser, backend, options, name);
  await window.go('/audit');
  await window.page.getByRole('heading', { name: 'Audit log' }).waitFor();
  return window;
}

const field = (page: Page) => page.getByRole('combobox', { name: 'Find anything' });
const option = (page: Page, name: RegExp | string) => page.getByRole('option', { name }).first();

async function search(page: Page, text: string): Promise<void> {
  // An earlier palette may still be closing.
  await field(page).waitFor({ state: 'detached' });
  await page.keyboard.press('Control+k');
  await field(page).waitFor();
  await page.keyboard.insertText(text);
}

async function choose(page: Page, name: RegExp | string): Promise<void> {
  const wanted = option(page, name);
  await wanted.waitFor();
  // Results that arrive later can be listed above earlier results.
  await expect.poll(() => page.getByRole('status').last().textContent()).not.toContain('Searching');
  for (let presses = 0; presses < 60; presses++) {
    if ((await wanted.getAttribute('aria-selected')) === 'true') break;
    await page.keyboard.press('ArrowDown');
  }
  await page.keyboard.press('Enter');
}

test('pages, tables, users, rows, queries, templates and documentation can be opened with the keyboard', async () => {
  const { page, complaints, close } = await opened();
  await search(page, 'froz');
  await choose(page, /^frozen/);
  await page.waitForURL('**/tables/public/frozen');

  await search(page, 'ada@exam');
  await choose(page, /^ada@example\.com/);
  await page.waitForURL('**/users?id=*');
  await page.getByRole('heading', { name: 'ada@example.com' }).waitFor();

  await search(page, '7');
  await page.keyboard.insertText('7');
  await choose(page, /^tasks id = 77/);
  await page.waitForURL('**/tables/public/tasks?row=*');
  await page.getByText('Task 77').first().waitFor();
  await page.keyboard.press('Escape');

  await search(page, 'weekly');
  await choose(page, /^Weekly revenue/);
  await page.getByRole('textbox', { name: 'SQL to run' }).getByText('4711').waitFor();

  await search(page, 'unused ind');
  await choose(page, /^Unused indexes/);
  await page.getByRole('link', { name: 'Unused indexes' }).waitFor();

  await search(page, 'plinthbackupstale');
  await choose(page, /^PlinthBackupStale/);
  await page.getByRole('dialog', { name: 'PlinthBackupStale' }).getByText('docs/operate.md').waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

test('keys that are typed while the palette is loading are part of the search', async () => {
  const { page, complaints, close } = await opened();
  const release = await holdScript(page, 'palette');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('gu tasl');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Enter');
  release();
  await field(page).waitFor();
  await page.keyboard.type('ks');
  await expect.poll(() => field(page).inputValue()).toBe('gu tasks');
  // If the palette is already open, the shortcut doesn't disturb typing.
  await page.keyboard.press('Control+k');
  await page.keyboard.type('!');
  await expect.poll(() => field(page).inputValue()).toBe('gu tasks!');
  expect(new URL(page.url()).pathname).toBe('/console/audit');
  expect(complaints.list).toEqual([]);
  await close();
});

test('actions open a dialog or ask for confirmation before they do anything', async () => {
  const { page, close } = await opened();
  await search(page, 'invite user');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByLabel('Email').waitFor();
  await page.keyboard.press('Escape');

  await search(page, 'ban ada');
  await choose(page, 'Ban ada@example.com');
  await page.getByRole('dialog').getByLabel('Duration').waitFor();
  await page.keyboard.press('Escape');

  await page.goto(`${backend.console.url}/console/audit`);
  await page.getByRole('heading', { name: 'Audit log' }).waitFor();
  await search(page, 'view as ada');
  await choose(page, 'View data as ada@example.com');
  await page.getByRole('button', { name: 'View as ada@example.com' }).waitFor();

  await search(page, 'create table');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/tables/new');

  await search(page, 'import csv');
  await choose(page, 'Import a file into a new table');
  await page.waitForURL('**/tables/new?from=file');
  await page.goto(`${backend.console.url}/console/tables/public/tasks`);
  await page.getByRole('grid').waitFor();
  await search(page, 'import');
  await choose(page, 'Import a file into public.tasks');
  await page.getByRole('dialog', { name: 'Import into tasks' }).waitFor();
  await page.keyboard.press('Escape');

  await search(page, 'dark theme');
  await page.keyboard.press('Enter');
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor();

  await search(page, 'run backup');
  await page.keyboard.press('Enter');
  const backup = page.getByRole('dialog', { name: 'Run a backup now?' });
  await backup.getByText(/no backup target yet|an external PostgreSQL server/).waitFor();
  await backup.getByRole('button', { name: 'Set up backups' }).press('Enter');
  await page.waitForURL('**/backups');

  await search(page, 'sign out');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Sign out of the Console?' });
  await dialog.waitFor();
  await dialog.getByRole('button', { name: 'Sign out' }).press('Enter');
  await page.waitForURL('**/sign-in*');
  await close();
});

test('a read-only operator isn’t offered actions that the role doesn’t allow', async () => {
  const { page, close } = await opened({}, 'looker');
  await search(page, 'invite');
  await expect.poll(() => page.getByRole('status').last().textContent()).not.toContain('Searching');
  expect(await page.getByRole('option', { name: /^Invite (user|operator)$/ }).count()).toBe(0);
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('ban ada');
  await expect.poll(() => page.getByRole('status').last().textContent()).not.toContain('Searching');
  expect(await page.getByRole('option', { name: /^Ban/ }).count()).toBe(0);
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('view as anon');
  await option(page, 'View data as anonymous visitor').waitFor();
  await close();
});

test('recent results come first, and the chosen option is announced', async () => {
  const { page, close } = await opened();
  await search(page, 'keyless');
  await choose(page, /^keyless/);
  await page.waitForURL('**/tables/public/keyless');
  await page.keyboard.press('Control+k');
  await field(page).waitFor();
  await expect.poll(() => page.getByRole('option').first().textContent()).toContain('keyless');
  const active = () => field(page).getAttribute('aria-activedescendant');
  const first = await page.getByRole('option').first().getAttribute('id');
  await expect.poll(active).toBe(first);
  expect(await page.locator(`[id="${first}"]`).getAttribute('aria-selected')).toBe('true');
  await page.keyboard.press('ArrowUp');
  await expect.poll(active).not.toBe(first);
  await page.keyboard.press('ArrowDown');
  await expect.poll(active).toBe(first);
  await page.keyboard.press('Escape');
  await field(page).waitFor({ state: 'detached' });
  await close();
});

test('a group with more results can show all of them', async () => {
  const { page, close } = await opened();
  await search(page, 'creat');
  const more = option(page, /^Show all \d+ results$/);
  await more.waitFor();
  await expect.poll(() => page.getByRole('status').last().textContent()).not.toContain('Searching');
  const all = Number((await more.textContent())?.replace(/\D+/g, ''));
  const group = page.getByRole('group').filter({ has: more }).first();
  const label = (await group.getAttribute('aria-labelledby')) ?? '';
  const items = page.locator(`[aria-labelledby="${label}"]`).getByRole('option');
  await expect.poll(() => items.count()).toBe(7);
  await choose(page, /^Show all \d+ results$/);
  await expect.poll(() => items.count()).toBe(all);
  await field(page).and(page.locator(':focus')).waitFor();
  await close();
});

test('local results appear immediately, and a late response to an earlier search isn’t shown', async () => {
  const { page, close } = await opened();
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/console/api/search?search=adaa', async (route) => {
    await held;
    await route.fulfill({
      contentType: 'application/x-ndjson',
      body: `${JSON.stringify({ group: 'users', isPartial: false, hits: [{ title: 'stale', detail: '', target: { to: '/users' } }] })}\n`,
    });
  });
  await search(page, 'adaa');
  await page.waitForRequest('**/console/api/search?search=adaa');
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('users');
  await option(page, 'Users').waitFor();
  release();
  await expect.poll(() => page.getByRole('status').last().textContent()).toContain('result');
  expect(await page.getByText('stale').count()).toBe(0);
  await close();
});

test.each(looks)(
  'the palette is accessible and fits at $width px, $colorScheme first',
  { ...pageStates, timeout: 60_000 },
  async ({ colorScheme, ...viewport }) => {
    const { page, complaints, close } = await opened({ colorScheme, viewport });
    await page.keyboard.press('Control+k');
    await field(page).waitFor();
    await expectSound(page, 'empty');
    await page.keyboard.insertText('task');
    await option(page, /^tasks/).waitFor();
    await expect.poll(() => page.getByRole('status').last().textContent()).toContain('result');
    await expectSound(page, 'results');
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('qqxxzz');
    await page.getByText('No results. Try').waitFor();
    await expectSound(page, 'nothing');
    expect(complaints.list).toEqual([]);
    await close();
  },
);
