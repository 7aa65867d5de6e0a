/**
 * Tests several accounts in one browser: adding, choosing, switching, signing out, and the list that the browser
 * stores.
 */
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openContext, scrollsSideways } from '../web/browser.ts';
import { describeEach, stateViolations, withStates } from '../web/states.ts';
import { openApp, redeemAt, type TestApp } from './app.ts';
import {
  callAccount,
  fillSignIn,
  makeUser,
  openStage,
  password,
  type Stage,
  startSession,
} from './harness.ts';
import { say, speak } from './keyboard/texts.ts';

let stage: Stage;
let app: TestApp;
beforeAll(async () => {
  app = await openApp();
  stage = await openStage({ auth: { site_url: app.url, enable_anonymous_sign_ins: true } });
});
afterAll(async () => {
  await stage.close();
  await app.close();
});

const contexts: BrowserContext[] = [];
afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
});

async function newPage(javaScriptEnabled = true, locale = 'en-GB'): Promise<Page> {
  await speak(locale === 'ar' ? 'ar' : 'en');
  const { context } = await openContext(stage.browser, {
    javaScriptEnabled,
    locale,
    viewport: { width: 360, height: 800 },
  });
  contexts.push(context);
  return context.newPage();
}

let users = 0;
async function newUser(): Promise<string> {
  const email = `several-${++users}@example.com`;
  await makeUser(stage.backend, email);
  return email;
}

const open = (page: Page, name: string, search = '') =>
  page.goto(`${stage.backend.url}/account/${name}${search}`);
const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
const account = (page: Page, email: string) =>
  page.getByRole('button', { name: new RegExp(say('accounts.continue', { name: email })) });
const sessions = async (page: Page): Promise<string[]> =>
  (await page.context().cookies())
    .map(({ name }) => name)
    .filter((name) => /^plinth-account(-\d)?$/.test(name))
    .sort();

describe.each([true, false])('with scripts: %s', (scripts) => {
  test('a user can add an account, choose an account for the app, and sign out of each account', {
    ...withStates,
    timeout: 120_000,
  }, async () => {
    const page = await newPage(scripts);
    const [work, home] = [await newUser(), await newUser()];
    await startSession(page, stage.backend, work);
    await open(page, 'accounts');
    await page.getByRole('link', { name: say('accounts.add') }).click();
    await heading(page, say('page.sign-in'));
    await fillSignIn(page, home);
    await page.getByText(`Signed in as ${home}`).waitFor();
    expect(await sessions(page)).toEqual(['plinth-account', 'plinth-account-1']);

    // The app redirects the user to this page, and gets a session for the account that the user chooses.
    const { search, verifier } = app.startSignIn();
    await open(page, 'sign-in', search);
    await heading(page, say('page.accounts'));
    await page.getByText(say('sign-in.to', { host: new URL(app.url).host })).waitFor();
    if (scripts) {
      expect(await stateViolations(page)).toEqual([]);
      expect(await scrollsSideways(page)).toBe(false);
    }
    await account(page, work).click();
    await page.waitForURL(`${app.url}?**`);
    expect(await redeemAt(stage.backend, page.url(), verifier)).toBe(work);
    await open(page, 'accounts');
    const names = page.getByRole('button', { name: /^Continue as/ });
    await expect.poll(async () => (await names.allInnerTexts())[0]).toContain(work);

    // Signing out of one account doesn't affect the other account.
    await page.getByRole('button', { name: `${say('accounts.sign-out')}: ${work}` }).click();
    await page.getByRole('status').getByText(say('accounts.one-out')).waitFor();
    expect(await sessions(page)).toEqual(['plinth-account-1']);
    // No account is current, so a link to the current account would lead back to this page.
    await page.getByRole('link', { name: say('accounts.manage') }).waitFor({ state: 'detached' });
    await account(page, home).click();
    await page.waitForURL('**/account/security');

    // With only one account, the page doesn't have a button that signs out of all accounts.
    await open(page, 'accounts');
    const signOutAll = page.getByRole('button', { name: say('accounts.sign-out-all') });
    const signOutHome = page.getByRole('button', { name: `${say('accounts.sign-out')}: ${home}` });
    await signOutHome.waitFor();
    await page.getByRole('link', { name: say('accounts.manage') }).waitFor();
    expect(await signOutAll.count()).toBe(0);
    await account(page, work).click();
    await heading(page, say('page.password'));
    await page.locator('input[name=password]').fill(password);
    await page.getByRole('button', { name: say('sign-in.submit'), exact: true }).click();
    await page.getByText(`Signed in as ${work}`).waitFor();
    await open(page, 'accounts');
    await signOutAll.click();
    await page.getByRole('status').getByText(say('accounts.all-out')).waitFor();
    expect(await sessions(page)).toEqual([]);

    // The page lists both accounts of this browser, so the user doesn't have to type an address again.
    await open(page, 'sign-in');
    await heading(page, say('page.accounts'));
    await account(page, home).click();
    await heading(page, say('page.password'));
    await page.getByText(home, { exact: true }).waitFor();
    await open(page, 'accounts');
    await page.getByRole('button', { name: `${say('accounts.forget')}: ${home}` }).click();
    await account(page, home).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: `${say('accounts.forget')}: ${work}` }).click();
    await heading(page, say('page.sign-in'));
    // The timeout is long because the test loads about twenty pages.
  });
});

