/**
 * Tests email links that are opened on another device. The window in which the email was requested continues, and no
 * other browser gets the session. Also tests sign-ups with an existing address, because the resulting emails contain
 * the same kind of link.
 */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openContext } from '../web/browser.ts';
import { describeEach } from '../web/states.ts';
import { openApp, redeemAt, type TestApp } from './app.ts';
import { callAccount, makeUser, openStage, password, type Stage } from './harness.ts';
import { say, speak } from './keyboard/texts.ts';
import { countMails, latestMail } from './mailbox.ts';

let stage: Stage;
let app: TestApp;

beforeAll(async () => {
  app = await openApp();
  stage = await openStage({
    auth: { site_url: app.url, email: { enable_confirmations: true, max_frequency: 0 } },
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

/** Opens a window in a separate browser profile, which simulates another device. */
async function newDevice(language: Language = 'en', javaScriptEnabled = true): Promise<Page> {
  await speak(language);
  const locale = language === 'en' ? 'en-GB' : 'ar';
  const { context } = await openContext(stage.browser, { javaScriptEnabled, locale });
  contexts.push(context);
  return context.newPage();
}

let users = 0;
const newEmail = () => `two-devices-${++users}@example.com`;
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
const isSignedIn = async (page: Page) =>
  (await page.context().cookies()).some(({ name }) => name === 'plinth-account');

/** Signs up for the app and returns the number that the waiting window shows. */
async function signUp(page: Page, email: string, search: string): Promise<string> {
  await page.goto(`${stage.backend.url}/account/sign-up${search}`);
  await page.getByLabel(say('field.email'), { exact: true }).fill(email);
  await page.locator('input[name=password]').fill(password);
  await button(page, say('sign-up.submit')).click();
  await heading(page, say('page.code'));
  return numberIn(page);
}

/** Signs up without opening a page and returns the number that the waiting window would show. */
async function startSignUp(page: Page, email: string): Promise<string> {
  const body = { email, password };
  const { number } = await callAccount<{ number: number }>(page, stage.backend, 'sign-up', body);
  return String(number);
}

async function numberIn(page: Page): Promise<string> {
  const text = await page.locator('main p', { hasText: /\d\d/ }).last().textContent();
  return /\b(\d\d)\b/.exec(text?.replace(/[\u2068\u2069]/g, ' ') ?? '')?.[1] ?? '';
}

async function enterNumber(page: Page, number: string): Promise<void> {
  await page.getByLabel(say('field.number'), { exact: true }).fill(number);
  await button(page, say('confirm.number-button')).click();
}

describeEach(['en', 'ar'])('in %s', (language) => {
  test.each([true, false])('the first window continues to the app, scripts %s', async (javaScriptEnabled) => {
    const email = newEmail();
    const { search, verifier } = app.startSignIn();
    const first = await newDevice(language, javaScriptEnabled);
    const number = await signUp(first, email, search);
    const mail = await latestMail(stage.backend, email);
    const second = await newDevice(language, false);
    await second.goto(mail.link);
    await heading(second, say('page.confirm-number'));
    await enterNumber(second, number);
    await heading(second, say('page.confirmed'));
    expect(await isSignedIn(second)).toBe(false);
    if (!javaScriptEnabled) await button(first, say('plain.check')).click();
    await first.waitForURL(`${app.url}?code=*`);
    expect(await redeemAt(stage.backend, first.url(), verifier)).toBe(email);
  });

  test('in the same browser, the link immediately continues to the app', async () => {
    const email = newEmail();
    const { search, verifier } = app.startSignIn();
    const first = await newDevice(language);
    await signUp(first, email, search);
    const { link } = await latestMail(stage.backend, email);
    const tab = await first.context().newPage();
    await tab.goto(link);
    await tab.waitForURL(`${app.url}?code=*`);
    expect(await redeemAt(stage.backend, tab.url(), verifier)).toBe(email);
  });

  test('a sign-up with an existing address looks the same and sends a sign-in code', async () => {
    const known = newEmail();
    await makeUser(stage.backend, known);
    const texts: (string | null)[] = [];
    for (const email of [known, newEmail()]) {
      const page = await newDevice(language);
      await signUp(page, email, '');
      const text = await page.locator('main').textContent();
      texts.push(text?.replaceAll(email, 'EMAIL').replace(/\d+/g, '0') ?? null);
      const mail = await latestMail(stage.backend, email);
      expect(mail.from).toBe('Harbor');
      expect(mail.code).toMatch(/^\d{6}$/);
      expect(mail.html).toContain(`<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">`);
      if (email !== known) continue;
      expect(mail.subject).toBe(
        language === 'en'
          ? `${mail.code} is your Harbor sign-in code. You already have an account`
          : `${mail.code} هو رمز تسجيل الدخول إلى Harbor. لديك حساب بالفعل`,
      );
      if (language === 'en') {
        expect(mail.text).toContain("If you didn't try to sign up, you can ignore this email.");
      }
      await page.getByLabel(say('field.code'), { exact: true }).fill(mail.code);
      await page
        .getByText(say('security.as', { who: known }))
        .first()
        .waitFor();
    }
    expect(texts[0]).toBe(texts[1]);
  });
});

test('a new code for an existing address is sent again on request', async () => {
  const email = newEmail();
  await makeUser(stage.backend, email);
  const page = await newDevice('en', false);
  await signUp(page, email, '');
  await button(page, say('code.resend')).click();
  await page.getByText(say('code.resent')).waitFor();
  await expect.poll(() => countMails(stage.backend, email)).toBe(2);
});

test('apps that sign users up themselves send no email to an existing address, as in upstream', async () => {
  const email = newEmail();
  await makeUser(stage.backend, email);
  const response = await stage.backend.fetch('/auth/v1/signup', {
    method: 'POST',
    headers: { apikey: stage.backend.keys.publishableKey, 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  expect(((await response.json()) as { identities: unknown[] }).identities).toEqual([]);
  expect(await countMails(stage.backend, email)).toBe(0);
});

describe('an attacker', () => {
  test('with only the link can’t get the session, and can’t confirm the window without its number', async () => {
    const email = newEmail();
    const first = await newDevice();
    const number = await signUp(first, email, '');
    const { link } = await latestMail(stage.backend, email);
    const thief = await newDevice('en', false);
    const wrong = number === '42' ? '43' : '42';
    await thief.goto(link);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await enterNumber(thief, wrong);
      await thief.getByRole('alert').getByText(say('field.number-wrong')).waitFor();
    }
    await enterNumber(thief, wrong);
    await heading(thief, say('page.confirm-canceled'));
    // After too many wrong numbers, the link stays canceled.
    await thief.goto(link);
    await heading(thief, say('page.confirm-canceled'));
    expect([await isSignedIn(thief), await isSignedIn(first)]).toEqual([false, false]);
    // The code from the email still works in the first window.
    const { code } = await latestMail(stage.backend, email);
    await first.getByLabel(say('field.code'), { exact: true }).fill(code);
    await first
      .getByText(say('security.as', { who: email }))
      .first()
      .waitFor();
  });

  test('who waits for another person to click the link gets nothing until the number is entered', async () => {
    const victim = newEmail();
    await makeUser(stage.backend, victim);
    const attacker = await newDevice('en', false);
    await attacker.goto(`${stage.backend.url}/account/code`);
    await attacker.getByLabel(say('field.email'), { exact: true }).fill(victim);
    await button(attacker, say('code.send')).click();
    const { link } = await latestMail(stage.backend, victim);
    const phone = await newDevice('en', false);
    await phone.goto(link);
    await heading(phone, say('page.confirm-number'));
    await phone.getByText(say('confirm.number-warning')).waitFor();
    await button(attacker, say('plain.check')).click();
    await attacker.getByText(say('plain.unconfirmed')).waitFor();
    expect([await isSignedIn(attacker), await isSignedIn(phone)]).toEqual([false, false]);
  });

  test('whose scanner opens the link with any method, or prefetches it, doesn’t use it up', async () => {
    const email = newEmail();
    const first = await newDevice();
    await startSignUp(first, email);
    const { link } = await latestMail(stage.backend, email);
    // These requests include the browser's cookies. Unlike requests with `fetch`, they don't include Fetch metadata
    // headers.
    const ask = (headers: Record<string, string>, method = 'GET') =>
      first.context().request.fetch(link, { method, headers, maxRedirects: 0 });
    for (const method of ['GET', 'HEAD', 'OPTIONS']) await fetch(link, { method, redirect: 'manual' });
    for (const headers of [
      { 'sec-purpose': 'prefetch' },
      { 'sec-purpose': 'prefetch;prerender' },
      { purpose: 'prefetch' },
      { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
      { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
      { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
    ] as Record<string, string>[]) {
      expect((await ask(headers)).status()).toBe(200);
    }
    expect((await ask({}, 'HEAD')).status()).not.toBe(303);
    const opened = await ask({});
    expect([opened.status(), opened.headers().location]).toEqual([303, '/account/security']);
  });

  test('with the ID from the link but another cookie gets no session', async () => {
    const email = newEmail();
    const first = await newDevice();
    const number = await startSignUp(first, email);
    const { link } = await latestMail(stage.backend, email);
    const id = /wait%3D([\w-]{43})/.exec(link)?.[1] ?? '';
    expect(id).not.toBe('');
    const ask = (cookie: string) =>
      fetch(`${stage.backend.url}/account/api/wait`, {
        method: 'POST',
        headers: { cookie, 'content-type': 'application/json', 'x-plinth-request': '1' },
        body: '{}',
      }).then((response) => response.json());
    const second = await newDevice('en', false);
    await second.goto(link);
    await enterNumber(second, number);
    await heading(second, say('page.confirmed'));
    expect(await ask(`plinth-account-wait=${id}`)).toEqual({ state: 'none' });
    expect(await ask('')).toEqual({ state: 'none' });
    const own = (await first.context().cookies()).find(({ name }) => name === 'plinth-account-wait');
    expect(own).toMatchObject({ httpOnly: true, sameSite: 'Lax' });
    expect(await ask(`plinth-account-wait=${own?.value}`)).toMatchObject({ state: 'confirmed' });
    expect(await ask(`plinth-account-wait=${own?.value}`)).toEqual({ state: 'none' });
  });
});

test('a password reset continues in the first window', async () => {
  const email = newEmail();
  await makeUser(stage.backend, email);
  const first = await newDevice();
  await first.goto(`${stage.backend.url}/account/recover`);
  await first.getByLabel(say('field.email'), { exact: true }).fill(email);
  await button(first, say('code.send')).click();
  await heading(first, say('page.code'));
  const number = await numberIn(first);
  const mail = await latestMail(stage.backend, email);
  expect(mail.subject).toBe(`${mail.code} is your Harbor password reset code`);
  expect(mail.text).toContain("Your password hasn't changed.");
  const second = await newDevice('en', false);
  await second.goto(mail.link);
  await enterNumber(second, number);
  await heading(second, say('page.confirmed'));
  await heading(first, say('page.new-password'));
});
