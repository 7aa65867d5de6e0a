/**
 * Tests guests in a real browser: how they start a session, save the account, and move their data to an existing
 * account.
 */
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { runSql } from '../../src/entry/testing.ts';
import { idpClient, type RealIdp, startRealIdp } from '../auth/social/real-idp.ts';
import { type Complaints, openContext, scrollsSideways } from '../web/browser.ts';
import { stateViolations, withStates } from '../web/states.ts';
import { handOverSql } from './hand-over-sql.ts';
import { callAccount, fillSignIn, mailedCode, makeUser, openStage, password, type Stage } from './harness.ts';

let idp: RealIdp;
let stage: Stage;
let app: Server;
let appUrl: string;
let context: BrowserContext;
let complaints: Complaints;
let page: Page;

beforeAll(async () => {
  idp = await startRealIdp();
  app = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<title>The app</title><p>The app</p>');
  });
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
  appUrl = `http://127.0.0.1:${(app.address() as AddressInfo).port}/callback`;
  stage = await openStage(
    {
      auth: {
        enable_anonymous_sign_ins: true,
        enable_manual_linking: true,
        email: { enable_confirmations: true, max_frequency: 0 },
        external: {
          keycloak: {
            enabled: true,
            client_id: idpClient.client_id,
            secret: idpClient.client_secret,
            url: `${idp.url}/`,
          },
        },
      },
      plinth: {
        auth: {
          hook: { guest_hand_over: { enabled: true, uri: 'pg-functions://postgres/public/hand_over_guest' } },
        },
      },
    },
    { sql: handOverSql },
  );
  const path = '/protocol/openid-connect';
  idp.open({
    issuer: idp.url,
    redirectUri: `${stage.backend.url}/auth/v1/callback`,
    pkce: false,
    routes: { authorization: `${path}/auth`, token: `${path}/token`, userinfo: `${path}/userinfo` },
  });
});
afterAll(async () => {
  await stage.close();
  await idp.stop();
  await new Promise((resolve) => app.close(resolve));
});

beforeEach(async () => {
  ({ context, complaints } = await openContext(stage.browser));
  page = await context.newPage();
});
afterEach(async () => {
  await context.close();
  // Complaints about the identity provider's own pages are ignored.
  expect(complaints.list.filter((line) => !line.includes('fonts.googleapis.com'))).toEqual([]);
});

const open = (name: string, search = '') => page.goto(`${stage.backend.url}/account/${name}${search}`);
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

async function check(state: string): Promise<void> {
  expect({ state, violations: await stateViolations(page) }).toEqual({ state, violations: [] });
  expect({ state, sideways: await scrollsSideways(page) }).toEqual({ state, sideways: false });
}

function pkce() {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const fields = { redirect_to: appUrl, code_challenge: challenge, code_challenge_method: 's256' };
  return { verifier, fields, search: `?${new URLSearchParams(fields)}` };
}

interface AppSession {
  readonly user: { id: string; email: string; is_anonymous: boolean };
}

/** Exchanges the code in the app's address for the app's own session. */
async function atTheApp(verifier: string): Promise<AppSession> {
  await page.waitForURL(`${appUrl}?code=*`);
  return redeem(page.url(), verifier);
}

async function redeem(address: string, verifier: string): Promise<AppSession> {
  const code = new URL(address).searchParams.get('code');
  const response = await stage.backend.fetch('/auth/v1/token?grant_type=pkce', {
    method: 'POST',
    headers: { apikey: stage.backend.keys.publishableKey, 'content-type': 'application/json' },
    body: JSON.stringify({ auth_code: code, code_verifier: verifier }),
  });
  return (await response.json()) as AppSession;
}

/** Creates a guest of the app who has written some data, without opening a page. */
async function startAsGuest(): Promise<string> {
  const { verifier, fields } = pkce();
  await callAccount(page, stage.backend, 'guest');
  const { url } = await callAccount<{ url: string }>(page, stage.backend, 'return', fields);
  const { user } = await redeem(url, verifier);
  expect(user.is_anonymous).toBe(true);
  await runSql(stage.backend, `insert into public.notes (owner, body) values ('${user.id}', 'mine')`);
  return user.id;
}

