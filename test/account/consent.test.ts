/**
 * Tests the consent page in a real browser, where users allow or deny an app's request for access. Also tests the list
 * of apps on the security page.
 */
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestBackend } from '../../src/entry/testing.ts';
import { type Complaints, openContext, scrollsSideways } from '../web/browser.ts';
import { describeEach, stateViolations, withStates } from '../web/states.ts';
import {
  addAuthenticatorApp,
  fillSignIn,
  laterTotp,
  makeUser,
  openAccount,
  openStage,
  password,
  type Stage,
  startSession,
  totp,
} from './harness.ts';

let stage: Stage;
let app: Server;
let callback: string;
let context: BrowserContext;
let complaints: Complaints;
let page: Page;

beforeAll(async () => {
  app = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<title>The app</title><p>The app</p>');
  });
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
  callback = `http://127.0.0.1:${(app.address() as AddressInfo).port}/callback`;
  stage = await openStage({
    auth: {
      oauth_server: { enabled: true, allow_dynamic_registration: true },
      enable_anonymous_sign_ins: true,
      mfa: { totp: { enroll_enabled: true, verify_enabled: true } },
    },
    plinth: { branding: { name: 'Meadow' } },
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
  const email = `reader-${users}@example.com`;
  await makeUser(stage.backend, email);
  return email;
}

async function api<T>(
  path: string,
  init: { method?: string; json?: object; token?: string } = {},
): Promise<T> {
  const { serviceRoleKey } = stage.backend.keys;
  const response = await stage.backend.fetch(`/auth/v1${path}`, {
    method: init.method ?? (init.json === undefined ? 'GET' : 'POST'),
    headers: {
      apikey: serviceRoleKey,
      authorization: `Bearer ${init.token ?? serviceRoleKey}`,
      'content-type': 'application/json',
    },
    ...(init.json === undefined ? {} : { body: JSON.stringify(init.json) }),
  });
  return (await response.json()) as T;
}

interface Client {
  readonly client_id: string;
}

const registered = (metadata: object, path = '/admin/oauth/clients'): Promise<Client> =>
  api(path, {
    json: { redirect_uris: [callback], client_type: 'public', client_name: 'Herbarium', ...metadata },
  });

interface Asked {
  readonly address: string;
  redeem(): Promise<Record<string, string>>;
}

/** Returns the URL to which an app redirects the browser to request access. */
function ask({ client_id }: Client, scope = 'openid email profile', redirectUri = callback): Asked {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    client_id,
    scope,
    redirect_uri: redirectUri,
    response_type: 'code',
    state: 'st',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  return {
    address: `${stage.backend.url}/auth/v1/oauth/authorize?${query}`,
    async redeem() {
      const response = await fetch(`${stage.backend.url}/auth/v1/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          client_id,
          grant_type: 'authorization_code',
          code: new URL(page.url()).searchParams.get('code') ?? '',
          code_verifier: verifier,
        }),
      });
      return (await response.json()) as Record<string, string>;
    },
  };
}

const allow = () => page.getByRole('button', { name: 'Allow', exact: true });

describe('an app requests access', () => {
  test('a user who signs in first, with the keyboard only, isn’t asked for consent again', async () => {
    const email = await newUser();
    const client = await registered({ client_uri: 'https://herbarium.example/about' });
    const first = ask(client);
    await page.goto(first.address);
    await page.getByLabel('Email address').waitFor();
    expect(new URL(page.url()).searchParams.get('authorization_id')).toMatch(/^[a-z2-7]{32}$/);
    const { keyboard } = page;
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('email');
    await keyboard.type(email);
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Enter your password' }).waitFor();
    await keyboard.type(password);
    await keyboard.press('Enter');
    await page.getByText('Herbarium wants to use your Meadow account.').waitFor();
    await page.getByText('Website: herbarium.example').waitFor();
    await page.getByText(`Signed in as ${email}`).waitFor();
    await expect
      .poll(() => page.locator('main li').allTextContents())
      .toEqual([
        'see and change everything you can in Meadow',
        'recognize you when you come back',
        'see your email address',
        'see your profile, such as your name and picture',
        'stay connected until you remove access',
      ]);
    expect(await page.getByText('Meadow hasn’t verified this app').count()).toBe(0);
    await keyboard.press('Tab');
    await allow().and(page.locator(':focus')).waitFor();
    await keyboard.press('Enter');
    await page.waitForURL(`${callback}?**`);
    expect(new URL(page.url()).searchParams.get('state')).toBe('st');
    expect(await first.redeem()).toMatchObject({ token_type: 'bearer', id_token: expect.any(String) });

    const again = ask(client, 'email');
    await page.goto(again.address);
    await page.waitForURL(`${callback}?**`);
    expect(await again.redeem()).toHaveProperty('access_token');
  });

  test('a user can deny access', async () => {
    await startSession(page, stage.backend, await newUser());
    await page.goto(ask(await registered({})).address);
    await page.getByRole('button', { name: 'Don’t allow' }).click();
    await page.waitForURL(`${callback}?**`);
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject({ error: 'access_denied' });
  });

  test('a user can continue with another account', async () => {
    const [one, other] = [await newUser(), await newUser()];
    await startSession(page, stage.backend, one);
    const asked = ask(await registered({}));
    await page.goto(asked.address);
    await page.getByText(`Signed in as ${one}`).waitFor();
    await page.getByRole('button', { name: 'Use another account' }).click();
    await page.getByRole('link', { name: 'Use another account' }).click();
    await fillSignIn(page, other);
    await page.getByText(`Signed in as ${other}`).waitFor();
    await allow().click();
    await page.waitForURL(`${callback}?**`);
    const { access_token } = await asked.redeem();
    const { email } = await api<{ email: string }>('/user', { token: access_token ?? '' });
    expect(email).toBe(other);
  });

  test('the page warns about an app that registered itself, and doesn’t show its logo', async () => {
    await startSession(page, stage.backend, await newUser());
    const metadata = {
      client_name: 'Meadow Support <b>',
      logo_uri: 'https://evil.example/logo.png',
      token_endpoint_auth_method: 'none',
      redirect_uris: ['agent-app://back'],
    };
    const client = await registered(metadata, '/oauth/clients/register');
    await page.goto(ask(client, 'email', 'agent-app://back').address);
    await page.getByText('Meadow hasn’t verified this app').waitFor();
    await page.getByText('Meadow Support <b> wants to use').waitFor();
    await page.getByText('an app on this device (agent-app)').waitFor();
    expect(await page.locator('main img').count()).toBe(0);
  });

  test('a user with a second factor must complete it before deciding', async () => {
    const email = await newUser();
    const { secret } = await addAuthenticatorApp(stage.backend, email);
    await page.goto(ask(await registered({})).address);
    await fillSignIn(page, email);
    await page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor();
    const id = new URL(page.url()).searchParams.get('authorization_id') ?? '';
    const early = (await page.evaluate(`fetch('/account/api/consent?authorization_id=${id}', {
      headers: { 'x-plinth-request': '1' } }).then(async (answer) => [answer.status, (await answer.json()).code])`)) as [
      number,
      string,
    ];
    expect(early).toEqual([403, 'insufficient_aal']);
    await page.getByLabel('Code', { exact: true }).fill(laterTotp(secret));
    await page.getByText('Herbarium wants to use your Meadow account.').waitFor();
  });
});

describe('the project requires a second factor', () => {
  let usual: Stage['backend'];

  beforeAll(async () => {
    usual = stage.backend;
    const backend = await createTestBackend({
      config: {
        auth: {
          oauth_server: { enabled: true },
          mfa: { totp: { enroll_enabled: true, verify_enabled: true } },
        },
        plinth: { branding: { name: 'Meadow' }, account: { require_mfa: true } },
      },
    });
    stage = { ...stage, backend };
  });

  afterAll(async () => {
    await stage.backend.stop();
    stage = { ...stage, backend: usual };
  });

  test('a user without a factor can’t give an app access before setting one up', async () => {
    await startSession(page, stage.backend, await newUser());
    await page.goto(ask(await registered({})).address);
    await page.getByRole('heading', { name: 'Set up two‑step verification' }).waitFor();
    const id = new URL(page.url()).searchParams.get('authorization_id') ?? '';
    for (const [path, data] of [
      [`consent?authorization_id=${id}`, undefined],
      ['consent', { authorization_id: id, action: 'approve' }],
    ] as const) {
      const response = await page.context().request.fetch(`${stage.backend.url}/account/api/${path}`, {
        method: data === undefined ? 'GET' : 'POST',
        headers: { 'x-plinth-request': '1' },
        ...(data === undefined ? {} : { data }),
      });
      expect([response.status(), (await response.json()).code]).toEqual([403, 'factor_required']);
    }
    await page.getByRole('button', { name: 'Add authenticator app' }).click();
    await page.getByLabel('Device name').fill('My phone');
    await page.keyboard.press('Enter');
    const secret = await page.locator('main code').first().innerText();
    await page.getByLabel('Code from the app').fill(totp(secret));
    await page.getByRole('button', { name: 'Not now, continue' }).click();
    await allow().click();
    await page.waitForURL(`${callback}?**`);
  });
});

describe('an invalid request gets an explanation', () => {
  beforeEach(async () => {
    await startSession(page, stage.backend, await newUser());
  });

  test.each([
    [
      'unknown',
      `?authorization_id=${'a'.repeat(32)}`,
      'This request isn’t available anymore',
      'This request has expired',
    ],
    ['missing', '', 'No app is requesting access', 'To connect an app'],
  ])('%s', withStates, async (_name, search, title, said) => {
    await page.goto(`${stage.backend.url}/account/consent${search}`);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    await page.getByText(said).waitFor();
    await expect.poll(() => page.title()).toContain(title);
    expect(await stateViolations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Go to your account' }).click();
    await page.getByText('Devices and sessions').waitFor();
  });

  test('answered in another tab', async () => {
    await page.goto(ask(await registered({})).address);
    await allow().waitFor();
    const id = new URL(page.url()).searchParams.get('authorization_id') ?? '';
    const answered = (await page.evaluate(`fetch('/account/api/consent', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-plinth-request': '1' },
      body: JSON.stringify({ authorization_id: '${id}', action: 'deny' }),
    }).then((answer) => answer.status)`)) as number;
    expect(answered).toBe(200);
    await allow().click();
    await page.getByRole('heading', { level: 1, name: 'You’ve already responded' }).waitFor();
    await page.getByText('Go back to the app').waitFor();
    expect(await allow().count()).toBe(0);
  });
});

describe('the server side of the consent page', () => {
  test('accepts only requests from its own pages in the expected format', async () => {
    const post = (headers: Record<string, string>, body: object) =>
      fetch(`${stage.backend.url}/account/api/consent`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
    const body = { authorization_id: 'a'.repeat(32), action: 'approve' };
    const foreign = await post({ origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, body);
    expect(foreign.status).toBe(403);
    const own = { 'x-plinth-request': '1' };
    expect((await post(own, body)).status).toBe(401);
    for (const faulty of [
      { ...body, action: 'maybe' },
      { ...body, authorization_id: '../../admin/users' },
      {},
    ]) {
      expect((await post(own, faulty)).status).toBe(400);
    }
    const looked = await fetch(
      `${stage.backend.url}/account/api/consent?authorization_id=${encodeURIComponent('../user')}`,
      { headers: own },
    );
    expect(looked.status).toBe(400);
  });

  test('no image of another origin loads on other pages, and no page can be framed', async () => {
    const policy = async (name: string) =>
      (
        await fetch(`${stage.backend.url}/account/${name}`, { headers: { cookie: 'plinth-account=x' } })
      ).headers.get('content-security-policy') ?? '';
    expect(await policy('consent')).toMatch(/img-src 'self' data: https:;.*frame-ancestors 'none'/);
    expect(await policy('security')).not.toContain('https:');
  });
});

test('users see a list of apps and can revoke their access', withStates, async () => {
  await openAccount(page, stage.backend, await newUser());
  await page.getByText('No connected apps').waitFor();
  const asked = ask(await registered({ client_uri: 'https://herbarium.example' }));
  await page.goto(asked.address);
  await allow().click();
  await page.waitForURL(`${callback}?**`);
  const { refresh_token, access_token } = await asked.redeem();
  expect(refresh_token).toBeDefined();
  await page.goto(`${stage.backend.url}/account/security`);
  await page.getByText('herbarium.example').waitFor();
  expect(await stateViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Remove access for Herbarium' }).click();
  await page.getByText('Herbarium can’t use your account anymore.').waitFor();
  await page.getByText('No connected apps').waitFor();
  const after = await api<{ error_code: string }>('/oauth/userinfo', { token: access_token ?? '' });
  expect(after.error_code).toBe('session_not_found');
});

describeEach([
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 1280 },
  { colorScheme: 'light', width: 360 },
  { colorScheme: 'dark', width: 360 },
])('$colorScheme at $width px', ({ colorScheme, width }) => {
  test('every state of the page is accessible', withStates, async () => {
    const look = await openContext(stage.browser, { colorScheme, viewport: { width, height: 800 } });
    const tab = await look.context.newPage();
    await startSession(tab, stage.backend, await newUser());
    const vetted = await registered({ client_uri: 'https://herbarium.example' });
    const itself = await registered(
      { client_name: 'Verylongnamewithoutanyblank'.repeat(6) },
      '/oauth/clients/register',
    );
    for (const [name, client] of Object.entries({ vetted, itself })) {
      await tab.goto(ask(client, 'openid email profile phone').address);
      await tab.getByRole('button', { name: 'Allow', exact: true }).waitFor();
      expect(await stateViolations(tab)).toEqual([]);
      expect(await scrollsSideways(tab)).toBe(false);
      const folder = process.env.PICTURES;
      if (folder)
        await tab.screenshot({ path: `${folder}/${name}-${colorScheme}-${width}.png`, fullPage: true });
    }
    expect(look.complaints.list).toEqual([]);
    await look.context.close();
  });
});
