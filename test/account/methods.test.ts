/**
 * Tests sign-in methods other than passwords, and second factors, in a real browser with real keys, codes and an
 * identity provider.
 */
import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { type Complaints, openContext, scrollsSideways } from '../web/browser.ts';
import { stateViolations, withStates } from '../web/states.ts';
import {
  callAccount,
  makeUser,
  openAccount,
  openStage,
  password,
  type Stage,
  startSession,
  totp,
} from './harness.ts';
import { latestMail } from './mailbox.ts';

let stage: Stage;
let origin: string;
let context: BrowserContext;
let complaints: Complaints;
let page: Page;

beforeAll(async () => {
  // Each passkey is valid for only one origin, so the origin must be known before the server starts.
  const port = await freePort();
  origin = `http://localhost:${port}`;
  stage = await openHere(port);
});

const openHere = (port: number, account: object = {}) =>
  openStage(
    {
      plinth: { branding: { name: 'Meadow' }, account },
      auth: {
        passkey: { enabled: true },
        webauthn: { rp_id: 'localhost', rp_display_name: 'Meadow', rp_origins: [origin] },
        sms: { enable_signup: true, test_otp: { '447700900123': '123456' } },
        mfa: {
          totp: { enroll_enabled: true, verify_enabled: true },
          web_authn: { enroll_enabled: true, verify_enabled: true },
          phone: { enroll_enabled: true, verify_enabled: true },
        },
      },
    },
    { port },
  );

afterAll(() => stage.close());

beforeEach(async () => {
  ({ context, complaints } = await openContext(stage.browser));
  page = await context.newPage();
});
afterEach(async () => {
  await context.close();
  expect(complaints.list).toEqual([]);
});

let users = 0;
async function signedIn(): Promise<string> {
  users += 1;
  const email = `keys-${users}@example.com`;
  await makeUser(stage.backend, email);
  await openAccount(page, { url: origin }, email);
  return email;
}

/** Signs the user out and in again with the password. The pages then require the second factor. */
async function signInAgain(email: string): Promise<void> {
  await callAccount(page, { url: origin }, 'sign-out', { scope: 'local' });
  await startSession(page, { url: origin }, email);
  await page.goto(`${origin}/account/security`);
  await page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor();
}

async function signOut(): Promise<void> {
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByRole('heading', { name: 'You’re signed out' }).waitFor();
}

async function addAuthenticator(kind: 'device' | 'stick'): Promise<CDPSession> {
  const cdp = await context.newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const isDevice = kind === 'device';
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: isDevice ? 'internal' : 'usb',
      hasResidentKey: isDevice,
      hasUserVerification: isDevice,
      isUserVerified: isDevice,
      automaticPresenceSimulation: true,
    },
  });
  return cdp;
}

async function check(state: string): Promise<void> {
  expect({ state, violations: await stateViolations(page) }).toEqual({ state, violations: [] });
  expect({ state, sideways: await scrollsSideways(page) }).toEqual({ state, sideways: false });
}

