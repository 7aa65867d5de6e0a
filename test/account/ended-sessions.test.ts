/** Tests that only a browser whose session was ended elsewhere shows the reason. */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openContext, scrollsSideways } from '../web/browser.ts';
import { describeEach, stateViolations, withStates } from '../web/states.ts';
import { makeUser, openAccount, openStage, password, type Stage, startSession } from './harness.ts';
import { say, speak } from './keyboard/texts.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({});
});
afterAll(() => stage.close());

const contexts: BrowserContext[] = [];
afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
});

async function newPage(language: 'en' | 'ar', javaScriptEnabled: boolean): Promise<Page> {
  await speak(language);
  const locale = language === 'en' ? 'en-GB' : 'ar';
  const viewport = { width: 360, height: 800 };
  const { context } = await openContext(stage.browser, { javaScriptEnabled, locale, viewport });
  contexts.push(context);
  return context.newPage();
}

const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

/** Creates another session of the user and sends a request with its token. */
async function elsewhere(email: string, method: string, path: string, body?: object): Promise<void> {
  const headers = { apikey: stage.backend.keys.publishableKey, 'content-type': 'application/json' };
  const signedIn = await stage.backend.fetch('/auth/v1/token?grant_type=password', {
    method: 'POST',
    headers,
    body: JSON.stringify({ email, password }),
  });
  const { access_token: token } = (await signedIn.json()) as { access_token: string };
  const response = await stage.backend.fetch(`/auth/v1${path}`, {
    method,
    headers: { ...headers, authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(response.ok).toBe(true);
}

describeEach([
  ['en', true],
  ['en', false],
  ['ar', true],
  ['ar', false],
])('in %s, scripts %s', (language, scripts) => {
  test(
    'a browser that was signed out by a new password shows the reason and keeps the address',
    withStates,
    async () => {
      const page = await newPage(language, scripts);
      const email = `ended-${language}-${scripts}@example.com`;
      await makeUser(stage.backend, email);
      await startSession(page, stage.backend, email);
      await elsewhere(email, 'PUT', '/user', { password: 'another battery 2' });
      const open = (one: Page) => one.goto(`${stage.backend.url}/account/security`);
      // The reason is still shown after a reload.
      for (let times = 0; times < 2; times += 1) {
        await open(page);
        await heading(page, say('page.sign-in'));
        await expect.poll(() => page.locator('main').innerText()).toContain(say('ended.password_changed'));
        await expect.poll(() => page.locator('#email').inputValue()).toBe(email);
      }
      if (scripts) expect(await stateViolations(page)).toEqual([]);
      expect(await scrollsSideways(page)).toBe(false);
      // A browser that never had the session doesn't receive the reason.
      const stranger = await newPage(language, scripts);
      await open(stranger);
      await heading(stranger, say('page.sign-in'));
      expect(await stranger.locator('main').innerText()).not.toContain(say('ended.password_changed'));
      expect(await stranger.locator('#email').inputValue()).toBe('');
    },
  );
});

test('an open page that is signed out from another device shows the reason and fills in the address', async () => {
  const page = await newPage('en', true);
  const email = 'ended-open@example.com';
  await makeUser(stage.backend, email);
  await openAccount(page, stage.backend, email);
  await page.getByRole('button', { name: say('security.email-change-what') }).waitFor();
  await elsewhere(email, 'POST', '/logout?scope=others');
  // Any action causes the page to detect that the session has ended.
  await page.getByRole('button', { name: say('data.download') }).click();
  await heading(page, say('page.sign-in'));
  await page.getByText(say('ended.elsewhere')).waitFor();
  await expect.poll(() => page.locator('#email').inputValue()).toBe(email);
});
