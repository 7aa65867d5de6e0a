/**
 * Tests the pages under adverse conditions, such as chunks that fail to load, a different user who signs in from
 * another tab, and a redirect URL that isn't a web page.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { openContext } from '../web/browser.ts';
import {
  addAuthenticatorApp,
  fillSignIn,
  laterTotp,
  makeUser,
  openAccount,
  openStage,
  password,
  type Stage,
  signIn,
  startSession,
} from './harness.ts';
import { until } from './keyboard/until.ts';
import { countMails } from './mailbox.ts';

let stage: Stage;
let app: Server;
let appUrl: string;

beforeAll(async () => {
  app = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<title>The app</title><p>The app</p>');
  });
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
  appUrl = `http://127.0.0.1:${(app.address() as AddressInfo).port}/callback`;
  stage = await openStage({
    auth: {
      additional_redirect_urls: ['com.example.app:/callback'],
      mfa: { totp: { enroll_enabled: true, verify_enabled: true } },
    },
    plinth: { account: { deletion: true } },
  });
});
afterAll(async () => {
  await stage.close();
  await new Promise((resolve) => app.close(resolve));
});

const flowTo = (redirectTo: string) =>
  `?${new URLSearchParams({ redirect_to: redirectTo, code_challenge: 'a'.repeat(43) })}`;

/** Closing the browser also closes the context. */
async function openPage(): Promise<Page> {
  const { context } = await openContext(stage.browser);
  return context.newPage();
}

let users = 0;
async function newUser(): Promise<string> {
  users += 1;
  const email = `rough-${users}@example.com`;
  await makeUser(stage.backend, email);
  return email;
}

async function fillIn(page: Page, email: string): Promise<void> {
  await fillSignIn(page, email);
}

test.concurrent('a page whose scripts fail to load in part shows an error and can be reloaded', async () => {
  const page = await openPage();
  const email = await newUser();
  await page.route('**/assets/members-*.js', (route) => route.abort());
  await signIn(page, stage.backend, email);
  await page.getByRole('heading', { level: 1, name: 'This page couldn’t be loaded' }).waitFor();
  await page.getByRole('alert').getByText('Part of this page couldn’t be loaded').waitFor();
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByText(`Signed in as ${email}`).waitFor();
});

test.concurrent('an error is shown even if its message fails to load', async () => {
  const page = await openPage();
  await page.route('**/assets/problems-*.js', (route) => route.abort());
  await page.goto(`${stage.backend.url}/account/sign-in`);
  await fillSignIn(page, await newUser(), 'not this one');
  await page.getByRole('alert').getByText('Part of this page couldn’t be loaded').waitFor();
});

test.concurrent.each(['index', 'texts'])(
  'if the page’s %s script fails to load, the form is submitted as without scripts',
  async (part) => {
    const page = await openPage();
    const email = await newUser();
    let lose = (): void => {};
    const lost = new Promise<void>((resolve) => {
      lose = resolve;
    });
    await page.route(`**/assets/${part}-*.js`, async (route) => {
      await lost;
      await route.abort();
    });
    await page.goto(`${stage.backend.url}/account/sign-in${flowTo(appUrl)}`, { waitUntil: 'commit' });
    await page.locator('footer').waitFor();
    await page.getByLabel('Email address').fill(email);
    await page.getByRole('button', { name: 'Continue', exact: true }).click({ noWaitAfter: true });
    lose();
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click({ noWaitAfter: true });
    await page.waitForURL(`${appUrl}?code=*`);
  },
);

test.concurrent('a form that is submitted before the scripts run still redirects to the app', async () => {
  const page = await openPage();
  const email = await newUser();
  const { promise: isSubmitted, resolve: submitted } = Promise.withResolvers<void>();
  await page.route('**/assets/index-*.js', async (route) => {
    await isSubmitted;
    await route.continue();
  });
  const search = `${flowTo(appUrl)}&add=1`;
  await page.goto(`${stage.backend.url}/account/sign-in${search}`, { waitUntil: 'commit' });
  await page.locator('footer').waitFor();
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('button', { name: 'Continue', exact: true }).click({ noWaitAfter: true });
  submitted();
  await page.waitForURL('**/account/password?**');
  expect(new URL(page.url()).searchParams.get('redirect_to')).toBe(appUrl);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL(`${appUrl}?code=*`);
});

