/** Tests custom providers: administration, restrictions, and sign-in. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../../src/base/kernel/sql.ts';
import { type Issuer, startIssuer } from '../../keys/issuer.ts';
import { type AuthServer, newEmail, startAuth } from '../harness.ts';
import { createInternet, type Internet } from './internet.ts';
import { comeBack, leave, publishIssuer, signIn, userOf } from './sign-in.ts';

const issuerName = 'https://idp.example.com';

let auth: AuthServer;
let internet: Internet;
let issuer: Issuer;

beforeAll(async () => {
  internet = await createInternet();
  issuer = await startIssuer(issuerName);
  publishIssuer(internet, issuerName, issuer);
  internet.serve('other.example.com/anything', () => ({}));
  auth = await startAuth({ email: { enable_confirmations: true } }, { outgoing: internet.outgoing });
});
afterAll(async () => {
  await auth?.stop();
  await issuer?.stop();
  await internet?.stop();
});

const customProviders = () => auth.admin().auth.admin.customProviders;
const oidc = (identifier: string) => ({
  provider_type: 'oidc' as const,
  identifier,
  name: 'Ours',
  client_id: 'client',
  client_secret: 'very-secret',
  issuer: issuerName,
});
const oauth2 = (identifier: string) => ({
  provider_type: 'oauth2' as const,
  identifier,
  name: 'Theirs',
  client_id: 'client',
  client_secret: 'very-secret',
  authorization_url: 'https://other.example.com/authorize',
  token_url: 'https://other.example.com/token',
  userinfo_url: 'https://other.example.com/me',
});

async function post(body: object): Promise<{ status: number; msg?: string; error_code?: string }> {
  const response = await auth.request('/admin/custom-providers', {
    json: body,
    token: auth.keys.serviceRoleKey,
  });
  return { ...(await response.json()), status: response.status };
}

describe('administration', () => {
  it('works with the stock client, and the secret is never returned', async () => {
    const api = customProviders();
    const made = await api.createProvider({ ...oidc('custom:first'), scopes: ['email'] });
    expect(made.error).toBeNull();
    expect(made.data).toEqual({
      id: expect.any(String),
      provider_type: 'oidc',
      identifier: 'custom:first',
      name: 'Ours',
      client_id: 'client',
      acceptable_client_ids: [],
      scopes: ['openid', 'email'],
      pkce_enabled: true,
      attribute_mapping: {},
      custom_claims_allowlist: [],
      authorization_params: {},
      enabled: true,
      email_optional: false,
      issuer: issuerName,
      skip_nonce_check: false,
      discovery_document: {
        issuer: issuerName,
        authorization_endpoint: `${issuerName}/authorize`,
        token_endpoint: `${issuerName}/token`,
        userinfo_endpoint: `${issuerName}/userinfo`,
        jwks_uri: `${issuerName}/jwks`,
      },
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    await api.createProvider(oauth2('custom:second'));
    const listed = await api.listProviders();
    expect(listed.data?.providers.map(({ identifier }) => identifier)).toEqual([
      'custom:second',
      'custom:first',
    ]);
    const ofType = await api.listProviders({ type: 'oauth2' });
    expect(ofType.data?.providers.map(({ identifier }) => identifier)).toEqual(['custom:second']);
    const changed = await api.updateProvider('custom:first', { name: 'Renamed', enabled: false, scopes: [] });
    expect(changed.data).toMatchObject({
      name: 'Renamed',
      enabled: false,
      scopes: ['openid'],
      client_id: 'client',
    });
    const moved = await api.updateProvider('custom:second', {
      token_url: 'https://other.example.com/token2',
    });
    expect(moved.data).toMatchObject({ token_url: 'https://other.example.com/token2' });
    const read = await api.getProvider('custom:first');
    expect(read.data).toEqual(changed.data);
    for (const response of [made, listed, changed, read])
      expect(JSON.stringify(response.data)).not.toContain('very-secret');
    for (const id of ['custom:first', 'custom:second'])
      expect((await api.deleteProvider(id)).error).toBeNull();
    expect((await api.getProvider('custom:first')).error?.code).toBe('custom_provider_not_found');
    expect((await api.deleteProvider('custom:first')).error?.code).toBe('custom_provider_not_found');
    expect((await api.updateProvider('custom:first', { name: 'x' })).error?.code).toBe(
      'custom_provider_not_found',
    );
  });

  it('requires an administrator', async () => {
    const { data } = await auth.admin().auth.admin.createUser({
      email: newEmail(),
      password: 'correct horse',
      email_confirm: true,
    });
    const client = auth.client();
    const signedIn = await client.auth.signInWithPassword({
      email: data.user?.email ?? '',
      password: 'correct horse',
    });
    for (const token of [auth.keys.anonKey, signedIn.data.session?.access_token ?? '']) {
      for (const [method, path] of [
        ['GET', ''],
        ['POST', ''],
        ['GET', '/custom:x'],
        ['PUT', '/custom:x'],
        ['DELETE', '/custom:x'],
      ]) {
        const response = await auth.request(`/admin/custom-providers${path}`, {
          method,
          token,
          ...(method === 'GET' || method === 'DELETE' ? {} : { body: '{}' }),
        });
        expect(response.status).toBe(403);
      }
    }
  });

  it.each([
    [{ provider_type: 'saml' }, "provider_type must be either 'oauth2' or 'oidc'"],
    [{ identifier: '' }, 'identifier is required'],
    [{ identifier: 'mine' }, "identifier must start with 'custom:' prefix, e.g. 'custom:mine'"],
    [
      { identifier: 'custom:Mine' },
      'identifier must be at most 50 lower-case letters, digits, colons and hyphens',
    ],
    [{ name: '' }, 'name is required'],
    [{ name: 'x'.repeat(101) }, 'name must be at most 100 characters'],
    [{ client_id: '' }, 'client_id is required'],
    [{ client_id: 'x'.repeat(513) }, 'client_id must be at most 512 characters'],
    [{ client_secret: '' }, 'client_secret is required'],
    [{ issuer: '' }, 'issuer is required for OIDC providers'],
    [{ issuer: `https://${'x'.repeat(2048)}` }, 'URLs must be at most 2048 characters'],
    [{ authorization_params: { state: 'fixed' } }, 'Cannot override reserved OAuth parameter: state'],
    [
      { authorization_params: { Redirect_Uri: 'x' } },
      'Cannot override reserved OAuth parameter: Redirect_Uri',
    ],
    [{ authorization_params: { prompt: 1 } }, 'Authorization parameter "prompt" must be a string'],
    [{ attribute_mapping: { role: 'groups' } }, 'Cannot map to protected system field: role'],
    [{ attribute_mapping: { email_verified: true } }, 'Cannot map to protected system field: email_verified'],
    [{ custom_claims_allowlist: [' '] }, 'custom_claims_allowlist entries must be non-empty strings'],
    [{ identifier: 'custom:account' }, 'A custom OAuth provider with this identifier already exists'],
  ])('rejects %j', async (change, msg) => {
    expect(await post({ ...oidc('custom:refused'), ...change })).toMatchObject({ status: 400, msg });
  });

  it('rejects an identifier that is in use', async () => {
    await post(oidc('custom:twice'));
    expect(await post(oidc('custom:twice'))).toMatchObject({ status: 400, error_code: 'conflict' });
    const [row] = await auth.database.pool('supabase_admin').query<{ client_secret: string }>(sql`
        select client_secret from auth.custom_oauth_providers where identifier = 'custom:twice'`);
    expect(row?.client_secret).toBe('very-secret');
    await customProviders().deleteProvider('custom:twice');
  });

  it('allows at most a hundred providers, even if several are added concurrently', async () => {
    const pool = auth.database.pool('supabase_admin');
    await pool.exec(`
      insert into auth.custom_oauth_providers (provider_type, identifier, name, client_id, client_secret, issuer)
      select 'oidc', 'custom:many-' || n, 'x', 'x', 'x', 'https://x.example' from generate_series(1, 99) n`);
    // The requests count the providers while none of them can be inserted.
    const { sent } = await pool.transaction(async (tx) => {
      await tx.query(sql`lock table auth.custom_oauth_providers in share mode`);
      const answers = ['custom:last', 'custom:one-too-many'].map((name) => post(oidc(name)));
      await expect
        .poll(async () => {
          const waiting = await pool.query(sql`
            select from pg_stat_activity
            where datname = current_database() and usename = 'supabase_auth_admin' and wait_event_type = 'Lock'`);
          return waiting.length;
        })
        .toBe(2);
      return { sent: Promise.all(answers) };
    });
    expect((await sent).filter(({ error_code }) => error_code === 'over_custom_provider_quota')).toHaveLength(
      1,
    );
    expect(await post(oidc('custom:one-more'))).toMatchObject({
      status: 400,
      error_code: 'over_custom_provider_quota',
    });
    await pool.exec(`delete from auth.custom_oauth_providers where identifier like 'custom:many-%'`);
  });
});

describe('addresses inside the server’s network (SSRF)', () => {
  const faults: [string, string][] = [
    ['http://idp.example.com', 'URL must use HTTPS'],
    ['file:///etc/passwd', 'URL must have a valid hostname'],
    ['https://localhost/x', 'URL cannot point to localhost or loopback addresses'],
    ['https://127.0.0.1:5432/', 'URL cannot point to localhost or loopback addresses'],
    ['https://127.1.2.3/', 'URL cannot resolve to loopback addresses'],
    ['https://[::1]/', 'URL cannot point to localhost or loopback addresses'],
    ['https://10.0.0.5/', 'URL cannot resolve to private network addresses'],
    ['https://169.254.169.254/latest/meta-data/', 'URL cannot resolve to link-local addresses'],
    ['https://[::ffff:169.254.169.254]/', 'URL cannot resolve to link-local addresses'],
    ['https://0.0.0.0/', 'URL cannot point to localhost or loopback addresses'],
    ['https://unknown.invalid/', 'Unable to resolve hostname'],
    ['not an address', 'Invalid URL format'],
  ];

  it.each(faults)('%s is rejected in every field', async (url, msg) => {
    for (const name of ['issuer', 'discovery_url']) {
      expect(await post({ ...oidc('custom:ssrf'), [name]: url })).toMatchObject({ status: 400, msg });
    }
    for (const name of ['authorization_url', 'token_url', 'userinfo_url', 'jwks_uri']) {
      expect(await post({ ...oauth2('custom:ssrf'), [name]: url })).toMatchObject({ status: 400, msg });
    }
  });

  it('an update is also checked', async () => {
    await post(oauth2('custom:changed'));
    const { error } = await customProviders().updateProvider('custom:changed', {
      token_url: 'https://10.0.0.1/',
    });
    expect(error?.message).toBe('URL cannot resolve to private network addresses');
    await customProviders().deleteProvider('custom:changed');
  });

  it.each([
    ['token_endpoint', 'https://169.254.169.254/token', 'URL cannot resolve to link-local addresses'],
    ['jwks_uri', 'https://10.0.0.1/jwks', 'URL cannot resolve to private network addresses'],
    [
      'userinfo_endpoint',
      'http://idp.example.com/me',
      `oidc: userinfo_endpoint of ${issuerName} must use HTTPS`,
    ],
    [
      'authorization_endpoint',
      'javascript:alert(1)',
      `oidc: authorization_endpoint of ${issuerName} must use HTTPS`,
    ],
  ])('a discovery document is checked: %s %s', async (name, url, reason) => {
    const before = issuer.discovery[name];
    issuer.discovery[name] = url;
    try {
      expect((await post(oidc('custom:ssrf'))).msg).toBe(
        `OIDC discovery from "${issuerName}/.well-known/openid-configuration" failed: ${reason}`,
      );
    } finally {
      issuer.discovery[name] = before;
    }
  });

  it('a document that changes later is checked again', async () => {
    await post(oidc('custom:later'));
    issuer.discovery.token_endpoint = 'https://10.0.0.1/token';
    auth.clock.advance(3_600_000);
    try {
      const arrival = await signIn(auth, 'custom:later');
      expect(arrival.query).toMatchObject({ error: 'server_error' });
    } finally {
      issuer.discovery.token_endpoint = `${issuerName}/token`;
      auth.clock.advance(3_600_000);
      await customProviders().deleteProvider('custom:later');
    }
  });

  it('a document from another issuer, or without a required field, is rejected', async () => {
    issuer.discovery.issuer = 'https://evil.example';
    expect((await post(oidc('custom:mixed'))).msg).toContain(
      'issuer mismatch, expected "https://idp.example.com" got "https://evil.example"',
    );
    issuer.discovery.issuer = issuerName;
    delete issuer.discovery.jwks_uri;
    expect((await post(oidc('custom:mixed'))).msg).toBe(
      'OIDC discovery document is missing required fields: jwks_uri',
    );
    issuer.discovery.jwks_uri = `${issuerName}/jwks`;
    expect((await post({ ...oidc('custom:mixed'), issuer: 'https://other.example.com' })).msg).toContain(
      'returned 404',
    );
  });
});

describe('sign-in with OpenID Connect', () => {
  // The server's clock is ahead of the actual time, because earlier tests have advanced it.
  const exp = Math.floor(Date.now() / 1000) + 86_400;
  const serveToken = (claims: Record<string, unknown>) =>
    internet.serve('idp.example.com/token', () => ({
      access_token: 'at',
      token_type: 'Bearer',
      id_token: issuer.token({ aud: 'client', exp, ...claims }),
    }));

  it('the project’s PKCE setting, scopes, parameters and mapping are used', async () => {
    const email = newEmail();
    await post({
      ...oidc('custom:full'),
      scopes: ['email'],
      authorization_params: { prompt: 'login' },
      attribute_mapping: { preferred_username: 'login' },
      custom_claims_allowlist: ['groups'],
    });
    const { url, state } = await leave(auth, 'custom:full', { prompt: 'none', ui_locales: 'de' });
    expect(url.origin + url.pathname).toBe(`${issuerName}/authorize`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: 'client',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      prompt: 'login',
      redirect_uri: `${auth.url}/auth/v1/callback`,
      response_type: 'code',
      scope: 'openid email',
      state,
      ui_locales: 'de',
    });
    serveToken({ sub: 's1', email, email_verified: true, login: 'ann', groups: ['staff'], role: 'admin' });
    const user = await userOf(auth, await comeBack(auth, { code: 'c', state }));
    expect(user).toMatchObject({ email, role: 'authenticated', app_metadata: { provider: 'custom:full' } });
    expect(user.identities[0]?.identity_data).toMatchObject({
      preferred_username: 'ann',
      custom_claims: { groups: ['staff'] },
    });
    expect(user.identities[0]?.identity_data).not.toHaveProperty('role');
    // The app can request different scopes.
    const other = await leave(auth, 'custom:full', { scopes: 'profile groups' });
    expect(other.url.searchParams.get('scope')).toBe('openid profile groups');
  });

  it("an address that the provider didn't verify can't be mapped to a verified one", async () => {
    await post({ ...oidc('custom:mapped'), attribute_mapping: { email: 'wanted' } });
    const victim = newEmail();
    await auth.admin().auth.admin.createUser({ email: victim, email_confirm: true });
    serveToken({ sub: 's-map', email: newEmail(), email_verified: true, wanted: victim });
    const user = await userOf(auth, await signIn(auth, 'custom:mapped'));
    expect(user.email).not.toBe(victim);
  });

  it('a provider that identifies itself must be the expected one (RFC 9207)', async () => {
    issuer.discovery.authorization_response_iss_parameter_supported = true;
    await post(oidc('custom:named'));
    serveToken({ sub: 's2', email: newEmail(), email_verified: true });
    for (const iss of [undefined, 'https://evil.example']) {
      const { state } = await leave(auth, 'custom:named');
      internet.received.length = 0;
      const arrival = await comeBack(auth, { code: 'c', state, ...(iss === undefined ? {} : { iss }) });
      expect(arrival.query).toMatchObject({ error_code: 'bad_oauth_callback' });
      expect(internet.received).toEqual([]);
    }
    const { state } = await leave(auth, 'custom:named');
    expect((await comeBack(auth, { code: 'c', state, iss: issuerName })).fragment).toHaveProperty(
      'access_token',
    );
    delete issuer.discovery.authorization_response_iss_parameter_supported;
  });

  it('without an ID token, the userinfo endpoint is used', async () => {
    const email = newEmail();
    await post(oidc('custom:userinfo'));
    internet.serve('idp.example.com/token', () => ({ access_token: 'at', token_type: 'Bearer' }));
    internet.serve('idp.example.com/userinfo', ({ headers }) =>
      headers.authorization === 'Bearer at'
        ? { sub: 's3', email, email_verified: true }
        : { status: 401, json: {} },
    );
    expect((await userOf(auth, await signIn(auth, 'custom:userinfo'))).email).toBe(email);
  });

  it('the signing algorithms are limited to those in the document', async () => {
    const announced = issuer.discovery.id_token_signing_alg_values_supported;
    const ask = async () => {
      const id_token = issuer.token({
        aud: 'client',
        exp,
        sub: 's4',
        email: newEmail(),
        email_verified: true,
      });
      return auth.request('/token?grant_type=id_token', { json: { provider: 'custom:signs', id_token } });
    };
    issuer.discovery.id_token_signing_alg_values_supported = ['ES256'];
    await post(oidc('custom:signs'));
    expect(await (await ask()).json()).toEqual({
      error: 'invalid request',
      error_description: 'Bad ID token',
    });
    // Plinth ignores algorithms with a shared secret, so the provider must use the default algorithm.
    issuer.discovery.id_token_signing_alg_values_supported = ['HS256'];
    await customProviders().updateProvider('custom:signs', { issuer: issuerName });
    expect((await ask()).status).toBe(200);
    issuer.discovery.id_token_signing_alg_values_supported = announced;
  });

  it('a provider that is disabled or deleted is rejected', async () => {
    await post({ ...oidc('custom:off'), enabled: false });
    const off = await auth.request('/authorize?provider=custom:off');
    expect((await off.json()).msg).toBe('Unsupported provider: custom provider custom:off is disabled');
    const token = await auth.request('/token?grant_type=id_token', {
      json: { provider: 'custom:off', id_token: 'x' },
    });
    expect((await token.json()).error_code).toBe('provider_disabled');
  });
});

describe('sign-in with OAuth 2.0', () => {
  it('can map non-standard claims, and detects the client authentication method', async () => {
    const email = newEmail();
    await post({
      ...oauth2('custom:plain'),
      pkce_enabled: false,
      attribute_mapping: { sub: 'id', name: 'login' },
    });
    internet.serve('other.example.com/token', ({ form }) =>
      form.get('client_secret') === 'very-secret'
        ? { access_token: 'at', token_type: 'bearer' }
        : { status: 401, json: { error: 'invalid_client' } },
    );
    internet.serve('other.example.com/me', () => ({ id: 42, login: 'ann', email, email_verified: true }));
    const { url } = await leave(auth, 'custom:plain');
    expect(url.searchParams.has('code_challenge')).toBe(false);
    const user = await userOf(auth, await signIn(auth, 'custom:plain'));
    expect(user.identities[0]).toMatchObject({ id: '42', identity_data: { sub: '42', name: 'ann', email } });
    const token = await auth.request('/token?grant_type=id_token', {
      json: { provider: 'custom:plain', id_token: 'x' },
    });
    expect((await token.json()).msg).toBe('Provider "custom:plain" is not an OIDC provider');
  });

  it('an address without a verification status is unverified', async () => {
    await post({ ...oauth2('custom:silent'), pkce_enabled: false });
    internet.serve('other.example.com/me', () => ({ sub: 's9', email: newEmail() }));
    expect((await signIn(auth, 'custom:silent')).query).toMatchObject({
      error_code: 'provider_email_needs_verification',
    });
  });
});

it('the Account pages keep working as a provider', async () => {
  const response = await auth.request('/authorize?provider=custom:account');
  expect(response.headers.get('location')).toBe(`${auth.url}/account/sign-in`);
});
