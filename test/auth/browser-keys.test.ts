/**
 * Tests the stock client in Chromium, whose virtual authenticator (CDP) creates and uses passkeys and WebAuthn factors.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { createClient } from '@supabase/supabase-js';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { launchBrowser } from '../web/browser.ts';
import { type AuthServer, newEmail, startAuth } from './harness.ts';

const bundle = fileURLToPath(
  new URL('../../node_modules/@supabase/supabase-js/dist/umd/supabase.js', import.meta.url),
);

let app: Server;
let origin: string;
let server: AuthServer;
let browser: Browser;

beforeAll(async () => {
  app = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>An app</title>');
  });
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
  origin = `http://localhost:${(app.address() as AddressInfo).port}`;
  server = await startAuth({
    site_url: origin,
    passkey: { enabled: true },
    webauthn: { rp_id: 'localhost', rp_display_name: 'An app', rp_origins: [origin] },
    mfa: { web_authn: { enroll_enabled: true, verify_enabled: true } },
  });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await server.stop();
  await new Promise((resolve) => app.close(resolve));
});

let context: BrowserContext;
let page: Page;
let cdp: CDPSession;

beforeEach(async () => {
  context = await browser.newContext();
  page = await context.newPage();
  cdp = await context.newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  await page.goto(origin);
  await page.addScriptTag({ path: bundle });
  await page.evaluate(
    ([url, key]) => {
      const { supabase } = globalThis as unknown as { supabase: { createClient: typeof createClient } };
      const options = { auth: { experimental: { passkey: true }, storageKey: 'test' } };
      Object.assign(globalThis, { client: supabase.createClient(url, key, options) });
    },
    [server.url, server.keys.anonKey] as const,
  );
});
afterEach(() => context.close());

/** Adds a device with a fingerprint reader, or a security key with a button. */
async function addAuthenticator(kind: 'device' | 'stick'): Promise<string> {
  const isDevice = kind === 'device';
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
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
  return authenticatorId;
}

type Client = ReturnType<typeof createClient>;

/** Runs a function with the stock client in the page. */
function inPage<Arg, Result>(work: (client: Client, arg: Arg) => Promise<Result>, arg: Arg): Promise<Result> {
  const script = `(arg) => (${work.toString()})(globalThis.client, arg)`;
  return page.evaluate(`(${script})(${JSON.stringify(arg)})`) as Promise<Result>;
}

const credentials = () => ({ email: newEmail(), password: 'correct horse' });

test('a passkey can be registered, and works for signing in without a user name', async () => {
  const authenticatorId = await addAuthenticator('device');
  const made = await inPage(async (client, user) => {
    const { data: signedUp } = await client.auth.signUp(user);
    const registered = await client.auth.registerPasskey();
    const listed = await client.auth.passkey.list();
    await client.auth.signOut();
    return { id: signedUp.user?.id, registered, listed };
  }, credentials());
  expect(made.registered.error).toBeNull();
  expect(made.registered.data).toMatchObject({ id: expect.any(String), created_at: expect.any(String) });
  expect(made.listed.data).toMatchObject([{ id: made.registered.data?.id }]);
  const { credentials: kept } = await cdp.send('WebAuthn.getCredentials', { authenticatorId });
  expect(kept).toMatchObject([
    { isResidentCredential: true, rpId: 'localhost', userName: expect.any(String) },
  ]);
  expect(Buffer.from(kept[0]?.userHandle ?? '', 'base64').toString()).toBe(made.id);

  for (let time = 0; time < 2; time++) {
    const signedIn = await inPage(async (client) => {
      const { data, error } = await client.auth.signInWithPasskey();
      const { data: user } = await client.auth.getUser();
      const { data: claims } = await client.auth.getClaims();
      await client.auth.signOut();
      return { error, sessionOf: data?.session?.user.id, user: user.user?.id, amr: claims?.claims.amr };
    }, null);
    expect(signedIn.error).toBeNull();
    expect(signedIn).toMatchObject({ sessionOf: made.id, user: made.id, amr: [{ method: 'passkey' }] });
  }
});

test("a device doesn't create a second passkey for the same user", async () => {
  await addAuthenticator('device');
  const again = await inPage(async (client, user) => {
    await client.auth.signUp(user);
    const first = await client.auth.registerPasskey();
    const second = await client.auth.registerPasskey();
    return { first: first.error, second: second.error?.name ?? null };
  }, credentials());
  expect(again.first).toBeNull();
  expect(again.second).not.toBeNull();
});

test('a security key becomes a factor and raises the next session to aal2', async () => {
  await addAuthenticator('stick');
  const outcome = await inPage(async (client, user) => {
    await client.auth.signUp(user);
    const registered = await client.auth.mfa.webauthn.register({ friendlyName: 'stick' });
    const first = await client.auth.mfa.getAuthenticatorAssuranceLevel();
    await client.auth.signOut();
    await client.auth.signInWithPassword(user);
    const before = await client.auth.mfa.getAuthenticatorAssuranceLevel();
    const { data: factors } = await client.auth.mfa.listFactors();
    const factorId = factors?.webauthn[0]?.id ?? '';
    const authenticated = await client.auth.mfa.webauthn.authenticate({ factorId });
    const after = await client.auth.mfa.getAuthenticatorAssuranceLevel();
    const refreshed = await client.auth.refreshSession();
    const unenrolled = await client.auth.mfa.unenroll({ factorId });
    return {
      registered: registered.error,
      authenticated: authenticated.error,
      refreshed: refreshed.error,
      unenrolled: unenrolled.error,
      factors: factors?.webauthn.map((factor) => factor.friendly_name),
      levels: [first, before, after].map(({ data }) => [data?.currentLevel, data?.nextLevel]),
      methods: after.data?.currentAuthenticationMethods.map((entry) =>
        typeof entry === 'string' ? entry : entry.method,
      ),
    };
  }, credentials());
  expect(outcome).toMatchObject({
    registered: null,
    authenticated: null,
    refreshed: null,
    unenrolled: null,
    factors: ['stick'],
    levels: [
      ['aal2', 'aal2'],
      ['aal1', 'aal2'],
      ['aal2', 'aal2'],
    ],
  });
  expect(outcome.methods).toEqual(expect.arrayContaining(['mfa/webauthn', 'password']));
});

test("another key in the same browser isn't accepted as the factor", async () => {
  const own = await addAuthenticator('stick');
  const user = credentials();
  const factorId = await inPage(async (client, who) => {
    await client.auth.signUp(who);
    const { error } = await client.auth.mfa.webauthn.register({ friendlyName: 'stick' });
    const { data } = await client.auth.mfa.listFactors();
    return error ? '' : (data?.webauthn[0]?.id ?? '');
  }, user);
  expect(factorId).not.toBe('');
  await cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId: own });
  await addAuthenticator('device');
  const failed = await inPage(
    async (client, { who, id }) => {
      await client.auth.signInWithPassword(who);
      const timeout = { timeout: 1000 } as never;
      const { error } = await client.auth.mfa.webauthn.authenticate({ factorId: id }, timeout);
      const { data } = await client.auth.mfa.getAuthenticatorAssuranceLevel();
      return { error: error?.name ?? null, level: data?.currentLevel };
    },
    { who: user, id: factorId },
  );
  expect(failed).toEqual({ error: expect.any(String), level: 'aal1' });
});