test.concurrent('the page opens an app on the device, and then offers the link again', async () => {
  const page = await openPage();
  const email = await newUser();
  const link = page.getByRole('link', { name: 'Continue to the app' });
  await page.goto(`${stage.backend.url}/account/sign-in${flowTo('com.example.app:/callback')}`);
  await page.getByText('to continue to com.example.app').waitFor();
  await fillIn(page, email);
  await link.waitFor();
  expect(await link.getAttribute('href')).toMatch(/^com\.example\.app:\/callback\?code=[0-9a-f-]{36}$/);
  await page.goBack();
  await page.getByRole('button', { name: 'Continue to com.example.app' }).waitFor();
});

test.concurrent('a browser that rejects cookies sees an error that explains this', async () => {
  const page = await openPage();
  const email = await newUser();
  await page.route('**/account/api/sign-in', async (route) => {
    const json = await (await route.fetch()).json();
    await page.context().clearCookies();
    await route.fulfill({ json });
  });
  await page.goto(`${stage.backend.url}/account/sign-in`);
  await fillIn(page, email);
  await page.getByRole('alert').getByText('didn’t keep you signed in').waitFor();
});

test.concurrent('a change started by one user isn’t completed as another user who signs in in another tab', async () => {
  const page = await openPage();
  const [email, other] = [await newUser(), await newUser()];
  await openAccount(page, stage.backend, email);
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByLabel('New password', { exact: true }).fill('only for the first 1');
  const choosing = await page.context().newPage();
  await choosing.goto(`${stage.backend.url}/account/new-password`);
  await choosing.getByLabel('New password', { exact: true }).fill('only for the first 2');
  const second = await page.context().newPage();
  await signIn(second, stage.backend, other, '?again=1');
  await page.getByText(`Signed in as ${other}`).waitFor();
  await page.getByLabel('New password', { exact: true }).waitFor({ state: 'detached' });
  await choosing.getByText(`You’re signed in as ${other}`).waitFor();
});

test.concurrent('a token that expired while the device was asleep is refreshed, and the change succeeds', async () => {
  const page = await openPage();
  await openAccount(page, stage.backend, await newUser());
  await page.getByRole('button', { name: 'Change password' }).click();
  const refused = { code: 403, error_code: 'bad_jwt', msg: 'invalid JWT: token is expired' };
  await page.route('**/auth/v1/user', (route) => route.fulfill({ status: 403, json: refused }), { times: 1 });
  await page.getByLabel('New password', { exact: true }).fill('quite another 3');
  await page.getByRole('button', { name: 'Save password' }).click();
  await page.getByText('Password changed.').waitFor();
});

test.concurrent('a user who returns from the app doesn’t repeat the second factor', async () => {
  const page = await openPage();
  const email = await newUser();
  const { secret } = await addAuthenticatorApp(stage.backend, email);
  await signIn(page, stage.backend, email, flowTo(appUrl));
  await page.getByLabel('Code', { exact: true }).fill(laterTotp(secret));
  await page.waitForURL(`${appUrl}?code=*`);
  await page.goBack();
  await page.getByRole('button', { name: /^Continue to/ }).waitFor();
});

test.concurrent('a signed-in user isn’t asked to sign in while the page hydrates', async () => {
  const page = await openPage();
  const email = await newUser();
  await startSession(page, stage.backend, email);
  let wake = (): void => {};
  const awake = new Promise<void>((resolve) => {
    wake = resolve;
  });
  await page.route('**/assets/*.js', async (route) => {
    await awake;
    await route.continue();
  });
  for (const path of ['sign-in', 'signed-out']) {
    await page.goto(`${stage.backend.url}/account/${path}`, { waitUntil: 'commit' });
    await page.locator('footer').waitFor();
    expect(await page.locator('h1').isVisible()).toBe(false);
  }
  await page.goto(`${stage.backend.url}/account/sign-in?again=1`, { waitUntil: 'commit' });
  await page.getByLabel('Email address').waitFor();
  await page.goto(`${stage.backend.url}/account/sign-in`, { waitUntil: 'commit' });
  wake();
  await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
});

