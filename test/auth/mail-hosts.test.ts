/**
 * Tests the host names in emails and redirects. On loopback, they are those of the browser, because its cookies belong
 * to one of them. No other host name in a request appears in an email, because the email goes to another person.
 */
import { type IncomingMessage, request as send } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuthServer, newEmail, startAuth } from './harness.ts';
import { pkce, register } from './oauth-server/client.ts';

const password = 'correct horse';
let auth: AuthServer;
let port: string;

beforeAll(async () => {
  auth = await startAuth(
    {
      oauth_server: { enabled: true, allow_dynamic_registration: true },
      email: { enable_confirmations: true, double_confirm_changes: true },
    },
    {
      servesAccount: true,
      trustedProxies: ['127.0.0.1'],
      plinth: { auth: { security: { notices: 'always' } } },
    },
  );
  ({ port } = new URL(auth.url));
});
afterAll(() => auth.stop());

interface Sent {
  readonly method?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request with any `Host` header, which `fetch` doesn't allow. */
async function sendTo(host: Readonly<Record<string, string>>, path: string, { method, body, headers }: Sent) {
  const request = send(`${auth.url}${path}`, {
    method: method ?? 'POST',
    headers: { 'content-type': 'application/json', apikey: auth.keys.anonKey, ...headers, ...host },
  });
  request.end(body === undefined ? undefined : JSON.stringify(body));
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.on('response', resolve).on('error', reject);
  });
  const { statusCode: status, headers: received } = response;
  if (received.location !== undefined) response.resume();
  return {
    status,
    location: received.location,
    body: received.location === undefined ? await json(response) : undefined,
  };
}

/** Returns the origins of all links to the Account pages in the emails to an address. */
async function originsIn(email: string, path: RegExp): Promise<string[]> {
  const found = async () =>
    (await auth.inbox(email)).flatMap(({ text }) =>
      [...(text ?? '').matchAll(/http\S+/g)].map(([link]) => new URL(link)),
    );
  await expect.poll(async () => (await found()).some(({ pathname }) => path.test(pathname))).toBe(true);
  return [
    ...new Set(
      (await found()).filter(({ pathname }) => /^\/account/.test(pathname)).map((url) => url.origin),
    ),
  ];
}

const hosts: readonly (readonly [name: string, headers: Record<string, string>, isKept: boolean])[] = [
  ['localhost', { host: 'localhost:PORT' }, true],
  ['another host', { host: 'evil.example' }, false],
  ['another host with the same port', { host: 'evil.example:PORT' }, false],
  ['a host that begins with localhost', { host: 'localhost.evil.example:PORT' }, false],
  ['localhost with another port', { host: 'localhost:1' }, false],
  ['another host from a proxy', { 'x-forwarded-host': 'evil.example:PORT' }, false],
];

describe.each(hosts)('a request to %s', (_name, template, isKept) => {
  const host = () =>
    Object.fromEntries(Object.entries(template).map(([name, value]) => [name, value.replace('PORT', port)]));
  const expected = () => (isKept ? `http://localhost:${port}` : auth.url);

  async function signedIn(): Promise<{ email: string; authorization: string }> {
    const email = newEmail();
    const { data } = await auth.admin().auth.admin.createUser({ email, password, email_confirm: true });
    expect(data.user?.id).toBeDefined();
    const session = await auth.client().auth.signInWithPassword({ email, password });
    return { email, authorization: `Bearer ${session.data.session?.access_token}` };
  }

  test('to change a password: the notice’s links', async () => {
    const { email, authorization } = await signedIn();
    const body = { password: 'another horse' };
    const { status } = await sendTo(host(), '/auth/v1/user', {
      method: 'PUT',
      body,
      headers: { authorization },
    });
    expect(status).toBe(200);
    expect(await originsIn(email, /not-me/)).toEqual([expected()]);
  });

  test('to change an email address: the link to cancel', async () => {
    const { email, authorization } = await signedIn();
    const page = encodeURIComponent(`${expected()}/account/security`);
    const body = { email: newEmail() };
    const { status } = await sendTo(host(), `/auth/v1/user?redirect_to=${page}`, {
      method: 'PUT',
      body,
      headers: { authorization },
    });
    expect(status).toBe(200);
    expect(await originsIn(email, /cancel-change/)).toEqual([expected()]);
  });

  test.each(['sign-in', 'recover'])(
    'for a code without an account (%s): the link to the sign-up',
    async (purpose) => {
      const email = newEmail();
      const { status } = await sendTo(host(), '/account/api/code', {
        body: { email, purpose },
        headers: { 'x-plinth-request': '1', referer: `http://${Object.values(host())[0]}/account/password` },
      });
      expect(status).toBe(200);
      expect(await originsIn(email, /sign-up/)).toEqual([expected()]);
    },
  );

  test('for a new password: the link in the email', async () => {
    const { email } = await signedIn();
    const { status } = await sendTo(host(), '/account/api/code', {
      body: { email, purpose: 'recover' },
      headers: { 'x-plinth-request': '1', referer: `http://${Object.values(host())[0]}/account/recover` },
    });
    expect(status).toBe(200);
    expect(await originsIn(email, /confirm/)).toEqual([expected()]);
  });

  test('for an app’s access: the consent page', async () => {
    const { client_id } = await register(auth);
    const query = new URLSearchParams({
      response_type: 'code',
      redirect_uri: 'https://app.example/callback',
      client_id,
      code_challenge: pkce().challenge,
      code_challenge_method: 'S256',
    });
    const { location } = await sendTo(host(), `/auth/v1/oauth/authorize?${query}`, { method: 'GET' });
    const { origin, pathname } = new URL(location ?? '');
    expect([origin, pathname]).toEqual([expected(), '/account/consent']);
  });
});
