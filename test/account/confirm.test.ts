/**
 * Tests email links that open a page with a button to click. Opening the page doesn't use up the link, whether scripts
 * are enabled or not.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openContext } from '../web/browser.ts';
import { makeUser, openStage, password, type Stage } from './harness.ts';

let stage: Stage;
let app: Server;
let appUrl: string;

beforeAll(async () => {
  app = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<title>The app</title><p>The app</p>');
  });
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
  appUrl = `http://127.0.0.1:${(app.address() as AddressInfo).port}/welcome`;
  stage = await openStage({
    auth: { email: { enable_confirmations: true, max_frequency: 0 } },
    plinth: { account: { confirm_by_button: true } },
  });
});
afterAll(async () => {
  await stage.close();
  await new Promise((resolve) => app.close(resolve));
});

const contexts: BrowserContext[] = [];
afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
});

async function newPage(options: { readonly javaScriptEnabled?: boolean } = {}): Promise<Page> {
  const { context } = await openContext(stage.browser, options);
  contexts.push(context);
  return context.newPage();
}

let users = 0;
const newEmail = () => `reader-${++users}-${Date.now()}@example.com`;

const ask = (path: string, json: object, headers: Record<string, string> = {}) =>
  stage.backend.fetch(`/auth/v1${path}`, {
    method: 'POST',
    headers: { apikey: stage.backend.keys.publishableKey, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(json),
  });

/** Returns the link in the latest email to an address. */
async function mailedLink(to: string): Promise<string> {
  const mailUrl = stage.backend.status().MAILPIT_URL;
  const found = await fetch(`${mailUrl}/api/v1/search?query=${encodeURIComponent(`to:"${to}"`)}`);
  const { messages } = (await found.json()) as { messages: { ID: string }[] };
  const mail = (await (await fetch(`${mailUrl}/api/v1/message/${messages[0]?.ID}`)).json()) as {
    Text: string;
  };
  const link = /http\S+\/account\/confirm\?\S+/.exec(mail.Text)?.[0];
  if (link === undefined) throw new Error(`no link in: ${mail.Text}`);
  return link;
}

async function signUpForApp(): Promise<{ email: string; link: string }> {
  const email = newEmail();
  const sent = await ask('/signup', { email, password }, { redirect_to: appUrl });
  expect(sent.status).toBe(200);
  return { email, link: await mailedLink(email) };
}

const canSignIn = async (email: string) =>
  (await ask('/token?grant_type=password', { email, password })).status === 200;

