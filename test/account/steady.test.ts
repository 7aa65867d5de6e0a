/**
 * Tests that no control moves while a page hydrates. If a button moves while a user presses it, browsers don't treat
 * the press as a click.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openContext } from '../web/browser.ts';
import { openStage, type Stage } from './harness.ts';

let stage: Stage;

beforeAll(async () => {
  const provider = { enabled: true, client_id: 'id', secret: 'secret' };
  stage = await openStage({
    auth: {
      enable_anonymous_sign_ins: true,
      additional_redirect_urls: ['https://app.example:8443/**'],
      minimum_password_length: 12,
      sms: { enable_signup: true },
      external: { github: provider, google: provider },
    },
    plinth: {
      branding: { name: 'Meadow', welcome: { en: 'Welcome to the meadow %PLINTH_FIELDS%' } },
      account: { languages: ['en', 'ar'] },
    },
  });
});
afterAll(() => stage.close());

/** All controls and text elements in the card, with their positions in CSS pixels. */
const controls = `[...document.querySelectorAll('main button, main a, main input, main h1, main p')]
  .filter((one) => one.checkVisibility() && one.getClientRects().length > 0)
  .map((one) => {
    const { top, left, width, height } = one.getBoundingClientRect();
    return [one.localName, one.textContent, ...[top, left, width, height].map(Math.round)].join(' ');
  })`;

const positions = (page: Page) => page.evaluate(controls) as Promise<string[]>;

const appUrl = 'https://app.example:8443/callback?a=%25PLINTH_MARK%25';
const fromApp = `redirect_to=${encodeURIComponent(appUrl)}&code_challenge=${'a'.repeat(43)}`;
const pages = [
  'sign-in',
  'sign-up',
  'guest',
  'code',
  'recover',
  'sso',
  'signed-out',
  'link-expired',
  'error',
];

test.concurrent.each(
  pages.flatMap((name) => {
    // The page for signed-out users adds a link to an allowed app after its script has checked the app with the server.
    const search = name === 'signed-out' ? fromApp.replace('app.example', 'other.example') : fromApp;
    return [`${name}?lang=en`, `${name}?lang=en&${search}`, `${name}?lang=ar&${search}`];
  }),
)('%s', async (path) => {
  const { context, complaints } = await openContext(stage.browser, { viewport: { width: 360, height: 800 } });
  const page = await context.newPage();
  let wake = (): void => {};
  const awake = new Promise<void>((resolve) => {
    wake = resolve;
  });
  await page.route('**/assets/*.js', async (route) => {
    await awake;
    await route.continue();
  });
  await page.goto(`${stage.backend.url}/account/${path}`, { waitUntil: 'commit' });
  await page.locator('footer').waitFor();
  const asleep = await positions(page);
  expect(asleep.length).toBeGreaterThan(1);
  wake();
  await page.waitForLoadState('networkidle');
  // The test polls, because the content security policy blocks a function that waits inside the page.
  const isReady = () => page.evaluate('window.plinthReady === true');
  if (await page.locator('form').count()) await expect.poll(isReady).toBe(true);
  expect(await positions(page)).toEqual(asleep);
  expect(complaints.list).toEqual([]);
  await context.close();
});
