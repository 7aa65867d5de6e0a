/**
 * Tests sessions across apps and browsers. The session list groups sessions by browser. After a sign-out, either the
 * page lists the apps that are still signed in, or the apps' sessions end too.
 */
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Complaints, openContext, scrollsSideways } from '../web/browser.ts';
import { stateViolations, testEach, withStates } from '../web/states.ts';
import { callAccount, makeUser, openStage, password, type Stage, signIn, startSession } from './harness.ts';
import { say, speak } from './keyboard/texts.ts';

let stage: Stage;
let app: Server;
let origin: string;
let host: string;
/** The query parameters of the requests for the client's sign-out page. */
const signedOut: URLSearchParams[] = [];
/** The timeout is long because each test opens many pages in several browsers. */
const opened: { context: BrowserContext; complaints: Complaints }[] = [];

beforeAll(async () => {
  app = createServer((request, response) => {
    if (request.url?.startsWith('/signed-out') === true) {
      signedOut.push(new URL(request.url, origin).searchParams);
      // The page deletes its cookie, as clients do, and tries actions that the sandbox blocks.
      response.setHeader('set-cookie', 'client=; Max-Age=0').setHeader('content-type', 'text/html');
      response.end('<script>try { top.location = "https://evil.example/" } catch {}</script>');
      return;
    }
    response.setHeader('content-type', 'text/html').end('<title>The app</title><p>The app</p>');
  });
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(app.address() as AddressInfo).port}`;
  origin = `http://${host}`;
  stage = await openStage({ auth: { oauth_server: { enabled: true, allow_dynamic_registration: true } } });
});

afterAll(async () => {
  await stage.close();
  await new Promise((resolve) => app.close(resolve));
});

afterEach(async () => {
  for (const { context, complaints } of opened.splice(0)) {
    await context.close();
    // The client's sign-out page tries to leave its frame.
    expect(complaints.list.filter((line) => !line.includes('allow-top-navigation'))).toEqual([]);
  }
});

/** Opens a separate browser profile. */
async function openBrowser(): Promise<Page> {
  const each = await openContext(stage.browser);
  opened.push(each);
  return each.context.newPage();
}

