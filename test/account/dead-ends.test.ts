/** Tests that errors are shown once, that rate limits show a countdown, and that every page links to a next step. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { axeViolations, openContext, scrollsSideways } from '../web/browser.ts';
import { describeEach, skipsStates, withStates } from '../web/states.ts';
import { openApp, type TestApp } from './app.ts';
import { callAccount, makeUser, openStage, password, type Stage } from './harness.ts';
import { say, speak } from './keyboard/texts.ts';
import { latestMail } from './mailbox.ts';

const pauseMs = 60_000;

const dir = mkdtempSync(join(tmpdir(), 'plinth-dead-ends-'));
const logo = join(dir, 'wordmark.svg');
const welcome = { en: 'Berths for small boats', ar: 'مراسٍ للقوارب الصغيرة' };

let stage: Stage;
let app: TestApp;

beforeAll(async () => {
  writeFileSync(
    logo,
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 40"><rect width="160" height="40" fill="#a16207"/></svg>',
  );
  app = await openApp();
  stage = await openStage({
    auth: {
      site_url: app.url,
      oauth_server: { enabled: true },
      enable_anonymous_sign_ins: true,
      email: { enable_confirmations: true, max_frequency: pauseMs },
    },
    plinth: { branding: { name: 'Harbor', color: '#facc15', logo_path: logo, welcome } },
  });
});
afterAll(async () => {
  await stage.close();
  await app.close();
  rmSync(dir, { recursive: true });
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

/**
 * Checks the page in both color schemes. axe requires scripts, so if scripts are disabled, a copy of the page is
 * checked.
 */
