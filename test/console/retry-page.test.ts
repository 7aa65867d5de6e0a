/** Tests pages whose data couldn't be loaded, in Chromium. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../web/browser.ts';
import { withStates } from '../web/states.ts';
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

test('a page that couldn’t be loaded offers to try again', withStates, async () => {
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

const stopsResponding = (page: Page): Promise<unknown> =>
  page.route('**/*', (route) => route.abort('connectionrefused'));

test('queries are repeated when the server responds again', async () => {
  const { page, go, close } = await signedIn(browser, backend);
  await go('/audit');
  await page.getByRole('row').nth(1).waitFor();
  await stopsResponding(page);
  await page.getByRole('searchbox').fill('sign-in');
  await page.getByRole('alert').filter({ hasText: 'The server isn’t responding.' }).waitFor();
  await page.unrouteAll();
  await page.getByRole('row').filter({ hasText: 'sign-in' }).first().waitFor();
  await page.getByRole('alert').filter({ hasText: 'responding' }).waitFor({ state: 'detached' });
  await close();
});

test(
  'a page and its parts wait for a server that isn’t responding, and keep the input',
  withStates,
  async () => {
    const { page, go, close } = await signedIn(browser, backend);
    await go('/sql');
    await page.locator('.cm-content').fill('select 42');
    await stopsResponding(page);
    await page.getByRole('button', { name: 'Query library' }).press('Enter');
    const waiting = page.getByRole('alert').filter({ hasText: 'This page will continue' });
    await waiting.waitFor();
    await expectSound(page, 'a page that waits for the server');
    await page.unrouteAll();
    await page.getByRole('dialog', { name: 'Query library' }).waitFor();
    await waiting.waitFor({ state: 'detached' });
    const areStylesLoaded = `[...document.styleSheets].every((sheet) => {
    try { return sheet.cssRules.length > 0; } catch { return false; }
  })`;
    await expect.poll(() => page.evaluate(areStylesLoaded)).toBe(true);
    await page.keyboard.press('Escape');
    expect(await page.locator('.cm-content').innerText()).toContain('select 42');
    let isReloaded = false;
    page.on('request', (request) => {
      isReloaded ||= request.isNavigationRequest();
    });
    await stopsResponding(page);
    await page.getByRole('link', { name: 'Queries', exact: true }).press('Enter');
    await waiting.waitFor();
    await page.unrouteAll();
    await page.getByRole('heading', { name: 'Queries', exact: true }).waitFor();
    expect(isReloaded).toBe(false);
    await close();
  },
);

test.each([
  ['/users', 'id=00000000-0000-0000-0000-000000000000', "This user doesn't exist."],
  ['/tables/public/tasks', 'row={"id":"99999"}', 'This row no longer exists.'],
  ['/policies', 'table=public.tasks&policy=none', 'Policy none of public.tasks not found'],
])(
  'the address of a deleted record at %s says so and leads back to the list',
  withStates,
  async (path, search, text) => {
    const { page, go, complaints, close } = await signedIn(browser, backend);
    await go(`${path}?${search}`);
    const missing = page.getByRole('alert').filter({ hasText: text });
    await missing.waitFor();
    expect(await missing.getByText('Request ID').count()).toBe(0);
    await expectSound(page, text);
    await missing.getByRole('button', { name: 'Back to the list' }).press('Enter');
    await missing.waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('');
    expect(complaints.list.filter((each) => !/status of 404|status of 410/.test(each))).toEqual([]);
    await close();
  },
);