test.concurrent('a user who leaves the code page can return without a second email, and skips it after signing in elsewhere', async () => {
  const page = await openPage();
  const email = await newUser();
  const sent: string[] = [];
  page.on('request', (request) => sent.push(new URL(request.url()).pathname));
  await page.goto(`${stage.backend.url}/account/sign-in${flowTo(appUrl)}`);
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await page.getByRole('button', { name: 'Email me a sign-in code' }).click();
  await page.getByRole('heading', { name: 'Enter your code' }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'Enter your password' }).waitFor();
  await page.getByRole('button', { name: 'Email me a sign-in code' }).click();
  await page.getByRole('heading', { name: 'Enter your code' }).waitFor();
  expect(sent.filter((path) => path === '/account/api/code')).toHaveLength(1);
  // A user who doesn't receive the code can use a different sign-in method.
  await page.getByRole('link', { name: 'Sign in another way' }).click();
  await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
  await until(() => page.getByLabel('Email address').inputValue(), email);
  await page.goBack();
  await page.getByRole('heading', { name: 'Enter your code' }).waitFor();
  const other = await page.context().newPage();
  await openAccount(other, stage.backend, email);
  await page.evaluate('dispatchEvent(new Event("focus"))');
  await page.getByRole('button', { name: /^Continue to/ }).waitFor();
});

test.concurrent('a user whose sign-in becomes too old while the deletion form is open signs in again', async () => {
  const page = await openPage();
  const email = await newUser();
  await openAccount(page, stage.backend, email);
  const fillForm = async () => {
    await page.getByRole('button', { name: 'Delete account', exact: true }).click();
    await page.locator('#account-name').fill(email);
  };
  const confirm = () =>
    page.getByRole('button', { name: 'Permanently delete my account', exact: true }).click();
  await fillForm();
  await stage.backend.database.pool('supabase_admin').query(sql`
    update auth.mfa_amr_claims set updated_at = now() - interval '16 minutes'
    where session_id in (
      select s.id from auth.sessions s join auth.users u on u.id = s.user_id where u.email = ${email})`);
  await confirm();
  const dialog = page.getByRole('dialog', { name: 'Confirm it’s you' });
  // If the user cancels, the form keeps what they have entered.
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await page.locator('#account-name').inputValue()).toBe(email);
  await confirm();
  await dialog.getByLabel('Password', { exact: true }).fill(password);
  const forgotten = page.waitForResponse('**/account/api/forget');
  await dialog.getByRole('button', { name: 'Confirm', exact: true }).click();
  await page.getByText('You can’t sign in to this account anymore.').waitFor();
  await until(() => countMails(stage.backend, email), 1);
  await forgotten;
  await page.goto(`${stage.backend.url}/account/accounts`);
  await page.waitForURL('**/account/sign-in?**');
  expect(await page.getByText(email).count()).toBe(0);
});

test.concurrent.each([true, false])(
  'a new address leads to an account (scripts: %s)',
  async (javaScriptEnabled) => {
    const { context } = await openContext(stage.browser, { javaScriptEnabled });
    const page = await context.newPage();
    const email = `rough-new-${javaScriptEnabled}@example.com`;
    await page.goto(`${stage.backend.url}/account/sign-in`);
    await page.getByLabel('Email address').fill(email);
    await page.getByRole('button', { name: 'Continue', exact: true }).click();
    await page.getByText('There’s no account with this address yet.').waitFor();
    await page.locator('input[name=password]').fill(password);
    expect(await page.locator('#email').inputValue()).toBe(email);
    await page.locator('form button[type=submit]').first().click();
    await page
      .getByRole('heading', { level: 1, name: javaScriptEnabled ? 'Your account' : 'You’re signed in' })
      .waitFor();
  },
);
