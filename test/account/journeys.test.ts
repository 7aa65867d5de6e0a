/**
 * Tests sign-in with an identity provider (the package oidc-provider): redirects to the Account pages and to the app,
 * and linked accounts.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { idpClient, type RealIdp, startRealIdp } from '../auth/social/real-idp.ts';
import { type Complaints, openContext, scrollsSideways } from '../web/browser.ts';
import { stateViolations, withStates } from '../web/states.ts';
import { makeUser, openAccount, openStage, type Stage } from './harness.ts';

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
  stage = await openStage({
    auth: {
      enable_manual_linking: true,
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

/** Fills in the sign-in page and the consent page of the identity provider. */
async function signInAtProvider(login: string): Promise<void> {
  await page.locator('input[name=login]').fill(login);
  await page.locator('input[name=password]').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

test('a user signs in with an identity provider and opens the security page', async () => {
  idp.accounts.set('ann', { email: 'ann@idp.example', email_verified: true, name: 'Ann' });
  await page.goto(`${stage.backend.url}/account/sign-in`);
  await page.getByRole('link', { name: 'Continue with Keycloak' }).press('Enter');
  await signInAtProvider('ann');
  await page.getByText('Signed in as ann@idp.example').waitFor();
  await expect.poll(() => page.url()).toBe(`${stage.backend.url}/account/security`);
  const cookies = await context.cookies();
  expect(cookies.map(({ name }) => name)).not.toContain('plinth-account-way');
});

test('a user signs in with an identity provider, and the app gets a code for its own challenge', async () => {
  idp.accounts.set('bob', { email: 'bob@idp.example', email_verified: true, name: 'Bob' });
  const query = new URLSearchParams({ redirect_to: appUrl, code_challenge: challenge });
  await page.goto(`${stage.backend.url}/account/sign-in?${query}`);
  await page.getByRole('link', { name: 'Continue with Keycloak' }).click();
  await signInAtProvider('bob');
  await page.waitForURL(`${appUrl}?code=*`);
  const code = new URL(page.url()).searchParams.get('code');
  const response = await stage.backend.fetch('/auth/v1/token?grant_type=pkce', {
    method: 'POST',
    headers: { apikey: stage.backend.keys.publishableKey, 'content-type': 'application/json' },
    // The verifier from RFC 7636, appendix B.
    body: JSON.stringify({ auth_code: code, code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' }),
  });
  expect(await response.json()).toMatchObject({ user: { email: 'bob@idp.example' } });
});

test('the provider links work without scripts', async () => {
  const still = await openContext(stage.browser, { javaScriptEnabled: false });
  const plain = await still.context.newPage();
  const query = new URLSearchParams({ redirect_to: appUrl, code_challenge: challenge });
  await plain.goto(`${stage.backend.url}/account/sign-up?${query}`);
  const link = plain.getByRole('link', { name: 'Continue with Keycloak' });
  const address = new URL((await link.getAttribute('href')) ?? '', stage.backend.url);
  expect(Object.fromEntries(address.searchParams)).toEqual({
    redirect_to: appUrl,
    code_challenge: challenge,
    provider: 'keycloak',
  });
  await link.click();
  await plain.waitForURL(`${idp.url}/**`);
  await still.context.close();
});

test(
  'a user who denies access at the provider sees why, and text from the address isn’t shown',
  withStates,
  async () => {
    await page.goto(`${stage.backend.url}/account/sign-in`);
    await page.getByRole('link', { name: 'Continue with Keycloak' }).click();
    await page.getByRole('link', { name: /cancel/i }).click();
    await page.getByRole('alert').getByText('You canceled sign-in at the other service').waitFor();
    expect(await stateViolations(page)).toEqual([]);
    await page.goto(`${stage.backend.url}/account/sign-in?problem=Call%20us%20now`);
    await page.getByRole('alert').getByText('Something went wrong').waitFor();
    expect(await page.getByText('Call us now').count()).toBe(0);
  },
);

test("a code can't be used in a browser that didn't start the sign-in", async () => {
  await page.goto(`${stage.backend.url}/account/back?code=11111111-1111-4111-8111-111111111111`);
  await page.getByRole('alert').getByText('has expired').waitFor();
  const mark = '0'.repeat(32);
  const formCookie = `plinth-account-form=${mark}`;
  const left = await stage.backend.fetch('/account/with?provider=keycloak', {
    redirect: 'manual',
    method: 'POST',
    headers: { cookie: formCookie },
    body: new URLSearchParams({ mark }),
  });
  const [cookie = ''] = left.headers.getSetCookie();
  const back = await stage.backend.fetch('/account/back?code=11111111-1111-4111-8111-111111111111', {
    redirect: 'manual',
    headers: { cookie: cookie.split(';')[0] ?? '' },
  });
  expect(back.headers.get('location')).toBe('/account/sign-in?problem=flow_state_not_found');
  expect(back.headers.getSetCookie().some((one) => one.startsWith('plinth-account='))).toBe(false);
});

test('a provider that isn’t enabled, or an address that isn’t the app’s, is rejected', async () => {
  const off = await stage.backend.fetch('/account/with?provider=github', { redirect: 'manual' });
  expect(off.headers.get('location')).toMatch(/^\/account\/sign-in\?problem=[a-z_]+$/);
  idp.accounts.set('eve', { email: 'eve@idp.example', email_verified: true, name: 'Eve' });
  const query = new URLSearchParams({ redirect_to: 'https://evil.example/', code_challenge: challenge });
  await page.goto(`${stage.backend.url}/account/with?provider=keycloak&${query}`);
  await page.getByRole('button', { name: 'Continue to Keycloak' }).click();
  await signInAtProvider('eve');
  await page.waitForURL('**/account/sign-in?**problem=redirect_not_allowed');
});

test(
  'an identity can be linked and unlinked, but the last sign-in method can’t be removed',
  withStates,
  async () => {
    await makeUser(stage.backend, 'cy@example.com');
    idp.accounts.set('cy', { email: 'cy@idp.example', email_verified: true, name: 'Cy' });
    await openAccount(page, stage.backend, 'cy@example.com');
    await page.getByRole('heading', { name: 'Linked accounts' }).waitFor();
    expect(await page.getByRole('button', { name: /^Unlink/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Link Keycloak' }).click();
    await signInAtProvider('cy');
    await page.getByText('Keycloak linked.').waitFor();
    await expect.poll(() => page.url()).toBe(`${stage.backend.url}/account/security`);
    await page.getByText('Signed in as cy@example.com').waitFor();
    expect(await stateViolations(page)).toEqual([]);
    expect(await scrollsSideways(page)).toBe(false);
    await page.getByRole('button', { name: 'Unlink Keycloak' }).click();
    await page.getByRole('button', { name: 'Unlink', exact: true }).click();
    await page.getByText('Keycloak unlinked.').waitFor();
    await page
      .getByRole('button', { name: /^Unlink/ })
      .first()
      .waitFor({ state: 'detached' });
  },
);
