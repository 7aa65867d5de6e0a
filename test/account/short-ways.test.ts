/**
 * Tests what the pages do to save steps: offer a new code, keep the typed address, focus the right field, and list the
 * last used provider first.
 */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openContext } from '../web/browser.ts';
import { describeEach } from '../web/states.ts';
import { openApp, redeemAt, type TestApp } from './app.ts';
import { addAuthenticatorApp, laterTotp, makeUser, openStage, password, type Stage } from './harness.ts';
import { say, speak } from './keyboard/texts.ts';
import { countMails, latestMail } from './mailbox.ts';

let stage: Stage;
let app: TestApp;

const provider = { enabled: true, client_id: 'id', secret: 'secret' };

beforeAll(async () => {
  app = await openApp();
  stage = await openStage({
    auth: {
      site_url: app.url,
      email: { enable_confirmations: true, max_frequency: 0 },
      external: { github: provider, google: provider },
      mfa: { totp: { enroll_enabled: true, verify_enabled: true } },
      sms: { enable_signup: true, enable_confirmations: true },
    },
    plinth: { branding: { name: 'Harbor' } },
  });
});
afterAll(async () => {
  await stage.close();
  await app.close();
});

const contexts: BrowserContext[] = [];
afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
});

type Language = 'en' | 'ar';

async function newDevice(language: Language = 'en', javaScriptEnabled = true): Promise<Page> {
  await speak(language);
  const locale = language === 'en' ? 'en-GB' : 'ar';
  const { context } = await openContext(stage.browser, { javaScriptEnabled, locale });
  contexts.push(context);
  return context.newPage();
}

let users = 0;
const newEmail = () => `short-${++users}@example.com`;
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const email = (page: Page) => page.locator('#email');
const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

async function unconfirmedUser(): Promise<string> {
  const address = newEmail();
  await stage.backend.fetch('/auth/v1/signup', {
    method: 'POST',
    headers: { apikey: stage.backend.keys.publishableKey, 'content-type': 'application/json' },
    body: JSON.stringify({ email: address, password }),
  });
  return address;
}

describeEach([
  ['en', true],
  ['en', false],
  ['ar', true],
  ['ar', false],
])('in %s, with scripts %s', (language, scripts) => {
  test('a user who hasn’t confirmed the address gets a button for a new code', async () => {
    const address = await unconfirmedUser();
    const before = await countMails(stage.backend, address);
    const { search, verifier } = app.startSignIn();
    const page = await newDevice(language, scripts);
    await page.goto(`${stage.backend.url}/account/sign-in${search}`);
    await email(page).fill(address);
    await button(page, say('sign-in.next')).click();
    await page.locator('#password').fill(password);
    await button(page, say('sign-in.submit')).click();
    await button(page, say('code.resend')).click();
    await heading(page, say('page.code'));
    await expect.poll(() => countMails(stage.backend, address)).toBe(before + 1);
    const { code } = await latestMail(stage.backend, address);
    await page.getByLabel(say('field.code'), { exact: true }).fill(code);
    if (!scripts) await button(page, say('code.submit')).click();
    await page.waitForURL(`${app.url}?code=*`);
    expect(await redeemAt(stage.backend, page.url(), verifier)).toBe(address);
  });

  test('an expired link offers a new code and keeps the app', async () => {
    const address = newEmail();
    await makeUser(stage.backend, address);
    const { search } = app.startSignIn();
    const page = await newDevice(language, scripts);
    await page.goto(`${stage.backend.url}/account/code${search}`);
    await email(page).fill(address);
    await button(page, say('code.send')).click();
    await heading(page, say('page.code'));
    const { code, link } = await latestMail(stage.backend, address);
    await page.getByLabel(say('field.code'), { exact: true }).fill(code);
    if (!scripts) await button(page, say('code.submit')).click();
    await page.waitForURL(`${app.url}?code=*`);
    // Where the user is signed in already, the page offers to continue instead.
    const other = await newDevice(language, scripts);
    await other.goto(link);
    await heading(other, say('page.link-expired'));
    await other.getByRole('link', { name: say('sign-in.send-code'), exact: true }).click();
    await heading(other, say('page.code-ask'));
    expect(new URL(other.url()).searchParams.get('redirect_to')).toBe(app.url);
  });
});

