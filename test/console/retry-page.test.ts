/** Tests pages whose data couldn't be loaded, in Chromium. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, test } from 'vitest';
import { launchBrowser } from '../web/browser.ts';
import { type Backend, startBackend } from './harness.ts';
import { expectSound, signedIn } from './page-helpers.ts';

let backend: Backend;
let browser: Browser;
beforeAll(async () => {
  backend = await startBackend();
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
});

test('a page that couldn’t be loaded offers to try again', async () => {
  const { page, go, close } = await signedIn(browser, backend);
  const route = /\/console\/api\/audit(\?|$)/;
  await page.route(route, (request) =>
    request.fulfill({ status: 500, json: { code: 'internal_error', message: 'The disk is full.' } }),
  );
  await go('/audit');
  await page.getByRole('alert').filter({ hasText: 'The disk is full.' }).waitFor();
  await expectSound(page, 'a page that couldn’t be loaded');
  await page.unroute(route);
  await page.getByRole('button', { name: 'Try again' }).press('Enter');
  await page.getByRole('alert').waitFor({ state: 'detached' });
  await page.getByRole('row').nth(1).waitFor();
  await close();
});

test('a request that the server rejected isn’t offered again', async () => {
  const { page, go, close } = await signedIn(browser, backend);
  await page.route(/\/console\/api\/audit(\?|$)/, (request) =>
    request.fulfill({ status: 400, json: { code: 'bad_request', message: 'Invalid filter.' } }),
  );
  await go('/audit');
  await page.getByRole('alert').filter({ hasText: 'Invalid filter.' }).waitFor();
  await page.getByRole('button', { name: 'Try again' }).waitFor({ state: 'detached' });
  await close();
});