describe.each([true, false])('scripts %s', (javaScriptEnabled) => {
  test('a link requested by an app works in any browser: its button redirects to the app with a session', async () => {
    const { email, link } = await signUpForApp();
    for (const method of ['GET', 'GET', 'HEAD', 'OPTIONS']) await fetch(link, { method });
    const scanner = await newPage();
    await scanner.goto(link);
    await scanner.waitForLoadState('networkidle');
    expect(await canSignIn(email)).toBe(false);
    const page = await newPage({ javaScriptEnabled });
    await page.goto(link);
    await page.getByRole('heading', { level: 1, name: 'Confirm your email' }).waitFor();
    await page.locator('#page-intro').getByText(email).waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL(/\/welcome#access_token=/);
    expect(await canSignIn(email)).toBe(true);
    await page.goto(link);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL(/\/welcome#error=access_denied&error_code=otp_expired/);
  });

  test('an invitation requires a password, which then works for signing in', async () => {
    const email = newEmail();
    const { serviceRoleKey } = stage.backend.keys;
    const headers = {
      apikey: serviceRoleKey,
      authorization: `Bearer ${serviceRoleKey}`,
      redirect_to: `${stage.backend.url}/account/security`,
    };
    expect((await ask('/invite', { email }, headers)).status).toBe(200);
    const page = await newPage({ javaScriptEnabled });
    await page.goto(await mailedLink(email));
    await page.getByRole('button', { name: /^Join / }).click();
    await page.waitForURL(/\/account\/join/);
    await page.getByLabel('New password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Save password' }).click();
    await page.waitForURL(/\/account\/(security|signed-in)/);
    expect(await canSignIn(email)).toBe(true);
  });
});

test('a change of address is confirmed at both addresses', async () => {
  const email = newEmail();
  const next = newEmail();
  await makeUser(stage.backend, email);
  const signedIn = await ask('/token?grant_type=password', { email, password });
  const { access_token } = (await signedIn.json()) as { access_token: string };
  const changed = await stage.backend.fetch('/auth/v1/user', {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${access_token}`,
      'content-type': 'application/json',
      redirect_to: `${stage.backend.url}/account/security`,
    },
    body: JSON.stringify({ email: next }),
  });
  expect(changed.status).toBe(200);
  const page = await newPage();
  await page.goto(await mailedLink(next));
  await page.getByRole('button', { name: 'Confirm email address' }).click();
  await page.getByRole('heading', { level: 1, name: 'Check your other inbox' }).waitFor();
  await page.goto(await mailedLink(email));
  await page.getByRole('button', { name: 'Confirm email address' }).click();
  await page.waitForURL(/\/account\/email-changed/);
  expect(await canSignIn(next)).toBe(true);
});

describe('on the confirmation page,', () => {
  const send = async (
    link: string,
    change: { headers?: Record<string, string>; mark?: string; cookie?: string } = {},
  ) => {
    const opened = await fetch(link);
    const html = await opened.text();
    const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
    const fields = [...html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)].map(
      ([, name = '', value = '']): [string, string] => [name, value.replaceAll('&#38;', '&')],
    );
    const form = new URLSearchParams(fields);
    if (change.mark !== undefined) form.set('mark', change.mark);
    return fetch(`${stage.backend.url}/account/confirm`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: change.cookie ?? cookie, ...change.headers },
      body: form,
    });
  };

  test.each([
    ['another site, by Sec-Fetch-Site', { headers: { 'sec-fetch-site': 'cross-site' } }],
    ['another site, by Origin', { headers: { origin: 'https://evil.example' } }],
    ['a sandboxed page', { headers: { origin: 'null' } }],
    ['a form without its mark', { mark: '' }],
    ['a form with a mark from elsewhere', { mark: '0'.repeat(32) }],
    ['a browser without the cookie', { cookie: '' }],
    ['an invalid cookie with the same invalid mark', { mark: 'x', cookie: 'plinth-account-form=x' }],
  ])('a request from %s doesn’t use the link', async (_who, change) => {
    const { email, link } = await signUpForApp();
    expect((await send(link, change)).status).toBe(403);
    expect(await canSignIn(email)).toBe(false);
    expect((await send(link)).headers.get('refresh')).toContain('#access_token=');
  });

  test('auth validates the redirect URL of a link', async () => {
    const { link } = await signUpForApp();
    const evil = link.replace(/redirect_to=[^&]*/, 'redirect_to=https%3A%2F%2Fevil.example%2F');
    expect((await send(evil)).headers.get('refresh')).toMatch(
      /^0; url=http:\/\/127\.0\.0\.1:3000#access_token=/,
    );
  });

  test('a body that isn’t a form gets an error page, not a framework message', async () => {
    const post = (headers: Record<string, string>, body: string) =>
      fetch(`${stage.backend.url}/account/confirm`, { method: 'POST', headers, body });
    const json = await post({ 'content-type': 'application/xml' }, '<a/>');
    expect([json.status, json.headers.get('content-type')]).toEqual([415, 'text/html; charset=utf-8']);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await post(form, `mark=${'0'.repeat(20_000)}`)).status).toBe(413);
    expect((await post(form, '')).status).toBe(403);
  });

  test('an invalid link is rejected, and its parameters are never treated as HTML', async () => {
    const attack = encodeURIComponent('"><script>alert(1)</script>');
    const refused = await fetch(`${stage.backend.url}/account/confirm?type=signup&token=${attack}`);
    expect(refused.status).toBe(400);
    const { link } = await signUpForApp();
    const shown = await fetch(link.replace(/redirect_to=[^&]*/, `redirect_to=${attack}`));
    expect(await shown.text()).not.toContain('<script>alert');
    expect(shown.headers.get('cache-control')).toBe('no-store');
    expect(shown.headers.get('referrer-policy')).toBe('same-origin');
  });
});

test('without the setting, only the Account pages’ emails link to this page, and apps’ emails keep the upstream links', async () => {
  const plain = await openStage({ auth: { email: { enable_confirmations: true, max_frequency: 0 } } });
  try {
    const textOf = async (to: string) => {
      const mailUrl = plain.backend.status().MAILPIT_URL;
      const found = await fetch(`${mailUrl}/api/v1/search?query=${encodeURIComponent(`to:"${to}"`)}`);
      const { messages } = (await found.json()) as { messages: { ID: string }[] };
      const mail = await fetch(`${mailUrl}/api/v1/message/${messages[0]?.ID}`);
      return ((await mail.json()) as { Text: string }).Text;
    };
    const signUp = (email: string, headers: Record<string, string>) =>
      plain.backend.fetch('/auth/v1/signup', {
        method: 'POST',
        headers: {
          apikey: plain.backend.keys.publishableKey,
          'content-type': 'application/json',
          ...headers,
        },
        body: JSON.stringify({ email, password }),
      });
    await signUp('app@example.com', { redirect_to: appUrl });
    expect(await textOf('app@example.com')).toContain('/auth/v1/verify?token=');
    const flow = `redirect_to=${encodeURIComponent(appUrl)}&code_challenge=${'a'.repeat(43)}`;
    const page = await plain.browser.newPage();
    await page.goto(`${plain.backend.url}/account/sign-up?${flow}`);
    await page.getByLabel('Email address').fill('own@example.com');
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await expect.poll(() => textOf('own@example.com').catch(() => '')).toContain('/account/confirm?token=');
    const link = new URL(/http\S+\/account\/confirm\?\S+/.exec(await textOf('own@example.com'))?.[0] ?? '');
    // The link still contains the app's redirect URL.
    const target = new URL(link.searchParams.get('redirect_to') ?? '');
    expect(target.pathname).toBe('/account/sign-up');
    expect(target.searchParams.get('redirect_to')).toBe(appUrl);
  } finally {
    await plain.close();
  }
});