test('the typed address is kept for the password reset, and the code page focuses its field', async () => {
  const address = newEmail();
  await makeUser(stage.backend, address);
  const page = await newDevice();
  await page.goto(`${stage.backend.url}/account/sign-in`);
  await email(page).fill(address);
  await button(page, say('sign-in.next')).click();
  await page.getByText(say('sign-in.forgot')).click();
  await heading(page, say('page.recover'));
  await expect.poll(() => email(page).inputValue()).toBe(address);
  expect(page.url()).not.toContain('short-');
  await button(page, say('code.send')).click();
  await heading(page, say('page.code'));
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('code');
});

test('the provider that was used last comes first', async () => {
  const page = await newDevice();
  await page.goto(`${stage.backend.url}/account/sign-in`);
  const names = () => page.locator('[data-list=providers-first] a').allTextContents();
  await expect.poll(names).toEqual(['Continue with GitHub', 'Continue with Google']);
  const memory = Buffer.from(JSON.stringify({ accounts: [], last: 'google' })).toString('base64url');
  const { hostname } = new URL(stage.backend.url);
  await page
    .context()
    .addCookies([{ name: 'plinth-account-known', value: memory, domain: hostname, path: '/account' }]);
  await page.goto(`${stage.backend.url}/account/sign-in`);
  await expect.poll(names).toEqual(['Continue with GoogleLast used', 'Continue with GitHub']);
});

test('a text message names the project', async () => {
  const page = await newDevice();
  await page.goto(`${stage.backend.url}/account/code?by=phone&purpose=sign-up`);
  await page.getByLabel(say('field.phone'), { exact: true }).fill('+44 7700 900999');
  await button(page, say('code.send')).click();
  await heading(page, say('page.code'));
  const { text } = await latestMail(stage.backend, '447700900999');
  expect(text).toMatch(/^\d{6} is your Harbor code\. Never share it\.$/);
});

describeEach(['en', 'ar'])('in %s, the link to the password', (language) => {
  const isAtPassword = (page: Page) =>
    page.evaluate(`(() => {
      const { top, bottom } = document.getElementById('password').getBoundingClientRect();
      return location.hash === '#password' && top >= -1 && top < innerHeight && bottom > 0;
    })()`);

  test.each(['/.well-known/change-password', '/account/security#password'])(
    '%s opens it after a sign-in and after the second step',
    async (path) => {
      const address = newEmail();
      await makeUser(stage.backend, address);
      const page = await newDevice(language);
      await page.setViewportSize({ width: 390, height: 500 });
      await page.goto(`${stage.backend.url}${path}`);
      await email(page).fill(address);
      await button(page, say('sign-in.next')).click();
      await page.locator('#password').fill(password);
      await button(page, say('sign-in.submit')).click();
      await heading(page, say('page.security'));
      await expect.poll(() => isAtPassword(page)).toBe(true);

      const { secret } = await addAuthenticatorApp(stage.backend, address);
      await page.context().clearCookies({ name: 'plinth-account' });
      await page.goto(`${stage.backend.url}${path}`);
      await page.waitForURL(/account\/(accounts|sign-in)/);
      if (page.url().includes('/accounts')) await page.getByRole('button', { name: address }).first().click();
      await page.locator('#password').fill(password);
      await button(page, say('sign-in.submit')).click();
      await heading(page, say('page.mfa'));
      await page.getByLabel(say('field.code'), { exact: true }).fill(laterTotp(secret));
      await heading(page, say('page.security'));
      await expect.poll(() => isAtPassword(page)).toBe(true);
    },
    60_000,
  );
});
