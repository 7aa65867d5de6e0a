/** Tests typical tasks on the Account pages in a real browser, with emails and codes that were actually sent. */
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '@supabase/supabase-js';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Complaints, openContext } from '../web/browser.ts';
import {
  addAuthenticatorApp,
  laterTotp,
  mailedCode,
  makeUser,
  openAccount,
  openStage,
  password,
  type Stage,
  signIn,
  startSession,
  totp,
} from './harness.ts';

let stage: Stage;
let app: Server;
let appUrl: string;
let context: BrowserContext;
let complaints: Complaints;
let page: Page;

beforeAll(async () => {
  app = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<title>The app</title><p>The app</p>');
  });
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
  appUrl = `http://127.0.0.1:${(app.address() as AddressInfo).port}/callback`;
  stage = await openStage({
    auth: {
      enable_anonymous_sign_ins: true,
      mfa: { totp: { enroll_enabled: true, verify_enabled: true } },
    },
  });
});

afterAll(async () => {
  await stage.close();
  await new Promise((resolve) => app.close(resolve));
});

beforeEach(async () => {
  ({ context, complaints } = await openContext(stage.browser));
  page = await context.newPage();
});

afterEach(async () => {
  await context.close();
  expect(complaints.list).toEqual([]);
});

let users = 0;
async function newUser(): Promise<string> {
  users += 1;
  const email = `person-${users}@example.com`;
  await makeUser(stage.backend, email);
  return email;
}

function pkce(): { verifier: string; search: string } {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const query = new URLSearchParams({
    redirect_to: `${appUrl}?tab=2`,
    code_challenge: challenge,
    code_challenge_method: 's256',
  });
  return { verifier, search: `?${query}` };
}

/** Redeems the code as the stock client does when the browser returns to the app. */
async function redeem(code: string, verifier: string) {
  const { url, keys } = stage.backend;
  const entries = new Map<string, string>([['app-code-verifier', JSON.stringify(verifier)]]);
  const client = createClient(url, keys.publishableKey, {
    auth: {
      flowType: 'pkce',
      storageKey: 'app',
      autoRefreshToken: false,
      detectSessionInUrl: false,
      storage: {
        getItem: (key) => entries.get(key) ?? null,
        setItem: (key, value) => void entries.set(key, value),
        removeItem: (key) => void entries.delete(key),
      },
    },
  });
  const { data, error } = await client.auth.exchangeCodeForSession(code);
  return { session: data.session, error, client };
}

test('an app can redirect a user to sign in with only the keyboard, and gets a separate session with PKCE', async () => {
  const email = await newUser();
  const { verifier, search } = pkce();
  await page.goto(`${stage.backend.url}/account/sign-in${search}`);
  await page.getByText('to continue to 127.0.0.1').waitFor();
  const { keyboard } = page;
  // The page focuses its first field.
  await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('email');
  await keyboard.type(email);
  await keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Enter your password' }).waitFor();
  await keyboard.type(password);
  await keyboard.press('Enter');
  await page.waitForURL(`${appUrl}**`);

  const returned = new URL(page.url());
  expect(returned.searchParams.get('tab')).toBe('2');
  const code = returned.searchParams.get('code') as string;
  const { session, error } = await redeem(code, verifier);
  expect(error).toBeNull();
  expect(session?.user.email).toBe(email);
  const again = await redeem(code, verifier);
  expect(again.error).not.toBeNull();
});

test('a signed-in user chooses whether to continue', async () => {
  const email = await newUser();
  await startSession(page, stage.backend, email);
  const { verifier, search } = pkce();
  await page.goto(`${stage.backend.url}/account/sign-in${search}`);
  await page.getByRole('button', { name: /^Continue to/ }).click();
  await page.waitForURL(`${appUrl}**`);
  const { session } = await redeem(new URL(page.url()).searchParams.get('code') as string, verifier);
  expect(session?.user.email).toBe(email);

  await page.goto(`${stage.backend.url}/account/sign-in${search}`);
  await page.getByRole('link', { name: 'Use another account' }).click();
  await page.getByRole('heading', { name: 'Choose an account' }).waitFor();
  await page.getByRole('link', { name: 'Use another account' }).click();
  await page.getByLabel('Email address').waitFor();
});

