/**
 * Tests tasks that span several pages, in English on a wide screen and in Arabic on a narrow screen. The tasks cover
 * keys and second factors, several accounts, and account protection.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { PartialConfig } from '../../src/platform/config/index.ts';
import { leakHashOf } from '../../src/services/auth/passwords/leaked-range.ts';
import { freePort } from '../support/free-port.ts';
import { openContext, scrollsSideways } from '../web/browser.ts';
import { describeEach, stateViolations, withStates } from '../web/states.ts';
import { openApp, redeemAt, type TestApp } from './app.ts';
import { makeUser, openStage, password, type Stage, startSession, totp } from './harness.ts';
import { say, speak } from './keyboard/texts.ts';
import { latestMail } from './mailbox.ts';

const leaked = 'leaked horse battery 7';
const languages = ['en', 'ar'] as const;
type Language = (typeof languages)[number];

let app: TestApp;
let origin: string;
let stage: Stage;
/** The server of a project that requires a code on every new device. */
let strict: Stage;
let folder: string;

beforeAll(async () => {
  app = await openApp();
  const port = await freePort();
  origin = `http://localhost:${port}`;
  folder = mkdtempSync(join(tmpdir(), 'plinth-leaked-'));
  const list_path = join(folder, 'leaked.txt');
  writeFileSync(list_path, `${leakHashOf(leaked)}:12\n`);
  const provider = { enabled: true, client_id: 'id', secret: 'secret' };
  const auth: PartialConfig['auth'] = {
    site_url: app.url,
    email: { enable_confirmations: true, max_frequency: 0 },
    external: { github: provider, google: provider },
    passkey: { enabled: true },
    webauthn: { rp_id: 'localhost', rp_display_name: 'Harbor', rp_origins: [origin] },
    mfa: { totp: { enroll_enabled: true, verify_enabled: true } },
    sms: { enable_signup: true, enable_confirmations: true },
    sessions: { inactivity_timeout: 8 * 3_600_000, timebox: 7 * 24 * 3_600_000 },
  };
  const plinth = {
    branding: { name: 'Harbor' },
    server: { trusted_proxies: ['127.0.0.1'] },
    auth: { password: { hibp: { list_path } } },
  };
  stage = await openStage({ api: { external_url: origin }, auth, plinth }, { port });
  strict = await openStage({
    auth: { ...auth, passkey: { enabled: false } },
    plinth: { ...plinth, auth: { ...plinth.auth, security: { confirm_new_devices: true } } },
  });
});
afterAll(async () => {
  await stage.close();
  await strict.close();
  await app.close();
  rmSync(folder, { recursive: true });
});

const contexts: BrowserContext[] = [];
afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
});

async function newDevice(language: Language, on = stage): Promise<Page> {
  await speak(language);
  const isEnglish = language === 'en';
  const { context } = await openContext(on.browser, {
    locale: isEnglish ? 'en-GB' : 'ar',
    colorScheme: isEnglish ? 'light' : 'dark',
    viewport: isEnglish ? { width: 1280, height: 800 } : { width: 360, height: 740 },
  });
  contexts.push(context);
  return context.newPage();
}

let users = 0;
const newEmail = () => `path-${++users}@example.com`;
async function newUser(on = stage): Promise<string> {
  const email = newEmail();
  await makeUser(on.backend, email);
  return email;
}
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const address = (page: Page) => page.locator('#email');
const open = (page: Page, name: string, search = '') => page.goto(`${origin}/account/${name}${search}`);
const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

async function typePassword(page: Page, email: string, secret = password): Promise<void> {
  await address(page).fill(email);
  await button(page, say('sign-in.next')).click();
  await page.locator('#password').fill(secret);
  await button(page, say('sign-in.submit')).click();
}

async function signedIn(page: Page, email: string): Promise<void> {
  await startSession(page, { url: origin }, email);
  await open(page, 'security');
  await page.getByText(say('security.as', { who: email })).waitFor();
}

async function check(page: Page): Promise<void> {
  expect(await stateViolations(page)).toEqual([]);
  expect(await scrollsSideways(page)).toBe(false);
}

/** Adds a software authenticator, which verifies its user, to the browser. */
async function addAuthenticator(page: Page): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