async function notesOf(owner: string): Promise<string[]> {
  const rows = await stage.backend.database
    .pool('supabase_admin')
    .query<{ body: string }>(sql`select body from public.notes where owner = ${owner}`);
  return rows.map(({ body }) => body);
}

let users = 0;
const newEmail = (): string => {
  users += 1;
  return `guest-${users}@example.com`;
};

describe('starting', () => {
  test(
    'doesn’t create a guest until the button is clicked, and then returns to the app',
    withStates,
    async () => {
      const count = async () =>
        (await stage.backend.database.pool('supabase_admin').query(sql`select from auth.users`)).length;
      const before = await count();
      const { verifier, search } = pkce();
      await open('guest', search);
      await page.getByText(`to continue to ${new URL(appUrl).host}`).waitFor();
      await check('guest');
      expect(await count()).toBe(before);
      await page.keyboard.press('Tab');
      await page.getByRole('button', { name: 'Continue as a guest' }).press('Enter');
      const { user } = await atTheApp(verifier);
      expect(await count()).toBe(before + 1);
      // If the app redirects the guest to this page again, the guest stays signed in.
      const again = pkce();
      await open('guest', again.search);
      await page.getByText('You’re signed in as a guest.').waitFor();
      await press(`Continue to ${new URL(appUrl).host}`);
      expect((await atTheApp(again.verifier)).user.id).toBe(user.id);
    },
  );

  test('works without scripts', async () => {
    await context.close();
    ({ context, complaints } = await openContext(stage.browser, { javaScriptEnabled: false }));
    page = await context.newPage();
    const { verifier, search } = pkce();
    await open('guest', search);
    await press('Continue as a guest');
    expect((await atTheApp(verifier)).user.is_anonymous).toBe(true);
  });

  test('shows an error if the redirect URL isn’t allowed', async () => {
    await open('guest', `?redirect_to=https://evil.example/&code_challenge=${'a'.repeat(43)}`);
    await page.getByText('isn’t allowed').waitFor();
    expect(new URL(page.url()).origin).toBe(stage.backend.url);
  });
});

