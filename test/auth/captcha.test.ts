/** Tests captchas: the requests to their providers, and the endpoints that require one. */
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createOutgoing } from '../../src/base/shared/network/outgoing.ts';
import { type AuthServer, newEmail, startAuth } from './harness.ts';

const password = 'correct horse';
const outgoing = createOutgoing({ mode: 'development' });
const secret = '0x0000000000000000000000000000000000000000';

/**
 * Simulates a provider according to its documentation. The provider verifies tokens in a POST form with the required
 * fields `secret` and `response`. A token is valid only once.
 */
function createProvider() {
  const used = new Set<string>();
  const seen: { path: string; form: Record<string, string> }[] = [];
  let broken = false;
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded');
    const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
    seen.push({ path: request.url ?? '', form });
    const faults = [
      ...(request.method === 'POST' && isForm ? [] : ['bad-request']),
      ...(form.secret === undefined ? ['missing-input-secret'] : []),
      ...(form.secret === secret ? [] : ['invalid-input-secret']),
      ...(form.response === undefined ? ['missing-input-response'] : []),
      ...(form.response?.startsWith('good') ? [] : ['invalid-input-response']),
      ...(used.has(form.response ?? '') ? ['timeout-or-duplicate'] : []),
    ];
    if (form.response?.startsWith('good')) used.add(form.response);
    response.setHeader('content-type', 'application/json');
    response.end(broken ? '<html>' : JSON.stringify({ success: faults.length === 0, 'error-codes': faults }));
  });
  return {
    server,
    seen,
    breakDown(now: boolean) {
      broken = now;
    },
  };
}

describe.each([
  ['hcaptcha', 'https://hcaptcha.com/siteverify'],
  ['turnstile', 'https://challenges.cloudflare.com/turnstile/v0/siteverify'],
] as const)('%s', (provider, address) => {
  const captcha = createProvider();
  let auth: AuthServer;
  let tokens = 0;
  const goodToken = () => `good-${provider}-${++tokens}`;
  beforeAll(async () => {
    await new Promise<void>((resolve) => captcha.server.listen(0, '127.0.0.1', resolve));
    const { port } = captcha.server.address() as { port: number };
    auth = await startAuth(
      { captcha: { enabled: true, provider, secret: ` ${secret} ` }, enable_anonymous_sign_ins: true },
      {
        outgoing: {
          ...outgoing,
          send: (request) => {
            const { host, pathname } = new URL(request.url);
            return outgoing.send({ ...request, url: `http://127.0.0.1:${port}/${host}${pathname}` });
          },
        },
      },
    );
  });
  beforeEach(() => {
    captcha.seen.length = 0;
  });
  afterAll(async () => {
    await auth.stop();
    captcha.server.close();
    captcha.server.closeAllConnections();
  });

  test('the stock client signs up and in with a token, and the provider receives the client address', async () => {
    const email = newEmail();
    const client = auth.client();
    const up = await client.auth.signUp({ email, password, options: { captchaToken: goodToken() } });
    expect(up.error).toBeNull();
    expect(captcha.seen).toEqual([
      {
        path: `/${new URL(address).host}${new URL(address).pathname}`,
        form: { secret, response: `good-${provider}-${tokens}`, remoteip: '127.0.0.1' },
      },
    ]);
    const options = { captchaToken: goodToken() };
    expect((await client.auth.signInWithPassword({ email, password, options })).error).toBeNull();
    const security = { gotrue_meta_security: { captcha_token: goodToken() } };
    const link = await auth.request('/magiclink', { json: { email, ...security } });
    expect([link.status, await link.json()]).toEqual([200, {}]);
    const again = await client.auth.signInWithPassword({ email, password, options });
    expect(again.error).toMatchObject({
      code: 'captcha_failed',
      status: 400,
      message: 'captcha protection: request disallowed (timeout-or-duplicate)',
    });
  });

  test.each([
    ['/signup', { email: 'a@example.com', password }],
    ['/signup', {}],
    ['/token?grant_type=password', { email: 'a@example.com', password }],
    ['/token?grant_type=web3', { chain: 'solana' }],
    ['/token', {}],
    ['/otp', { email: 'a@example.com' }],
    ['/magiclink', { email: 'a@example.com' }],
    ['/recover', { email: 'a@example.com' }],
    ['/resend', { type: 'signup', email: 'a@example.com' }],
  ])('POST %s requires a captcha before anything else', async (path, body) => {
    for (const meta of [
      {},
      { gotrue_meta_security: { captcha_token: '  ' } },
      { gotrue_meta_security: null },
    ]) {
      const response = await auth.request(path, { json: { ...body, ...meta } });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        error_code: 'captcha_failed',
        msg: 'captcha protection: request disallowed (no captcha_token found)',
      });
    }
    const wrong = await auth.request(path, {
      json: { ...body, gotrue_meta_security: { captcha_token: 'made up' } },
    });
    expect((await wrong.json()).msg).toBe('captcha protection: request disallowed (invalid-input-response)');
    expect(captcha.seen).toHaveLength(1);
  });

  test('administrators, and grants that continue an earlier sign-in, don’t need a captcha', async () => {
    for (const [grant, json] of [
      ['refresh_token', { refresh_token: 'a'.repeat(12) }],
      ['pkce', { auth_code: 'x', code_verifier: 'y' }],
      ['id_token', { provider: 'google', id_token: 'x' }],
    ] as const) {
      const response = await auth.request(`/token?grant_type=${grant}`, { json });
      expect((await response.json()).error_code).not.toBe('captcha_failed');
    }
    const admin = await auth.request('/recover', {
      token: auth.keys.serviceRoleKey,
      json: { email: newEmail() },
    });
    expect(admin.status).toBe(200);
    const anon = await auth.request('/recover', { token: auth.keys.anonKey, json: { email: newEmail() } });
    expect((await anon.json()).error_code).toBe('captcha_failed');
    expect(captcha.seen).toEqual([]);
  });

  test("if a provider's response is unreadable, no user is signed in", async () => {
    captcha.breakDown(true);
    try {
      const json = { email: newEmail(), password, gotrue_meta_security: { captcha_token: goodToken() } };
      const response = await auth.request('/signup', { json });
      expect(response.status).toBe(500);
      expect((await response.json()).msg).toBe('captcha verification process failed');
    } finally {
      captcha.breakDown(false);
    }
  });
});
