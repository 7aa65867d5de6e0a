/** Tests sign-in, codes and new passwords in Chromium with scripts disabled. */
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openContext, scrollsSideways } from '../web/browser.ts';
import {
  addAuthenticatorApp,
  fillSignIn,
  laterTotp,
  mailedCode,
  makeUser,
  openStage,
  password,
  type Stage,
} from './harness.ts';

let stage: Stage;
let app: Server;
let appUrl: string;
let context: BrowserContext;
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
      email: { max_frequency: 0 },
      mfa: { totp: { enroll_enabled: true, verify_enabled: true } },
    },
  });
});

afterAll(async () => {
  await stage.close();
  await new Promise((resolve) => app.close(resolve));
});

beforeEach(async () => {
  ({ context } = await openContext(stage.browser, { javaScriptEnabled: false }));
  page = await context.newPage();
});
afterEach(() => context.close());

let users = 0;
async function newUser(): Promise<string> {
  users += 1;
  const email = `plain-${users}@example.com`;
  await makeUser(stage.backend, email);
  return email;
}

const open = (name: string, search = '') => page.goto(`${stage.backend.url}/account/${name}${search}`);
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

async function fillIn(email: string, secret = password): Promise<void> {
  await fillSignIn(page, email, secret);
}

function pkce() {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const fields = { redirect_to: `${appUrl}?tab=2`, code_challenge: challenge, code_challenge_method: 's256' };
  return { verifier, search: `?${new URLSearchParams(fields)}` };
}

async function redeem(verifier: string): Promise<{ user?: { email: string } }> {
  const code = new URL(page.url()).searchParams.get('code');
  const response = await stage.backend.fetch('/auth/v1/token?grant_type=pkce', {
    method: 'POST',
    headers: { apikey: stage.backend.keys.publishableKey, 'content-type': 'application/json' },
    body: JSON.stringify({ auth_code: code, code_verifier: verifier }),
  });
  return (await response.json()) as { user?: { email: string } };
}

