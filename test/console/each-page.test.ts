/** Tests one state of each page of the Console. The page states in the other files cover all states. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Page, pages } from '../../web/console/pages.ts';
import { axeViolations, launchBrowser, scrollsSideways } from '../web/browser.ts';
import { type Backend, startBackend } from './harness.ts';
import { type SignedIn, signedIn } from './page-helpers.ts';

let backend: Backend;
let browser: Browser;
let window: SignedIn;

beforeAll(async () => {
  [backend, browser] = await Promise.all([startBackend(), launchBrowser()]);
  window = await signedIn(browser, backend);
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
});

/** The paths of all pages except those that redirect to another page. */
const paths = Object.entries<Page>(pages)
  .filter(([, { redirect }]) => redirect === undefined)
  .map(([path]) => path.replace('$schema', 'public').replace('$table', 'tasks'));

test.each(paths)('%s is accessible and fits', async (path) => {
  const { page, complaints, go } = window;
  await go(path);
  await page.locator('main h1').filter({ visible: true }).first().waitFor();
  expect(await axeViolations(page)).toEqual([]);
  expect(await scrollsSideways(page)).toBe(false);
  expect(await page.evaluate(`document.body.textContent.includes('⟦')`)).toBe(false);
  expect(complaints.list).toEqual([]);
});