describeEach([
  ['en', true],
  ['en', false],
  ['ar', true],
  ['ar', false],
])('in %s, scripts %s', (language, scripts) => {
  test(
    'removing a guest account requires a confirmation, because no one can sign in to it again',
    withStates,
    async () => {
      const page = await newPage(scripts, language);
      await callAccount(page, stage.backend, 'guest');
      const guest = page.getByRole('button', { name: new RegExp(`^${say('accounts.guest')}`) });
      const leave = page.getByRole('button', { name: say('guest.leave'), exact: true });
      const remove = `${say('accounts.sign-out')}: ${say('accounts.guest-name')}`;
      const all = page.getByRole('button', { name: say('accounts.sign-out-all'), exact: true });
      const cancel = page.getByRole('link', { name: say('guest.leave-cancel'), exact: true });
      await open(page, 'accounts');
      await guest.waitFor();
      expect(await all.count()).toBe(0);
      await page.getByRole('button', { name: remove, exact: true }).click();
      await heading(page, say('page.leave-guest'));
      if (scripts) expect(await stateViolations(page)).toEqual([]);
      expect(await scrollsSideways(page)).toBe(false);
      // The button with which a guest permanently leaves the account has a different color from the cancel button.
      const colorOf = (button: Locator) => button.evaluate((element) => getComputedStyle(element).color);
      expect(await colorOf(leave)).not.toBe(await colorOf(cancel));
      await cancel.click();
      await guest.waitFor();
      expect(await sessions(page)).toEqual(['plinth-account']);
      await page.getByRole('button', { name: remove, exact: true }).click();
      await leave.click();
      await heading(page, say('page.sign-in'));
      expect(await sessions(page)).toEqual([]);
    },
  );
});

describeEach(['en-GB', 'ar'])('in %s', (locale) => {
  test('after signing out of one account, the page lists the other accounts and can sign them out', {
    ...withStates,
    timeout: 60_000,
  }, async () => {
    const page = await newPage(true, locale);
    const [work, home] = [await newUser(), await newUser()];
    for (const email of [home, work]) await startSession(page, stage.backend, email);
    await open(page, 'signed-out', `?redirect_to=${encodeURIComponent(app.url)}`);
    await heading(page, say('page.still-in'));
    await page.locator('main').getByText(home).waitFor();
    await page.getByRole('button', { name: say('signed-out.all-accounts') }).waitFor();
    expect(await stateViolations(page)).toEqual([]);
    expect(await scrollsSideways(page)).toBe(false);
    await page.getByRole('button', { name: say('still-in.submit') }).click();
    await heading(page, say('page.others-in'));
    await page.locator('#page-intro').getByText(home).waitFor();
    expect(await page.getByText(say('signed-out.alone')).count()).toBe(0);
    expect(await stateViolations(page)).toEqual([]);
    expect(await scrollsSideways(page)).toBe(false);
    await page.getByRole('link', { name: say('signed-out.choose') }).waitFor();
    await page.getByRole('button', { name: say('signed-out.all-accounts') }).press('Enter');
    await heading(page, say('page.signed-out'));
    expect(await sessions(page)).toEqual([]);
    // The link opens the app instead of the sign-in page, because the app starts each sign-in itself.
    const again = page.getByRole('link', { name: say('signed-out.again') });
    await again.and(page.locator(`[href="${app.url}"]`)).click();
    await page.waitForURL(app.url);
  });
});