async function auth<T>(path: string, token: string, json?: object): Promise<{ status: number; body: T }> {
  const response = await stage.backend.fetch(`/auth/v1${path}`, {
    method: json === undefined ? 'GET' : 'POST',
    headers: {
      apikey: stage.backend.keys.publishableKey,
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as T };
}

const isAlive = async (token: string): Promise<boolean> => (await auth('/user', token)).status === 200;

const pkce = () => {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
};

/**
 * Signs in to the app in this browser with the requests of the Account pages. The app exchanges the code on a server, so
 * the session's user agent differs from the browser's.
 */
async function openApp(page: Page, email: string): Promise<string> {
  const { verifier, challenge } = pkce();
  const cookies = await page.context().cookies();
  if (!cookies.some(({ name }) => name === 'plinth-account')) await startSession(page, stage.backend, email);
  const { url } = await callAccount<{ url: string }>(page, stage.backend, 'return', {
    redirect_to: `${origin}/callback`,
    code_challenge: challenge,
    code_challenge_method: 's256',
  });
  const code = new URL(url).searchParams.get('code');
  const exchange = { auth_code: code, code_verifier: verifier };
  const { keys } = stage.backend;
  const answer = await auth<{ access_token: string }>(
    '/token?grant_type=pkce',
    keys.publishableKey,
    exchange,
  );
  return answer.body.access_token;
}

/** Connects an OAuth client in this browser, where the user is signed in. */
async function openClient(
  page: Page,
  name: string,
  more: object = {},
): Promise<{ id: string; token: string }> {
  const { serviceRoleKey } = stage.backend.keys;
  const redirectUri = `${origin}/client`;
  const metadata = {
    redirect_uris: [redirectUri],
    client_name: name,
    token_endpoint_auth_method: 'none',
    ...more,
  };
  const { body } = await auth<{ client_id: string }>('/oauth/clients/register', serviceRoleKey, metadata);
  const { verifier, challenge } = pkce();
  const query = new URLSearchParams({
    client_id: body.client_id,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid email',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  });
  const { request } = page.context();
  const asked = await request.get(`${stage.backend.url}/auth/v1/oauth/authorize?${query}`, {
    maxRedirects: 0,
  });
  const consentPage = new URL(asked.headers().location ?? '', stage.backend.url);
  const id = consentPage.searchParams.get('authorization_id') ?? '';
  // The request must be opened before it can be approved, as the consent page does.
  await request.get(`${stage.backend.url}/account/api/consent?authorization_id=${id}`, {
    headers: { 'x-plinth-request': '1' },
  });
  const approval = { authorization_id: id, action: 'approve' };
  const { url } = await callAccount<{ url: string }>(page, stage.backend, 'consent', approval);
  const response = await fetch(`${stage.backend.url}/auth/v1/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      client_id: body.client_id,
      grant_type: 'authorization_code',
      code: new URL(url).searchParams.get('code') ?? '',
      code_verifier: verifier,
    }),
  });
  const { access_token: token } = (await response.json()) as { access_token: string };
  return { id: body.client_id, token };
}

const openSecurity = (page: Page, lang = 'en') =>
  page.goto(`${stage.backend.url}/account/security?lang=${lang}`);

/** Locates the browsers in the session list. Each browser's item can contain a list of apps. */
const browsers = (page: Page, title = 'Devices and sessions') =>
  page.getByRole('region', { name: title }).locator('> ul > li');

/** Checks the page in both color schemes at 360 px. */
async function check(page: Page): Promise<void> {
  await page.setViewportSize({ width: 360, height: 800 });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await stateViolations(page)).toEqual([]);
  }
  expect(await scrollsSideways(page)).toBe(false);
  await page.setViewportSize({ width: 1280, height: 800 });
}

test(
  'sessions are grouped by browser, and signing out everywhere else keeps this browser’s apps',
  withStates,
  async () => {
    await makeUser(stage.backend, 'ada@example.com');
    await makeUser(stage.backend, 'eve@example.com');
    const [here, there] = [await openBrowser(), await openBrowser()];
    const appHere = await openApp(here, 'ada@example.com');
    const { token: clientHere } = await openClient(here, 'Herbarium');
    const appThere = await openApp(there, 'ada@example.com');
    const direct = await auth<{ access_token: string }>(
      '/token?grant_type=password',
      stage.backend.keys.publishableKey,
      { email: 'ada@example.com', password },
    );
    // The sessions of another user of the same app stay unchanged.
    const stranger = await openApp(await openBrowser(), 'eve@example.com');

    await openSecurity(here);
    await expect.poll(() => browsers(here).count()).toBe(3);
    const own = browsers(here).first();
    await own.getByText('This browser').waitFor();
    await expect
      .poll(() => own.getByRole('list').getByRole('listitem').allInnerTexts())
      .toEqual([
        'These account pages',
        expect.stringMatching(/^Herbarium\s+Sign out$/),
        expect.stringMatching(new RegExp(`^${host}\\s+Sign out$`)),
      ]);
    await expect.poll(() => browsers(here).getByText(host, { exact: true }).count()).toBe(2);
    await check(here);
    await openSecurity(here, 'ar');
    await browsers(here, 'الأجهزة والجلسات').first().getByText('هذا المتصفّح').waitFor();
    await check(here);

    await openSecurity(here);
    await here.getByRole('button', { name: 'Sign out everywhere else' }).click();
    await here.getByText('You were signed out everywhere else.').waitFor();
    await expect.poll(() => browsers(here).count()).toBe(1);
    expect(await Promise.all([appHere, clientHere, stranger].map(isAlive))).toEqual([true, true, true]);
    expect(await Promise.all([appThere, direct.body.access_token].map(isAlive))).toEqual([false, false]);
    await openSecurity(there);
    await there.waitForURL('**/account/sign-in**');

    await here.getByRole('button', { name: 'Sign out Herbarium' }).click();
    await here.getByText('You were signed out of that session.').waitFor();
    expect(await Promise.all([appHere, clientHere].map(isAlive))).toEqual([true, false]);
  },
);

test('a new password on the Account pages keeps this browser’s apps, and one from an app ends all other sessions', async () => {
  await speak('en');
  const email = 'grace@example.com';
  await makeUser(stage.backend, email);
  const [here, there] = [await openBrowser(), await openBrowser()];
  const first = await openApp(here, email);
  const second = await openApp(here, email);
  const elsewhere = await openApp(there, email);
  await openSecurity(here);
  await here.getByRole('button', { name: say('security.password-change'), exact: true }).click();
  await here.getByLabel(say('field.new-password'), { exact: true }).fill('chosen on the page 1');
  await here.getByRole('button', { name: say('security.password-save'), exact: true }).click();
  await here.getByText(say('security.password-saved')).waitFor();
  expect(await Promise.all([first, second, elsewhere].map(isAlive))).toEqual([true, true, false]);

  const changed = await stage.backend.fetch('/auth/v1/user', {
    method: 'PUT',
    headers: {
      apikey: stage.backend.keys.publishableKey,
      authorization: `Bearer ${first}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ password: 'chosen in the app 1' }),
  });
  expect(changed.status).toBe(200);
  expect(await Promise.all([first, second].map(isAlive))).toEqual([true, false]);
  await openSecurity(here);
  await here.waitForURL(/\/account\/(sign-in|accounts)/);
});

