/** Tests the page after signing out, whose text and link depend on how the session ended. */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { axeViolations, type Complaints, openContext, scrollsSideways } from '../web/browser.ts';
import { makeUser, openStage, type Stage, signIn } from './harness.ts';

let stage: Stage;
let context: BrowserContext;
let complaints: Complaints;
let page: Page;

beforeAll(async () => {
  stage = await openStage({ auth: { site_url: 'https://app.example' } });
  await makeUser(stage.backend, 'ada@example.com');
});
afterAll(() => stage.close());
beforeEach(async () => {
  ({ context, complaints } = await openContext(stage.browser));
  page = await context.newPage();
});
afterEach(async () => {
  await context.close();
  expect(complaints.list).toEqual([]);
});

const open = (search = '') => page.goto(`${stage.backend.url}/account/signed-out${search}`);
const back = () => page.getByRole('link', { name: /^Back to/ });

async function check(): Promise<void> {
  expect(await axeViolations(page)).toEqual([]);
  expect(await scrollsSideways(page)).toBe(false);
}

test('a signed-out user can close the window, sign in again, or return to the app', async () => {
  await open(`?redirect_to=${encodeURIComponent('https://app.example/bye?x=1')}`);
  await page.getByText('Apps that you opened with this account may still be signed in.').waitFor();
  await back().waitFor();
  expect(await back().getAttribute('href')).toBe('https://app.example/bye?x=1');
  await check();
  // Only the app can start its next sign-in, because the previous challenge is used up.
  const again = page.getByRole('link', { name: 'Sign in again' });
  expect(await again.getAttribute('href')).toBe('https://app.example/bye?x=1');
  await open();
  await again.click();
  await page.waitForURL('**/account/sign-in');
});

test('without scripts, “Sign in again” doesn’t lead to a request without a challenge', async () => {
  const response = await stage.backend.fetch('/account/signed-out?redirect_to=https%3A%2F%2Fapp.example');
  expect(await response.text()).toMatch(/href="\/account\/sign-in"/);
});

test.each([
  'https://evil.example/',
  'javascript:alert(1)',
  '//evil.example',
  'https://app.example@evil.example/',
])('the page doesn’t link to %s', async (address) => {
  const asked = page.waitForResponse('**/account/api/app');
  await open(`?redirect_to=${encodeURIComponent(address)}`);
  expect(await (await asked).json()).toEqual({ allowed: false });
  expect(await back().count()).toBe(0);
  expect(await page.locator('a[href*="evil"]:not([href^="/account/"]), a[href^="javascript"]').count()).toBe(
    0,
  );
});

test('a user signed out only by the app sees a notice and can sign out here too', async () => {
  await signIn(page, stage.backend, 'ada@example.com');
  await page.getByText('Signed in as ada@example.com').waitFor();
  await open();
  await page.getByRole('heading', { level: 1, name: /^You’re still signed in to / }).waitFor();
  await page.getByText('still signed in to your account as ada@example.com').waitFor();
  await check();
  await page.getByRole('button', { name: 'Sign out of your account' }).press('Enter');
  await page.getByRole('heading', { level: 1, name: 'You’re signed out' }).waitFor();
  await page.getByText('You can close this window.').waitFor();
  expect((await context.cookies()).map(({ name }) => name)).not.toContain('plinth-account');
});

test('a user whose session ends in another tab sees a notice', async () => {
  await signIn(page, stage.backend, 'ada@example.com');
  await page.getByText('Signed in as ada@example.com').waitFor();
  await open();
  await page.getByText('still signed in to your account as ada@example.com').waitFor();
  const other = await context.newPage();
  await other.goto(`${stage.backend.url}/account/security`);
  await other.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByText('You were signed out, here or on another device.').waitFor();
});
