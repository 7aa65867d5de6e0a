/** Tests stolen or reused codes, refresh tokens and cookies. */
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({
    exclude: ['functions', 'realtime', 'storage'],
    // This setting disables the interval in which a client can repeat a request whose response was lost.
    config: { auth: { refresh_token_reuse_interval: 0 } },
  });
});
afterAll(() => world?.stop());

const signUp = async (email: string) =>
  (await world.call('/auth/v1/signup', { json: { email, password: 'secret-123' } })).body;
const refresh = (refresh_token: string) =>
  world.call('/auth/v1/token?grant_type=refresh_token', { json: { refresh_token } });

describe('a refresh token', () => {
  it('ends its family when it is reused, including the new token', async () => {
    const session = await signUp('refresh@example.com');
    const second = (await refresh(session.refresh_token)).body;
    const third = (await refresh(second.refresh_token)).body;
    const replay = await refresh(session.refresh_token);
    expect(replay.status).toBe(400);
    expect((await refresh(third.refresh_token)).status).toBe(400);
  });

  it('is rejected if it is missing, changed or of another kind', async () => {
    const session = await signUp('kinds@example.com');
    for (const wrong of [
      '',
      'x',
      session.refresh_token.slice(1),
      `${session.refresh_token} `,
      session.access_token,
      '%',
      '*',
    ]) {
      expect([wrong, (await refresh(wrong)).status]).toEqual([wrong, 400]);
    }
    expect((await world.call('/auth/v1/user', { token: session.refresh_token })).status).toBe(403);
  });

  it('ends with its session', async () => {
    const session = await signUp('out@example.com');
    await world.call('/auth/v1/logout', { method: 'POST', token: session.access_token });
    expect((await refresh(session.refresh_token)).status).toBe(400);
    expect((await world.call('/auth/v1/user', { token: session.access_token })).status).toBe(403);
  });
});

describe('a PKCE code', () => {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  async function code(email: string): Promise<string> {
    await signUp(email);
    await world.call('/auth/v1/recover', {
      json: { email, code_challenge: challenge, code_challenge_method: 's256' },
    });
    const { MAILPIT_URL } = world.backend.status();
    const found = (await (await fetch(`${MAILPIT_URL}/api/v1/search?query=to:${email}`)).json()) as {
      messages: { ID: string }[];
    };
    const mail = (await (await fetch(`${MAILPIT_URL}/api/v1/message/${found.messages[0]?.ID}`)).json()) as {
      Text: string;
    };
    const link = new URL(/http\S+\/verify\?\S+/.exec(mail.Text)?.[0] ?? '');
    const response = await world.call(`${link.pathname}${link.search}`);
    return new URL(response.headers.get('location') ?? '').searchParams.get('code') ?? '';
  }
  const exchange = (auth_code: string, code_verifier: string) =>
    world.call('/auth/v1/token?grant_type=pkce', { json: { auth_code, code_verifier } });

  it('is rejected without its verifier, and works at most once', async () => {
    const issued = await code('pkce@example.com');
    for (const wrong of ['', 'x'.repeat(43), challenge, `${verifier}x`, verifier.slice(0, -1)]) {
      expect([wrong, (await exchange(issued, wrong)).status >= 400]).toEqual([wrong, true]);
    }
    const answers = await Promise.all(Array.from({ length: 5 }, () => exchange(issued, verifier)));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    expect((await exchange(issued, verifier)).status).toBeGreaterThanOrEqual(400);
  });
});

describe('the Console', () => {
  it('rejects every key and token of the API', async () => {
    const { serviceRoleKey, secretKey } = world.backend.keys;
    const consolePort = new URL(world.backend.console.url).port;
    for (const headers of [
      { authorization: `Bearer ${serviceRoleKey}`, apikey: secretKey },
      { cookie: `plinth-console-${consolePort}=${serviceRoleKey}` },
      { cookie: `plinth-console-${consolePort}=` },
      { cookie: 'plinth-console-default=x' },
    ] as Record<string, string>[]) {
      for (const path of [
        '/console/api/home',
        '/console/api/users',
        '/console/api/tables',
        '/console/api/inbox',
      ]) {
        const response = await world.backend.console.fetch(path, {
          headers: { ...headers, 'x-plinth-request': '1' },
        });
        const text = await response.text();
        expect([path, response.status]).toEqual([path, 401]);
        expect(text).not.toContain(secretKey);
      }
    }
  });

  it('doesn’t accept a sign-in from another site’s page, and accepts a link only once', async () => {
    const link = await world.backend.consoleLink();
    const token = link.slice(link.lastIndexOf('=') + 1);
    const spend = (headers: Record<string, string>) =>
      world.backend.console.fetch('/console/api/sign-in', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ token }),
      });
    for (const headers of [
      {},
      { 'x-plinth-request': '1', origin: 'https://evil.test' },
      { 'x-plinth-request': '1', 'sec-fetch-site': 'cross-site' },
      { 'x-plinth-request': '1', origin: 'null' },
    ] as Record<string, string>[]) {
      expect([headers, (await spend(headers)).status]).toEqual([headers, 403]);
    }
    const own = {
      'x-plinth-request': '1',
      origin: world.backend.console.url,
      'sec-fetch-site': 'same-origin',
    };
    expect((await spend(own)).status).toBe(200);
    expect((await spend(own)).status).toBe(401);
  });
});

describe('pages', () => {
  it('can’t be framed, don’t run foreign scripts, and aren’t cached', async () => {
    const { backend } = world;
    for (const response of [
      await backend.fetch('/account/sign-in'),
      await backend.console.fetch('/console/'),
    ]) {
      const { status, headers } = response;
      if (status === 503) continue; // The app isn't built in this test.
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("base-uri 'none'");
      expect(policy).not.toMatch(/script-src[^;]*(unsafe-inline|unsafe-eval|'self'|https?:|\*)/);
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  it('are looked up by name, so a path can’t refer to another folder', async () => {
    const { backend } = world;
    const faces = [
      ['/account', backend.fetch],
      ['/console', backend.console.fetch],
    ] as const;
    for (const [face, fetch] of faces) {
      for (const path of [
        '..%2f..%2fpackage.json',
        '%2e%2e/package.json',
        '..%5c..%5cpackage.json',
        '%00',
        'constructor',
        '__proto__',
        '.',
        '..%2findex.html',
      ]) {
        const response = await fetch(`${face}/assets/${path}`);
        const [status, text] = [response.status, await response.text()];
        expect([path, status === 404 || !text.includes('"dependencies"')]).toEqual([path, true]);
      }
    }
  });
});
