/** Tests attacks on the OAuth server by clients, users and third parties (RFC 9700, OAuth 2.1 section 7). */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../../src/base/kernel/sql.ts';
import { type AuthServer, startAuth } from '../harness.ts';
import {
  approve,
  authorizationId,
  basic,
  begin,
  callback,
  claimsOf,
  decide,
  open,
  type Person,
  person,
  pkce,
  type Registered,
  register,
  signIn,
  token,
} from './client.ts';

let server: AuthServer;
let client: Registered;
let user: Person;
beforeAll(async () => {
  server = await startAuth({
    site_url: 'https://app.example',
    oauth_server: { enabled: true, allow_dynamic_registration: true },
  });
  client = await register(server);
  user = await person(server);
});
afterAll(() => server.stop());

const isAlive = async (accessToken: string): Promise<boolean> =>
  (await server.request('/user', { token: accessToken })).status === 200;

describe('a code', () => {
  test('that is used twice revokes the session that it created', async () => {
    const { tokens, code, verifier } = await signIn(server, client, await person(server));
    expect(await isAlive(tokens.access_token)).toBe(true);
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier };
    const replayed = await token(server, form, basic(client));
    expect(replayed).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant', error_description: 'Invalid authorization code' },
    });
    expect(await isAlive(tokens.access_token)).toBe(false);
    const refreshed = await token(
      server,
      { grant_type: 'refresh_token', refresh_token: tokens.refresh_token },
      basic(client),
    );
    expect(refreshed.body).toMatchObject({ error_code: 'refresh_token_not_found' });
  });

  test('that is replayed by another client, or much later, revokes nothing', async () => {
    const other = await register(server);
    const { tokens, code, verifier } = await signIn(server, client, await person(server));
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier };
    expect((await token(server, form, basic(other))).status).toBe(400);
    expect(await isAlive(tokens.access_token)).toBe(true);
    server.clock.advance(601_000);
    expect((await token(server, form, basic(client))).status).toBe(400);
    expect(await isAlive(tokens.access_token)).toBe(true);
  });

  test('that is redeemed ten times concurrently creates at most one session, which is then revoked', async () => {
    const { verifier, challenge } = pkce();
    const code = await approve(
      server,
      await authorizationId(server, client.client_id, challenge),
      user.token,
    );
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier };
    const answers = await Promise.all(Array.from({ length: 10 }, () => token(server, form, basic(client))));
    const good = answers.filter(({ status }) => status === 200);
    expect(good).toHaveLength(1);
    expect(await isAlive(good[0]?.body.access_token ?? '')).toBe(false);
  });

  test('of another client is rejected, and stays valid for its own client', async () => {
    const thief = await register(server);
    const { verifier, challenge } = pkce();
    const code = await approve(
      server,
      await authorizationId(server, client.client_id, challenge),
      user.token,
    );
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier };
    const stolen = await token(server, form, basic(thief));
    expect(stolen.body).toMatchObject({
      error: 'invalid_grant',
      error_description: 'Authorization code was not issued for this client',
    });
    expect((await token(server, form, basic(client))).status).toBe(200);
  });

  test.each([
    ['no verifier', {}, 'code_verifier is required when PKCE challenge is present'],
    [
      'another verifier',
      { code_verifier: 'a'.repeat(43) },
      'code challenge does not match previously saved code verifier',
    ],
  ])('with %s is rejected', async (_name, extra, reason) => {
    const id = await authorizationId(server, client.client_id, pkce().challenge);
    const code = await approve(server, id, user.token);
    const response = await token(server, { grant_type: 'authorization_code', code, ...extra }, basic(client));
    expect(response.body).toEqual({
      error: 'invalid_grant',
      error_description: `PKCE verification failed: ${reason}`,
    });
  });

  test("can't be redeemed with the challenge itself (downgrade to plain)", async () => {
    const { challenge } = pkce();
    const code = await approve(
      server,
      await authorizationId(server, client.client_id, challenge),
      user.token,
    );
    const response = await token(
      server,
      {
        grant_type: 'authorization_code',
        code,
        code_verifier: challenge,
        code_challenge_method: 'plain',
      },
      basic(client),
    );
    expect(response.body.error).toBe('invalid_grant');
  });

  test('whose row has no challenge is rejected', async () => {
    const { verifier, challenge } = pkce();
    const code = await approve(
      server,
      await authorizationId(server, client.client_id, challenge),
      user.token,
    );
    await server.database
      .pool('supabase_admin')
      .query(
        sql`update auth.oauth_authorizations set code_challenge = null where authorization_code = ${code}`,
      );
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier };
    expect((await token(server, form, basic(client))).body.error).toBe('invalid_grant');
  });

  test('with another redirect_uri or resource is rejected', async () => {
    const { verifier, challenge } = pkce();
    const extra = { resource: 'https://api.example/' };
    const id = await authorizationId(server, client.client_id, challenge, extra);
    const code = await approve(server, id, user.token);
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier };
    const elsewhere = await token(server, { ...form, redirect_uri: 'https://evil.example/' }, basic(client));
    expect(elsewhere.body.error_description).toBe('Invalid redirect_uri');
    const response = await server.request('/oauth/token', {
      json: { ...form, resource: 'https://other.example/' },
      headers: basic(client),
    });
    expect(await response.json()).toEqual({
      error: 'invalid_grant',
      error_description: 'Authorization code resource does not match the resource parameter',
    });
    const good = await server.request('/oauth/token', {
      json: { ...form, ...extra },
      headers: basic(client),
    });
    expect(good.status).toBe(200);
  });

  test('expires with its request, after ten minutes', async () => {
    const { verifier, challenge } = pkce();
    const code = await approve(
      server,
      await authorizationId(server, client.client_id, challenge),
      user.token,
    );
    server.clock.advance(601_000);
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier };
    const response = await token(server, form, basic(client));
    expect(response.body.error_description).toBe('Authorization code has expired');
  });

  test('of a banned user is rejected', async () => {
    const banned = await person(server);
    const { verifier, challenge } = pkce();
    const id = await authorizationId(server, client.client_id, challenge);
    const code = await approve(server, id, banned.token);
    await server.admin().auth.admin.updateUserById(banned.id, { ban_duration: '1h' });
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier };
    expect((await token(server, form, basic(client))).body).toEqual({
      error: 'access_denied',
      error_description: 'User is banned',
    });
  });

  test.each(['', '%00', "' or 1=1 --", '00000000-0000-0000-0000-000000000000'])(
    'that is "%s" is rejected',
    async (code) => {
      const form = { grant_type: 'authorization_code', code: decodeURIComponent(code) };
      expect((await token(server, form, basic(client))).status).toBe(400);
    },
  );
});