describeEach(languages)('in %s', (language) => {
  test(
    'a link sets up an authenticator app, recovery codes are offered, and a passkey replaces both steps',
    withStates,
    async () => {
      const page = await newDevice(language);
      await addAuthenticator(page);
      const email = await newUser();
      await signedIn(page, email);
      await button(page, say('security.factor-add')).click();
      await button(page, say('security.enroll-start')).click();
      const link = page.getByRole('link', { name: say('security.enroll-open') });
      const uri = new URL((await link.getAttribute('href')) ?? '');
      expect([uri.protocol, uri.searchParams.get('issuer')]).toEqual(['otpauth:', 'Harbor']);
      expect(decodeURIComponent(uri.pathname)).toContain(`Harbor:${email}`);
      await check(page);
      await page
        .getByLabel(say('security.enroll-code'), { exact: true })
        .fill(totp(uri.searchParams.get('secret') ?? ''));
      await page.getByText(say('recovery.last-step')).waitFor();
      await button(page, say('recovery.make')).click();
      await page.getByText(say('recovery.shown-once')).waitFor();
      await check(page);
      await button(page, say('recovery.kept')).click();
      await button(page, say('passkey.add')).click();
      await page.getByText(say('passkey.ready')).waitFor();
      // The passkey is named after its authenticator or, if the authenticator is unknown, after the browser.
      await page
        .getByRole('button', { name: /Chrome/ })
        .first()
        .waitFor();
      const notice = await latestMail(stage.backend, email, /./, /Chrome/);
      expect(notice.from).toBe('Harbor');
      await button(page, say('security.sign-out')).click();
      await heading(page, say('page.signed-out'));
      await open(page, 'sign-in', '?add=1');
      // The test browser may use its only passkey as soon as the field offers passkeys, so the button may be gone.
      await button(page, say('sign-in.passkey'))
        .click({ noWaitAfter: true })
        .catch(() => undefined);
      await page.getByText(say('security.as', { who: email })).waitFor();
      await page.getByText(say('activity.sign_in-passkey')).first().waitFor();
    },
  );

  test(
    'the last used provider comes first, the typed address is kept, and the code has focus',
    withStates,
    async () => {
      const page = await newDevice(language);
      await page
        .context()
        .route(/github\.com|google\.com/, (route) => route.fulfill({ body: 'The provider' }));
      await open(page, 'sign-in');
      const names = () => page.locator('[data-list=providers-first] a').allInnerTexts();
      const as = (provider: string) => say('sign-in.with', { provider });
      await expect.poll(names).toEqual([as('GitHub'), as('Google')]);
      const memory = Buffer.from(JSON.stringify({ accounts: [], last: 'google' })).toString('base64url');
      const cookie = { name: 'plinth-account-known', value: memory, domain: 'localhost', path: '/account' };
      await page.context().addCookies([cookie]);
      await open(page, 'sign-in');
      const order = async () => {
        const [first = '', second = ''] = await names();
        return [first.includes(as('Google')), first.includes(say('sign-in.last-used')), second];
      };
      await expect.poll(order).toEqual([true, true, as('GitHub')]);
      await check(page);
      const email = await newUser();
      await address(page).fill(email);
      await button(page, say('sign-in.next')).click();
      await page.getByText(say('sign-in.forgot')).click();
      await heading(page, say('page.recover'));
      await expect.poll(() => address(page).inputValue()).toBe(email);
      await button(page, say('code.send')).click();
      await heading(page, say('page.code'));
      await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('code');
    },
  );

  test(
    'a user can switch between two accounts, and a reload, a second tab and the back button keep the current step',
    withStates,
    async () => {
      const page = await newDevice(language);
      const [work, home] = [await newUser(), await newUser()];
      await open(page, 'sign-in');
      await address(page).fill(work);
      await button(page, say('sign-in.next')).click();
      await heading(page, say('page.password'));
      await page.reload();
      await page.getByText(work, { exact: true }).waitFor();
      const second = await page.context().newPage();
      await open(second, 'password');
      await second.getByText(work, { exact: true }).waitFor();
      await second.close();
      await page.goBack();
      await heading(page, say('page.sign-in'));
      await expect.poll(() => address(page).inputValue()).toBe(work);
      await page.goForward();
      await page.locator('#password').fill(password);
      await button(page, say('sign-in.submit')).click();
      await page.getByText(say('security.as', { who: work })).waitFor();
      await page.getByRole('link', { name: say('security.accounts') }).click();
      await heading(page, say('page.accounts'));
      await page.getByRole('link', { name: say('accounts.add') }).click();
      await typePassword(page, home);
      await page.getByText(say('security.as', { who: home })).waitFor();
      // The app gets a session for the account that the user chooses.
      const { search, verifier } = app.startSignIn();
      await open(page, 'sign-in', search);
      await heading(page, say('page.accounts'));
      await check(page);
      // The address is a separate element, so the button's accessible name can have spaces around the address.
      const chosen = say('accounts.continue', { name: work }).replace(/[\u2068\u2069]/g, '.{0,2}');
      await page.getByRole('button', { name: new RegExp(chosen) }).click();
      await page.waitForURL(`${app.url}?**`);
      expect(await redeemAt(stage.backend, page.url(), verifier)).toBe(work);
    },
  );

  test(
    'sign-in is locked after too many wrong passwords, and the owner unlocks it by email',
    withStates,
    async () => {
      const email = await newUser();
      for (let site = 1, status = 400; status === 400; site += 1) {
        const response = await stage.backend.fetch('/account/api/sign-in', {
          method: 'POST',
          headers: {
            'x-plinth-request': '1',
            'content-type': 'application/json',
            'x-forwarded-for': `10.8.${site}.1`,
          },
          body: JSON.stringify({ email, password: 'not this one' }),
        });
        status = response.status;
      }
      const page = await newDevice(language);
      await open(page, 'sign-in');
      await typePassword(page, email);
      await page.getByText(say('error.over_request_rate_limit')).first().waitFor();
      await check(page);
      const shape = /http\S+\/account\/unlock\?token=\S+/;
      const { text } = await latestMail(stage.backend, email, /./, shape);
      await page.goto(shape.exec(text)?.[0] ?? '');
      await heading(page, say('page.unlock'));
      await button(page, say('unlock.button')).click();
      await heading(page, say('page.unlocked'));
      // If the user opens the link again, the page shows that sign-in was unlocked before.
      await page.goto(shape.exec(text)?.[0] ?? '');
      await heading(page, say('page.unlocked-before'));
      await check(page);
      await page.getByRole('link', { name: say('unlocked.button'), exact: true }).click();
      await typePassword(page, email);
      await page.getByText(say('security.as', { who: email })).waitFor();
      await page.getByText(say('activity.unlocked')).waitFor();
      await page.getByText(say('activity.locked')).first().waitFor();
      // The page also shows when sessions end.
      const time = (unit: 'hour' | 'day', count: number) =>
        new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
      await page.getByText(say('policy.idle', { time: time('hour', 8) })).waitFor();
      await page.getByText(say('policy.timebox', { time: time('day', 7) })).waitFor();
      await check(page);
    },
  );

  test('a new device is confirmed with an emailed code', withStates, async () => {
    const email = await newUser(strict);
    const page = await newDevice(language, strict);
    await page.goto(`${strict.backend.url}/account/sign-in`);
    await typePassword(page, email);
    await heading(page, say('page.code'));
    await page.getByText(say('code.sent-new-device', { email, length: 6 })).waitFor();
    await check(page);
    const { code } = await latestMail(strict.backend, email);
    await page.getByLabel(say('field.code'), { exact: true }).fill(code);
    await page.getByText(say('security.as', { who: email })).waitFor();
    // The last sign-in method is still the password, because the code only confirmed the new browser.
    const cookies = await page.context().cookies();
    const memory = cookies.find(({ name }) => name === 'plinth-account-known')?.value ?? '';
    expect(JSON.parse(Buffer.from(memory, 'base64url').toString())).toEqual({
      accounts: [{ name: email, way: 'password' }],
      last: 'password',
    });
  });

  test.each([true, false])('a leaked password is rejected with the reason (scripts: %s)', async (scripts) => {
    await speak(language);
    const { context } = await openContext(stage.browser, {
      javaScriptEnabled: scripts,
      locale: language === 'en' ? 'en-GB' : 'ar',
    });
    contexts.push(context);
    const page = await context.newPage();
    await open(page, 'sign-up');
    await address(page).fill(newEmail());
    const field = page.locator(scripts ? '#new-password' : 'input[name=password]');
    await field.fill(leaked);
    await button(page, say('sign-up.submit')).click();
    const reason = page.getByText(say('error.weak_password-leaked'));
    await reason.first().waitFor();
    await expect.poll(() => reason.count()).toBe(1);
    expect(await page.getByText(say('error.weak_password')).count()).toBe(0);
    await field.fill(password);
    await button(page, say('sign-up.submit')).click();
    await heading(page, say('page.code'));
  });
});