describe('signing in', () => {
  test('redirects to the app after a corrected error, with the keyboard only', async () => {
    const email = await newUser();
    const { verifier, search } = pkce();
    await open('sign-in', search);
    const { keyboard } = page;
    await page.getByLabel('Email address').focus();
    await keyboard.type(email);
    await keyboard.press('Enter');
    await heading('Enter your password');
    await page.getByLabel('Password', { exact: true }).focus();
    await keyboard.type('not this one');
    await keyboard.press('Enter');
    await page.getByRole('alert').getByText('Incorrect').waitFor();
    expect(await page.getByRole('alert').locator('details').count()).toBe(0);
    await page.getByText(email, { exact: true }).waitFor();
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('');
    await page.getByLabel('Password', { exact: true }).focus();
    await keyboard.type(password);
    await keyboard.press('Enter');
    await page.waitForURL(`${appUrl}?**`);
    expect(new URL(page.url()).searchParams.get('tab')).toBe('2');
    expect((await redeem(verifier)).user?.email).toBe(email);
  });

  test('shows what is missing next to the field, and reloading doesn’t submit again', async () => {
    await open('sign-in');
    await press('Continue');
    const field = page.getByLabel('Email address');
    await field.and(page.locator('[aria-invalid=true]')).waitFor();
    expect(await page.locator('#email-error').textContent()).toBe('Enter your email address.');
    expect(await page.getByRole('alert').locator('details').count()).toBe(0);
    await page.reload();
    await field.and(page.locator(':not([aria-invalid])')).waitFor();
    await fillIn(await newUser(), '');
    expect(await page.locator('#password-error').textContent()).toBe('Enter your password.');
  });

  test('without an app shows a confirmation and a sign-out button', async () => {
    const email = await newUser();
    await open('sign-in');
    await fillIn(email);
    await heading('You’re signed in');
    await page.getByText(`Signed in as ${email}.`).waitFor();
    // An app that has ended only its own session redirects the user to this page.
    await open('signed-out');
    await page.waitForURL('**/account/accounts');
    await page.getByText(email).waitFor();
    await open('signed-in');
    await press('Sign out');
    await heading('You’re signed out');
    expect((await context.cookies()).filter(({ name }) => name === 'plinth-account')).toEqual([]);
  });

  test('works as a guest', async () => {
    await open('sign-in');
    await press('Continue as a guest');
    await page.getByText('You’re using a guest account.').waitFor();
  });

  test('never redirects to an address that isn’t allowed', async () => {
    await open('sign-in', `?redirect_to=https://evil.example/&code_challenge=${'a'.repeat(43)}`);
    await page.getByText('isn’t allowed').waitFor();
    expect(new URL(page.url()).origin).toBe(stage.backend.url);
  });

  test('asks for the second factor', async () => {
    const email = await newUser();
    const { secret, accessToken } = await addAuthenticatorApp(stage.backend, email);
    const generated = await stage.backend.fetch('/auth/v1/factors/recovery-codes', {
      method: 'POST',
      headers: { apikey: stage.backend.keys.publishableKey, authorization: `Bearer ${accessToken}` },
    });
    const { codes } = (await generated.json()) as { codes: string[] };
    const recoveryCode = codes[0] ?? '';

    const { verifier, search } = pkce();
    await open('sign-in', search);
    await fillIn(email);
    await heading('Confirm it’s you');
    await open('signed-in', search);
    await heading('Confirm it’s you');
    await page.getByLabel('Code', { exact: true }).fill('000000');
    await press('Confirm');
    await page.getByRole('alert').getByText('Incorrect code.').waitFor();
    await page.getByLabel('Code', { exact: true }).fill(laterTotp(secret));
    await press('Confirm');
    await page.waitForURL(`${appUrl}?**`);
    expect((await redeem(verifier)).user?.email).toBe(email);

    const later = await openContext(stage.browser, { javaScriptEnabled: false });
    const lost = await later.context.newPage();
    await lost.goto(`${stage.backend.url}/account/sign-in`);
    await fillSignIn(lost, email, password);
    await lost.getByRole('button', { name: 'Use a recovery code' }).click();
    await lost.getByLabel('Recovery code').fill('aaaa-aaaa-aaaa-aaaa');
    await lost.getByRole('button', { name: 'Confirm', exact: true }).click();
    await lost.getByText('Incorrect or already used code. Check it, or enter another one.').first().waitFor();
    await lost.getByRole('button', { name: 'Use your authenticator app' }).click();
    await lost.getByLabel('Code', { exact: true }).waitFor();
    await lost.getByRole('button', { name: 'Use a recovery code' }).click();
    await lost.getByLabel('Recovery code').fill(recoveryCode);
    await lost.getByRole('button', { name: 'Confirm', exact: true }).click();
    await lost.getByText(`Signed in as ${email}.`).waitFor();
    await later.context.close();
  });
});

describe('codes', () => {
  test('sign the user in, even after a wrong code and a new email', async () => {
    const email = await newUser();
    await open('sign-in');
    await page.getByLabel('Email address').fill(email);
    await press('Continue');
    await press('Email me a sign-in code');
    await heading('Enter your code');
    await page.getByText(`We’ve emailed ${email}. If you have an account`).waitFor();
    await page.getByLabel('Code', { exact: true }).fill('000000');
    await press('Continue');
    await page.getByRole('alert').getByText('Incorrect or expired code').waitFor();
    const first = await mailedCode(stage.backend, email);
    await press('Send a new code');
    await page.getByText('We’ve sent a new code.').waitFor();
    await expect.poll(() => mailedCode(stage.backend, email)).not.toBe(first);
    const code = await mailedCode(stage.backend, email);
    await page.getByLabel('Code', { exact: true }).fill(`${code.slice(0, 3)} ${code.slice(3)}`);
    await press('Continue');
    await page.getByText(`Signed in as ${email}.`).waitFor();
  });

  test('get the same response for an address without an account', async () => {
    await open('recover');
    await page.getByLabel('Email address').fill('stranger@example.com');
    await press('Send code');
    await page.getByText('We’ve emailed stranger@example.com. If you have an account').waitFor();
    await press('Use another address');
    await heading('Reset your password');
  });

  test('allow a new password, which then works', async () => {
    const email = await newUser();
    await open('sign-in');
    await page.getByLabel('Email address').fill(email);
    await press('Continue');
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await heading('Reset your password');
    // The address field still contains the address.
    await expect.poll(() => page.getByLabel('Email address').inputValue()).toBe(email);
    await press('Send code');
    await page.getByLabel('Code', { exact: true }).fill(await mailedCode(stage.backend, email));
    await press('Continue');
    await heading('Choose a new password');
    await page.getByLabel('New password', { exact: true }).fill('abc');
    await press('Save password');
    await page.locator('#password-error').getByText('too weak').waitFor();
    await page.getByLabel('New password', { exact: true }).fill('another horse 2');
    await press('Save password');
    await page.getByText(`Signed in as ${email}.`).waitFor();
    await press('Sign out');
    await open('sign-in', '?add=1');
    await fillIn(email, 'another horse 2');
    await page.getByText(`Signed in as ${email}.`).waitFor();
  });
});