test('a passkey can be added, renamed, used to sign in, and removed', withStates, async () => {
  await addAuthenticator('device');
  const email = await signedIn();
  await page.getByRole('button', { name: 'Add passkey' }).click();
  await page.getByText('Passkey added.').waitFor();
  await page.getByRole('button', { name: /^Rename / }).click();
  await page.getByLabel('Name', { exact: true }).fill('My laptop');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Renamed to My laptop.').waitFor();
  await check('a passkey');
  await signOut();
  await page.goto(`${origin}/account/sign-in?add=1`);
  // The test browser may use its only passkey as soon as the field offers passkeys, so the button may be gone.
  await page
    .getByRole('button', { name: 'Sign in with a passkey' })
    .click({ noWaitAfter: true })
    .catch(() => undefined);
  await page.getByText(`Signed in as ${email}`).waitFor();
  await page.getByText(/^Last used/).waitFor();
  await page.getByRole('button', { name: 'Remove My laptop' }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('Passkey removed.').waitFor();
});

/** Sets up an authenticator app and a passkey, signs out, and signs in with the passkey. */
async function signInWithPasskeyAfterTotp(): Promise<string> {
  await addAuthenticator('device');
  const email = await signedIn();
  await page.getByRole('button', { name: 'Add authenticator app' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  const app = page.getByRole('link', { name: 'Open in an authenticator app on this device' });
  const uri = new URL((await app.getAttribute('href')) ?? '');
  expect([uri.protocol, uri.searchParams.get('issuer')]).toEqual(['otpauth:', 'Meadow']);
  expect(decodeURIComponent(uri.pathname)).toContain(`Meadow:${email}`);
  await page.getByLabel('Code from the app').fill(totp(uri.searchParams.get('secret') ?? ''));
  await page.getByText('Last step: generate recovery codes.').waitFor();
  await page.getByRole('button', { name: 'Add passkey' }).click();
  await page.getByText('Passkey added.').waitFor();
  await page.getByRole('button', { name: 'Rename Chrome on Linux' }).waitFor();
  await signOut();
  await page.goto(`${origin}/account/sign-in?add=1`);
  await page
    .getByRole('button', { name: 'Sign in with a passkey' })
    .click({ noWaitAfter: true })
    .catch(() => undefined);
  return email;
}

test('a passkey that verified the user counts as two factors, and adding it sends a notification', async () => {
  const email = await signInWithPasskeyAfterTotp();
  await page.getByText(`Signed in as ${email}`).waitFor();
  const mail = await latestMail(stage.backend, email, /passkey/);
  expect([mail.from, mail.subject]).toEqual(['Meadow', 'A passkey was added to your Meadow account']);
  expect(mail.text).toContain('Its name is Chrome on Linux.');
  expect(mail.text).toMatch(/Time: .+ UTC\nDevice: Chrome on Linux\nNetwork: .+\n\nIf this wasn't you/);
});

test('a project can require the second factor after a passkey', async () => {
  const before = { stage, origin };
  const port = await freePort();
  origin = `http://localhost:${port}`;
  stage = await openHere(port, { passkeys_need_second_factor: true });
  try {
    await signInWithPasskeyAfterTotp();
    await page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor();
  } finally {
    await stage.backend.stop();
    ({ stage, origin } = before);
  }
});

test('a security key works as a second factor, with the keyboard only', withStates, async () => {
  await addAuthenticator('stick');
  const email = await signedIn();
  await page.getByRole('button', { name: 'Add security key' }).press('Enter');
  await page.getByLabel('Key name').fill('Blue stick');
  await page.keyboard.press('Enter');
  await page.getByText('Two-step verification is on.').waitFor();
  await signInAgain(email);
  await page.getByText('Connect Blue stick').waitFor();
  await check('mfa with a key');
  await page.getByRole('button', { name: 'Use security key' }).press('Enter');
  await page.getByText(`Signed in as ${email}`).waitFor();
});

test(
  'recovery codes are generated and shown once, and a used code reduces the number left',
  withStates,
  async () => {
    const email = await signedIn();
    await page.getByRole('button', { name: 'Add authenticator app' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByAltText('QR code').waitFor();
    const secret = await page.locator('code').first().innerText();
    await page.getByLabel('Code from the app').fill(totp(secret));
    await page.getByText('No recovery codes yet').waitFor();
    await page.getByRole('button', { name: 'Generate recovery codes' }).click();
    await page.getByText('They won’t be shown again.').waitFor();
    await check('recovery codes');
    const codes = await page.locator('ol code').allInnerTexts();
    expect(codes).toHaveLength(10);
    const download = await page.getByRole('link', { name: 'Download' }).getAttribute('href');
    expect(decodeURIComponent(download ?? '')).toContain(codes[9]);
    await page.getByRole('button', { name: 'I’ve saved these codes' }).click();
    await page.getByText('10 codes of 10 left.').waitFor();
    expect(await page.content()).not.toContain(codes[0]);

    await signInAgain(email);
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await page.getByLabel('Recovery code').fill('abcd-abcd-abcd-abcd');
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('alert').getByText('Incorrect').waitFor();
    await check('a wrong recovery code');
    await page.getByLabel('Recovery code').fill((codes[3] ?? '').toUpperCase());
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('9 codes are left.').waitFor();
    await page.getByRole('link', { name: 'Go to your account' }).click();
    await page.getByText('9 codes of 10 left.').waitFor();
  },
);

test('a user can sign in with a code by text message', withStates, async () => {
  const cdp = page;
  await cdp.goto(`${origin}/account/sign-in?add=1`);
  await page.getByLabel('Email address or phone number').fill('12');
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await page.getByRole('alert').getByText('country code').waitFor();
  await check('a phone number');
  await page.goto(`${origin}/account/sign-up`);
  await page.getByRole('link', { name: 'Use a phone number instead' }).click();
  await page.getByLabel('Phone number').fill('+44 7700 900123');
  await page.getByRole('button', { name: 'Send code' }).click();
  await page.getByText('to +447700900123').waitFor();
  await page.getByLabel('Code', { exact: true }).fill('123456');
  await page.waitForURL('**/account/security');
});

test('a user who signed in a while ago must confirm their identity before a change, which then continues', async () => {
  await signedIn();
  await context.clock.setFixedTime(Date.now() + 20 * 60_000);
  await page.reload();
  await page.getByRole('button', { name: 'Add authenticator app' }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirm it’s you' });
  await dialog.getByLabel('Password', { exact: true }).fill(password);
  await context.clock.setFixedTime(Date.now());
  await dialog.getByRole('button', { name: 'Confirm', exact: true }).click();
  await page.getByLabel('Device name').waitFor();
  expect(await dialog.count()).toBe(0);
});
