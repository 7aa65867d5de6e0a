/** Tests sign-out with OpenID clients: the end session endpoint, logout tokens, and attacks on both. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { silentLogger } from '../../../src/base/kernel/log.ts';
import { sql } from '../../../src/base/kernel/sql.ts';
import { createOutgoing } from '../../../src/base/shared/network/outgoing.ts';
import { configFrom } from '../../../src/platform/config/index.ts';
import { endExpiredSessions } from '../../../src/services/auth/oauth-server/notify-clients.ts';
import { settingsFrom } from '../../../src/services/auth/settings.ts';
import { type AuthServer, startAuth } from '../harness.ts';
import { claimsOf, person, type Registered, register, signIn, verified } from './client.ts';

const bye = 'https://app.example/bye';

let server: AuthServer;
let receiver: Server;
let receiverUrl: string;
let received: string[] = [];
/** The IP addresses of host names. All other host names resolve to a public address. */
const lookups = new Map<string, string>();

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    received.push(text);
    response.end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/backchannel`;
  server = await startAuth(
    { site_url: 'https://app.example', oauth_server: { enabled: true, allow_dynamic_registration: true } },
    {
      plinth: { account: { deletion: true } },
      outgoing: createOutgoing({
        mode: 'development',
        resolve: (host, _options, done) =>
          done(null, [{ address: lookups.get(host) ?? '93.184.216.34', family: 4 }]),
      }),
    },
  );
});

afterAll(async () => {
  await server.stop();
  await new Promise((resolve) => receiver.close(resolve));
});
beforeEach(() => {
  received = [];
});

const admin = () => server.keys.serviceRoleKey;

async function registerByAdmin(metadata: object): Promise<Registered> {
  const response = await server.request('/admin/oauth/clients', {
    token: admin(),
    json: { client_name: 'Herbarium', redirect_uris: ['https://app.example/callback'], ...metadata },
  });
  return response.json<Registered>();
}

async function endSession(params: Record<string, string>, method = 'GET') {
  const query = new URLSearchParams(params);
  const response =
    method === 'GET'
      ? await fetch(`${server.url}/auth/v1/oauth/logout?${query}`, { redirect: 'manual' })
      : await fetch(`${server.url}/auth/v1/oauth/logout`, { method, body: query, redirect: 'manual' });
  const location = response.headers.get('location');
  return { status: response.status, location: location === null ? undefined : new URL(location) };
}

describe('a client can end the session,', () => {
  test('and the Account pages ask the user, and then redirect to an address that the client registered', async () => {
    const discovery = await (await server.request('/.well-known/openid-configuration')).json();
    expect(discovery).toMatchObject({
      end_session_endpoint: `${server.url}/auth/v1/oauth/logout`,
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    });
    const client = await register(server, { post_logout_redirect_uris: [bye] });
    expect(client).toMatchObject({ post_logout_redirect_uris: [bye] });
    const user = await person(server);
    const { tokens } = await signIn(server, client, user, { scope: 'openid' });
    const hint = tokens.id_token ?? '';
    expect(claimsOf(hint).sid).toBeUndefined();
    // The ID token in the request is accepted even after it has expired.
    server.clock.advance(2 * 3_600_000);
    for (const method of ['GET', 'POST']) {
      const request = { id_token_hint: hint, post_logout_redirect_uri: bye, state: 's&1' };
      const { status, location } = await endSession(request, method);
      expect([status, location?.origin, location?.pathname]).toEqual([
        303,
        server.url,
        '/account/signed-out',
      ]);
      expect(Object.fromEntries(location?.searchParams ?? [])).toEqual({
        client_id: client.client_id,
        redirect_to: bye,
        state: 's&1',
      });
    }
    server.clock.advance(-2 * 3_600_000);
    // Opening the endpoint doesn't end the session, because any website can redirect to the endpoint.
    expect((await server.request('/user', { token: tokens.access_token })).status).toBe(200);
    expect((await endSession({})).location?.search).toBe('');
  });

  test('and no other redirect address is accepted', async () => {
    const [client, other] = [
      await register(server, { post_logout_redirect_uris: [bye] }),
      await register(server, { post_logout_redirect_uris: ['https://other.example/bye'] }),
    ];
    const user = await person(server);
    const { tokens } = await signIn(server, client, user, { scope: 'openid' });
    const hint = tokens.id_token ?? '';
    const forged = `${hint.slice(0, -8)}AAAAAAAA`;
    const rejected: Record<string, string>[] = [
      { post_logout_redirect_uri: bye },
      { client_id: client.client_id, post_logout_redirect_uri: `${bye}/more` },
      { client_id: client.client_id, post_logout_redirect_uri: 'https://app.example/callback' },
      { client_id: client.client_id, post_logout_redirect_uri: 'https://evil.example/' },
      { client_id: other.client_id, post_logout_redirect_uri: bye },
      { client_id: other.client_id, id_token_hint: hint, post_logout_redirect_uri: bye },
      { id_token_hint: forged, post_logout_redirect_uri: bye },
      { id_token_hint: tokens.access_token, post_logout_redirect_uri: bye },
      { client_id: 'x', post_logout_redirect_uri: bye },
    ];
    for (const [index, params] of rejected.entries()) {
      const rejection = await endSession(params, index % 2 === 0 ? 'GET' : 'POST');
      expect(rejection).toEqual({ status: 400, location: undefined });
    }
    // The Account pages trust requests from their own origin, so a client must not be able to redirect to these pages.
    const own = `${server.url}/account/with?provider=github`;
    const redirects = { redirect_uris: [own], post_logout_redirect_uris: [own] };
    const { client_id } = await register(server, redirects);
    const rejection = await endSession({ client_id, post_logout_redirect_uri: own });
    expect(rejection).toEqual({ status: 400, location: undefined });
    const query = new URLSearchParams({ client_id, redirect_uri: own, response_type: 'code' });
    expect((await server.request(`/oauth/authorize?${query}`)).status).toBe(400);
    for (const uri of ['javascript:alert(1)', 'http://app.example/', 'https://a.example/#x', '//a.example']) {
      await expect(register(server, { post_logout_redirect_uris: [uri] })).rejects.toThrow(
        'validation_failed',
      );
    }
  });
});

describe('a client is notified', () => {
  test('with a signed token when its session ends, and the token grants no access', async () => {
    const client = await registerByAdmin({ backchannel_logout_uri: receiverUrl });
    const listed = await server.request(`/admin/oauth/clients/${client.client_id}`, { token: admin() });
    expect(await listed.json()).toMatchObject({
      backchannel_logout_uri: receiverUrl,
      backchannel_logout_session_required: true,
    });
    const silent = await register(server);
    const user = await person(server);
    const { tokens } = await signIn(server, client, user, { scope: 'openid' });
    await signIn(server, silent, user, { scope: 'openid' });
    const { sid } = claimsOf(tokens.id_token ?? '');
    expect(sid).toBe(claimsOf(tokens.access_token).session_id);
    expect((await server.request('/logout?scope=others', { method: 'POST', token: user.token })).status).toBe(
      204,
    );
    await expect.poll(() => received.length).toBe(1);
    const logoutToken = new URLSearchParams(received[0]).get('logout_token') ?? '';
    const header = JSON.parse(Buffer.from(logoutToken.split('.')[0] ?? '', 'base64url').toString());
    expect(header.typ).toBe('logout+jwt');
    const claims = await verified(server, logoutToken);
    expect(claims).toEqual({
      iss: `${server.url}/auth/v1`,
      sub: user.id,
      aud: client.client_id,
      iat: expect.any(Number),
      exp: (claims.iat as number) + 120,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      sid,
    });
    expect((await server.request('/user', { token: logoutToken })).status).toBe(403);
    expect((await endSession({ id_token_hint: logoutToken })).status).toBe(400);
  });

  test('only once, only about its own sessions, and not after it has removed its address', async () => {
    const client = await registerByAdmin({ backchannel_logout_uri: receiverUrl });
    const [user, other] = [await person(server), await person(server)];
    const { tokens } = await signIn(server, client, user, { scope: 'openid' });
    await signIn(server, client, other, { scope: 'openid' });
    await server.request('/logout?scope=local', { method: 'POST', token: tokens.access_token });
    await server.request('/logout?scope=global', { method: 'POST', token: user.token });
    await expect.poll(() => received.length).toBe(1);
    const removed = await server.request(`/admin/oauth/clients/${client.client_id}`, {
      method: 'PUT',
      token: admin(),
      body: JSON.stringify({ backchannel_logout_uri: '' }),
    });
    expect(await removed.json()).not.toHaveProperty('backchannel_logout_uri');
    await server.request('/logout?scope=global', { method: 'POST', token: other.token });
    expect(received.length).toBe(1);
  });

  test('at most 50 times for one sign-out, and no client uses up the notifications of another', async () => {
    const metadata = { backchannel_logout_uri: receiverUrl };
    const [many, single] = [await registerByAdmin(metadata), await registerByAdmin(metadata)];
    const [user, next] = [await person(server), await person(server)];
    await signIn(server, single, user, { scope: 'openid' });
    await signIn(server, single, next, { scope: 'openid' });
    await server.database.pool('supabase_admin').query(sql`
      insert into auth.sessions (id, user_id, oauth_client_id, scopes, created_at, updated_at)
      select gen_random_uuid(), ${user.id}, ${many.client_id}, 'openid', now() + interval '1 hour', now()
      from generate_series(1, 60)`);
    await server.request('/logout?scope=global', { method: 'POST', token: user.token });
    const audiences = () =>
      received.map((body) => claimsOf(new URLSearchParams(body).get('logout_token') ?? ''));
    await expect.poll(() => received.length).toBeGreaterThanOrEqual(50);
    // If the server had sent an excess token, it would have arrived before the next user's token.
    await server.request('/logout?scope=global', { method: 'POST', token: next.token });
    await expect.poll(() => audiences().some(({ sub }) => sub === next.id)).toBe(true);
    const own = audiences().filter(({ sub }) => sub === user.id);
    expect(own).toHaveLength(50);
    expect(own.filter(({ aud }) => aud === single.client_id)).toHaveLength(1);
  });

  test('never at a private address that the client itself registered', async () => {
    const dynamic = (uri: string) => register(server, { backchannel_logout_uri: uri });
    for (const uri of [
      receiverUrl,
      'https://127.0.0.1/x',
      'https://10.0.0.1/x',
      'https://169.254.169.254/latest',
      'https://user:pass@app.example/x',
      'ftp://app.example/x',
    ]) {
      await expect(dynamic(uri)).rejects.toThrow('validation_failed');
    }
    const client = await dynamic('https://rebound.example/x');
    // The host name had a public address when the client was registered.
    lookups.set('rebound.example', '127.0.0.1');
    const user = await person(server);
    await signIn(server, client, user, { scope: 'openid' });
    const response = await server.request('/logout?scope=global', { method: 'POST', token: user.token });
    expect(response.status).toBe(204);
    expect(received).toEqual([]);
  });
});

describe('a client is also notified', () => {
  const tokenClaims = () =>
    received.map((body) => claimsOf(new URLSearchParams(body).get('logout_token') ?? ''));

  /** Returns a user with a session of the client. */
  async function connected() {
    const client = await registerByAdmin({ backchannel_logout_uri: receiverUrl });
    const user = await person(server);
    const { tokens } = await signIn(server, client, user, { scope: 'openid' });
    return { client, user, tokens, sid: String(claimsOf(tokens.access_token).session_id) };
  }
  const byAdmin = (user: { id: string }, method: string, json: object) =>
    server.request(`/admin/users/${user.id}`, { method, token: admin(), body: JSON.stringify(json) });

  test.each([
    [
      'the user changes the password',
      (user: { token: string }) =>
        server.request('/user', { method: 'PUT', token: user.token, body: '{"password":"another horse 9"}' }),
    ],
    [
      'the user disconnects the app',
      (user: { token: string }, client: Registered) =>
        server.request(`/user/oauth/grants?client_id=${client.client_id}`, {
          method: 'DELETE',
          token: user.token,
        }),
    ],
    [
      'an administrator changes the password',
      (user: { id: string }) => byAdmin(user, 'PUT', { password: 'another horse 9' }),
    ],
    [
      'an administrator bans the user',
      (user: { id: string }) => byAdmin(user, 'PUT', { ban_duration: '1h' }),
    ],
    ['an administrator deletes the user', (user: { id: string }) => byAdmin(user, 'DELETE', {})],
    [
      'an administrator removes the personal data',
      (user: { id: string }) => byAdmin(user, 'DELETE', { should_soft_delete: true }),
    ],
    [
      'the user deletes the account',
      (user: { token: string }) => server.request('/user', { method: 'DELETE', token: user.token }),
    ],
  ] as const)('about its session when %s', async (_, end) => {
    const { client, user, sid } = await connected();
    const response = await end(user, client);
    expect(response.status).toBeLessThan(300);
    await expect.poll(() => received.length).toBe(1);
    expect(tokenClaims()[0]).toMatchObject({ sub: user.id, aud: client.client_id, sid });
  });

  test('only once when a ban is extended, and not when a change doesn’t end a session', async () => {
    const { user } = await connected();
    await byAdmin(user, 'PUT', { user_metadata: { color: 'green' } });
    await byAdmin(user, 'PUT', { ban_duration: '1h' });
    await byAdmin(user, 'PUT', { ban_duration: '2h' });
    const { user: next } = await connected();
    await byAdmin(next, 'DELETE', {});
    await expect.poll(() => tokenClaims().some(({ sub }) => sub === next.id)).toBe(true);
    expect(tokenClaims().map(({ sub }) => sub)).toEqual([user.id, next.id]);
  });

  test.each([
    ['timebox', { timebox: 86_400_000 }],
    ['inactivity_timeout', { inactivity_timeout: 86_400_000 }],
  ])('when its session exceeds %s', async (_, sessions) => {
    const { client, user, sid } = await connected();
    const silent = await register(server);
    await signIn(server, silent, user, { scope: 'openid' });
    const sweepAfter = (hours: number, isStopping = false) =>
      endExpiredSessions(
        {
          pool: server.database.pool('supabase_auth_admin'),
          hasOwnTables: true,
          keys: server.keys,
          outgoing: createOutgoing({ mode: 'development' }),
          clock: { now: () => Date.now() + hours * 3_600_000 },
          settings: settingsFrom(
            configFrom({ auth: { oauth_server: { enabled: true }, sessions } }),
            'development',
            () => server.url,
          ),
          log: silentLogger,
        },
        () => isStopping,
      );
    await sweepAfter(23);
    // A server that is stopping doesn't process the ended sessions, so they are processed after the next start.
    await sweepAfter(25, true);
    expect(received).toEqual([]);
    await Promise.all([sweepAfter(25), sweepAfter(25)]);
    const own = tokenClaims().filter(({ sub }) => sub === user.id);
    expect(own).toEqual([expect.objectContaining({ aud: client.client_id, sid })]);
    // Other clients' sessions are kept for a day, as in upstream.
    const [left] = await server.database.pool('supabase_admin').query<{ n: number }>(sql`
      select count(*)::int as n from auth.sessions where user_id = ${user.id} and oauth_client_id is not null`);
    expect(left?.n).toBe(1);
  });
});

describe('a client’s sign-out page', () => {
  const page = 'https://app.example/signed-out';

  test('is registered, returned and changed with the other metadata', async () => {
    const client = await register(server, {
      frontchannel_logout_uri: page,
      frontchannel_logout_session_required: true,
    });
    expect(client).toMatchObject({
      frontchannel_logout_uri: page,
      frontchannel_logout_session_required: true,
    });
    const discovery = await (await server.request('/.well-known/openid-configuration')).json();
    expect(discovery).toMatchObject({
      frontchannel_logout_supported: true,
      frontchannel_logout_session_supported: true,
    });
    const change = (json: object) =>
      server.request(`/admin/oauth/clients/${client.client_id}`, {
        method: 'PUT',
        token: admin(),
        body: JSON.stringify(json),
      });
    const kept = await (await change({ client_name: 'Herbarium' })).json();
    expect(kept).toMatchObject({ frontchannel_logout_uri: page });
    expect(await (await change({ frontchannel_logout_uri: '' })).json()).not.toHaveProperty(
      'frontchannel_logout_uri',
    );
    const user = await person(server);
    const withPage = await register(server, { frontchannel_logout_uri: page });
    const { tokens } = await signIn(server, withPage, user, { scope: 'openid' });
    expect(claimsOf(tokens.id_token ?? '').sid).toBe(claimsOf(tokens.access_token).session_id);
  });

  test('must have the origin of a redirect URI, but not the origin of the Account pages', async () => {
    const local = new URL(server.url).port;
    for (const [uri, redirect] of [
      ['https://evil.example/signed-out', 'https://app.example/callback'],
      ['http://app.example/signed-out', 'https://app.example/callback'],
      ['https://app.example:444/signed-out', 'https://app.example/callback'],
      ['https://user@app.example/signed-out', 'https://app.example/callback'],
      ['javascript:alert(1)', 'https://app.example/callback'],
      // The Account pages trust requests from their own origin, under every host name of this machine.
      [`${server.url}/account/with?provider=github`, `${server.url}/callback`],
      [`http://localhost:${local}/account/with`, `http://localhost:${local}/callback`],
    ] as const) {
      const metadata = { redirect_uris: [redirect], frontchannel_logout_uri: uri };
      await expect(register(server, metadata), uri).rejects.toThrow('validation_failed');
    }
  });
});