describe('saving the account', () => {
  test('with an address and a password requires the code and keeps the user ID', withStates, async () => {
    const id = await startAsGuest();
    const email = newEmail();
    const { verifier, search } = pkce();
    await open('upgrade', search);
    await heading('Save your account');
    await check('upgrade');
    await press('Save my account');
    await page.getByRole('alert').getByText('Enter your email address.').waitFor();
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Password', { exact: true }).fill('short');
    await press('Save my account');
    await page.getByRole('alert').getByText('doesn’t meet the requirements').waitFor();
    await check('upgrade refused');
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByLabel('Password', { exact: true }).press('Enter');
    await page.getByText(`to ${email}`).waitFor();
    await check('upgrade waits');
    await page.reload();
    await page.getByText(`to ${email}`).waitFor();
    await page.getByLabel('Code', { exact: true }).fill('000000');
    await page.getByRole('alert').getByText('Incorrect or expired code').waitFor();
    await page.getByLabel('Code', { exact: true }).fill(await mailedCode(stage.backend, email));
    await heading('Account saved');
    await page.getByText(`sign in with ${email}`).waitFor();
    await check('upgraded');
    await press(`Continue to ${new URL(appUrl).host}`);
    const session = await atTheApp(verifier);
    expect(session.user).toMatchObject({ id, email, is_anonymous: false });
    expect(await notesOf(id)).toEqual(['mine']);
    // The guest can now sign in with the new password.
    await context.clearCookies();
    await open('sign-in');
    await fillSignIn(page, email);
    await page.getByText(`Signed in as ${email}`).waitFor();
  });

  test('works with only a code, and allows another address before the confirmation', async () => {
    const id = await startAsGuest();
    await open('security');
    await press('Sign out');
    await expect
      .poll(() => page.getByRole('link', { name: /^Save/ }).allInnerTexts())
      .toEqual(['Save your account']);
    await press('Cancel');
    await page.getByRole('link', { name: 'Save account' }).click();
    await page.getByLabel('Email address').fill(newEmail());
    await press('Email me a code instead');
    await press('Use another address');
    const email = newEmail();
    await page.getByLabel('Email address').fill(email);
    await press('Email me a code instead');
    await page.getByLabel('Code', { exact: true }).fill(await mailedCode(stage.backend, email));
    await heading('Account saved');
    await press('Continue');
    await page.getByText(`Signed in as ${email}`).waitFor();
    const token = await page.evaluate(
      `fetch('/account/api/session', { headers: { 'x-plinth-request': '1' } }).then((answer) => answer.json())`,
    );
    expect(token).toMatchObject({ session: { user: { id, is_anonymous: false } } });
  });

  test('works with the link in the email, opened in another tab', async () => {
    const id = await startAsGuest();
    const email = newEmail();
    await open('upgrade');
    await page.getByLabel('Email address').fill(email);
    await press('Email me a code instead');
    await page.getByText(`to ${email}`).waitFor();
    await mailedCode(stage.backend, email);
    const other = await context.newPage();
    await other.goto(await mailedLink(email));
    await other.getByRole('button', { name: 'Confirm email address' }).click();
    await other.getByRole('heading', { level: 1, name: 'Account saved' }).waitFor();
    await page.evaluate(`window.dispatchEvent(new Event('focus'))`);
    await heading('Account saved');
    expect(await notesOf(id)).toEqual(['mine']);
  });

  test('works with an identity provider, unless the identity belongs to another user', async () => {
    idp.accounts.set('gus', { email: 'gus@idp.example', email_verified: true, name: 'Gus' });
    const id = await startAsGuest();
    const { verifier, search } = pkce();
    await open('upgrade', search);
    await press('Continue with Keycloak');
    await signInAtProvider('gus');
    await heading('Account saved');
    await press(`Continue to ${new URL(appUrl).host}`);
    expect((await atTheApp(verifier)).user).toMatchObject({
      id,
      email: 'gus@idp.example',
      is_anonymous: false,
    });

    await context.clearCookies();
    const second = await startAsGuest();
    await open('upgrade', search);
    await press('Continue with Keycloak');
    await signInAtProvider('gus');
    await page.getByRole('alert').getByText('is already linked').waitFor();
    await heading('Save your account');
    expect(await notesOf(second)).toEqual(['mine']);
  });

  test(
    'is available only to guests: members see a message, and visitors are asked to sign in',
    withStates,
    async () => {
      await open('upgrade');
      await heading('Sign in');
      const email = newEmail();
      await makeUser(stage.backend, email);
      await fillSignIn(page, email);
      await heading('Your account is already saved');
      await check('upgrade of a member');
    },
  );
});

