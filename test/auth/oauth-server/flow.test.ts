/** Tests the normal flows of clients and users with the OAuth 2.1 server and OpenID provider. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
  person,
  pkce,
  type Registered,
  register,
  signIn,
  type Tokens,
  token,
  verified,
} from './client.ts';

let server: AuthServer;
beforeAll(async () => {
  server = await startAuth({
    site_url: 'https://app.example',
    oauth_server: { enabled: true, allow_dynamic_registration: true },
  });
});
afterAll(() => server.stop());

interface Discovery {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly registration_endpoint: string;
  readonly userinfo_endpoint: string;
  readonly jwks_uri: string;
}

describe('a client that knows only the server’s address', () => {
  test.each([
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-authorization-server/auth/v1',
    '/auth/v1/.well-known/oauth-authorization-server',
    '/auth/v1/.well-known/openid-configuration',
  ])('finds the endpoints at %s', async (path) => {
    const response = await fetch(server.url + path);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('public, max-age=600');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const issuer = `${server.url}/auth/v1`;
    expect(await response.json()).toMatchObject({
      issuer,
      authorization_endpoint: `${issuer}/oauth/authorize`,
      token_endpoint: `${issuer}/oauth/token`,
      registration_endpoint: `${issuer}/oauth/clients/register`,
      code_challenge_methods_supported: ['S256', 'plain'],
      authorization_response_iss_parameter_supported: true,
      id_token_signing_alg_values_supported: ['RS256', 'HS256', 'ES256'],
      scopes_supported: ['openid', 'profile', 'email', 'phone', 'offline_access'],
    });
  });

  test('can’t discover another issuer', async () => {
    const response = await fetch(`${server.url}/.well-known/oauth-authorization-server/other`);
    expect(response.status).toBe(404);
  });

  test('registers itself, signs a user in and acts for the user, as agents do with the Model Context Protocol', async () => {
    const metadata = (await (
      await fetch(`${server.url}/.well-known/oauth-authorization-server/auth/v1`)
    ).json()) as Discovery;
    const registration = await fetch(metadata.registration_endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client_name: 'Agent',
        redirect_uris: ['http://127.0.0.1:33418/'],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        scope: 'openid email',
      }),
    });
    expect(registration.status).toBe(201);
    const client = (await registration.json()) as Registered & Record<string, unknown>;
    expect(client).toMatchObject({
      client_type: 'public',
      token_endpoint_auth_method: 'none',
      registration_type: 'dynamic',
      response_types: ['code'],
    });
    expect(client).not.toHaveProperty('client_secret');

    const { verifier, challenge } = pkce();
    const address = new URL(metadata.authorization_endpoint);
    address.search = new URLSearchParams({
      response_type: 'code',
      client_id: client.client_id,
      redirect_uri: 'http://127.0.0.1:33418/',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      state: 'a b&c',
      scope: 'openid email',
      resource: 'https://mcp.example/',
      nonce: 'n-0S6_WzA2Mj',
    }).toString();
    const redirect = await fetch(address, { redirect: 'manual' });
    expect(redirect.status).toBe(302);
    const page = new URL(redirect.headers.get('location') ?? '');
    expect(`${page.origin}${page.pathname}`).toBe(`${server.url}/account/consent`);

    const user = await person(server);
    const id = page.searchParams.get('authorization_id') ?? '';
    expect(id).toMatch(/^[a-z2-7]{32}$/);
    expect((await open(server, id, user.token)).body).toEqual({
      authorization_id: id,
      redirect_uri: 'http://127.0.0.1:33418/',
      client: { id: client.client_id, name: 'Agent' },
      user: { id: user.id, email: user.email },
      scope: 'openid email',
    });
    const back = new URL((await decide(server, id, user.token, 'approve')).body.redirect_url ?? '');
    expect(back.searchParams.get('state')).toBe('a b&c');

    const response = await fetch(metadata.token_endpoint, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: back.searchParams.get('code') ?? '',
        redirect_uri: 'http://127.0.0.1:33418/',
        client_id: client.client_id,
        code_verifier: verifier,
        resource: 'https://mcp.example/',
      }),
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const tokens = (await response.json()) as Tokens;
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600 });
    expect(tokens).not.toHaveProperty('user');

    expect(await verified(server, tokens.access_token)).toMatchObject({
      sub: user.id,
      aud: 'authenticated',
      role: 'authenticated',
      client_id: client.client_id,
      scope: 'openid email',
      amr: [{ method: 'oauth_provider/authorization_code', timestamp: expect.any(Number) }],
    });
    const identity = await verified(server, tokens.id_token ?? '');
    expect(identity).toEqual({
      iss: metadata.issuer,
      sub: user.id,
      aud: client.client_id,
      exp: Number(identity.iat) + 3600,
      iat: expect.any(Number),
      nonce: 'n-0S6_WzA2Mj',
      auth_time: expect.any(Number),
      email: user.email,
      email_verified: true,
      phone_number_verified: false,
      client_id: client.client_id,
    });
    const info = await fetch(metadata.userinfo_endpoint, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    expect(await info.json()).toEqual({ sub: user.id, email: user.email, email_verified: true });

    const refreshed = await token(server, {
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
      client_id: client.client_id,
    });
    expect(refreshed.status).toBe(200);
    expect(refreshed.body.refresh_token).not.toBe(tokens.refresh_token);
    expect(claimsOf(refreshed.body.access_token)).toMatchObject({
      client_id: client.client_id,
      scope: 'openid email',
      session_id: claimsOf(tokens.access_token).session_id,
    });
  });
});

describe('consent', () => {
  test('is requested once for the same scopes, and again for more', async () => {
    const [client, user] = [await register(server), await person(server)];
    await signIn(server, client, user, { scope: 'email profile' });
    const { challenge } = pkce();
    const less = await authorizationId(server, client.client_id, challenge, { scope: 'email' });
    const back = new URL((await open(server, less, user.token)).body.redirect_url ?? '');
    expect(back.searchParams.get('code')).not.toBeNull();
    const more = await authorizationId(server, client.client_id, challenge, { scope: 'email phone' });
    expect((await open(server, more, user.token)).body).toMatchObject({ scope: 'email phone' });
  });

  test('that is denied redirects back with access_denied', async () => {
    const [client, user] = [await register(server), await person(server)];
    const id = await authorizationId(server, client.client_id, pkce().challenge, { state: 'xyz' });
    await open(server, id, user.token);
    const response = await decide(server, id, user.token, 'deny');
    expect(response).toEqual({
      status: 200,
      body: {
        redirect_url: `${callback}?error=access_denied&error_description=User+denied+the+request&iss=${encodeURIComponent(`${server.url}/auth/v1`)}&state=xyz`,
      },
    });
    expect((await decide(server, id, user.token, 'approve')).body).toMatchObject({
      msg: 'authorization request is no longer pending',
    });
    expect((await open(server, id, user.token)).body).toMatchObject({
      msg: 'authorization request cannot be processed',
    });
  });

  test('can be given, listed and revoked with the stock client', async () => {
    const client = await register(server, { client_uri: 'https://reader.example' });
    const user = await person(server);
    const stock = server.client();
    await stock.auth.signInWithPassword({ email: user.email, password: 'correct horse battery' });
    const { verifier, challenge } = pkce();
    const id = await authorizationId(server, client.client_id, challenge, { scope: 'openid email' });
    const details = await stock.auth.oauth.getAuthorizationDetails(id);
    expect(details.error).toBeNull();
    const approved = await stock.auth.oauth.approveAuthorization(id, { skipBrowserRedirect: true });
    const code = new URL(approved.data?.redirect_url ?? '').searchParams.get('code') ?? '';
    const redeemed = await token(
      server,
      { grant_type: 'authorization_code', code, code_verifier: verifier },
      basic(client),
    );
    expect(redeemed.status).toBe(200);

    const grants = await stock.auth.oauth.listGrants();
    expect(grants.data).toEqual([
      {
        client: { id: client.client_id, name: 'Reader', uri: 'https://reader.example' },
        scopes: ['openid', 'email'],
        granted_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      },
    ]);
    expect((await stock.auth.oauth.revokeGrant({ clientId: client.client_id })).error).toBeNull();
    expect((await stock.auth.oauth.listGrants()).data).toEqual([]);
    const after = await token(
      server,
      { grant_type: 'refresh_token', refresh_token: redeemed.body.refresh_token },
      basic(client),
    );
    expect(after.body).toMatchObject({ error_code: 'refresh_token_not_found' });
    const info = await server.request('/oauth/userinfo', { token: redeemed.body.access_token });
    expect(info.status).toBe(403);
    const again = await stock.auth.oauth.revokeGrant({ clientId: client.client_id });
    expect(again.error).toMatchObject({ status: 404, code: 'oauth_consent_not_found' });
  });

  test('opens on the page that the project configures', async () => {
    const own = await startAuth({
      site_url: 'https://app.example/',
      oauth_server: { enabled: true, allow_dynamic_registration: true, authorization_url_path: 'allow' },
    });
    try {
      const client = await register(own);
      const { location } = await begin(own, {
        client_id: client.client_id,
        code_challenge: pkce().challenge,
        code_challenge_method: 'S256',
      });
      expect(location.href).toMatch(/^https:\/\/app\.example\/allow\?authorization_id=[a-z2-7]{32}$/);
    } finally {
      await own.stop();
    }
  });
});

describe('claims by scope', () => {
  test('include profile and phone', async () => {
    const [client, user] = [await register(server), await person(server)];
    await server.admin().auth.admin.updateUserById(user.id, {
      phone: '4915112345678',
      phone_confirm: true,
      user_metadata: { name: 'Ada', avatar_url: 'https://a.example/a.png', username: 'ada', z: { b: 1 } },
    });
    const { tokens } = await signIn(server, client, user, { scope: 'openid profile phone' });
    const profile = {
      name: 'Ada',
      picture: 'https://a.example/a.png',
      preferred_username: 'ada',
      updated_at: expect.any(Number),
    };
    const identity = claimsOf(tokens.id_token ?? '');
    expect(identity).toMatchObject({
      ...profile,
      phone_number: '4915112345678',
      phone_number_verified: true,
      email_verified: false,
    });
    expect(identity).not.toHaveProperty('email');
    const info = await server.request('/oauth/userinfo', { token: tokens.access_token });
    expect(await info.json<object>()).toEqual({
      sub: user.id,
      ...profile,
      phone: '4915112345678',
      phone_verified: true,
      user_metadata: expect.objectContaining({ name: 'Ada', z: { b: 1 } }),
    });
  });

  test('without openid, an ID token is not issued, and a session without a client has no scopes', async () => {
    const [client, user] = [await register(server), await person(server)];
    const { tokens } = await signIn(server, client, user);
    expect(tokens).not.toHaveProperty('id_token');
    expect(claimsOf(tokens.access_token).scope).toBe('email');
    const info = await server.request('/oauth/userinfo', { token: user.token });
    expect(await info.json<object>()).toEqual({ sub: user.id });
  });
});

describe('client administration', () => {
  test('works with the stock client', async () => {
    const admin = server.admin().auth.admin.oauth;
    const made = await admin.createClient({
      client_name: 'Desk',
      redirect_uris: ['https://desk.example/cb', 'desk://cb'],
    });
    const client = made.data;
    expect(client).toMatchObject({
      client_type: 'confidential',
      registration_type: 'manual',
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: ['https://desk.example/cb', 'desk://cb'],
      client_secret: expect.stringMatching(/^[\w-]{43}$/),
    });
    const id = client?.client_id ?? '';
    const read = await admin.getClient(id);
    expect(read.data).toEqual({ ...client, client_secret: undefined });
    expect((await admin.listClients()).data?.clients.map((each) => each.client_id)).toContain(id);

    const changed = await admin.updateClient(id, {
      client_name: 'Desk 2',
      token_endpoint_auth_method: 'client_secret_post',
    });
    expect(changed.data).toMatchObject({ client_name: 'Desk 2' });
    const fresh = await admin.regenerateClientSecret(id);
    expect(fresh.data?.client_secret).not.toBe(client?.client_secret);

    const user = await person(server);
    const { verifier, challenge } = pkce();
    const request = { redirect_uri: 'desk://cb' };
    const code = await approve(server, await authorizationId(server, id, challenge, request), user.token);
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier, client_id: id };
    const old = await token(server, { ...form, client_secret: client?.client_secret ?? '' });
    expect(old).toMatchObject({ status: 400, body: { msg: 'invalid client credentials' } });
    const good = await token(server, { ...form, client_secret: fresh.data?.client_secret ?? '' });
    expect(good.status).toBe(200);

    expect((await admin.deleteClient(id)).error).toBeNull();
    expect((await admin.getClient(id)).error).toMatchObject({ status: 404, code: 'oauth_client_not_found' });
    const info = await server.request('/oauth/userinfo', { token: good.body.access_token });
    expect(await info.json()).toMatchObject({ error_code: 'session_not_found' });
    const gone = await begin(server, { client_id: id, redirect_uri: 'desk://cb' });
    expect(gone).toMatchObject({ status: 400, body: { error_code: 'oauth_client_not_found' } });
    const refresh = await token(server, {
      grant_type: 'refresh_token',
      refresh_token: good.body.refresh_token,
      client_id: id,
      client_secret: fresh.data?.client_secret ?? '',
    });
    expect(refresh.body).toMatchObject({
      error_code: 'invalid_credentials',
      msg: 'Invalid client credentials',
    });
  });

  test('requires an administrator', async () => {
    const user = await person(server);
    for (const [path, init] of [
      ['', {}],
      ['', { json: {} }],
      [`/${user.id}`, {}],
      [`/${user.id}`, { method: 'PUT', json: {} }],
      [`/${user.id}`, { method: 'DELETE' }],
      [`/${user.id}/regenerate_secret`, { json: {} }],
    ] as const) {
      const response = await server.request(`/admin/oauth/clients${path}`, { ...init, token: user.token });
      expect([response.status, (await response.json()).error_code]).toEqual([403, 'not_admin']);
    }
  });

  test('a public client has no secret to regenerate', async () => {
    const { client_id: id } = await register(server, { token_endpoint_auth_method: 'none' });
    const token = server.keys.serviceRoleKey;
    const renewed = await server.request(`/admin/oauth/clients/${id}/regenerate_secret`, { token, json: {} });
    expect(await renewed.json()).toMatchObject({ msg: 'Cannot regenerate secret for public client' });
    const put = (json: object) =>
      server.request(`/admin/oauth/clients/${id}`, { token, json, method: 'PUT' }).then((a) => a.json());
    expect(await put({ token_endpoint_auth_method: 'client_secret_post' })).toMatchObject({
      msg: "token_endpoint_auth_method 'client_secret_post' is not valid for client_type 'public'; valid methods: [none]",
    });
    expect(await put({})).toMatchObject({ msg: 'No fields provided for update' });
    expect(await put({ redirect_uris: [] })).toMatchObject({ msg: 'redirect_uris cannot be empty' });
    expect(await put({ client_name: 7 })).toMatchObject({ error_code: 'bad_json', msg: 'Invalid JSON body' });
    expect(await put({ client_name: '' })).not.toHaveProperty('client_name');
  });
});

describe('while the OAuth server is disabled', () => {
  let closed: AuthServer;
  beforeAll(async () => {
    closed = await startAuth();
  });
  afterAll(() => closed.stop());

  test.each([
    ['GET', '/oauth/authorize'],
    ['POST', '/oauth/token'],
    ['GET', '/oauth/userinfo'],
    ['POST', '/oauth/clients/register'],
    ['GET', '/oauth/authorizations/x'],
    ['POST', '/oauth/authorizations/x/consent'],
    ['GET', '/.well-known/oauth-authorization-server'],
  ])('%s %s responds with feature_disabled', async (method, path) => {
    const response = await closed.request(path, { method });
    expect([response.status, (await response.json()).error_code]).toEqual([404, 'feature_disabled']);
  });

  test('users and administrators get an error, and the metadata at the root isn’t found', async () => {
    const user = await person(closed);
    const grants = await closed.request('/user/oauth/grants', { token: user.token });
    expect(await grants.json()).toMatchObject({ error_code: 'feature_disabled' });
    const token = closed.keys.serviceRoleKey;
    const clients = await closed.request('/admin/oauth/clients', { token });
    expect(await clients.json()).toMatchObject({ msg: 'OAuth server is disabled' });
    const root = await fetch(`${closed.url}/.well-known/oauth-authorization-server`);
    expect(root.status).toBe(404);
  });

  test('dynamic client registration is a separate setting', async () => {
    const manual = await startAuth({ oauth_server: { enabled: true } });
    try {
      const response = await manual.request('/oauth/clients/register', {
        json: { redirect_uris: [callback] },
      });
      expect([response.status, await response.json()]).toEqual([
        403,
        expect.objectContaining({ error_code: 'oauth_dynamic_client_registration_disabled' }),
      ]);
      const { registration_endpoint } = await (
        await manual.request('/.well-known/openid-configuration')
      ).json<Discovery>();
      expect(registration_endpoint).toBeUndefined();
    } finally {
      await manual.stop();
    }
  });
});

test('without a consent page, the client gets an OAuth error instead of a 404', async () => {
  const pageless = await startAuth(
    { oauth_server: { enabled: true, allow_dynamic_registration: true } },
    { hasAccountPages: false },
  );
  try {
    const { client_id } = await register(pageless);
    const request = {
      client_id,
      code_challenge: pkce().challenge,
      code_challenge_method: 'S256',
      state: 's',
    };
    const { status, location } = await begin(pageless, request);
    expect([status, `${location.origin}${location.pathname}`]).toEqual([302, callback]);
    expect(Object.fromEntries(location.searchParams)).toEqual({
      error: 'server_error',
      error_description: 'no consent page is available; set auth.oauth_server.authorization_url_path',
      state: 's',
      iss: `${pageless.url}/auth/v1`,
    });
  } finally {
    await pageless.stop();
  }
});