test('signing out lists the apps that stay signed in, or signs out of them too', withStates, async () => {
  await makeUser(stage.backend, 'bea@example.com');
  await makeUser(stage.backend, 'kim@example.com');
  const page = await openBrowser();
  const elsewhere = await openApp(await openBrowser(), 'bea@example.com');
  const first = await openApp(page, 'bea@example.com');
  await openSecurity(page, 'ar');
  await page.getByRole('button', { name: 'تسجيل الخروج', exact: true }).first().click();
  await page.getByText('في هذا المتصفّح، أنت مسجّل الدخول أيضًا إلى:').waitFor();
  await check(page);
  await openSecurity(page);
  const signOut = page.getByRole('button', { name: 'Sign out', exact: true }).first();
  await signOut.click();
  await page.getByRole('button', { name: 'Stay signed in' }).click();
  await signOut.click();
  await page.getByRole('form', { name: 'Sign out' }).getByText(host).waitFor();
  await check(page);
  await page.getByRole('button', { name: 'Sign out of your account only' }).click();
  await page.getByText('You’re still signed in to').waitFor();
  await page.getByText(host).waitFor();
  await check(page);
  expect(await isAlive(first)).toBe(true);

  // Another user of the same browser can't see or end these sessions.
  const other = await openApp(page, 'kim@example.com');
  await openSecurity(page);
  await expect.poll(() => browsers(page).count()).toBe(1);
  await signOut.click();
  await page.getByRole('button', { name: 'Sign out of all apps in this browser' }).click();
  await page.getByText('You’re also signed out of the apps in this browser.').waitFor();
  expect(await Promise.all([first, other].map(isAlive))).toEqual([true, false]);

  // The browser is recognized after signing in again, so the app's earlier session is still in its group.
  await signIn(page, stage.backend, 'bea@example.com');
  await browsers(page).first().getByText(host).waitFor();
  await signOut.click();
  await page.getByRole('button', { name: 'Sign out of all apps in this browser' }).click();
  await page.getByText('You’re also signed out of the apps in this browser.').waitFor();
  expect(await Promise.all([first, elsewhere].map(isAlive))).toEqual([false, true]);
});

test('a user whose app has signed out sees the other apps and can sign out of them', withStates, async () => {
  await makeUser(stage.backend, 'lou@example.com');
  const page = await openBrowser();
  const ended = await openApp(page, 'lou@example.com');
  const { token: kept } = await openClient(page, 'Atlas');
  expect((await auth('/logout?scope=browser', ended, {})).status).toBe(400);
  expect((await auth('/logout?scope=local', ended, {})).status).toBe(204);
  await page.goto(
    `${stage.backend.url}/account/signed-out?redirect_to=${encodeURIComponent(`${origin}/bye`)}`,
  );
  await page.getByText('still signed in to your account as lou@example.com').waitFor();
  await page.getByText('Atlas', { exact: true }).waitFor();
  await check(page);
  await page.getByRole('button', { name: 'Sign out of all apps in this browser' }).click();
  await page.getByText('You’re also signed out of the apps in this browser.').waitFor();
  expect(await isAlive(kept)).toBe(false);
  expect(await page.getByRole('link', { name: /^Back to/ }).getAttribute('href')).toBe(`${origin}/bye`);
});

test(
  'an OpenID client signs a user out through the Account pages, which redirect back to it',
  withStates,
  async () => {
    await makeUser(stage.backend, 'max@example.com');
    const page = await openBrowser();
    const other = await openApp(page, 'max@example.com');
    // A redirect to this address is allowed only because the client registered the address.
    const bye = 'https://almanac.example/bye';
    await page
      .context()
      .route(`${bye}**`, (route) => route.fulfill({ contentType: 'text/html', body: 'Bye' }));
    const client = await openClient(page, 'Almanac', { post_logout_redirect_uris: [bye] });
    const logout = (query: Record<string, string>) =>
      page.goto(`${stage.backend.url}/auth/v1/oauth/logout?${new URLSearchParams(query)}`);
    const request = { client_id: client.id, post_logout_redirect_uri: bye, state: 'xyz' };
    await logout(request);
    await page.getByText('Almanac', { exact: true }).waitFor();
    await check(page);
    expect(await Promise.all([client.token, other].map(isAlive))).toEqual([true, true]);
    // With the ID of a different client, the page doesn't link to this address.
    await page.goto(page.url().replace(client.id, crypto.randomUUID()));
    await page.getByText('Almanac', { exact: true }).waitFor();
    expect(await page.getByRole('link', { name: /^Back to/ }).count()).toBe(0);
    await logout(request);
    await page.getByRole('link', { name: /^Back to/ }).waitFor();
    await page.getByRole('button', { name: 'Sign out of all apps in this browser' }).click();
    await page.waitForURL(`${bye}?state=xyz`);
    expect(await Promise.all([client.token, other].map(isAlive))).toEqual([false, false]);
    await logout(request);
    await page.getByText('You may still be signed in to apps that use this account.').waitFor();
    expect(await page.getByRole('link', { name: /^Back to/ }).getAttribute('href')).toBe(`${bye}?state=xyz`);
  },
);