describe('moving to an existing account', () => {
  async function toSignIn(email: string): Promise<void> {
    await page.getByLabel('Email address').fill(email);
    await press('Email me a code instead');
    await page.getByRole('alert').getByText('If this address is yours, sign in').waitFor();
    await press('Sign in to my account');
    await page.getByText('Sign in to the account you want to move your guest data to.').waitFor();
  }

  async function signIn(email: string): Promise<void> {
    await fillSignIn(page, email);
    await heading('Move your guest data?');
  }

  test('moves all data, with the keyboard only', withStates, async () => {
    const guest = await startAsGuest();
    const email = newEmail();
    const account = await makeUser(stage.backend, email);
    const { verifier, search } = pkce();
    await open('upgrade', search);
    await toSignIn(email);
    await check('sign-in of a guest');
    await page.getByLabel('Email address').focus();
    await page.keyboard.type(email);
    await page.keyboard.press('Enter');
    await heading('Enter your password');
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
    await heading('Move your guest data?');
    await page.getByText(`You’re signed in as ${email}.`).waitFor();
    expect(await notesOf(guest)).toEqual(['mine']);
    await check('hand-over');
    await page.getByRole('button', { name: 'Move guest data' }).press('Enter');
    await heading('Guest data moved');
    await check('handed over');
    expect(await notesOf(account)).toEqual(['mine']);
    expect(await notesOf(guest)).toEqual([]);
    await page.getByRole('button', { name: /^Continue to/ }).press('Enter');
    expect((await atTheApp(verifier)).user).toMatchObject({ id: account, email });
  });

  test('shows an error if the hook fails, keeps the guest, and can be retried', withStates, async () => {
    const guest = await startAsGuest();
    const email = newEmail();
    const account = await makeUser(stage.backend, email);
    await open('upgrade');
    await toSignIn(email);
    await signIn(email);
    await runSql(stage.backend, `insert into public.trouble values ('x')`);
    await press('Move guest data');
    await page.getByRole('alert').getByText('nothing was changed').waitFor();
    await check('hand-over failed');
    expect(await notesOf(guest)).toEqual(['mine']);
    await runSql(stage.backend, 'truncate public.trouble');
    await press('Move guest data');
    await heading('Guest data moved');
    expect(await notesOf(account)).toEqual(['mine']);
    await press('Continue');
    await page.getByText(`Signed in as ${email}`).waitFor();
  });

  test('can be canceled before and after signing in', async () => {
    const guest = await startAsGuest();
    const email = newEmail();
    await makeUser(stage.backend, email);
    await open('upgrade');
    await toSignIn(email);
    await press('Back to the guest account');
    await heading('Save your account');
    await toSignIn(email);
    await signIn(email);
    await press('Back to the guest account');
    await heading('Save your account');
    expect(await notesOf(guest)).toEqual(['mine']);
  });

  test('can leave the guest data behind', async () => {
    const guest = await startAsGuest();
    const email = newEmail();
    const account = await makeUser(stage.backend, email);
    await open('upgrade');
    await toSignIn(email);
    await signIn(email);
    await press('Discard guest data');
    await heading('Your account is already saved');
    expect([await notesOf(guest), await notesOf(account)]).toEqual([['mine'], []]);
    expect((await context.cookies()).map(({ name }) => name)).not.toContain('plinth-account-guest');
  });

  test('works with an identity provider', async () => {
    idp.accounts.set('ida', { email: 'ida@idp.example', email_verified: true, name: 'Ida' });
    await open('sign-in');
    await page.getByRole('link', { name: 'Continue with Keycloak' }).click();
    await signInAtProvider('ida');
    await page.getByText('Signed in as ida@idp.example').waitFor();
    await context.clearCookies();

    await startAsGuest();
    const { verifier, search } = pkce();
    await open('upgrade', search);
    await press('Sign in to my account');
    await page.getByRole('link', { name: 'Continue with Keycloak' }).click();
    await signInAtProvider('ida');
    await heading('Move your guest data?');
    await press('Move guest data');
    await heading('Guest data moved');
    await page.getByRole('button', { name: /^Continue to/ }).click();
    const { user } = await atTheApp(verifier);
    expect(user.email).toBe('ida@idp.example');
    expect(await notesOf(user.id)).toEqual(['mine']);
  });
});

/** Fills in the sign-in page and the consent page of the identity provider. */
async function signInAtProvider(login: string): Promise<void> {
  await page.locator('input[name=login]').fill(login);
  await page.locator('input[name=password]').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

/** Returns the link in the latest email to a user. */
async function mailedLink(to: string): Promise<string> {
  const mailUrl = stage.backend.status().MAILPIT_URL;
  const search = (await (
    await fetch(`${mailUrl}/api/v1/search?query=${encodeURIComponent(`to:"${to}"`)}`)
  ).json()) as { messages: { ID: string }[] };
  const mail = (await (await fetch(`${mailUrl}/api/v1/message/${search.messages[0]?.ID}`)).json()) as {
    HTML: string;
  };
  return (/href="([^"]+)"/.exec(mail.HTML)?.[1] ?? '').replaceAll('&amp;', '&').replaceAll('&#38;', '&');
}
