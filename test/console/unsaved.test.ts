/**
 * Tests that unsaved input is kept until the operator discards it, in dialogs, with the back button, and after the
 * session has ended.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { axeViolations, launchBrowser } from '../web/browser.ts';
import { type Backend, startBackend } from './harness.ts';
import { type SignedIn, signedIn } from './page-helpers.ts';

// The timeout is long, because each test has several steps and the machine may be busy.
let backend: Backend;
let browser: Browser;
let open: SignedIn;
let page: Page;
const admin = () => backend.database.pool('supabase_admin');

beforeAll(async () => {
  backend = await startBackend();
  await admin().query(sql`insert into storage.buckets (id, name) values ('held', 'held')`);
  browser = await launchBrowser();
  open = await signedIn(browser, backend);
  page = open.page;
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
});

const question = () => page.getByRole('dialog', { name: 'Discard unsaved changes?' });
const title = () => page.getByRole('dialog').getByLabel('title', { exact: true });

async function beginRow(text: string): Promise<void> {
  await open.go('/tables/public/tasks');
  await page.getByRole('button', { name: 'Insert' }).click();
  await title().fill(text);
}

const insert = () => page.getByRole('dialog').getByRole('button', { name: 'Insert' }).click();

async function rowsTitled(text: string): Promise<number> {
  const rows = await admin().query(sql`select from public.tasks where title = ${text}`);
  return rows.length;
}

/** Signs in with a new link in another tab of the same browser. */
async function signInElsewhere(): Promise<void> {
  const other = await page.context().newPage();
  await other.goto(await backend.consoleLink());
  await other.getByRole('heading', { name: 'Home' }).waitFor();
  await other.close();
}

test('Escape and Back ask for confirmation before an entered row is discarded', async () => {
  await beginRow('Begun');
  await page.keyboard.press('Escape');
  await question().waitFor();
  await page.keyboard.press('Escape');
  await question().waitFor({ state: 'detached' });
  expect(await title().inputValue()).toBe('Begun');

  await page.goBack();
  await question().getByRole('button', { name: 'Cancel' }).click();
  await question().waitFor({ state: 'detached' });
  expect(await title().inputValue()).toBe('Begun');
  await expect.poll(() => page.url()).toContain('insert=true');

  await page.keyboard.press('Escape');
  await question().getByRole('button', { name: 'Discard' }).click();
  await title().waitFor({ state: 'detached' });
  expect(await rowsTitled('Begun')).toBe(0);

  // The dialog closes without confirmation if the input was saved or nothing was entered.
  await page.getByRole('button', { name: 'Insert' }).click();
  await title().waitFor();
  await page.keyboard.press('Escape');
  await title().waitFor({ state: 'detached' });
  await beginRow('Saved');
  await insert();
  await title().waitFor({ state: 'detached' });
  expect(await question().count()).toBe(0);
});

test('a dialog with a form and a page with changes ask for confirmation as well', async () => {
  await open.go('/users');
  await page.getByRole('button', { name: 'Create user' }).first().click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Email address' }).fill('half@example.com');
  await page.keyboard.press('Escape');
  await question().getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('dialog').first().waitFor({ state: 'detached' });
  // Confirmation isn't required if submitting a form opens a different page.
  await open.go('/storage?bucket=held');
  await page.getByRole('button', { name: 'New folder' }).click();
  await page.getByLabel('Folder name').fill('made');
  await page.keyboard.press('Enter');
  await page.getByText('No files yet').waitFor();
  expect(page.url()).toContain('folder=made');

  await open.go('/tables/new');
  await page.getByLabel('Comment').fill('Half a table');
  await page.getByRole('link', { name: 'Inbox' }).click();
  await question().getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
});

test('an expired session leaves the page unchanged until the operator has signed in again', async () => {
  await beginRow('Through the end');
  await admin().query(sql`delete from _plinth.operator_sessions`);
  await insert();
  const ended = page.getByRole('dialog', { name: 'You’re signed out' });
  await ended.getByRole('button', { name: 'Continue' }).click();
  await ended.getByText('You haven’t signed in to the Console in this browser').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await signInElsewhere();
  await ended.getByRole('button', { name: 'Continue' }).click();
  await ended.waitFor({ state: 'detached' });
  expect(await title().inputValue()).toBe('Through the end');
  await insert();
  await title().waitFor({ state: 'detached' });
  expect(await rowsTitled('Through the end')).toBe(1);
});

test('an operator who signs in again in another tab continues in this one, but another operator’s session isn’t used', async () => {
  await beginRow('Beside another tab');
  await signInElsewhere();
  await insert();
  await title().waitFor({ state: 'detached' });
  expect(await rowsTitled('Beside another tab')).toBe(1);

  await backend.operators.createOperator('colleague', 'owner');
  await beginRow('In whose name?');
  const other = await page.context().newPage();
  await other.goto(await backend.consoleLink('colleague'));
  await other.getByRole('heading', { name: 'Home' }).waitFor();
  await insert();
  await page.getByRole('dialog').getByRole('alert').getByText('csrf').waitFor();
  expect(await rowsTitled('In whose name?')).toBe(0);
  expect(open.complaints.list).toEqual([]);
});