testEach(['en', 'ar'])(
  'in %s, the browser loads the pages of clients that were signed out',
  async (language) => {
    await speak(language);
    // A retry of this test needs a different user.
    const email = `nia-${language}-${randomBytes(3).toString('hex')}@example.com`;
    await makeUser(stage.backend, email);
    const page = await openBrowser();
    await openApp(page, email);
    const bye = 'https://almanac.example/bye';
    await page
      .context()
      .route(`${bye}**`, (route) => route.fulfill({ contentType: 'text/html', body: 'Bye' }));
    const uri = `${origin}/signed-out?tab=1`;
    const almanac = await openClient(page, 'Almanac', {
      frontchannel_logout_uri: uri,
      frontchannel_logout_session_required: true,
      post_logout_redirect_uris: [bye],
    });
    await openClient(page, 'Bestiary');
    const policies: string[] = [];
    page.on('response', (response) => {
      if (new URL(response.url()).pathname === '/account/signed-out')
        policies.push(response.headers()['content-security-policy'] ?? '');
    });
    const allowed = () => policies.map((policy) => /frame-src [^;]*/.exec(policy)?.[0]);

    // If the user signs out of only the account, the clients' sessions remain, so no client's sign-out page is loaded.
    signedOut.length = 0;
    await openSecurity(page, language);
    const signOut = page.getByRole('button', { name: say('security.sign-out'), exact: true }).first();
    await signOut.click();
    await page.getByRole('button', { name: say('sign-out.account') }).click();
    await page.getByRole('heading', { level: 1, name: say('page.signed-out') }).waitFor();
    expect(signedOut).toEqual([]);

    await openApp(page, email);
    await openSecurity(page, language);
    await signOut.click();
    await page.getByRole('button', { name: say('sign-out.all') }).click();
    await page.getByText(say('signed-out.all')).waitFor();
    await expect.poll(() => signedOut.length).toBe(1);
    expect(Object.fromEntries(signedOut[0] ?? [])).toEqual({
      tab: '1',
      iss: `${stage.backend.url}/auth/v1`,
      sid: claimsOf(almanac.token).session_id,
    });
    expect(allowed().at(-1)).toBe(`frame-src ${origin}/signed-out`);
    expect(new URL(page.url()).origin).toBe(new URL(stage.backend.url).origin);
    await check(page);
    // A reload doesn't load the clients' sign-out pages again.
    await page.reload();
    await page.getByRole('heading', { level: 1, name: say('page.signed-out') }).waitFor();
    expect(allowed().at(-1)).toBeUndefined();
    expect(signedOut.length).toBe(1);

    // If a client ends the session, the browser returns to the client after the clients' sign-out pages have loaded.
    await openApp(page, email);
    const second = await openClient(page, 'Almanac', {
      frontchannel_logout_uri: uri,
      post_logout_redirect_uris: [bye],
    });
    const query = new URLSearchParams({ client_id: second.id, post_logout_redirect_uri: bye, state: 'xyz' });
    await page.goto(`${stage.backend.url}/auth/v1/oauth/logout?${query}`);
    await page.goto(`${page.url()}&lang=${language}`);
    await page.getByRole('button', { name: say('sign-out.all') }).click();
    await page.waitForURL(`${bye}?state=xyz`);
    expect(signedOut.map((each) => each.toString())).toEqual([expect.stringContaining('sid='), 'tab=1']);
  },
  withStates,
);

test('a forged list of ended sessions can only load pages that clients registered', async () => {
  const page = await openBrowser();
  const { hostname } = new URL(stage.backend.url);
  const value = `${crypto.randomUUID()}.${crypto.randomUUID()}_https://evil.example`;
  await page
    .context()
    .addCookies([{ name: 'plinth-account-ended', value, domain: hostname, path: '/account' }]);
  await page.goto(`${stage.backend.url}/account/signed-out`);
  await page.getByRole('heading', { level: 1, name: 'You’re signed out' }).waitFor();
  expect(await page.locator('iframe').count()).toBe(0);
});

function claimsOf(token: string): { readonly session_id: string } {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}