async function check(page: Page, scripts = true): Promise<void> {
  expect(await scrollsSideways(page)).toBe(false);
  if (skipsStates()) return;
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

describeEach(languages)('in %s, an error', (language) => {
  test.each([true, false])(
    'of one field is shown once, next to the field (scripts: %s)',
    withStates,
    async (scripts) => {
      const page = await newDevice(language, scripts);
      await open(page, 'recover');
      const field = page.locator('#email');
      await field.fill('no-domain');
      await button(page, say('code.send')).click();
      await seen(page, say('field.email-wrong'));
      await expect.poll(() => page.getByText(say('field.email-wrong')).count()).toBe(1);
      await expect.poll(() => page.evaluate('document.activeElement?.id')).toBe('email');
      const described = await field.getAttribute('aria-describedby');
      const errorId = described?.split(' ').find((id) => id.endsWith('-error'));
      expect(await page.locator(`[id="${errorId}"]`).textContent()).toBe(say('field.email-wrong'));
      await check(page, scripts);
    },
  );

  test('of a limit is shown once, and the button counts down', withStates, async () => {
    const email = newEmail();
    await makeUser(stage.backend, email);
    const page = await newDevice(language);
    await callAccount(page, stage.backend, 'code', { email, purpose: 'recover' });
    await page.context().clearCookies();
    await page.clock.install();
    await open(page, 'recover');
    await page.locator('#email').fill(email);
    await button(page, say('code.send')).click();
    await seen(page, say('error.over_email_send_rate_limit'));
    await expect.poll(() => page.getByText(say('error.over_email_send_rate_limit')).count()).toBe(1);
    const submit = page.locator('form button[type=submit]');
    const label = async () => (await submit.textContent()) ?? '';
    const secondsIn = (text: string) => Number(/\d+/.exec(text)?.[0]);
    await expect.poll(async () => secondsIn(await label())).toBeGreaterThan(10);
    // The label shows a countdown, so the test reads it only once.
    const firstLabel = await label();
    const first = secondsIn(firstLabel);
    expect(first).toBeLessThanOrEqual(60);
    expect(firstLabel).toBe(say('form.retry-in', { seconds: first }));
    expect(await submit.isDisabled()).toBe(true);
    await check(page);
    await page.clock.runFor(5000);
    await expect.poll(async () => secondsIn(await label())).toBeLessThan(first);
    await page.clock.runFor(pauseMs);
    await seen(page, say('form.retry-now'));
    await expect.poll(label).toBe(say('code.send'));
    await expect.poll(() => submit.isEnabled()).toBe(true);
    await expect.poll(() => page.getByText(say('error.over_email_send_rate_limit')).count()).toBe(0);
  });
});

describeEach(languages)('in %s, signing up twice within the pause', (language) => {
  async function signUp(page: Page, email: string): Promise<void> {
    await open(page, 'sign-up');
    await page.locator('#email').fill(email);
    await page.locator('input[name=password]').fill(password);
    await button(page, say('sign-up.submit')).click();
    await heading(page, say('page.code'));
    await seen(page, email);
  }

  test.each([true, false])('opens the same code page, and the code works (scripts: %s)', async (scripts) => {
    const email = newEmail();
    const page = await newDevice(language, scripts);
    await callAccount(page, stage.backend, 'sign-up', { email, password });
    await page.context().clearCookies();
    await signUp(page, email);
    const { code } = await latestMail(stage.backend, email);
    await page.locator('#code').fill(code);
    if (!scripts) await button(page, say('code.submit')).click();
    await page.waitForURL(/\/account\/(security|signed-in)/);
  });

  test('looks the same for an address that has an account', async () => {
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

/** Signs in with an emailed code without opening a page. */
async function startSessionWithCode(page: Page, email: string): Promise<void> {
  await callAccount(page, stage.backend, 'code', { email, purpose: 'sign-in' });
  const { code: token } = await latestMail(stage.backend, email);
  await callAccount(page, stage.backend, 'verify', { email, token, type: 'email', purpose: 'sign-in' });
}

async function makeUserWithoutPassword(email: string): Promise<void> {
  const { serviceRoleKey } = stage.backend.keys;
  const response = await stage.backend.fetch('/auth/v1/admin/users', {
    method: 'POST',
    headers: {
      apikey: serviceRoleKey,
      authorization: `Bearer ${serviceRoleKey}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ email, email_confirm: true }),
  });
  expect(response.status).toBe(200);
}

describeEach(languages)('in %s, a guest who signs out', (language) => {
  test('is asked for confirmation, and can save the account instead', withStates, async () => {
    const page = await newDevice(language);
    await callAccount(page, stage.backend, 'guest');
    const hasCookie = async () =>
      (await page.context().cookies()).some(({ name }) => name === 'plinth-account');
    for (const start of ['security', 'signed-out'] as const) {
      const texts = {
        security: 'security.sign-out',
        'signed-out': 'still-in.submit',
      };
      await open(page, start);
      await button(page, say(texts[start] as 'security.sign-out')).click();
      const question = page.getByRole('region', { name: say('guest.leave-title') });
      await question.getByText(say('guest.leave-text')).waitFor();
      expect(await hasCookie()).toBe(true);
      await question.getByRole('link', { name: say('page.upgrade') }).waitFor();
      if (start === 'security') await check(page);
      await question.getByRole('button', { name: say('guest.leave-cancel') }).click();
      await button(page, say(texts[start] as 'security.sign-out')).waitFor();
    }
    await button(page, say('still-in.submit')).click();
    await button(page, say('guest.leave')).click();
    await heading(page, say('page.signed-out'));
    expect(await hasCookie()).toBe(false);
  });

  test('is also asked without scripts', withStates, async () => {
    const page = await newDevice(language, false);
    await open(page, 'guest');
    await button(page, say('sign-in.guest')).click();
    await button(page, say('plain.sign-out')).click();
    await heading(page, say('page.leave-guest'));
    await seen(page, say('plain.save-guest'));
    await check(page, false);
    await page.getByRole('link', { name: say('guest.leave-cancel'), exact: true }).click();
    await heading(page, say('page.signed-in'));
    await button(page, say('plain.sign-out')).click();
    await button(page, say('guest.leave')).click();
    await heading(page, say('page.signed-out'));
  });
});

describeEach(languages)('in %s, the security page', (language) => {
  test('lets a user without a password set one, and links back to the app', withStates, async () => {
    const email = newEmail();
    await makeUserWithoutPassword(email);
    const page = await newDevice(language);
    await startSessionWithCode(page, email);
    const back = page.getByRole('link', {
      name: say('security.back', { name: 'Harbor', host: new URL(app.url).host }),
    });
    await page.goto(`${stage.backend.url}/.well-known/change-password`);
    await page.waitForURL(/\/account\/security\b.*#password$/);
    expect(await back.getAttribute('href')).toBe(app.url);
    await button(page, say('security.password-set')).click();
    await page.locator('#new-password').fill(password);
    await button(page, say('security.password-save')).click();
    await seen(page, say('security.password-was-set', { who: email }));
    await button(page, say('security.password-change')).waitFor();
    await button(page, say('security.password-set')).waitFor({ state: 'detached' });
    await check(page);
    await back.click();
    await page.waitForURL(app.url);
  });

  test('shows the account without scripts', withStates, async () => {
    const email = newEmail();
    await makeUser(stage.backend, email);
    const page = await newDevice(language, false);
    await open(page, 'sign-in');
    await page.locator('input[name=email]').fill(email);
    await page.locator('input[name=email]').press('Enter');
    await page.locator('input[name=password]').fill(password);
    await page.locator('input[name=password]').press('Enter');
    await heading(page, say('page.signed-in'));
    // If Playwright disables scripts, Chromium doesn't show noscript elements.
    await page.route('**/account/security', async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace(/<\/?noscript[^>]*>/g, '');
      await route.fulfill({ response, body });
    });
    await open(page, 'security');
    await heading(page, say('page.security'));
    await seen(page, email);
    await seen(page, say('plain.needs-scripts'));
    await check(page, false);
    const back = page.getByRole('link', { name: say('plain.back', { name: 'Harbor' }) });
    expect(await back.getAttribute('href')).toBe(app.url);
    await button(page, say('plain.sign-out')).click();
    await heading(page, say('page.signed-out'));
  });
});

test('a browser that uses localhost isn’t redirected to another host, so it keeps its passkeys and cookies', async () => {
  const { port } = new URL(stage.backend.url);
  const email = newEmail();
  await makeUserWithoutPassword(email);
  const { search } = app.startSignIn();
  for (const host of ['localhost', '127.0.0.1']) {
    const response = await fetch(
      `http://${host}:${port}/auth/v1/authorize${search}&provider=custom:account`,
      { redirect: 'manual' },
    );
    expect(response.headers.get('location')).toMatch(`http://${host}:${port}/account/sign-in?`);
  }
  // The link in the email has the same host as the page, so the user doesn't have to enter a number in this browser.
  const page = await newDevice('en');
  await page.goto(`http://localhost:${port}/account/code`);
  await page.locator('#email').fill(email);
  await button(page, say('code.send')).click();
  await heading(page, say('page.code'));
  await page.goto((await latestMail(stage.backend, email)).link);
  expect(new URL(page.url()).host).toBe(`localhost:${port}`);
});

describeEach(languages)('in %s, the brand', (language) => {
  test.each([true, false])(
    'keeps its color, its logo and its text (scripts: %s)',
    withStates,
    async (scripts) => {
      const page = await newDevice(language, scripts);
      await open(page, `sign-in${app.startSignIn().search}`);
      await seen(page, say('sign-in.to', { host: new URL(app.url).host }));
      await seen(page, welcome[language]);
      const submit = page.locator('form button[type=submit]').first();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await expect
          .poll(() => submit.evaluate((button) => getComputedStyle(button).backgroundColor))
          .toBe('rgb(250, 204, 21)');
      }
      await expect
        .poll(() => page.locator('header img').boundingBox())
        .toMatchObject({ width: 144, height: 36 });
      await check(page, scripts);
    },
  );

  test('the page shows the name and host of the app that redirected the user', withStates, async () => {
    const { serviceRoleKey } = stage.backend.keys;
    const created = await stage.backend.fetch('/auth/v1/admin/oauth/clients', {
      method: 'POST',
      headers: {
        apikey: serviceRoleKey,
        authorization: `Bearer ${serviceRoleKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        redirect_uris: ['https://herbarium.example/callback'],
        client_type: 'public',
        client_name: 'Herbarium <b>',
      }),
    });
    const { client_id } = (await created.json()) as { client_id: string };
    const query = new URLSearchParams({
      client_id,
      redirect_uri: 'https://herbarium.example/callback',
      response_type: 'code',
      code_challenge: 'a'.repeat(43),
      code_challenge_method: 'S256',
    });
    for (const scripts of [true, false]) {
      const page = await newDevice(language, scripts);
      await page.goto(`${stage.backend.url}/auth/v1/oauth/authorize?${query}`);
      await heading(page, say('page.sign-in'));
      await seen(page, say('sign-in.to', { host: 'Herbarium <b> (herbarium.example)' }));
      await seen(page, welcome[language]);
      await check(page, scripts);
    }
    const unknown = await newDevice(language);
    await open(unknown, 'sign-in?next=consent&authorization_id=unknown');
    await heading(unknown, say('page.sign-in'));
    expect(await unknown.getByText('Herbarium').count()).toBe(0);
  });
});
