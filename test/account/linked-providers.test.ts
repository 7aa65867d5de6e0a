/**
 * Tests identity providers on existing accounts: notices about linked providers, unverified addresses, and unlinking
 * the provider that an account was created with.
 */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { idpClient, type RealIdp, startRealIdp } from '../auth/social/real-idp.ts';
import { openContext } from '../web/browser.ts';
import { makeUser, openAccount, openStage, password, type Stage } from './harness.ts';
import { latestMail } from './mailbox.ts';

let idp: RealIdp;
let stage: Stage;
const contexts: BrowserContext[] = [];

beforeAll(async () => {
  idp = await startRealIdp();
  stage = await openStage({
    auth: {
      enable_manual_linking: true,
      email: { enable_confirmations: true },
      external: {
        keycloak: {
          enabled: true,
          client_id: idpClient.client_id,
          secret: idpClient.client_secret,
          url: `${idp.url}/`,
        },
      },
    },
  });
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
});
afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
});

async function newPage(locale = 'en-GB'): Promise<Page> {
  const { context } = await openContext(stage.browser, { locale });
  contexts.push(context);
  return context.newPage();
}

async function signInAtProvider(page: Page, login: string): Promise<void> {
  await page.locator('input[name=login]').fill(login);
  await page.locator('input[name=password]').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

async function signInWithKeycloak(page: Page, login: string): Promise<void> {
  await page.goto(`${stage.backend.url}/account/sign-in`);
  await page.getByRole('link', { name: /Keycloak/ }).click();
  await signInAtProvider(page, login);
}

test('the owner of an account is notified if a provider with the same address is linked', async () => {
  idp.accounts.set('lora', { email: 'lora@idp.example', email_verified: true, name: 'Lora' });
  await makeUser(stage.backend, 'lora@idp.example');
  const page = await newPage();
  await signInWithKeycloak(page, 'lora');
  await page.getByText('Signed in as lora@idp.example').waitFor();
  const notice = await latestMail(stage.backend, 'lora@idp.example', /sign-in method was added/);
  expect(notice.text).toContain('You can now sign in to your account lora@idp.example with Keycloak.');
  expect(notice.text).toContain('/account/not-me?token=');
  await page.getByText('Sign-in with Keycloak added').waitFor();
});

test('the owner of an account is notified after linking a provider, and the page shows the provider’s name', async () => {
  idp.accounts.set('nils-there', { email: 'other@idp.example', email_verified: true, name: 'Nils' });
  await makeUser(stage.backend, 'nils@app.example');
  const page = await newPage();
  await openAccount(page, stage.backend, 'nils@app.example');
  await page.getByRole('button', { name: 'Link Keycloak' }).click();
  await signInAtProvider(page, 'nils-there');
  const done = page.getByText('Keycloak linked. You can now sign in with it.');
  await done.waitFor();
  await expect.poll(() => done.evaluate((node) => document.activeElement?.contains(node))).toBe(true);
  const notice = await latestMail(stage.backend, 'nils@app.example', /sign-in method was added/);
  expect(notice.text).toContain('with Keycloak.');
});

test('a user who signed up with a provider keeps the address after unlinking the provider', async () => {
  idp.accounts.set('ugo', { email: 'ugo@idp.example', email_verified: true, name: 'Ugo' });
  const page = await newPage();
  await signInWithKeycloak(page, 'ugo');
  await page.getByRole('button', { name: 'Set a password' }).click();
  await page.locator('#new-password').fill(password);
  await page.getByRole('button', { name: 'Save password' }).click();
  await page.getByText('Password set.').waitFor();
  await page.getByRole('button', { name: 'Unlink Keycloak' }).click();
  const form = page.getByRole('form', { name: 'Unlink Keycloak' });
  await form.getByText('You can still sign in with ugo@idp.example.').waitFor();
  await form.getByRole('button', { name: 'Unlink' }).click();
  await page.getByText('Keycloak unlinked.').waitFor();
  await page.getByRole('listitem').filter({ hasText: 'ugo@idp.example' }).waitFor();
  await expect.poll(() => page.getByRole('button', { name: /^Unlink/ }).count()).toBe(0);

  // The page doesn't continue with the provider, because a sign-in with the provider would link it again.
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByRole('heading', { name: 'You’re signed out' }).waitFor();
  await page.goto(`${stage.backend.url}/account/accounts`);
  await page
    .getByRole('button', { name: /ugo@idp\.example/ })
    .first()
    .click();
  await page.locator('#password').waitFor();

  const again = await newPage();
  await again.goto(`${stage.backend.url}/account/sign-in`);
  await again.getByLabel('Email address').fill('ugo@idp.example');
  await again.getByRole('button', { name: 'Continue', exact: true }).click();
  await again.locator('#password').fill(password);
  await again.getByRole('button', { name: 'Sign in', exact: true }).click();
  await again.getByText('Signed in as ugo@idp.example').waitFor();
});

test('an address that the provider has not verified is confirmed by an email in the language of the pages', async () => {
  idp.accounts.set('vida', { email: 'vida@idp.example', email_verified: false, name: 'Vida' });
  const page = await newPage('ar');
  await signInWithKeycloak(page, 'vida');
  await page.getByRole('alert').waitFor();
  const mail = await latestMail(stage.backend, 'vida@idp.example');
  expect(mail.subject).toContain('رمز التأكيد');
  await page.goto(mail.link);
  await page.getByRole('button', { name: 'متابعة' }).click();
  await page.getByText('vida@idp.example').first().waitFor();
  await expect.poll(() => page.url()).toBe(`${stage.backend.url}/account/security`);
});