test('signing in to the same account again replaces its session, and a sixth account ends the oldest one', async () => {
  const page = await newPage();
  const emails: string[] = [];
  for (let count = 0; count < 6; count += 1) emails.push(await newUser());
  const tokens: string[] = [];
  for (const email of [...emails, emails[5] as string]) {
    tokens.push(await startSession(page, stage.backend, email));
  }
  expect(await sessions(page)).toHaveLength(5);
  const statuses = await Promise.all(
    tokens.map(async (token) => {
      const headers = { authorization: `Bearer ${token}`, apikey: stage.backend.keys.publishableKey };
      return (await stage.backend.fetch('/auth/v1/user', { headers })).status;
    }),
  );
  expect(statuses).toEqual([403, 200, 200, 200, 200, 403, 200]);
});

test('another site can’t switch or end an account, and a forged cookie doesn’t sign anyone in', async () => {
  const page = await newPage();
  const email = await newUser();
  await startSession(page, stage.backend, email);
  const cookies = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  for (const fields of ['do=all', 'remove=current', 'account=current']) {
    const response = await fetch(`${stage.backend.url}/account/accounts`, {
      method: 'POST',
      headers: { cookie: cookies, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      body: new URLSearchParams(fields),
      redirect: 'manual',
    });
    expect([fields, response.status, response.headers.getSetCookie()]).toEqual([fields, 403, []]);
  }
  const name = '"><script>alert(1)</script>%PLINTH_NONCE%';
  const memory = (way: string) =>
    Buffer.from(JSON.stringify({ accounts: [{ name, way }, 7], last: way })).toString('base64url');
  const shown = async (way: string): Promise<string> => {
    const forged = `plinth-account-1=${'A'.repeat(43)}; plinth-account-known=${memory(way)}`;
    return (await fetch(`${stage.backend.url}/account/accounts`, { headers: { cookie: forged } })).text();
  };
  expect(await shown('password')).toContain(
    '&#60;script&#62;alert(1)&#60;/script&#62;&#37;PLINTH_NONCE&#37;',
  );
  expect(await shown('password')).not.toMatch(/<script>alert|Signed in/);
  // A stored account with an unknown sign-in method is ignored, so no account is listed.
  expect(await shown('x"')).toMatch(/<h1[^>]*>Sign in</);
});

test('the next step depends on the address, and a reload and a second tab keep the address', async () => {
  const email = await newUser();
  const page = await newPage();
  await open(page, 'sign-in');
  const next = (address: string) =>
    page.evaluate(
      `fetch('/account/api/identify', { method: 'POST',
        headers: { 'x-plinth-request': '1', 'content-type': 'application/json' },
        body: JSON.stringify({ address: '${address}' }) }).then((answer) => answer.json())`,
    );
  expect(await next(email)).toEqual({ step: 'password' });
  expect(await next('stranger@example.com')).toEqual({ step: 'sign-up' });
  // After a reload and in a second tab, the sign-in continues with the same address.
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await heading(page, say('page.password'));
  await page.reload();
  await page.getByText(email, { exact: true }).waitFor();
  const second = await page.context().newPage();
  await open(second, 'password');
  await second.getByText(email, { exact: true }).waitFor();
  await second.goBack();
});

test('a password manager can fill in both steps at the same time', async () => {
  const email = await newUser();
  const page = await newPage();
  await open(page, 'sign-in');
  await page.getByLabel('Email address').fill(email);
  const unseen = page.locator('input[autocomplete=current-password]');
  await unseen.fill('not this one', { force: true });
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await heading(page, say('page.password'));
  await page.getByRole('alert').getByText('Incorrect').waitFor();
  // The form also contains the address, so that password managers store it with the password.
  await expect.poll(() => page.locator('input[autocomplete=username]').inputValue()).toBe(email);
  // The text of a wrong password is selected, so that typing replaces it.
  const field = page.locator('#password');
  await field.fill('not this one either');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.locator('#password:focus[aria-invalid=true]').waitFor();
  await page.locator('#password-error[role=alert]').waitFor();
  await expect.poll(() => field.getAttribute('aria-describedby')).toContain('password-error');
  await page.keyboard.type('correct horse battery 1');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText(`Signed in as ${email}`).waitFor();
});
