/** Tests in Chromium that dialogs trap the focus, and return it to the page when they close. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestBackend } from '../../src/entry/testing.ts';
import { launchBrowser } from '../web/browser.ts';
import { type Backend, operator } from './harness.ts';
import { signedIn } from './page-helpers.ts';

let backend: Backend;
let browser: Browser;
beforeAll(async () => {
  backend = await createTestBackend();
  browser = await launchBrowser();
  const owner = await operator(backend);
  await owner.call('POST', '/storage/buckets', {
    name: 'files',
    public: false,
    file_size_limit: null,
    allowed_mime_types: null,
  });
  for (const path of ['a.txt', 'b.txt', 'c.txt']) {
    const { body } = await owner.call('POST', '/storage/buckets/files/upload-link', { path });
    await backend.fetch(body.url, { method: 'PUT', headers: { 'content-type': 'text/plain' }, body: path });
  }
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
});

/**
 * Returns whether each layer of the window is inert, which means unreachable with the keyboard, from the bottom layer
 * to the top layer.
 */
const inertParts = (page: Page) =>
  page.evaluate<boolean[]>(
    `[document.getElementById('root'), ...document.querySelectorAll('[role=dialog]')].map((part) => part.closest('[inert]') !== null)`,
  );
const focusedName = (page: Page) =>
  page.evaluate<string>(
    `document.activeElement === document.body ? '' : (document.activeElement.ariaLabel ?? document.activeElement.textContent).trim()`,
  );

test('the page and the panel below a dialog are inert, and the focus returns step by step', async () => {
  const { page, complaints, go, close } = await signedIn(browser, backend);
  await go('/storage?bucket=files');
  const link = page.getByRole('link', { name: 'a.txt' });
  await link.waitFor();
  expect(await inertParts(page)).toEqual([false]);
  await link.press('Enter');
  await page.getByRole('button', { name: 'Share link' }).waitFor();
  await expect.poll(() => inertParts(page)).toEqual([true, false]);
  await page.getByRole('button', { name: 'Share link' }).press('Enter');
  await page.getByRole('button', { name: 'Cancel' }).waitFor();
  await expect.poll(() => inertParts(page)).toEqual([true, true, false]);
  await page.keyboard.press('Escape');
  await expect.poll(() => inertParts(page)).toEqual([true, false]);
  await expect.poll(() => focusedName(page)).toBe('Share link');
  await page.keyboard.press('Escape');
  await expect.poll(() => inertParts(page)).toEqual([false]);
  await expect.poll(() => focusedName(page)).toBe('a.txt');
  expect(complaints.list).toEqual([]);
  await close();
});

test('the palette returns the focus, and a menu leaves the page usable', async () => {
  const { page, go, close } = await signedIn(browser, backend);
  await go('/storage?bucket=files');
  await page.getByRole('link', { name: 'a.txt' }).focus();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').waitFor();
  await expect.poll(() => inertParts(page)).toEqual([true, false]);
  await page.keyboard.press('Escape');
  await expect.poll(() => focusedName(page)).toBe('a.txt');
  await page.getByRole('button', { name: 'Bucket', exact: true }).press('Enter');
  await page.getByRole('menuitem', { name: 'Delete bucket' }).waitFor();
  expect(await inertParts(page)).toEqual([false]);
  await page.getByRole('menuitem', { name: 'Delete bucket' }).press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => focusedName(page)).toBe('Bucket');
  await close();
});

test('the focus stays in the list after an entry is deleted', async () => {
  const { page, go, close } = await signedIn(browser, backend);
  await go('/storage?bucket=files');
  await page.getByRole('link', { name: 'b.txt' }).press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter');
  await page
    .getByRole('dialog', { name: 'Delete b.txt?' })
    .getByRole('button', { name: 'Delete' })
    .press('Enter');
  await page.getByRole('link', { name: 'b.txt' }).waitFor({ state: 'detached' });
  await expect
    .poll(() => page.evaluate(`document.activeElement.closest('table, [role=grid], main') !== null`))
    .toBe(true);
  await close();
});
