/** Tests attacks on sign-in with a provider. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../../src/base/kernel/sql.ts';
import { type AuthServer, newEmail, startAuth } from '../harness.ts';
import { createInternet, type Internet } from './internet.ts';
import { comeBack, leave, serveGithub, signIn, userOf } from './sign-in.ts';

const siteUrl = 'https://app.example.com/home?tab=1';
const verifier = 'a'.repeat(64);

let auth: AuthServer;
let internet: Internet;

beforeAll(async () => {
  internet = await createInternet();
  const configured = { enabled: true, client_id: 'client', secret: 'secret' };
  auth = await startAuth(
    {
      site_url: siteUrl,
      additional_redirect_urls: ['https://app.example.com/**'],
      external: { github: configured, x: configured, discord: configured },
    },
    { outgoing: internet.outgoing },
  );
});
afterAll(async () => {
  await auth?.stop();
  await internet?.stop();
});

const serve = (email = newEmail()) => {
  serveGithub(internet, [{ email, verified: true, primary: true }]);
  return email;
};
const admin = () => auth.database.pool('supabase_admin');

describe('the state', () => {
  it.each([
    ['none', '', 'bad_oauth_callback', 'OAuth state parameter missing'],
    ['no UUID', "' or 1=1", 'bad_oauth_state', 'OAuth state parameter is invalid'],
    ['unknown', crypto.randomUUID(), 'bad_oauth_state', 'OAuth state not found or expired'],
  ])('%s: redirects to the site, with nothing in the fragment', async (_name, state, code, description) => {
    for (const method of ['GET', 'POST'] as const) {
      const arrival = await comeBack(auth, { code: 'good-code', state }, method);
      expect(arrival.status).toBe(303);
      expect(arrival.url.origin + arrival.url.pathname).toBe('https://app.example.com/home');
      expect(arrival.query).toEqual({
        tab: '1',
        error: 'invalid_request',
        error_code: code,
        error_description: description,
      });
      expect(arrival.url.hash).toBe('');
    }
  });

  it('works once, with and without PKCE', async () => {
    serve();
    const implicit = await leave(auth, 'github');
    expect((await comeBack(auth, { code: 'good-code', state: implicit.state })).fragment).toHaveProperty(
      'access_token',
    );
    expect((await comeBack(auth, { code: 'good-code', state: implicit.state })).query).toMatchObject({
      error_code: 'bad_oauth_state',
    });
    const pkce = await leave(auth, 'github', { code_challenge: verifier, code_challenge_method: 'plain' });
    expect((await comeBack(auth, { code: 'good-code', state: pkce.state })).query).toHaveProperty('code');
    expect((await comeBack(auth, { code: 'good-code', state: pkce.state })).query).toMatchObject({
      error_code: 'flow_state_already_used',
    });
  });

  it('works once, even for concurrent responses', async () => {
    const flows: Record<string, string>[] = [
      {},
      { code_challenge: verifier, code_challenge_method: 'plain' },
    ];
    for (const params of flows) {
      serve();
      // The user must exist before the concurrent requests are sent. If one of the requests created the user, it would
      // block the other requests anyway.
      await signIn(auth, 'github');
      const { state } = await leave(auth, 'github', params);
      const arrivals = await Promise.all(
        Array.from({ length: 5 }, () => comeBack(auth, { code: 'good-code', state })),
      );
      const won = arrivals.filter(({ query, fragment }) => 'code' in query || 'access_token' in fragment);
      expect(won).toHaveLength(1);
    }
  });

  it('expires', async () => {
    serve();
    const { state } = await leave(auth, 'github');
    await admin().query(
      sql`update auth.flow_state set created_at = now() - interval '301 s' where id = ${state}`,
    );
    expect((await comeBack(auth, { code: 'good-code', state })).query).toMatchObject({
      error_code: 'bad_oauth_state',
      error_description: 'OAuth state has expired',
    });
  });

  it('of a different kind of flow is rejected', async () => {
    const email = newEmail();
    await auth.client('pkce').auth.signInWithOtp({ email });
    const [flow] = await admin().query<{ id: string }>(
      sql`select id from auth.flow_state where authentication_method <> 'oauth' limit 1`,
    );
    expect(flow).toBeDefined();
    expect((await comeBack(auth, { code: 'good-code', state: flow?.id ?? '' })).query).toMatchObject({
      error_code: 'bad_oauth_state',
    });
  });
});

describe('provider mix-up', () => {
  it('a code is sent to the provider that the browser was redirected to, regardless of the response', async () => {
    serve();
    const { state } = await leave(auth, 'github');
    internet.received.length = 0;
    await comeBack(auth, { code: 'code-of-discord', state, provider: 'discord', iss: 'https://discord.com' });
    expect(new Set(internet.received.map(({ host }) => host))).toEqual(new Set(['github.com']));
  });

  it("a verifier can't be used in another sign-in", async () => {
    serve();
    const { state } = await leave(auth, 'x');
    await admin().query(sql`update auth.flow_state set provider_type = 'github' where id = ${state}`);
    expect((await comeBack(auth, { code: 'good-code', state })).query).toMatchObject({
      error_code: 'oauth_invalid_state',
      error_description: 'OAuth provider mismatch',
    });
  });

  it('a verifier that is deleted, expired or unknown is rejected', async () => {
    const begin = async () => (await leave(auth, 'x')).state;
    const gone = await begin();
    await admin().exec('delete from auth.oauth_client_states');
    expect((await comeBack(auth, { code: 'c', state: gone })).query).toMatchObject({
      error_code: 'oauth_client_state_not_found',
    });
    const old = await begin();
    await admin().exec(`update auth.oauth_client_states set created_at = now() - interval '301 s'`);
    expect((await comeBack(auth, { code: 'c', state: old })).query).toMatchObject({
      error_code: 'oauth_client_state_expired',
    });
    const never = await begin();
    await admin().query(sql`update auth.flow_state set oauth_client_state_id = null where id = ${never}`);
    expect((await comeBack(auth, { code: 'c', state: never })).query).toMatchObject({
      error_code: 'oauth_invalid_state',
    });
  });

  it('a provider that was disabled in the meantime is rejected', async () => {
    const { state } = await leave(auth, 'github');
    await admin().query(sql`update auth.flow_state set provider_type = 'gitlab' where id = ${state}`);
    expect((await comeBack(auth, { code: 'c', state })).query).toMatchObject({
      error_code: 'oauth_provider_not_supported',
      error_description: 'Unsupported provider: provider is not enabled',
    });
  });
});

describe('PKCE', () => {
  it('works with the stock client, including provider tokens', async () => {
    const email = serve();
    const client = auth.client('pkce');
    const { data } = await client.auth.signInWithOAuth({
      provider: 'github',
      options: { skipBrowserRedirect: true, redirectTo: 'https://app.example.com/done', scopes: 'repo' },
    });
    const away = await fetch(data.url ?? '', { redirect: 'manual' });
    const state = new URL(away.headers.get('location') ?? '').searchParams.get('state') ?? '';
    const arrival = await comeBack(auth, { code: 'good-code', state });
    expect(arrival.url.origin + arrival.url.pathname).toBe('https://app.example.com/done');
    expect(Object.keys(arrival.query)).toEqual(['code']);
    expect(arrival.url.hash).toBe('');
    const { data: signedIn, error } = await client.auth.exchangeCodeForSession(arrival.query.code ?? '');
    expect(error).toBeNull();
    expect(signedIn.session).toMatchObject({ provider_token: 'gho_token', user: { email } });
  });

  it("a stolen code can't be used without the verifier or in another browser", async () => {
    serve();
    const victim = auth.client('pkce');
    const { data } = await victim.auth.signInWithOAuth({
      provider: 'github',
      options: { skipBrowserRedirect: true },
    });
    const away = await fetch(data.url ?? '', { redirect: 'manual' });
    const state = new URL(away.headers.get('location') ?? '').searchParams.get('state') ?? '';
    const { query } = await comeBack(auth, { code: 'good-code', state });
    const stolen = await auth.request('/token?grant_type=pkce', {
      json: { auth_code: query.code, code_verifier: verifier },
    });
    expect(stolen.status).toBe(400);
    expect((await stolen.json()).error_code).toBe('bad_code_verifier');
    const attacker = auth.client('pkce');
    await attacker.auth.signInWithOAuth({ provider: 'github', options: { skipBrowserRedirect: true } });
    expect((await attacker.auth.exchangeCodeForSession(query.code ?? '')).error?.code).toBe(
      'bad_code_verifier',
    );
  });

  it.each([
    [{ code_challenge: verifier }],
    [{ code_challenge_method: 's256' }],
    [{ code_challenge: 'short', code_challenge_method: 's256' }],
    [{ code_challenge: verifier, code_challenge_method: 'none' }],
  ])('invalid parameters aren’t ignored: %j', async (params) => {
    const response = await auth.request(
      `/authorize?${new URLSearchParams({ provider: 'github', ...params })}`,
    );
    expect(response.status).toBe(400);
    expect((await response.json()).error_code).toBe('validation_failed');
  });

  it("an expired code can't be redeemed", async () => {
    serve();
    const { state } = await leave(auth, 'github', {
      code_challenge: verifier,
      code_challenge_method: 'plain',
    });
    const { query } = await comeBack(auth, { code: 'good-code', state });
    await admin().query(
      sql`update auth.flow_state set created_at = now() - interval '301 s' where id = ${state}`,
    );
    const late = await auth.request('/token?grant_type=pkce', {
      json: { auth_code: query.code, code_verifier: verifier },
    });
    expect(late.status).toBe(422);
    expect((await late.json()).error_code).toBe('flow_state_expired');
  });

  it('the redirect of a PKCE flow doesn’t contain a token', async () => {
    serve();
    const { state } = await leave(auth, 'github', {
      code_challenge: verifier,
      code_challenge_method: 'plain',
    });
    const { url } = await comeBack(auth, { code: 'good-code', state });
    expect(url.href).not.toMatch(/token/);
  });
});

describe('open redirects', () => {
  it.each([
    'https://evil.example/',
    'https://app.example.com@evil.example/',
    'https://app.example.com.evil.example/',
    '//evil.example',
    'javascript:alert(1)',
    'https://evil.example\\@app.example.com/',
  ])('%s redirects to the site', async (target) => {
    serve();
    const arrival = await signIn(auth, 'github', { redirect_to: target });
    expect(arrival.url.origin + arrival.url.pathname).toBe('https://app.example.com/home');
  });

  it('neither the Referer nor the provider’s response changes the redirect', async () => {
    serve();
    const away = await auth.request('/authorize?provider=github', {
      headers: { referer: 'https://evil.example/' },
    });
    const state = new URL(away.headers.get('location') ?? '').searchParams.get('state') ?? '';
    const arrival = await comeBack(auth, { code: 'good-code', state, redirect_to: 'https://evil.example/' });
    expect(arrival.url.host).toBe('app.example.com');
  });
});

describe('provider errors', () => {
  it('are escaped in the query and fragment', async () => {
    const { state } = await leave(auth, 'github', { redirect_to: 'https://app.example.com/done?x=1' });
    const attack = 'denied#access_token=forged&refresh_token=forged\r\nSet-Cookie: a=b';
    const arrival = await comeBack(auth, {
      state,
      error: attack,
      error_description: attack,
      code: 'good-code',
    });
    expect(arrival.status).toBe(302);
    expect(arrival.query).toEqual({ x: '1', error: attack, error_description: attack });
    expect(arrival.fragment).toEqual({ error: attack, error_description: attack, sb: '' });
  });

  it('a missing code is reported', async () => {
    const { state } = await leave(auth, 'github');
    expect((await comeBack(auth, { state })).query).toMatchObject({
      error: 'invalid_request',
      error_code: 'bad_oauth_callback',
    });
  });

  it('the message contains only the first letters of a rejected code', async () => {
    serve();
    const { state } = await leave(auth, 'github');
    const arrival = await comeBack(auth, { state, code: 'wrong-code-0123456789' });
    expect(arrival.query).toMatchObject({
      error: 'server_error',
      error_description: 'Unable to exchange external code: wron',
    });
    expect(arrival.url.href).not.toContain('0123456789');
  });

  it('a rejected code isn’t truncated within a character', async () => {
    serve();
    const { state } = await leave(auth, 'github');
    const arrival = await comeBack(auth, { state, code: 'abc\u{10000}\u{10000}' });
    expect(arrival.query.error_description).toBe('Unable to exchange external code: abc\u{10000}');
  });

  it.each([
    ['an error', () => ({ status: 500, json: {} })],
    ['no JSON', () => ({ type: 'text/html', text: '<html>' })],
  ])('a profile that is %s is rejected', async (_name, response) => {
    serve();
    internet.serve('api.github.com/user', response);
    expect((await signIn(auth, 'github')).query).toMatchObject({
      error_description: 'Error getting user profile from external provider',
    });
  });
});

it('any response redirects to the site, without a session or an internal error', async () => {
  const { state } = await leave(auth, 'github');
  const name = fc.constantFrom(
    'state',
    'code',
    'error',
    'error_description',
    'iss',
    'user',
    'oauth_token',
    'denied',
  );
  const value = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constant(state),
    fc.constant('\u0000'),
  );
  const params = fc.array(fc.tuple(name, value), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(params, fc.constantFrom('GET' as const, 'POST' as const), async (pairs, method) => {
      const arrival = await comeBack(
        auth,
        Object.fromEntries(pairs.map(([key, text]) => [key, text.toWellFormed()])),
        method,
      );
      expect([302, 303]).toContain(arrival.status);
      expect(arrival.url.host).toBe('app.example.com');
      expect(arrival.fragment).not.toHaveProperty('access_token');
      expect(arrival.query.error ?? '').not.toBe('');
    }),
    { numRuns: 60 },
  );
});

describe('the provider’s user data', () => {
  it('never becomes a role or app_metadata', async () => {
    const email = newEmail();
    serveGithub(internet, [{ email, verified: true, primary: true }]);
    internet.serve('api.github.com/user', () => ({
      id: 99_000_001,
      login: 'x',
      name: 'x',
      role: 'service_role',
      app_metadata: { admin: true },
      is_super_admin: true,
    }));
    const arrival = await signIn(auth, 'github');
    const user = await userOf(auth, arrival);
    expect(user).toMatchObject({
      role: 'authenticated',
      app_metadata: { provider: 'github', providers: ['github'] },
    });
    expect(JSON.stringify(user)).not.toContain('service_role');
  });

  it('that can’t be stored is rejected', async () => {
    serve();
    internet.serve('api.github.com/user', () => ({ id: 99_000_002, login: 'x', name: 'a\u0000b' }));
    const arrival = await signIn(auth, 'github');
    expect(arrival.query.error).toBeDefined();
    expect(arrival.fragment).not.toHaveProperty('access_token');
  });
});

it('unknown and disabled providers get JSON errors', async () => {
  for (const [provider, message] of [
    ['gitlab', 'Unsupported provider: provider is not enabled'],
    ['linkedin', 'Unsupported provider: provider is not enabled'],
    ['nosuch', 'Unsupported provider: Provider nosuch could not be found'],
    ['constructor', 'Unsupported provider: Provider constructor could not be found'],
    ['custom:none', 'Unsupported provider: custom provider custom:none not found'],
  ]) {
    const response = await auth.request(`/authorize?provider=${provider}`);
    expect(response.status).toBe(400);
    expect((await response.json()).msg).toBe(message);
  }
});

it('a provider’s name is accepted in any case and stored in lower case', async () => {
  serve();
  const user = await userOf(auth, await signIn(auth, 'GitHub'));
  expect(user.identities[0]?.provider).toBe('github');
});