describe('an authorization request', () => {
  const request = (params: Record<string, string>) =>
    begin(server, {
      client_id: client.client_id,
      code_challenge: 'a'.repeat(43),
      code_challenge_method: 'S256',
      state: 's',
      iss: `${server.url}/auth/v1`,
      ...params,
    });

  test.each([
    ['a longer path', `${callback}/x`],
    ['a query', `${callback}?x=1`],
    ['a fragment', `${callback}#x`],
    ['another case', 'https://APP.example/callback'],
    ['a port', 'https://app.example:443/callback'],
    ['a user', 'https://app.example@evil.example/callback'],
    ['dots', 'https://app.example/x/../callback'],
    ['a subdomain', 'https://app.example.evil.example/callback'],
    ['a trailing slash', `${callback}/`],
    ['another scheme', 'http://app.example/callback'],
    ['percent signs', 'https://app.example/c%61llback'],
    ['a script', 'javascript:alert(1)//https://app.example/callback'],
    ['two redirect URIs', `${callback},${callback}`],
  ])('to a redirect URI with %s gets an error and no redirect', async (_name, uri) => {
    const response = await request({ redirect_uri: uri });
    expect([response.status, response.body.msg]).toEqual([400, 'invalid redirect_uri']);
  });

  test('a script URI in an imported row is never followed', async () => {
    const pool = server.database.pool('supabase_admin');
    const odd = await register(server);
    const uris = 'https://ok.example/,javascript:alert(1)//,http://evil.example/';
    await pool.query(sql`update auth.oauth_clients set redirect_uris = ${uris} where id = ${odd.client_id}`);
    const to = (uri: string) => request({ client_id: odd.client_id, redirect_uri: uri });
    expect((await to('javascript:alert(1)//')).body.msg).toBe('invalid redirect_uri');
    expect((await to('http://evil.example/')).body.msg).toBe('invalid redirect_uri');
    expect((await to('https://ok.example/')).status).toBe(302);
  });

  test.each([
    ['no client', { client_id: '' }, 'client_id is required'],
    ['no redirect URI', { redirect_uri: '' }, 'redirect_uri is required'],
    ['a client ID that isn’t a UUID', { client_id: "x' or '1'='1" }, 'invalid client_id format'],
    ['an unknown client', { client_id: crypto.randomUUID() }, 'invalid client_id'],
  ])('with %s gets an error and no redirect', async (_name, params, reason) => {
    const response = await request(params);
    expect([response.status, response.body.msg]).toEqual([400, reason]);
  });

  test.each([
    [
      'no challenge',
      { code_challenge: '' },
      'PKCE flow requires both code_challenge and code_challenge_method',
    ],
    [
      'no method',
      { code_challenge_method: '' },
      'PKCE flow requires both code_challenge and code_challenge_method',
    ],
    [
      'an unknown method',
      { code_challenge_method: 'S512' },
      "code_challenge_method must be 'S256' or 'plain'",
    ],
    ['a short challenge', { code_challenge: 'a' }, 'code_challenge must be between 43 and 128 characters'],
    ['the implicit flow', { response_type: 'token' }, 'only response_type=code is supported'],
    ['one of Plinth’s own scopes', { scope: 'email service_role' }, 'unsupported scope: service_role'],
    ['blank scopes', { scope: '   ' }, 'scope parameter cannot be empty'],
    ['a relative resource', { resource: '/x' }, 'resource must be an absolute URI'],
    [
      'a resource with a fragment',
      { resource: 'https://x/#y' },
      'resource must not include a fragment component',
    ],
    ['a resource with a query', { resource: 'https://x/?y' }, 'resource must not include a query component'],
  ])('with %s redirects back with the reason', async (_name, params, reason) => {
    const { status, location } = await request(params);
    expect(status).toBe(302);
    expect(`${location.origin}${location.pathname}`).toBe(callback);
    expect(Object.fromEntries(location.searchParams)).toEqual({
      error: 'invalid_request',
      error_description: reason,
      state: 's',
      iss: `${server.url}/auth/v1`,
    });
  });

  test('with a state that is too long redirects back with invalid_request', async () => {
    const { location } = await request({ state: 'x'.repeat(5000) });
    expect(location.searchParams.get('error')).toBe('invalid_request');
  });
});