test('a new password that is entered before the second factor must be entered again', async () => {
  const email = await newUser();
  const { secret } = await addAuthenticatorApp(stage.backend, email);
  await open('sign-in');
  await fillIn(email);
  await heading('Confirm it’s you');
  expect(await page.getByText('Your new password hasn’t been saved yet.').count()).toBe(0);
  await open('new-password');
  await page.getByLabel('New password', { exact: true }).fill('another horse 3');
  await press('Save password');
  await heading('Confirm it’s you');
  await page.getByText('Your new password hasn’t been saved yet.').waitFor();
  await page.getByLabel('Code', { exact: true }).fill(laterTotp(secret));
  await press('Confirm');
  await heading('Choose a new password');
  await page.getByLabel('New password', { exact: true }).fill('another horse 3');
  await press('Save password');
  await page.getByText(`Signed in as ${email}.`).waitFor();
});

test('a visitor can create an account', async () => {
  await open('sign-up');
  await page.getByLabel('Email address').fill('plain-new@example.com');
  await page.getByLabel('Password', { exact: true }).fill(password);
  await press('Create account');
  await page.getByText('Signed in as plain-new@example.com.').waitFor();
});

/**
 * Checks colors without running a script in the page. A button must contrast with its background, and a field must have
 * a border.
 */
async function expectColors(): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('DOM.enable');
  await session.send('CSS.enable');
  const { root } = await session.send('DOM.getDocument');
  const style = async (selector: string, name: string): Promise<string | undefined> => {
    const { nodeId } = await session.send('DOM.querySelector', { nodeId: root.nodeId, selector });
    const { computedStyle } = await session.send('CSS.getComputedStyleForNode', { nodeId });
    return computedStyle.find((entry) => entry.name === name)?.value;
  };
  expect(await style('button[type=submit]', 'background-color')).not.toMatch(
    /rgba\(.*, 0\)|rgb\(255, 255, 255\)/,
  );
  expect(await style('#email', 'border-top-color')).not.toMatch(/rgba\(.*, 0\)|rgb\(255, 255, 255\)/);
  await session.detach();
}

test('every button works, and no page is wider than a small screen', async () => {
  const small = await openContext(stage.browser, {
    javaScriptEnabled: false,
    viewport: { width: 360, height: 800 },
  });
  page = await small.context.newPage();
  for (const name of ['sign-in', 'sign-up', 'code', 'recover']) {
    await open(name);
    await page.locator('button[type=submit]').first().click();
    await page.getByRole('alert').getByText('Enter your email address.').waitFor();
    const buttons = await page.getByRole('button').all();
    for (const button of buttons) expect(await button.getAttribute('type')).toBe('submit');
    await expectColors();
    await page.getByRole('group', { name: 'Color scheme' }).waitFor({ state: 'hidden' });
    expect(await scrollsSideways(page)).toBe(false);
  }
  await small.context.close();
});