test('the page never redirects to an address that isn’t allowed', async () => {
  const search = `?redirect_to=https://evil.example/&code_challenge=${'a'.repeat(43)}`;
  await page.goto(`${stage.backend.url}/account/sign-in${search}`);
  await page.getByText('isn’t allowed').waitFor();
  expect(new URL(page.url()).origin).toBe(stage.backend.url);
});

test('an app without a challenge gets an error message', async () => {
  await page.goto(`${stage.backend.url}/account/sign-in?redirect_to=${encodeURIComponent(appUrl)}`);
  await page.getByText('sign-in request is incomplete').waitFor();
});

test('a user can sign up and sees which password rules are met while typing', async () => {
  await page.goto(`${stage.backend.url}/account/sign-up`);
  await page.getByLabel('Email address').fill('new@example.com');
  const field = page.getByLabel('Password', { exact: true });
  await field.fill('short');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('alert').getByText('doesn’t meet the requirements').waitFor();
  await expect(page.evaluate('document.activeElement.id')).resolves.toBe('new-password');
  await field.fill(password);
  await page.getByText('(done)').waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByText('Signed in as new@example.com').waitFor();
});

test('a code can be pasted together with surrounding text', async () => {
  const email = await newUser();
  await page.goto(`${stage.backend.url}/account/sign-in`);
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await page.getByRole('button', { name: 'Email me a sign-in code' }).click();
  const field = page.getByLabel('Code', { exact: true });
  await expect(field.getAttribute('autocomplete')).resolves.toBe('one-time-code');
  await expect(page.getByRole('button', { name: /^Send a new code in/ }).isDisabled()).resolves.toBe(true);
  await field.fill('000000');
  await page.getByRole('alert').getByText('Incorrect or expired code').waitFor();
  const code = await mailedCode(stage.backend, email);
  await field.fill(`Your code: ${code.slice(0, 3)} ${code.slice(3)}`);
  await page.getByText(`Signed in as ${email}`).waitFor();
});

test('an address without an account gets the same response as one with an account', async () => {
  await page.goto(`${stage.backend.url}/account/recover`);
  await page.getByLabel('Email address').fill('stranger@example.com');
  await page.getByRole('button', { name: 'Send code' }).click();
  await page.getByText('We’ve emailed stranger@example.com. If you have an account').waitFor();
});

test('a user can reset a forgotten password', async () => {
  const email = await newUser();
  await page.goto(`${stage.backend.url}/account/sign-in`);
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await page.getByRole('heading', { name: 'Reset your password' }).waitFor();
  // The address field still contains the address.
  await expect.poll(() => page.getByLabel('Email address').inputValue()).toBe(email);
  await page.getByRole('button', { name: 'Send code' }).click();
  await page.getByLabel('Code', { exact: true }).fill(await mailedCode(stage.backend, email));
  await page.getByRole('heading', { name: 'Choose a new password' }).waitFor();
  await page.getByLabel('New password', { exact: true }).fill('another horse 2');
  await page.getByRole('button', { name: 'Save password' }).click();
  await page.getByRole('heading', { name: 'Choose a new password' }).waitFor({ state: 'detached' });
  await page.getByText(`Signed in as ${email}`).waitFor();
  const { url, keys } = stage.backend;
  const client = createClient(url, keys.publishableKey, { auth: { persistSession: false } });
  const { error } = await client.auth.signInWithPassword({ email, password: 'another horse 2' });
  expect(error).toBeNull();
});

test('a visitor can continue as a guest', async () => {
  await page.goto(`${stage.backend.url}/account/sign-in`);
  await page.getByRole('button', { name: 'Continue as a guest' }).click();
  await page.getByText('You’re using a guest account.').waitFor();
});

