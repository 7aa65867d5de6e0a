/**
 * Tests the Account server without a browser: the requests that it accepts, the headers that it sends, and the access
 * that a cookie gives.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LogFields, type Logger, silentLogger } from '../../src/base/kernel/log.ts';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { freePort } from '../support/free-port.ts';
import { makeUser, password } from './harness.ts';

let backend: Backend;

beforeAll(async () => {
  backend = await createTestBackend({
    config: { auth: { site_url: 'https://app.example' }, plinth: { account: { implicit_return: true } } },
  });
  await makeUser(backend, 'ada@example.com');
});

afterAll(() => backend.stop());

const ours = { 'x-plinth-request': '1', 'content-type': 'application/json' };

function post(name: string, body: object, headers: Record<string, string> = ours): Promise<Response> {
  return fetch(`${backend.url}/account/api/${name}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function cookieOf(response: Response): Promise<string> {
  expect({ status: response.status, body: response.ok ? '' : await response.text() }).toEqual({
    status: 200,
    body: '',
  });
  return (response.headers.get('set-cookie') ?? '').split(';')[0] as string;
}

function signIn(cookie?: string): Promise<Response> {
  const headers = cookie === undefined ? ours : { ...ours, cookie };
  return post('sign-in', { email: 'ada@example.com', password }, headers);
}

async function sessionOf(cookie: string): Promise<{ session: { access_token: string } | null }> {
  const response = await fetch(`${backend.url}/account/api/session`, { headers: { ...ours, cookie } });
  return (await response.json()) as { session: { access_token: string } | null };
}

describe('the start of the server', () => {
  const webauthn = (origins: readonly string[]) => ({
    rp_id: 'app.example',
    rp_display_name: 'App',
    rp_origins: [...origins],
  });

  test.each([
    ['passkeys don’t work on the pages', ['https://app.example'], true, 1],
    ['passkeys work on the pages', ['http://localhost:PORT'], true, 0],
    ['passkeys are off', ['https://app.example'], false, 0],
  ])('warns about rp_origins if %s', async (_name, origins, isEnabled, count) => {
    const port = await freePort();
    const warnings: { fields: LogFields; message: string }[] = [];
    const log: Logger = {
      ...silentLogger,
      warn: (fields, message) => void warnings.push({ fields, message }),
      child: () => log,
    };
    const rpOrigins = origins.map((origin) => origin.replace('PORT', String(port)));
    const auth = { passkey: { enabled: isEnabled }, webauthn: webauthn(rpOrigins) };
    const started = await createTestBackend({ config: { auth }, port, log });
    await started.stop();
    const { origin } = new URL(started.url);
    const ofOrigins = warnings.filter(({ message }) => message.includes('rp_origins'));
    expect(ofOrigins).toHaveLength(count);
    for (const { fields, message } of ofOrigins) {
      expect(fields).toEqual({ service: 'account', origin });
      expect(message).toContain(`doesn't contain ${origin}`);
    }
  });
});

describe('pages', () => {
  test('have a content security policy with a new nonce each time, and can’t be framed or cached', async () => {
    const [one, two] = await Promise.all([1, 2].map(() => fetch(`${backend.url}/account/sign-in`)));
    const policy = one?.headers.get('content-security-policy') ?? '';
    expect(policy).not.toBe(two?.headers.get('content-security-policy'));
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy.replace("style-src-attr 'unsafe-inline'", '')).not.toContain('unsafe');
    expect(one?.headers.get('x-frame-options')).toBe('DENY');
    expect(one?.headers.get('cache-control')).toBe('no-store');
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1];
    const html = await one?.text();
    expect(html).toContain(`nonce="${nonce}"`);
    // The page contains the app's address, but loads nothing from another server.
    expect(html?.replace('"appUrl":"https://app.example"', '')).not.toMatch(
      /%PLINTH_|https?:\/\/(?!www\.w3\.org)/,
    );
  });

  test('that need a session redirect to the sign-in page, and back afterwards', async () => {
    const response = await fetch(`${backend.url}/account/security`, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      '/account/sign-in?next=security',
    ]);
  });

  test('that don’t exist respond with 404', async () => {
    expect((await fetch(`${backend.url}/account/nowhere`)).status).toBe(404);
    expect((await fetch(`${backend.url}/account/assets/..%2findex.html`)).status).toBe(404);
  });

  test('have assets that browsers may cache permanently', async () => {
    const html = await (await fetch(`${backend.url}/account/sign-in`)).text();
    const script = /src="(\/account\/assets\/[^"]+\.js)"/.exec(html)?.[1];
    const asked = (accepted: string) =>
      fetch(`${backend.url}${script}`, { headers: { 'accept-encoding': accepted } });
    const response = await asked('gzip, deflate');
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(response.headers.get('content-encoding')).toBe('gzip');
    const [smallest, plain] = [await asked('gzip, deflate, br, zstd'), await asked('identity')];
    expect([smallest, plain].map(({ headers }) => headers.get('content-encoding'))).toEqual(['br', null]);
    const text = await plain.text();
    expect([await response.text(), await smallest.text()]).toEqual([text, text]);
  });
});

describe('a request from another website', () => {
  test.each<[string, Record<string, string>]>([
    ['without our header', { 'content-type': 'application/json' }],
    ['from another origin', { ...ours, origin: 'https://evil.example' }],
    ['from another site', { ...ours, 'sec-fetch-site': 'cross-site' }],
    ['as a form', { 'content-type': 'application/x-www-form-urlencoded' }],
  ])('%s is rejected', async (_name, headers) => {
    const response = await post('sign-in', { email: 'ada@example.com', password }, headers);
    expect(response.status).toBe(403);
    await expect(response.json()).resolves.toMatchObject({ code: 'not_same_origin' });
    expect(response.headers.get('set-cookie')).toBeNull();
  });

  test('CORS headers allow no other origin', async () => {
    const response = await fetch(`${backend.url}/account/api/session`, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-headers': 'x-plinth-request' },
    });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('the session behind the cookie', () => {
  test('has an HttpOnly cookie, and no refresh token leaves the server', async () => {
    const response = await signIn();
    expect(response.headers.get('set-cookie')).toMatch(
      /^plinth-account=[\w-]{43}; .*HttpOnly; SameSite=Lax$/,
    );
    expect(await response.text()).not.toContain('refresh_token');
  });

  test('is replaced at each sign-in, and the old one ends', async () => {
    const first = await cookieOf(await signIn());
    const planted = `plinth-account=${'A'.repeat(43)}`;
    const second = await cookieOf(await signIn(planted));
    expect(second).not.toBe(planted);
    await expect(sessionOf(planted)).resolves.toEqual({ session: null });
    const old = (await sessionOf(first)).session?.access_token;
    const third = await cookieOf(await signIn(first));
    expect(third).not.toBe(first);
    await expect(sessionOf(first)).resolves.toEqual({ session: null });
    const user = await backend.fetch('/auth/v1/user', { headers: { authorization: `Bearer ${old}` } });
    expect(user.status).toBe(403);
  });

  test('is looked up before the page renders, which shows its form even if the lookup fails', async () => {
    const cookie = await cookieOf(await signIn());
    const page = async (): Promise<[status: number, waits: boolean]> => {
      const response = await fetch(`${backend.url}/account/sign-in`, { headers: { cookie } });
      return [response.status, /<html[^>]* data-waiting/.test(await response.text())];
    };
    const admin = backend.database.pool('supabase_admin');
    expect(await page()).toEqual([200, true]);
    await admin.exec('alter table _plinth.account_sessions rename to away');
    try {
      expect(await page()).toEqual([200, false]);
    } finally {
      await admin.exec('alter table _plinth.away rename to account_sessions');
    }
  });

  test('isn’t replaced by a slow response about an older one', async () => {
    const cookie = await cookieOf(await signIn());
    const headers = { ...ours, cookie: `${cookie}; plinth-account-1=${'A'.repeat(43)}` };
    const read = (name: string) => fetch(`${backend.url}/account/api/${name}`, { headers });
    const responses = [await read('session'), await read('others'), await post('refresh', {}, headers)];
    // The user may have signed in from another tab before these responses arrive.
    expect(responses.map((response) => [response.status, response.headers.getSetCookie()])).toEqual(
      Array.from({ length: 3 }, () => [200, []]),
    );
  });

  test('survives many concurrent refreshes', async () => {
    const cookie = await cookieOf(await signIn());
    const answers = await Promise.all(
      Array.from({ length: 8 }, async () => (await post('refresh', {}, { ...ours, cookie })).json()),
    );
    expect(answers).toEqual(answers.map(() => ({ session: expect.anything() })));
    expect((await sessionOf(cookie)).session).not.toBeNull();
    const last = await post('refresh', {}, { ...ours, cookie });
    await expect(last.json()).resolves.toEqual({ session: expect.anything() });
  });

  test('is encrypted in the table', async () => {
    const cookie = await cookieOf(await signIn());
    const { session } = await sessionOf(cookie);
    const { rows } = await backend.database
      .pool('supabase_admin')
      .queryText((await import('../../src/base/kernel/sql.ts')).sql`
        select encode(id, 'escape') || encode(sealed, 'escape') from _plinth.account_sessions`);
    const text = rows.flat().join();
    expect(text).not.toContain(cookie.split('=')[1]);
    expect(text).not.toContain(session?.access_token);
  });

  test('is also ended in the auth service by signing out', async () => {
    const cookie = await cookieOf(await signIn());
    const token = (await sessionOf(cookie)).session?.access_token;
    const response = await post('sign-out', { scope: 'local' }, { ...ours, cookie });
    expect(response.headers.get('set-cookie')).toContain('Max-Age=0');
    await expect(sessionOf(cookie)).resolves.toEqual({ session: null });
    // The browser may have a newer cookie by the time this response arrives.
    const later = await backend.fetch('/account/api/session', { headers: { ...ours, cookie } });
    expect(later.headers.getSetCookie()).toEqual([]);
    const user = await backend.fetch('/auth/v1/user', { headers: { authorization: `Bearer ${token}` } });
    expect(user.status).toBe(403);
  });
});

describe('the redirect to the app', () => {
  test('contains a separate session for the app in the fragment, if the project allows it', async () => {
    const cookie = await cookieOf(await signIn());
    const response = await post('return', { redirect_to: 'https://app.example/x?y=1' }, { ...ours, cookie });
    const { url } = (await response.json()) as { url: string };
    const { origin, pathname, search, hash } = new URL(url);
    expect([origin, pathname, search]).toEqual(['https://app.example', '/x', '?y=1']);
    const fragment = new URLSearchParams(hash.slice(1));
    expect(fragment.get('token_type')).toBe('bearer');
    const own = fragment.get('access_token') as string;
    expect(own).not.toBe((await sessionOf(cookie)).session?.access_token);
    const sessionId = (token: string): unknown =>
      JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString()).session_id;
    expect(sessionId(own)).not.toBe(sessionId((await sessionOf(cookie)).session?.access_token as string));
  });

  test.each([
    ['https://evil.example/', 'redirect_not_allowed'],
    ['javascript:alert(1)', 'redirect_not_allowed'],
    ['//evil.example', 'redirect_not_allowed'],
    ['https://app.example@evil.example/', 'redirect_not_allowed'],
    ['', 'bad_code_challenge'],
  ])('never goes to %s', async (redirectTo, code) => {
    const cookie = await cookieOf(await signIn());
    const response = await post('return', { redirect_to: redirectTo }, { ...ours, cookie });
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([400, code]);
  });

  test('requires a session', async () => {
    const response = await post('return', { redirect_to: 'https://app.example/' });
    expect(response.status).toBe(401);
  });
});
