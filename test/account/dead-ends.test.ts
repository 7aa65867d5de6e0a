/** Tests that errors are shown once, that limits count down, and that every page leads somewhere. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { axeViolations, openContext, scrollsSideways } from '../web/browser.ts';
import { openApp, type TestApp } from './app.ts';
import { makeUser, openStage, password, type Stage } from './harness.ts';
import { say, speak } from './keyboard/texts.ts';
import { latestMail } from './mailbox.ts';

const pauseMs = 60_000;

let stage: Stage;
let app: TestApp;

beforeAll(async () => {
  app = await openApp();
  stage = await openStage({
    auth: {
      site_url: app.url,
      enable_anonymous_sign_ins: true,
      email: { enable_confirmations: true, max_frequency: pauseMs },
    },
    plinth: { branding: { name: 'Harbor' } },
  });
});
afterAll(async () => {
  await stage.close();
  await app.close();
});

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

type Language = 'en' | 'ar';
const languages = ['en', 'ar'] as const;

async function newDevice(language: Language, javaScriptEnabled = true): Promise<Page> {
  await speak(language);
  return newPage(language, javaScriptEnabled);
}

async function newPage(language: Language, javaScriptEnabled = true): Promise<Page> {
  const locale = language === 'en' ? 'en-GB' : 'ar';
  const { context } = await openContext(stage.browser, { javaScriptEnabled, locale });
  closing.push(() => context.close());
  const page = await context.newPage();
  await page.setViewportSize({ width: 360, height: 740 });
  return page;
}

let users = 0;
const newEmail = () => `person-${++users}@example.com`;
const open = (page: Page, path: string) => page.goto(`${stage.backend.url}/account/${path}`);
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const seen = (page: Page, text: string) => page.getByText(text).first().waitFor();
const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

/** Checks the page in both color schemes. axe needs scripts, so it checks a copy of a page without scripts. */
async function check(page: Page, scripts = true): Promise<void> {
  const checked = scripts ? page : await newPage('en');
  if (!scripts) {
    const html = (await page.content()).replace(/<script(?! type="application)[\s\S]*?<\/script>/g, '');
    await checked.setContent(html.replace(/<\/?noscript>/g, ''));
  }
  for (const colorScheme of ['light', 'dark'] as const) {
    await checked.emulateMedia({ colorScheme });
    expect(await axeViolations(checked, colorScheme === 'light' ? 'all' : 'colors')).toEqual([]);
  }
  expect(await scrollsSideways(checked)).toBe(false);
}

describe.each(languages)('in %s, an error', (language) => {
  test.each([true, false])('of one field is shown once, beside the field (scripts: %s)', async (scripts) => {
    const page = await newDevice(language, scripts);
    await open(page, 'recover');
    const field = page.locator('#email');
    await field.fill('no-domain');
    await button(page, say('code.send')).click();
    await seen(page, say('field.email-wrong'));
    expect(await page.getByText(say('field.email-wrong')).count()).toBe(1);
    await expect.poll(() => page.evaluate('document.activeElement?.id')).toBe('email');
    const described = await field.getAttribute('aria-describedby');
    expect(await page.locator(`[id="${described?.trim().split(' ').at(-1)}"]`).textContent()).toBe(
      say('field.email-wrong'),
    );
    await check(page, scripts);
  });

  test('of a limit is shown once, and the button counts down', async () => {
    const email = newEmail();
    await makeUser(stage.backend, email);
    const ask = async (): Promise<Page> => {
      const page = await newDevice(language);
      await page.clock.install();
      await open(page, 'recover');
      await page.locator('#email').fill(email);
      await button(page, say('code.send')).click();
      return page;
    };
    await heading(await ask(), say('page.code'));
    const page = await ask();
    await seen(page, say('error.over_email_send_rate_limit'));
    expect(await page.getByText(say('error.over_email_send_rate_limit')).count()).toBe(1);
    const submit = page.locator('form button[type=submit]');
    const label = async () => (await submit.textContent()) ?? '';
    const secondsLeft = async () => Number(/\d+/.exec(await label())?.[0]);
    const first = await secondsLeft();
    expect(first).toBeGreaterThan(10);
    expect(first).toBeLessThanOrEqual(60);
    expect(await label()).toBe(say('form.retry-in', { seconds: first }));
    expect(await submit.isDisabled()).toBe(true);
    await check(page);
    await page.clock.runFor(5000);
    expect(await secondsLeft()).toBeLessThanOrEqual(first - 5);
    await page.clock.runFor(pauseMs);
    await seen(page, say('form.retry-now'));
    expect(await label()).toBe(say('code.send'));
    expect(await submit.isEnabled()).toBe(true);
    expect(await page.getByText(say('error.over_email_send_rate_limit')).count()).toBe(0);
  });
});

describe.each(languages)('in %s, signing up twice within the pause', (language) => {
  async function signUp(page: Page, email: string): Promise<void> {
    await open(page, 'sign-up');
    await page.locator('#email').fill(email);
    await page.locator('input[name=password]').fill(password);
    await button(page, say('sign-up.submit')).click();
    await heading(page, say('page.code'));
    await seen(page, email);
  }

  test.each([true, false])('leads to the same code page, whose code works (scripts: %s)', async (scripts) => {
    const email = newEmail();
    await signUp(await newDevice(language, scripts), email);
    const page = await newDevice(language, scripts);
    await signUp(page, email);
    const { code } = await latestMail(stage.backend, email);
    await page.locator('#code').fill(code);
    if (!scripts) await button(page, say('code.submit')).click();
    await page.waitForURL(/\/account\/(security|signed-in)/);
  });

  test('is the same for an address that has an account', async () => {
    const email = newEmail();
    await makeUser(stage.backend, email);
    for (let times = 0; times < 2; times += 1) await signUp(await newDevice(language), email);
  });
});

test('every limit of the Account API and of the auth service sends Retry-After', async () => {
  const email = newEmail();
  await makeUser(stage.backend, email);
  const post = (path: string, headers: Record<string, string>) =>
    fetch(`${stage.backend.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ email, purpose: 'recover' }),
    });
  const api = { apikey: stage.backend.keys.publishableKey };
  expect((await post('/auth/v1/recover', api)).status).toBe(200);
  for (const response of [
    await post('/auth/v1/recover', api),
    await post('/account/api/code', { 'x-plinth-request': '1', 'sec-fetch-site': 'same-origin' }),
  ]) {
    expect(response.status).toBe(429);
    const seconds = Number(response.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(10);
    expect(seconds).toBeLessThanOrEqual(60);
  }
});
