/** Tests that a page of another origin in the operator's browser has no access to the Console. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestBackend } from '../../src/entry/testing.ts';
import { launchChromium, openContext } from '../web/browser.ts';

let backend: Awaited<ReturnType<typeof createTestBackend>>;
let browser: Browser;
let context: BrowserContext;
let operatorPage: Page;
beforeAll(async () => {
  backend = await createTestBackend();
  browser = await launchChromium();
  context = (await openContext(browser)).context;
  operatorPage = await context.newPage();
  await operatorPage.goto(await backend.consoleLink());
  await operatorPage.getByRole('heading', { name: 'Home' }).waitFor();
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
});

/** Opens an attacker's HTML with scripts on the API's origin, which is the worst case. */
async function hostile(body = ''): Promise<Page> {
  const page = await context.newPage();
  await page.route(`${backend.url}/attack`, (route) =>
    route.fulfill({ contentType: 'text/html', body: `<!doctype html><title>attack</title>${body}` }),
  );
  await page.goto(`${backend.url}/attack`);
  return page;
}

const isSignedIn = (page: Page) =>
  page.evaluate(async () => (await fetch('/console/api/session')).status === 200);

describe('a page of the API’s origin', () => {
  it('can’t read or change anything', async () => {
    const page = await hostile();
    const attempts = await page.evaluate(async (origin) => {
      const attempt = (path: string, init: RequestInit = {}) =>
        fetch(origin + path, { credentials: 'include', ...init }).then(
          ({ type }) => type,
          () => 'failed',
        );
      return [
        await attempt('/console/api/session'),
        await attempt('/console/api/home', { headers: { 'x-plinth-request': '1' } }),
        await attempt('/console/'),
        await attempt('/console/api/sign-out', { method: 'POST', mode: 'no-cors' }),
      ];
    }, backend.console.url);
    // The browser sends the last of these requests, but the server rejects the request, and the page can't read the
    // response.
    expect(attempts).toEqual(['failed', 'failed', 'failed', 'failed']);
    expect(await isSignedIn(operatorPage)).toBe(true);
    await page.close();
  });

  it('can’t frame the Console or keep a reference to its window', async () => {
    const page = await hostile(`<iframe src="${backend.console.url}/console/"></iframe>`);
    await page.waitForTimeout(300);
    expect(page.frames().map((frame) => frame.url())).not.toContain(`${backend.console.url}/console/`);
    const [opened] = await Promise.all([
      context.waitForEvent('page'),
      page.evaluate((origin) => {
        Object.assign(window, { opened: window.open(`${origin}/console/`) });
      }, backend.console.url),
    ]);
    await opened.getByRole('heading', { name: 'Home' }).waitFor();
    expect(await page.evaluate(() => (window as unknown as { opened: Window }).opened.closed)).toBe(true);
    expect(await opened.evaluate(() => window.opener)).toBeNull();
    await opened.close();
    await page.close();
  });

  it('a link on another website requires confirmation before it signs in as another operator', async () => {
    await backend.operators.createOperator('mallory', 'read-only');
    const page = await hostile(`<a href="${await backend.consoleLink('mallory')}">A prize</a>`);
    await page.getByRole('link').click();
    await page.getByText('You opened a sign-in link from another website').waitFor();
    expect(page.url()).not.toContain('token');
    const name = () =>
      operatorPage.evaluate(async () => (await (await fetch('/console/api/session')).json()).operator.name);
    expect(await name()).toBe('owner');
    await page.getByRole('button', { name: 'Sign in with this link' }).press('Enter');
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    expect(await name()).toBe('mallory');
    await page.close();
  });
});