describe('an authorization', () => {
  // Each test starts with no consent recorded for this client.
  beforeEach(async () => {
    client = await register(server);
  });

  test('of another user isn’t found, for reading or deciding', async () => {
    const stranger = await person(server);
    const id = await authorizationId(server, client.client_id, pkce().challenge);
    // No user has opened the request yet, so no user can approve or deny it.
    expect((await decide(server, id, stranger.token, 'approve')).status).toBe(404);
    await open(server, id, user.token);
    for (const response of [
      await open(server, id, stranger.token),
      await decide(server, id, stranger.token, 'approve'),
      await decide(server, id, stranger.token, 'deny'),
      await open(server, 'a'.repeat(32), user.token),
    ]) {
      expect(response).toMatchObject({
        status: 404,
        body: { error_code: 'oauth_authorization_not_found', msg: 'authorization not found' },
      });
    }
    expect((await decide(server, id, user.token, 'approve')).status).toBe(200);
  });

  test('can’t be decided by a page of another origin', async () => {
    const id = await authorizationId(server, client.client_id, pkce().challenge);
    await open(server, id, user.token);
    const foreign = await decide(server, id, user.token, 'approve', { origin: 'https://evil.example' });
    expect(foreign).toMatchObject({ status: 400, body: { msg: 'unauthorized request origin' } });
    const looked = await server.request(`/oauth/authorizations/${id}`, {
      token: user.token,
      headers: { origin: 'https://evil.example' },
    });
    expect(looked.status).toBe(400);
    const own = await decide(server, id, user.token, 'approve', { origin: 'https://app.example' });
    expect(own.status).toBe(200);
  });

  test('can’t be decided without a session, twice, or with an unknown action', async () => {
    const id = await authorizationId(server, client.client_id, pkce().challenge);
    await open(server, id, user.token);
    const bare = await fetch(`${server.url}/auth/v1/oauth/authorizations/${id}/consent`, { method: 'POST' });
    expect(bare.status).toBe(401);
    expect((await decide(server, id, user.token, 'maybe')).body).toMatchObject({
      msg: "action must be 'approve' or 'deny'",
    });
    const noJson = await server.request(`/oauth/authorizations/${id}/consent`, {
      method: 'POST',
      token: user.token,
      body: 'approve',
    });
    expect(await noJson.json()).toMatchObject({ error_code: 'bad_json' });
    const both = await Promise.all(
      ['approve', 'approve'].map((word) => decide(server, id, user.token, word)),
    );
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('expires', async () => {
    const id = await authorizationId(server, client.client_id, pkce().challenge);
    await open(server, id, user.token);
    server.clock.advance(601_000);
    expect((await decide(server, id, user.token, 'approve')).status).toBe(404);
    expect((await open(server, id, user.token)).status).toBe(404);
  });

  test('of a client that has been deleted isn’t found', async () => {
    const short = await register(server);
    const id = await authorizationId(server, short.client_id, pkce().challenge);
    await open(server, id, user.token);
    await server.admin().auth.admin.oauth.deleteClient(short.client_id);
    expect((await open(server, id, user.token)).status).toBe(404);
    expect((await decide(server, id, user.token, 'approve')).status).toBe(404);
  });
});

describe('a client’s token', () => {
  test('can’t approve requests or revoke grants', async () => {
    const { tokens } = await signIn(server, client, user, { scope: 'email' });
    const id = await authorizationId(server, client.client_id, pkce().challenge, { scope: 'email phone' });
    const refused = { status: 403, body: { error_code: 'no_authorization' } };
    expect(await open(server, id, tokens.access_token)).toMatchObject(refused);
    expect(await decide(server, id, tokens.access_token, 'approve')).toMatchObject(refused);
    for (const init of [{}, { method: 'DELETE' }]) {
      const response = await server.request(`/user/oauth/grants?client_id=${client.client_id}`, {
        ...init,
        token: tokens.access_token,
      });
      expect(response.status).toBe(403);
    }
  });

  test('isn’t the ID token, and the ID token isn’t accepted as an access token', async () => {
    const { tokens } = await signIn(server, client, user, { scope: 'openid email' });
    const id = await authorizationId(server, client.client_id, pkce().challenge, { scope: 'email phone' });
    const idToken = tokens.id_token ?? '';
    expect(await open(server, id, idToken)).toMatchObject({ status: 403, body: { error_code: 'bad_jwt' } });
    for (const [path, init] of [
      ['/user', {}],
      ['/user', { method: 'PUT', json: { data: { mine: true } } }],
      ['/oauth/userinfo', {}],
      ['/logout', { method: 'POST' }],
    ] as const) {
      expect((await server.request(path, { ...init, token: idToken })).status).toBe(403);
    }
  });

  test('keeps its scopes on refresh, regardless of the requested scopes', async () => {
    const { tokens } = await signIn(server, client, await person(server), { scope: 'email' });
    const refreshed = await token(
      server,
      { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, scope: 'openid email phone' },
      basic(client),
    );
    expect(claimsOf(refreshed.body.access_token).scope).toBe('email');
    expect(refreshed.body).not.toHaveProperty('id_token');
  });

  test('can be refreshed only by that client, not by an app of the project', async () => {
    const other = await register(server);
    const { tokens } = await signIn(server, client, user);
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
    expect((await token(server, form, basic(other))).body).toEqual({
      error: 'invalid_client',
      error_description: "Client does not match the session's OAuth client",
    });
    const app = await server.request('/token?grant_type=refresh_token', {
      json: { refresh_token: tokens.refresh_token },
    });
    expect(await app.json()).toEqual({
      error: 'invalid_client',
      error_description: 'Client authentication required for OAuth session',
    });
    expect((await token(server, form, basic(client))).status).toBe(200);
  });

  test('of an app of the project can’t be refreshed by a client', async () => {
    const session = await server.request('/token?grant_type=password', {
      json: { email: user.email, password: 'correct horse battery' },
    });
    const { refresh_token } = await session.json<{ refresh_token: string }>();
    expect((await token(server, { grant_type: 'refresh_token', refresh_token }, basic(client))).body).toEqual(
      {
        error: 'invalid_client',
        error_description: 'Client authentication not allowed for non-OAuth session',
      },
    );
  });

  test('is revoked with its whole family if an old refresh token is reused much later', async () => {
    const { tokens } = await signIn(server, client, user);
    const refresh = (refresh_token: string) =>
      token(server, { grant_type: 'refresh_token', refresh_token }, basic(client));
    const second = await refresh(tokens.refresh_token);
    const third = await refresh(second.body.refresh_token);
    server.clock.advance(60_000);
    expect((await refresh(tokens.refresh_token)).body.error_code).toBe('refresh_token_already_used');
    server.clock.advance(60_000);
    expect((await refresh(third.body.refresh_token)).status).toBe(400);
  });
});

describe('a client', () => {
  const good = { grant_type: 'refresh_token', refresh_token: 'x' };

  test.each([
    ['nothing', {}, {}, 'Invalid client credentials: client_id is required'],
    ['no UUID', { client_id: 'x' }, {}, 'Invalid client_id format'],
    ['an unknown id', { client_id: crypto.randomUUID() }, {}, 'Invalid client credentials'],
    [
      'bad base64',
      {},
      { authorization: 'Basic !!!' },
      'Invalid client credentials: invalid basic auth encoding',
    ],
    [
      'no colon',
      {},
      { authorization: `Basic ${Buffer.from('abc').toString('base64')}` },
      'Invalid client credentials: invalid basic auth format',
    ],
  ] as [string, Record<string, string>, Record<string, string>, string][])(
    'with %s is rejected',
    async (_name, form, headers, reason) => {
      const response = await token(server, { ...good, ...form }, headers);
      expect([response.status, response.body.error_code, response.body.msg]).toEqual([
        400,
        'invalid_credentials',
        reason,
      ]);
    },
  );

  test('is rejected unless it uses its registered method, with or without the right secret', async () => {
    const secret = client.client_secret ?? '';
    const wrong = "invalid authentication method: client is registered for 'client_secret_basic' but";
    const inBody = await token(server, { ...good, client_id: client.client_id, client_secret: secret });
    expect(inBody.body.msg).toBe(`${wrong} 'client_secret_post' was used`);
    const bare = await token(server, { ...good, client_id: client.client_id });
    expect(bare.body.msg).toBe(`${wrong} 'none' was used`);
    const empty = await token(server, good, basic({ client_id: client.client_id }));
    expect(empty.body.msg).toBe('confidential clients must provide client_secret');
    const guess = await token(server, good, basic({ client_id: client.client_id, client_secret: 'guess' }));
    expect(guess.body.msg).toBe('invalid client credentials');
    const nameless = await token(server, good, basic({ client_id: '' }));
    expect(nameless.body).toEqual({
      error: 'invalid_client',
      error_description: 'Client authentication required',
    });
  });

  test('can’t use credentials in the query string', async () => {
    const query = new URLSearchParams({
      client_id: client.client_id,
      client_secret: client.client_secret ?? '',
    });
    const response = await fetch(`${server.url}/auth/v1/oauth/token?${query}`, { method: 'POST' });
    expect(await response.json()).toMatchObject({ msg: 'Invalid client credentials: client_id is required' });
  });

  test.each([
    ['no grant', {}, 'invalid_request', 'grant_type is required'],
    [
      'a grant that it isn’t allowed to use',
      { grant_type: 'password' },
      'unsupported_grant_type',
      'Client is not allowed to use grant type: password',
    ],
    [
      'no code',
      { grant_type: 'authorization_code' },
      'invalid_request',
      'code is required for authorization_code grant',
    ],
    [
      'no refresh token',
      { grant_type: 'refresh_token' },
      'invalid_request',
      'refresh_token is required for refresh_token grant',
    ],
  ] as [string, Record<string, string>, string, string][])(
    'that identifies itself but sends %s gets a specific error',
    async (_name, form, error, reason) => {
      const response = await token(server, form, basic(client));
      expect(response).toMatchObject({ status: 400, body: { error, error_description: reason } });
    },
  );

  test('with invalid JSON is rejected', async () => {
    const post = (headers: Record<string, string>) =>
      server.request('/oauth/token', { method: 'POST', body: '{"grant_type":7}', headers });
    expect(await (await post({})).json()).toMatchObject({
      msg: 'Invalid client credentials: failed to parse JSON body',
    });
    expect(await (await post(basic(client))).json()).toEqual({
      error: 'invalid_request',
      error_description: 'Invalid JSON body',
    });
  });

  test('a revoked grant is rejected', async () => {
    const single = await register(server, { grant_types: ['authorization_code'] });
    const response = await token(server, good, basic(single));
    expect(response.body.error).toBe('unsupported_grant_type');
  });
});

describe('a registration', () => {
  const attempt = async (metadata: object) => {
    const response = await server.request('/oauth/clients/register', { json: metadata });
    return { status: response.status, msg: (await response.json()).msg };
  };
  const invalid = (msg: string) => ({ status: 400, msg: `400: ${msg}` });

  test.each([
    ['javascript:alert(1)', 'must have scheme and host'],
    ['javascript://x/%0aalert(1)', "scheme 'javascript' is not allowed for security reasons"],
    ['JavaScript://x/%0aalert(1)', "scheme 'javascript' is not allowed for security reasons"],
    ['data://x/y', "scheme 'data' is not allowed for security reasons"],
    ['file:///etc/passwd', 'must have scheme and host'],
    ['/callback', 'must have scheme and host'],
    ['//x/y', 'must have scheme and host'],
    ['http://evil.example/', 'HTTP scheme only allowed for localhost'],
    ['http://localhost@evil.example/', 'HTTP scheme only allowed for localhost'],
    ['http://localhost.evil.example/', 'HTTP scheme only allowed for localhost'],
    ['http://127.0.0.1.evil.example/', 'HTTP scheme only allowed for localhost'],
    ['http://localhost\\@evil.example/', 'invalid URL format'],
    ['http://local\thost/', 'invalid URL format'],
    ['https://a b/', 'invalid URL format'],
    ['https://x/%zz', 'invalid URL format'],
    ['https://x/#y', 'fragment not allowed in redirect URI'],
    ['https://x/,javascript:alert(1)', 'comma not allowed in redirect URI'],
    ['', 'redirect URI cannot be empty'],
  ])('with %s as redirect URI is rejected', async (uri, reason) => {
    expect(await attempt({ redirect_uris: [uri] })).toEqual(
      invalid(`invalid redirect_uri '${uri}': ${reason}`),
    );
  });

  test.each(['https://x.example', 'http://localhost:3000/cb?x=1', 'http://[::1]:9/', 'myapp://callback'])(
    'with %s is accepted',
    async (uri) => {
      expect((await attempt({ redirect_uris: [uri] })).status).toBe(201);
    },
  );

  const uris = { redirect_uris: [callback] };
  test.each([
    [{}, 'redirect_uris is required'],
    [{ redirect_uris: Array(11).fill(callback) }, 'redirect_uris cannot exceed 10 items'],
    [
      { ...uris, grant_types: ['implicit'] },
      "grant_types must only contain 'authorization_code' and/or 'refresh_token'",
    ],
    [{ ...uris, client_name: 'x'.repeat(1025) }, 'client_name cannot exceed 1024 characters'],
    [{ ...uris, client_uri: 'javascript:alert(1)' }, 'client_uri must be a valid URL'],
    [{ ...uris, logo_uri: 'data:image/svg+xml,<svg/>' }, 'logo_uri must be a valid URL'],
    [{ ...uris, logo_uri: `https://x/${'y'.repeat(2048)}` }, 'logo_uri cannot exceed 2048 characters'],
    [{ ...uris, client_type: 'trusted' }, "client_type must be 'public' or 'confidential'"],
    [
      { ...uris, token_endpoint_auth_method: 'private_key_jwt' },
      'token_endpoint_auth_method must be one of: [none client_secret_basic client_secret_post]',
    ],
    [
      { ...uris, client_type: 'public', token_endpoint_auth_method: 'client_secret_post' },
      "client_type 'public' is inconsistent with token_endpoint_auth_method 'client_secret_post' (expected client_type 'confidential')",
    ],
  ])('with invalid metadata is rejected (case %$)', async (metadata, reason) => {
    expect(await attempt(metadata)).toEqual(invalid(reason));
  });

  test('with values of the wrong type is rejected as invalid JSON', async () => {
    expect(await attempt({ redirect_uris: 'https://x' })).toEqual({ status: 400, msg: 'Invalid JSON body' });
  });

  test("can't choose its ID, secret or kind", async () => {
    const made = (await register(server, {
      client_id: user.id,
      client_secret: 'mine',
      registration_type: 'manual',
    })) as Registered & { registration_type: string };
    expect(made.client_id).not.toBe(user.id);
    expect(made.client_secret).not.toBe('mine');
    expect(made.registration_type).toBe('dynamic');
    const kept = await server.database
      .pool('supabase_admin')
      .query<{ client_secret_hash: string }>(
        sql`select client_secret_hash from auth.oauth_clients where id = ${made.client_id}`,
      );
    expect(kept[0]?.client_secret_hash).not.toContain(made.client_secret ?? '');
  });
});

test('a project that signs with the JWT secret doesn’t issue ID tokens, and the code stays valid', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'plinth-hs256-'));
  const file = join(dir, 'signing_keys.json');
  const jwk = { kty: 'oct', k: Buffer.alloc(32, 7).toString('base64url'), kid: 'h', alg: 'HS256' };
  await writeFile(file, JSON.stringify([jwk]));
  const hs256 = await startAuth({
    signing_keys_path: file,
    oauth_server: { enabled: true, allow_dynamic_registration: true },
  });
  try {
    const own = await register(hs256);
    const { verifier, challenge } = pkce();
    const other = await person(hs256);
    const id = await authorizationId(hs256, own.client_id, challenge, { scope: 'openid' });
    const code = await approve(hs256, id, other.token);
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier };
    for (const _ of [1, 2]) {
      expect(await token(hs256, form, basic(own))).toMatchObject({
        status: 500,
        body: { msg: 'Error generating ID token' },
      });
    }
  } finally {
    await hs256.stop();
    await rm(dir, { recursive: true });
  }
});
