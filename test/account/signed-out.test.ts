/** Tests the page after signing out, whose text and link depend on how the session ended. */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Complaints, openContext, scrollsSideways } from '../web/browser.ts';
import { stateViolations, testEach, withStates } from '../web/states.ts';
import { makeUser, openStage, type Stage, startSession } from './harness.ts';
import { say, speak } from './keyboard/texts.ts';

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
  expect(await stateViolations(page)).toEqual([]);
  expect(await scrollsSideways(page)).toBe(false);
}

test('a signed-out user can close the window, sign in again, or return to the app', withStates, async () => {
  await open(`?redirect_to=${encodeURIComponent('https://app.example/bye?x=1')}`);
  await page.getByText('You may still be signed in to apps that use this account.').waitFor();
  await back().waitFor();
  expect(await back().getAttribute('href')).toBe('https://app.example/bye?x=1');
  await check();
  // The next sign-in must be started by the app, because a PKCE challenge can be used only once.
  const again = page.getByRole('link', { name: 'Sign in again' });
  expect(await again.getAttribute('href')).toBe('https://app.example/bye?x=1');
  await open();
  await again.click();
  await page.waitForURL('**/account/sign-in');
});

test('the page doesn’t load the code of the account pages', async () => {
  const scripts: string[] = [];
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.push(new URL(request.url()).pathname);
  });
  const known = page.waitForResponse('**/account/api/others');
  await open();
  await (await known).finished();
  await page.waitForLoadState('networkidle');
  expect(scripts.filter((path) => /(index|signed-out-more|members)-/.test(path))).toEqual([
    expect.stringContaining('/index-'),
  ]);
  await open('?redirect_to=https%3A%2F%2Fapp.example');
  await back().waitFor();
  expect(scripts.filter((path) => path.includes('/members-'))).toEqual([]);
});

test('without scripts, “Sign in again” doesn’t send a request without a challenge', async () => {
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

test(
  'a user whom only the app has signed out sees a notice and can sign out of the account too',
  withStates,
  async () => {
    await startSession(page, stage.backend, 'ada@example.com');
    await open();
    await page.getByRole('heading', { level: 1, name: /^You’re still signed in to / }).waitFor();
    await page.getByText('still signed in to your account as ada@example.com').waitFor();
    await check();
    await page.getByRole('button', { name: 'Sign out of your account' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'You’re signed out' }).waitFor();
    await page.getByText('You can close this window.').waitFor();
    expect((await context.cookies()).map(({ name }) => name)).not.toContain('plinth-account');
  },
);

test('a user whose session ends in another tab sees a notice', async () => {
  await startSession(page, stage.backend, 'ada@example.com');
  await open();
  await page.getByText('still signed in to your account as ada@example.com').waitFor();
  const other = await context.newPage();
  await other.goto(`${stage.backend.url}/account/security`);
  await other.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByText('You were signed out, here or on another device.').waitFor();
});

testEach([
  ['en', true],
  ['en', false],
  ['ar', true],
  ['ar', false],
])(
  'in %s, scripts %s: on a shared computer, the signed-out account is removed from the list',
  async (language, scripts) => {
    await speak(language);
    const { context } = await openContext(stage.browser, {
      javaScriptEnabled: scripts,
      locale: language === 'en' ? 'en-GB' : 'ar',
      viewport: { width: 360, height: 800 },
    });
    const page = await context.newPage();
    const email = `shared-${language}-${scripts}@example.com`;
    await makeUser(stage.backend, email);
    await startSession(page, stage.backend, email);
    await page.goto(`${stage.backend.url}/account/${scripts ? 'security' : 'signed-in'}`);
    await page
      .getByRole('button', { name: say('security.sign-out'), exact: true })
      .first()
      .click();
    await page.getByRole('heading', { level: 1, name: say('page.signed-out') }).waitFor();
    // The page states that this browser's sign-in page still lists the address.
    await expect.poll(() => page.locator('main').innerText()).toContain(email);
    if (scripts) expect(await stateViolations(page)).toEqual([]);
    expect(await scrollsSideways(page)).toBe(false);
    await page.getByRole('button', { name: say('signed-out.forget'), exact: true }).click();
    if (scripts) await page.getByRole('status').getByText(say('signed-out.forgotten')).waitFor();
    await expect.poll(() => page.locator('main').innerText()).not.toContain(email);
    // The pages no longer show the account.
    await page.goto(`${stage.backend.url}/account/accounts`);
    await page.getByRole('heading', { level: 1, name: say('page.sign-in') }).waitFor();
    expect(await page.locator('#email').inputValue()).toBe('');
    await context.close();
  },
  withStates,
);