test('an authenticator can be set up, is required at the next sign-in, raises the app session to AAL2, and can be removed', async () => {
  const email = await newUser();
  await openAccount(page, stage.backend, email);
  await page.getByRole('button', { name: 'Add authenticator app' }).click();
  await page.getByLabel('Device name').fill('Pocket phone');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByAltText('QR code').waitFor();
  const secret = await page.locator('code').innerText();
  await page.getByLabel('Code from the app').fill(totp(secret));
  await page.getByText('Two-step verification is on.').waitFor();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByRole('heading', { name: 'You’re signed out' }).waitFor();

  const { verifier, search } = pkce();
  await signIn(page, stage.backend, email, search);
  await page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor();
  await page.getByLabel('Code', { exact: true }).fill('000000');
  await page.getByRole('alert').getByText('Incorrect code.').waitFor();
  await page.getByLabel('Code', { exact: true }).fill(laterTotp(secret));
  await page.waitForURL(`${appUrl}**`);
  const { client } = await redeem(new URL(page.url()).searchParams.get('code') as string, verifier);
  const { data } = await client.auth.mfa.getAuthenticatorAssuranceLevel();
  expect(data).toMatchObject({ currentLevel: 'aal2', nextLevel: 'aal2' });

  await page.goto(`${stage.backend.url}/account/security`);
  await page.getByRole('button', { name: 'Remove the second step Pocket phone' }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('Second step removed.').waitFor();
  await page.getByText('Off', { exact: true }).waitFor();
});

test('the redirect to the app can’t be used to bypass the second factor', async () => {
  const email = await newUser();
  await addAuthenticatorApp(stage.backend, email);
  await signIn(page, stage.backend, email, pkce().search);
  await page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor();
  const status = await page.evaluate(`fetch('/account/api/return', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-plinth-request': '1' },
    body: JSON.stringify({ redirect_to: '${appUrl}', code_challenge: '${'a'.repeat(43)}' }),
  }).then(async (response) => [response.status, (await response.json()).code])`);
  expect(status).toEqual([403, 'insufficient_aal']);
});

test('a user can change the password', async () => {
  const email = await newUser();
  await openAccount(page, stage.backend, email);
  await page.getByRole('button', { name: 'Change password' }).click();
  const field = page.getByLabel('New password', { exact: true });
  await field.fill(password);
  await page.getByRole('button', { name: 'Save password' }).click();
  await page.getByRole('alert').getByText('your current password').waitFor();
  await field.fill('quite another 3');
  await page.getByRole('button', { name: 'Save password' }).click();
  await page.getByText('Password changed.').waitFor();
});

test('signing out in one tab also signs out the other, which shows the reason', async () => {
  const email = await newUser();
  await openAccount(page, stage.backend, email);
  const other = await context.newPage();
  await other.goto(`${stage.backend.url}/account/security`);
  await other.getByText(`Signed in as ${email}`).waitFor();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await other.getByText('You were signed out, here or on another device.').waitFor();
});

test('the page signs out when its session is ended elsewhere', async () => {
  const email = await newUser();
  await openAccount(page, stage.backend, email);
  const second = await openContext(stage.browser);
  const elsewhere = await second.context.newPage();
  await openAccount(elsewhere, stage.backend, email);
  await elsewhere.getByRole('button', { name: 'Sign out everywhere else' }).click();
  await elsewhere.getByText('You were signed out everywhere else.').waitFor();
  await second.context.close();
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByLabel('New password', { exact: true }).fill('quite another 3');
  await page.getByRole('button', { name: 'Save password' }).click();
  await page.getByText('You were signed out from another device.').waitFor();
});

test('input that is submitted before the page is interactive is processed', async () => {
  let load!: () => void;
  const asked = new Promise<void>((resolve) => {
    load = resolve;
  });
  // The test lets the page's scripts load only after the form has been submitted.
  await page.route('**/account/assets/*.js', async (route) => {
    await asked;
    await route.continue();
  });
  await page.goto(`${stage.backend.url}/account/sign-up`, { waitUntil: 'commit' });
  await page.getByLabel('Email address').fill('early@example.com');
  await page.getByLabel('Password', { exact: true }).fill(password);
  const button = page.getByRole('button', { name: 'Create account' });
  await button.click();
  // The button shows that the page is busy.
  await button.and(page.locator('[data-early]')).waitFor();
  const spinner = `getComputedStyle(document.querySelector('[data-early]'), '::after').animationName`;
  expect(await page.evaluate(spinner)).toBe('plinth-early');
  load();
  await page.waitForURL('**/account/security');
  expect(new URL(page.url()).search).toBe('');
});
