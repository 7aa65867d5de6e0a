/** Starts a server with the built pages and a browser, and defines common test steps. */
import { createHmac } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend, type TestBackendOptions } from '../../src/entry/testing.ts';
import type { PartialConfig } from '../../src/platform/config/index.ts';
import { launchBrowser } from '../web/browser.ts';

export const password = 'correct horse battery 1';

export interface Stage {
  readonly backend: Backend;
  readonly browser: Browser;
  close(): Promise<void>;
}

export async function openStage(
  config: PartialConfig = {},
  options: Pick<TestBackendOptions, 'port' | 'sql'> = {},
): Promise<Stage> {
  const [backend, browser] = await Promise.all([createTestBackend({ config, ...options }), launchBrowser()]);
  return {
    backend,
    browser,
    async close() {
      await browser.close();
      await backend.stop();
    },
  };
}

/** Creates a confirmed user with the admin API. */
export async function makeUser(backend: Backend, email: string): Promise<string> {
  const response = await backend.fetch('/auth/v1/admin/users', {
    method: 'POST',
    headers: {
      apikey: backend.keys.serviceRoleKey,
      authorization: `Bearer ${backend.keys.serviceRoleKey}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ email, password, email_confirm: true }),
  });
  if (!response.ok) throw new Error(`user not made: ${await response.text()}`);
  return ((await response.json()) as { id: string }).id;
}

/** Returns the latest code that was emailed to an address. */
export async function mailedCode(backend: Backend, to: string): Promise<string> {
  const mailUrl = backend.status().MAILPIT_URL;
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const search = (await (
      await fetch(`${mailUrl}/api/v1/search?query=${encodeURIComponent(`to:"${to}"`)}`)
    ).json()) as {
      messages: { ID: string }[];
    };
    const id = search.messages[0]?.ID;
    if (id !== undefined) {
      const mail = (await (await fetch(`${mailUrl}/api/v1/message/${id}`)).json()) as {
        Text: string;
        HTML: string;
      };
      const code = /\b(\d{6})\b/.exec(mail.Text || mail.HTML.replace(/<[^>]*>/g, ' '))?.[1];
      if (code !== undefined) return code;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`No code came to ${to}.`);
}

const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/**
 * Returns the code for the next 30-second period, for use after the current code. Each code works only once, and auth
 * also accepts the code of the next period.
 */
export const laterTotp = (secret: string): string => totp(secret, Date.now() + 30_000);

/**
 * Returns a TOTP code (RFC 6238) with the parameters that authenticator apps use. This function doesn't use the
 * service's own implementation of TOTP.
 */
export function totp(secret: string, nowMs = Date.now()): string {
  let bits = '';
  for (const letter of secret.replace(/\s/g, '')) bits += base32.indexOf(letter).toString(2).padStart(5, '0');
  const key = Buffer.from(bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []);
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(nowMs / 30_000)));
  const digest = createHmac('sha1', key).update(counter).digest();
  const offset = (digest.at(-1) as number) & 15;
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

/** Fills in and submits both steps of a sign-in, the address and the password. */
export async function fillSignIn(page: Page, email: string, secret = password): Promise<void> {
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await page.getByLabel('Password', { exact: true }).fill(secret);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/**
 * Opens the sign-in page and signs in. If the browser already stores other accounts, the account is added to these
 * accounts.
 */
export async function signIn(page: Page, backend: Backend, email: string, search = ''): Promise<void> {
  await page.goto(`${backend.url}/account/sign-in${search}`);
  if (new URL(page.url()).pathname === '/account/accounts') {
    await page.getByRole('link', { name: 'Use another account' }).click();
  }
  await fillSignIn(page, email);
}

/**
 * Sends a request to the Account API with the browser's cookies and language, as the Account pages do. The browser
 * stores the cookies that the response sets.
 */
export async function callAccount<T>(
  page: Page,
  { url }: Pick<Backend, 'url'>,
  name: string,
  data: object = {},
): Promise<T> {
  const language = await page.evaluate<string>('navigator.language');
  const response = await page.context().request.post(`${url}/account/api/${name}`, {
    headers: { 'x-plinth-request': '1', 'accept-language': language },
    data,
  });
  if (!response.ok()) throw new Error(`${name}: ${await response.text()}`);
  return (await response.json()) as T;
}

/**
 * Signs a user in without opening a page, in tests that aren't about the sign-in itself. The browser then has the same
 * cookies as after a sign-in on the page. Returns the session's access token.
 */
export async function startSession(
  page: Page,
  backend: Pick<Backend, 'url'>,
  email: string,
): Promise<string> {
  const { session } = await callAccount<{ session: { access_token: string } }>(page, backend, 'sign-in', {
    email,
    password,
  });
  return session.access_token;
}

/** Signs a user in without opening the sign-in page ({@link startSession}), and opens the security page. */
export async function openAccount(page: Page, backend: Pick<Backend, 'url'>, email: string): Promise<void> {
  await startSession(page, backend, email);
  await page.goto(`${backend.url}/account/security`);
  await page.locator('main').getByText(email).first().waitFor();
}

/**
 * Adds an authenticator app to a user's account without opening a page. Returns the app's secret and the access token of
 * a session that has verified the app.
 */
export async function addAuthenticatorApp(
  backend: Backend,
  email: string,
): Promise<{ secret: string; accessToken: string }> {
  const { publishableKey } = backend.keys;
  async function send<T>(path: string, token: string, json: object): Promise<T> {
    const response = await backend.fetch(`/auth/v1${path}`, {
      method: 'POST',
      headers: {
        apikey: publishableKey,
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(json),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return (await response.json()) as T;
  }
  const credentials = { email, password };
  const { access_token: token } = await send<{ access_token: string }>(
    '/token?grant_type=password',
    publishableKey,
    credentials,
  );
  const factor = await send<{ id: string; totp: { secret: string } }>('/factors', token, {
    factor_type: 'totp',
    friendly_name: 'phone',
  });
  const { id: challenge_id } = await send<{ id: string }>(`/factors/${factor.id}/challenge`, token, {});
  const { secret } = factor.totp;
  const verified = await send<{ access_token: string }>(`/factors/${factor.id}/verify`, token, {
    challenge_id,
    code: totp(secret),
  });
  return { secret, accessToken: verified.access_token };
}
