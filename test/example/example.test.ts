/** Tests the README's tour in a browser, as a user sees it after `npm start -- --example`. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeViolations, launchBrowser, openContext, scrollsSideways } from '../web/browser.ts';
import { describeEach, testEach } from '../web/states.ts';
import { type Example, finishSignUp, signUp, startExample, tick, writeNote } from './stage.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

let example: Example;
let browser: Browser;

beforeAll(async () => {
  [example, browser] = await Promise.all([startExample(), launchBrowser()]);
});

afterAll(async () => {
  await browser?.close();
  await example?.stop();
});

/** Opens the app in a separate browser context, like another user. */
async function openApp(): Promise<{ page: Page; complaints: readonly string[] }> {
  const { context, complaints } = await openContext(browser);
  context.setDefaultTimeout(40_000);
  const page = await context.newPage();
  await page.goto(example.pageUrl);
  return { page, complaints: complaints.list };
}

/** Uses the page's session with the stock client, bypassing the app. */
async function patchNote(
  page: Page,
  body: string,
  change: object,
): Promise<{ status: number; rows: unknown[] }> {
  const token = await page.evaluate(() => {
    const { localStorage } = globalThis as unknown as { localStorage: Record<string, string> };
    const name = Object.keys(localStorage).find((key) => key.endsWith('-auth-token')) ?? '';
    return (JSON.parse(localStorage[name] ?? '{}') as { access_token: string }).access_token;
  });
  const { API_URL, PUBLISHABLE_KEY = '' } = example.status;
  const response = await fetch(`${API_URL}/rest/v1/notes?body=eq.${encodeURIComponent(body)}`, {
    method: 'PATCH',
    headers: {
      apikey: PUBLISHABLE_KEY,
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      prefer: 'return=representation',
    },
    body: JSON.stringify(change),
  });
  return { status: response.status, rows: (await response.json()) as unknown[] };
}

test('two users can write, complete and watch notes, and each can change only their own', async () => {
  const { page: ada, complaints } = await openApp();
  await signUp(ada, 'ada@example.com');
  await ada.getByText('No notes yet.').waitFor();
  await ada.getByText('live', { exact: true }).waitFor();

  const { page: grace, complaints: hers } = await openApp();
  await signUp(grace, 'grace@example.com');
  await grace.getByText('live', { exact: true }).waitFor();

  await writeNote(ada, 'The first tomatoes', await ada.screenshot());
  await tick(ada, 'The first tomatoes').waitFor();
  await expectPhoto(ada, 'The first tomatoes');
  await tick(grace, 'The first tomatoes').waitFor();
  await expectPhoto(grace, 'The first tomatoes');

  await tick(ada, 'The first tomatoes').click();
  for (const page of [ada, grace]) {
    await page.getByRole('checkbox', { name: 'The first tomatoes', checked: true }).waitFor();
  }
  await expect.poll(() => tick(ada, 'The first tomatoes').isEnabled()).toBe(true);

  await expect.poll(() => tick(grace, 'The first tomatoes').isEnabled()).toBe(false);
  expect(await patchNote(grace, 'The first tomatoes', { done: false })).toEqual({ status: 200, rows: [] });
  expect(await patchNote(ada, 'The first tomatoes', { body: 'The second tomatoes' })).toMatchObject({
    status: 200,
    rows: [{ body: 'The second tomatoes', done: true }],
  });
  await grace.getByRole('checkbox', { name: 'The second tomatoes', checked: true }).waitFor();

  await grace.getByRole('button', { name: 'Count with a server function' }).click();
  await grace.getByText('Notes: 1, done: 1, people: 1').waitFor();

  await ada.reload();
  await ada.getByText('ada@example.com').waitFor();
  await ada.getByRole('button', { name: 'Sign out' }).click();
  await ada.getByText('still signed in to your account as ada@example.com').waitFor();
  await ada.getByRole('button', { name: 'Sign out of your account' }).click();
  await ada.getByText('You can close this window.').waitFor();
  await ada.getByRole('link', { name: /^Back to/ }).click();
  await ada.getByRole('button', { name: 'Sign in' }).waitFor();
  expect([...complaints, ...hers]).toEqual([]);
  await Promise.all([ada.context().close(), grace.context().close()]);
});

async function expectPhoto(page: Page, body: string): Promise<void> {
  const photo = page.getByRole('img', { name: body });
  await photo.waitFor();
  const width = () => photo.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth);
  await expect.poll(width).toBeGreaterThan(0);
}

test('the address that invitations lead to starts a sign-in that ends in the app', async () => {
  const { page, complaints } = await openApp();
  const signInUrl = new URL('/sign-in', example.pageUrl).href;
  const account = await (await fetch(`${example.status.API_URL}/account/sign-in`)).text();
  expect(account).toContain(`"signInUrl":"${signInUrl}"`);
  await page.goto(signInUrl);
  await finishSignUp(page, 'invited@example.com');
  expect(complaints).toEqual([]);
});

test('a guest can also write, and sees why a file is rejected', async () => {
  const { page, complaints } = await openApp();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Continue as a guest' }).click();
  await page.getByText('guest', { exact: true }).waitFor();
  await page.getByText('live', { exact: true }).waitFor();
  await writeNote(page, 'Just passing by');
  await tick(page, 'Just passing by').click();
  await page.getByRole('checkbox', { name: 'Just passing by', checked: true }).waitFor();

  await page.getByRole('textbox', { name: 'Note' }).fill('With a letter');
  const letter = { name: 'letter.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') };
  await page.getByLabel('Photo', { exact: true }).setInputFiles(letter);
  await page.getByRole('button', { name: 'Add' }).click();
  await page.getByRole('alert').getByText('application/pdf').waitFor();
  expect(await page.getByRole('textbox', { name: 'Note' }).inputValue()).toBe('With a letter');
  expect(complaints).toEqual([]);
  await page.context().close();
});

describeEach(['light', 'dark'])('in %s', (colorScheme) => {
  testEach([360, 1280])(
    'at %i px, the app is accessible and doesn’t scroll horizontally',
    async (width) => {
      const { context } = await openContext(browser, {
        colorScheme,
        reducedMotion: 'reduce',
        viewport: { width, height: 800 },
      });
      context.setDefaultTimeout(40_000);
      const page = await context.newPage();
      const inspect = async () => {
        expect(await axeViolations(page)).toEqual([]);
        expect(await scrollsSideways(page)).toBe(false);
      };
      await page.goto(example.pageUrl);
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      await inspect();
      await signUp(page, `a-person-with-a-long-name-${colorScheme}-${width}@example.com`);
      await page.getByText('live', { exact: true }).waitFor();
      await writeNote(page, `${colorScheme} ${width} ${'long'.repeat(20)}`, await page.screenshot());
      await page.getByRole('img', { name: `${colorScheme} ${width}` }).waitFor();
      await inspect();
      await context.close();
    },
    { timeout: 120_000 },
  );
});

test('the example passes the type check', async () => {
  const tsc = `${root}node_modules/typescript/bin/tsc`;
  const run = promisify(execFile)(process.execPath, [tsc, '-p', `${root}examples/live-board`]);
  await expect(run).resolves.toMatchObject({ stdout: '' });
});
