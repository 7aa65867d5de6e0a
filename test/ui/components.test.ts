/** Tests the components that `plinth ui add` copies, in apps at another origin than the server. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { organizationsMigration } from '../../src/entry/cli/organizations.ts';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import {
  addAuthenticatorApp,
  fillSignIn,
  laterTotp,
  mailedCode,
  makeUser,
  password,
  startSession,
} from '../account/harness.ts';
import { axeViolations, launchBrowser, scrollsSideways } from '../web/browser.ts';
import { appKinds, buildApp, openSite, type Site } from './apps.ts';

let backend: Backend;
let browser: Browser;
let site: Site;
let attacker: Site;
let attackerFolder: string;

beforeAll(async () => {
  [site, attacker] = await Promise.all([openSite(), openSite()]);
  attackerFolder = mkdtempSync(join(tmpdir(), 'plinth-attacker-'));
  writeFileSync(join(attackerFolder, 'index.html'), '<!doctype html><title>Attacker</title>');
  attacker.show(attackerFolder, {});
  [backend, browser] = await Promise.all([
    createTestBackend({
      sql: organizationsMigration(),
      config: {
        auth: {
          site_url: site.url,
          enable_anonymous_sign_ins: true,
          external: { github: { enabled: true, client_id: 'id', secret: 'secret' } },
          mfa: { totp: { enroll_enabled: true, verify_enabled: true } },
        },
        plinth: { account: { organizations: true } },
      },
    }),
    launchBrowser(),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
  await Promise.all([site.close(), attacker.close()]);
  rmSync(attackerFolder, { recursive: true });
});

const origin = () => new URL(backend.url).origin;
let count = 0;
async function newUser(): Promise<string> {
  const email = `person-${++count}@example.com`;
  await makeUser(backend, email);
  return email;
}

async function openApp(options: BrowserContextOptions = {}): Promise<Page> {
  const page = await (await browser.newContext(options)).newPage();
  await page.goto(site.url);
  await page.getByRole('heading', { name: 'App', exact: true }).waitFor();
  return page;
}

const submit = (page: Page, name = 'Sign in') =>
  page.locator('form').getByRole('button', { name, exact: true }).first().click();

async function fill(page: Page, email: string, secret = password): Promise<void> {
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill(secret);
}

const welcome = (page: Page) => page.getByRole('heading', { name: 'Welcome' }).waitFor();
const alert = (page: Page) => page.locator('form [role=alert]').filter({ hasText: /./ }).textContent();

describe.each(appKinds)('with $name', (kind) => {
  let folder = '';
  beforeAll(async () => {
    folder = await buildApp(kind);
    site.show(join(folder, 'dist'), { url: backend.url, key: backend.keys.publishableKey });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('the form signs in with a password, and explains a wrong one', async () => {
    const email = await newUser();
    const page = await openApp();
    await fill(page, email, 'wrong password');
    await submit(page);
    expect(await alert(page)).toBe('The email address or password is incorrect.');
    expect(await page.getByLabel('Email', { exact: true }).inputValue()).toBe(email);
    expect(await page.getByLabel('Password', { exact: true }).getAttribute('autocomplete')).toBe(
      'current-password',
    );
    await fill(page, email);
    await submit(page);
    await welcome(page);
    await page.context().close();
  });

  test('the form creates accounts, and keeps guests', async () => {
    const page = await openApp();
    await page.getByRole('button', { name: 'Create account' }).click();
    expect(await page.getByLabel('Password', { exact: true }).getAttribute('autocomplete')).toBe(
      'new-password',
    );
    await fill(page, `new-${++count}@example.com`);
    await submit(page, 'Create account');
    await welcome(page);
    const guest = await openApp();
    await guest.getByRole('button', { name: 'Continue as guest' }).click();
    await welcome(guest);
    await page.context().close();
    await guest.context().close();
  });

  test('the form signs in with a code, and asks for the second factor', async () => {
    const email = await newUser();
    const { secret } = await addAuthenticatorApp(backend, email);
    const page = await openApp();
    await page.getByRole('button', { name: 'Email me a code' }).click();
    await page.getByLabel('Email', { exact: true }).fill(email);
    await submit(page, 'Email me a code');
    const field = page.getByLabel('Code from the email');
    await field.waitFor();
    expect(await page.evaluate<string>('document.activeElement.getAttribute("autocomplete")')).toBe(
      'one-time-code',
    );
    await field.fill('000000');
    await submit(page, 'Continue');
    expect(await alert(page)).toBe('The code is incorrect or has expired.');
    await field.fill(await mailedCode(backend, email));
    await submit(page, 'Continue');
    await page.getByLabel('Code from your authenticator app').fill(laterTotp(secret));
    await submit(page, 'Continue');
    await welcome(page);
    const level = await page.evaluate<string>(
      'supabase.auth.mfa.getAuthenticatorAssuranceLevel().then(({ data }) => data.currentLevel)',
    );
    expect(level).toBe('aal2');
    await page.context().close();
  });

  test('a provider’s button leads to the provider, and the sign-in button to the Account pages and back', async () => {
    const email = await newUser();
    const page = await openApp();
    // A redirect can't be intercepted, so the test ends at the route that redirects to the provider.
    const begin = /\/auth\/v1\/authorize\?provider=github/;
    await page.route(begin, (route) => route.fulfill({ body: 'GitHub' }));
    await page.getByRole('button', { name: 'Continue with Github' }).click();
    await page.waitForURL(begin);
    await page.goto(site.url);
    await page.getByRole('button', { name: 'Go to the pages' }).click();
    await page.waitForURL(`${origin()}/account/**`);
    await fillSignIn(page, email);
    await page.waitForURL(`${site.url}/**`);
    await welcome(page);
    await page.context().close();
  });

  test('the user button shows the user and signs out, with the keyboard', async () => {
    const email = await newUser();
    const page = await openApp();
    await fill(page, email);
    await submit(page);
    const button = page.getByRole('button', { name: `Account of ${email}` });
    await button.focus();
    await page.keyboard.press('Enter');
    expect(await button.getAttribute('aria-expanded')).toBe('true');
    const settings = page.getByRole('link', { name: 'Account settings' });
    expect(await settings.getAttribute('href')).toBe(`${origin()}/account/security`);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    await expect.poll(() => button.getAttribute('aria-expanded')).toBe('false');
    expect(await page.evaluate<string>('document.activeElement.className')).toBe('auth-avatar');
    await button.click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'App', exact: true }).waitFor();
    await page.context().close();
  });

  test('the organization switcher changes the token', async () => {
    const email = await newUser();
    const page = await openApp();
    await fill(page, email);
    await submit(page);
    await welcome(page);
    const id = await page.evaluate<string>(
      `supabase.rpc('create_organization', { name: 'Team <b>' }).then(({ data }) => data.id)`,
    );
    await page.reload();
    await welcome(page);
    const select = page.getByLabel('Organization');
    await expect
      .poll(() => select.locator('option').allTextContents())
      .toEqual(['Personal account', 'Team <b>']);
    await select.selectOption(id);
    await page.locator('body[data-switched]').waitFor();
    await expect.poll(() => select.inputValue()).toBe(id);
    const claim = `supabase.auth.getClaims().then(({ data }) => data.claims.org_id ?? '')`;
    expect(await page.evaluate<string>(claim)).toBe(id);
    await select.selectOption('');
    await expect.poll(() => page.evaluate<string>(claim)).toBe('');
    await page.context().close();
  });

  test.each(['light', 'dark'] as const)(
    'has no accessibility faults, and fits 360 px (%s)',
    async (colorScheme) => {
      const page = await openApp({ colorScheme, viewport: { width: 360, height: 740 } });
      expect(await axeViolations(page)).toEqual([]);
      expect(await scrollsSideways(page)).toBe(false);
      await fill(page, await newUser());
      await submit(page);
      await welcome(page);
      await page.getByRole('button', { name: /^Account of/ }).click();
      expect(await axeViolations(page)).toEqual([]);
      expect(await scrollsSideways(page)).toBe(false);
      await page.context().close();
    },
  );

  describe('the account dialog', () => {
    const open = async (page: Page) => {
      const [popup] = await Promise.all([
        page.waitForEvent('popup'),
        page.getByRole('button', { name: 'Open the dialog' }).click(),
      ]);
      return popup;
    };

    test('signs in without leaving the page', async () => {
      const email = await newUser();
      const page = await openApp();
      const popup = await open(page);
      await popup.waitForURL(`${origin()}/account/**`);
      await page.getByText('Continue in the window that has opened.').waitFor();
      expect(await popup.evaluate<boolean>('window.opener === null')).toBe(true);
      await fillSignIn(popup, email);
      await welcome(page);
      await expect.poll(() => popup.isClosed()).toBe(true);
      expect(await page.evaluate<string>('supabase.auth.getUser().then(({ data }) => data.user.email)')).toBe(
        email,
      );
      await page.context().close();
    });

    test('can be canceled, and then opened again', async () => {
      const email = await newUser();
      const page = await openApp();
      const first = await open(page);
      await first.close();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('Sign-in was canceled.').waitFor();
      await fillSignIn(await open(page), email);
      await welcome(page);
      await page.context().close();
    });

    test('continues in the same window if the browser blocks another one', async () => {
      const email = await newUser();
      const page = await openApp();
      await page.evaluate('window.open = () => null');
      await page.getByRole('button', { name: 'Open the dialog' }).click();
      await page.waitForURL(`${origin()}/account/**`);
      await fillSignIn(page, email);
      await welcome(page);
      await page.context().close();
    });

    test('ignores messages with another state, and messages from other origins', async () => {
      const page = await openApp();
      await open(page);
      await page.getByText('Continue in the window that has opened.').waitFor();
      const forged = await page.context().newPage();
      // The link that an attacker sends: the return page with the attacker's code.
      await forged.goto(`${site.url}/account-dialog.html?state=guessed&code=stolen`);
      const evil = await page.context().newPage();
      await evil.goto(attacker.url);
      const message = JSON.stringify({ state: 'guessed', code: 'stolen' });
      await evil.evaluate(`new BroadcastChannel('plinth-account-dialog').postMessage(${message})`);
      const [target] = await Promise.all([
        evil.waitForEvent('popup'),
        evil.evaluate(`void (window.target = window.open(${JSON.stringify(site.url)}))`),
      ]);
      await target.getByRole('heading', { name: 'App', exact: true }).waitFor();
      await evil.evaluate(`window.target.postMessage(${message}, '*')`);
      expect(await page.getByText('Continue in the window that has opened.').isVisible()).toBe(true);
      expect(
        await page.evaluate<boolean>('supabase.auth.getSession().then(({ data }) => data.session === null)'),
      ).toBe(true);
      await page.context().close();
    });

    test('gives an attacker’s page that opens it neither a message nor a code', async () => {
      const email = await newUser();
      const context = await browser.newContext();
      const evil = await context.newPage();
      await startSession(evil, backend, email);
      await evil.goto(attacker.url);
      const query = (redirectTo: string) =>
        new URLSearchParams({
          redirect_to: redirectTo,
          code_challenge: 'a'.repeat(43),
          code_challenge_method: 's256',
        });
      const address = `${backend.url}/account/continue?`;
      await evil.evaluate(`
        window.received = [];
        window.addEventListener('message', ({ data }) => received.push(data));
        new BroadcastChannel('plinth-account-dialog').onmessage = ({ data }) => received.push(data);`);
      const start = async (url: string) => {
        const [popup] = await Promise.all([
          context.waitForEvent('page'),
          evil.evaluate(`void (window.popup = window.open(${JSON.stringify(url)}))`),
        ]);
        return popup;
      };
      const own = await start(address + query(`${attacker.url}/`));
      await own.waitForLoadState();
      expect(new URL(own.url()).origin).toBe(origin());
      const requests: string[] = [];
      context.on('request', (request) => requests.push(request.url()));
      const sign = new URL(`${backend.url}/account/sign-in`);
      sign.search = String(query(`${site.url}/account-dialog.html?state=x`));
      const victim = await start(sign.href);
      // The user would have to continue to the app, whose name the page shows.
      await Promise.all([
        context.waitForEvent('request', (request) => request.url().includes('/account-dialog.html')),
        victim.getByText(`Continue to ${new URL(site.url).host}`).click(),
      ]);
      expect(
        requests.some((url) => url.startsWith(`${site.url}/account-dialog.html`) && url.includes('code=')),
      ).toBe(true);
      expect(requests.filter((url) => url.startsWith(attacker.url) && url.includes('code='))).toEqual([]);
      expect(await evil.evaluate('received')).toEqual([]);
      await context.close();
    });
  });
});
