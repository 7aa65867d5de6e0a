/** Tests ID tokens that apps obtain themselves (`grant_type=id_token`). */
import { createHash, generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Issuer, startIssuer } from '../../keys/issuer.ts';
import { type AuthServer, newEmail, startAuth } from '../harness.ts';
import { createInternet, type Internet } from './internet.ts';
import { publishIssuer } from './sign-in.ts';

const names = {
  apple: 'https://appleid.apple.com',
  azure: 'https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0',
  azureV1: 'https://sts.windows.net/11111111-2222-3333-4444-555555555555/',
  facebook: 'https://www.facebook.com',
  google: 'https://accounts.google.com',
  kakao: 'https://kauth.kakao.com',
  snapchat: 'https://accounts.snapchat.com/accounts/oauth2/token',
  vercel_marketplace: 'https://marketplace.vercel.com',
  custom: 'https://idp.example.com',
} as const;

let auth: AuthServer;
let internet: Internet;
let issuers: Record<keyof typeof names | 'keycloak', Issuer>;

beforeAll(async () => {
  internet = await createInternet();
  const keycloak = await startIssuer();
  const started = await Promise.all(
    Object.entries(names).map(async ([key, name]) => {
      const issuer = await startIssuer(name);
      publishIssuer(internet, name.replace(/\/$/, ''), issuer);
      return [key, issuer] as const;
    }),
  );
  issuers = { ...Object.fromEntries(started), keycloak } as typeof issuers;
  const configured = { enabled: true, client_id: 'web-client,native-client', secret: 'secret' };
  auth = await startAuth(
    {
      external: {
        apple: configured,
        azure: configured,
        facebook: configured,
        google: configured,
        kakao: configured,
        keycloak: { ...configured, url: `${keycloak.url}/`, skip_nonce_check: true },
        snapchat: configured,
        vercel_marketplace: configured,
      },
    },
    { outgoing: internet.outgoing },
  );
  const { error } = await auth.admin().auth.admin.customProviders.createProvider({
    provider_type: 'oidc',
    identifier: 'custom:idp',
    name: 'Our own',
    client_id: 'custom-client',
    client_secret: 'secret',
    acceptable_client_ids: ['mobile-client'],
    issuer: names.custom,
  });
  if (error) throw error;
});
afterAll(async () => {
  await auth?.stop();
  await Promise.all(Object.values(issuers ?? {}).map((issuer) => issuer.stop()));
  await internet?.stop();
});

const person = (email = newEmail()) => ({
  aud: 'native-client',
  sub: crypto.randomUUID(),
  email,
  email_verified: true,
});
const hashed = (nonce: string) => createHash('sha256').update(nonce).digest('hex');

interface Answered {
  readonly status: number;
  readonly access_token?: string;
  readonly error?: string;
  readonly error_description?: string;
  readonly error_code?: string;
  readonly msg?: string;
  readonly user?: {
    readonly id: string;
    readonly email: string;
    readonly identities: readonly { provider: string; id: string; identity_data: Record<string, unknown> }[];
  };
}

async function ask(json: Record<string, unknown>, token?: string): Promise<Answered> {
  const response = await auth.request('/token?grant_type=id_token', { json, ...(token ? { token } : {}) });
  return { status: response.status, ...(await response.json<Omit<Answered, 'status'>>()) };
}

describe('providers', () => {
  it('the stock client signs in', async () => {
    const email = newEmail();
    const { data, error } = await auth.client().auth.signInWithIdToken({
      provider: 'google',
      token: issuers.google.token({ ...person(email), nonce: hashed('raw') }),
      nonce: 'raw',
    });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({ email, app_metadata: { provider: 'google', providers: ['google'] } });
    expect(data.session?.access_token).toBeDefined();
  });

  it.each([
    ['google', { email_verified: true }],
    ['apple', { email_verified: 'true' }],
    ['kakao', { nickname: 'Ann' }],
    ['snapchat', {}],
    ['facebook', { name: 'Ann', nonce: 'never checked' }],
    ['azure', { name: 'Ann', tid: '11111111' }],
    ['keycloak', { preferred_username: 'ann', nonce: 'not checked, as configured' }],
  ] as const)('%s', async (provider, claims) => {
    const { sub, ...rest } = person();
    const response = await ask({ provider, id_token: issuers[provider].token({ sub, ...rest, ...claims }) });
    expect(response).toMatchObject({ status: 200, user: { email: rest.email } });
    expect(response.user?.identities).toEqual([expect.objectContaining({ provider, id: sub })]);
  });

  it('a Vercel user is the same in all of its teams', async () => {
    const email = newEmail();
    const token = issuers.vercel_marketplace.token({
      aud: 'native-client',
      sub: 'account:a:user:u',
      global_user_id: 'g1',
      user_email: email,
      user_name: 'Ann',
      user_avatar_url: 'https://vercel.example/a.png',
    });
    const { user } = await ask({ provider: 'vercel_marketplace', id_token: token });
    expect(user?.identities[0]).toMatchObject({
      id: 'global_user_id:g1',
      identity_data: { email, name: 'Ann', picture: 'https://vercel.example/a.png', email_verified: true },
    });
  });

  it('a custom provider accepts tokens for all its clients', async () => {
    for (const aud of ['custom-client', 'mobile-client', ['other', 'mobile-client']]) {
      const id_token = issuers.custom.token({ ...person(), aud, updated_at: 1700000000, groups: ['x'] });
      const { user } = await ask({ provider: 'custom:idp', id_token });
      expect(user?.identities[0]).toMatchObject({ provider: 'custom:idp' });
      expect(user?.identities[0]?.identity_data).toMatchObject({ updated_at: '2023-11-14T22:13:20Z' });
      expect(user?.identities[0]?.identity_data).not.toHaveProperty('groups');
    }
  });

  it('issuer and client_id can replace the name, and Apple and Microsoft have alternative names', async () => {
    const byIssuer = {
      issuer: names.google,
      client_id: 'whatever',
      id_token: issuers.google.token(person()),
    };
    expect((await ask(byIssuer)).user?.identities[0]?.provider).toBe('google');
    const apple = issuers.apple.token({ ...person(), iss: 'https://account.apple.com' });
    expect((await ask({ provider: 'apple', id_token: apple })).user?.identities[0]?.provider).toBe('apple');
    const azure = issuers.azureV1.token(person());
    expect((await ask({ provider: 'azure', id_token: azure })).user?.identities[0]?.provider).toBe('azure');
    const keycloak = {
      issuer: issuers.keycloak.url,
      client_id: 'x',
      id_token: issuers.keycloak.token(person()),
    };
    expect((await ask(keycloak)).user?.identities[0]?.provider).toBe('keycloak');
  });
});

describe('nonce', () => {
  const token = (claims: object) => issuers.google.token({ ...person(), ...claims });

  it.each([
    ['only in the request', {}, 'raw', 'invalid request'],
    ['only in the token', { nonce: hashed('raw') }, '', 'invalid request'],
    ['another', { nonce: hashed('raw') }, 'guess', 'invalid nonce'],
    ['unhashed in the token', { nonce: 'raw' }, 'raw', 'invalid nonce'],
    ['the hash itself replayed', { nonce: hashed('raw') }, hashed('raw'), 'invalid nonce'],
  ])('%s', async (_name, claims, nonce, error) => {
    expect(await ask({ provider: 'google', id_token: token(claims), nonce })).toMatchObject({
      status: 400,
      error,
    });
  });
});

describe('access token', () => {
  const accessToken = 'ya29.access';
  const half = createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url');

  it('must belong to the ID token if both are present', async () => {
    const bound = issuers.google.token({ ...person(), at_hash: half });
    expect((await ask({ provider: 'google', id_token: bound, access_token: accessToken })).status).toBe(200);
    expect((await ask({ provider: 'google', id_token: bound })).status).toBe(200);
    expect(await ask({ provider: 'google', id_token: bound, access_token: 'of another user' })).toMatchObject(
      {
        status: 400,
        error: 'invalid request',
        error_description: 'Bad ID token',
      },
    );
  });
});

describe('forged tokens', () => {
  const bad = { status: 400, error: 'invalid request', error_description: 'Bad ID token' };

  it.each([
    ['no signature', () => issuers.google.token(person(), { alg: 'none' })],
    [
      'the public key as an HMAC secret',
      () =>
        issuers.google.token(person(), { alg: 'HS256', secret: JSON.stringify(issuers.google.publicJwk()) }),
    ],
    [
      'the client secret as an HMAC secret',
      () => issuers.google.token(person(), { alg: 'HS256', secret: 'secret' }),
    ],
    [
      'a key that the token contains',
      () => {
        const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
        const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'mine' };
        return issuers.google.token(person(), {
          key: privateKey,
          kid: 'mine',
          header: { jwk, jku: 'https://evil.example' },
        });
      },
    ],
    ['another issuer’s key', () => issuers.custom.token({ ...person(), iss: names.google })],
    ['another issuer', () => issuers.google.token({ ...person(), iss: 'https://evil.example' })],
    ['expired', () => issuers.google.token({ ...person(), exp: Math.floor(Date.now() / 1000) - 1 })],
    ['without an expiry time', () => issuers.google.token({ ...person(), exp: undefined })],
    [
      'that isn’t valid yet',
      () => issuers.google.token({ ...person(), nbf: Math.floor(Date.now() / 1000) + 3600 }),
    ],
    ['critical extensions', () => issuers.google.token(person(), { header: { crit: ['x'], x: 1 } })],
    ['three dots instead of a token', () => 'a.b.c'],
    ['text', () => 'nonsense'],
  ])('%s', async (_name, make) => {
    expect(await ask({ provider: 'google', id_token: make() })).toMatchObject(bad);
  });

  it('for another app are rejected', async () => {
    expect(
      await ask({ provider: 'google', id_token: issuers.google.token({ ...person(), aud: 'another-app' }) }),
    ).toMatchObject({
      status: 400,
      error: 'invalid request',
      error_description: 'Unacceptable audience in id_token: [another-app]',
    });
    expect(
      (await ask({ provider: 'google', id_token: issuers.google.token({ ...person(), aud: '' }) })).status,
    ).toBe(400);
  });

  it('without a subject are rejected', async () => {
    const id_token = issuers.google.token({ ...person(), sub: '' });
    expect(await ask({ provider: 'google', id_token })).toMatchObject({
      status: 400,
      error: 'invalid request',
      error_description: 'Missing sub claim in id_token',
    });
  });

  it('that this project issued aren’t accepted', async () => {
    const { data } = await auth.client().auth.signUp({ email: newEmail(), password: 'correct horse' });
    expect(await ask({ provider: 'google', id_token: data.session?.access_token ?? '' })).toMatchObject(bad);
  });

  it.each([
    ['apple', 'https://evil.example', 'Detected ID token issuer is not an Apple ID token issuer'],
    [
      'azure',
      'https://login.microsoftonline.com.evil.example/x/v2.0',
      'Detected ID token issuer is not an Azure ID token issuer',
    ],
    [
      'azure',
      'https://login.microsoftonline.com/../evil',
      'Detected ID token issuer is not an Azure ID token issuer',
    ],
  ])('%s: no request is sent to %s', async (provider, iss, msg) => {
    internet.received.length = 0;
    expect(await ask({ provider, id_token: issuers.apple.token({ ...person(), iss }) })).toMatchObject({
      status: 400,
      error_code: 'validation_failed',
      msg,
    });
    expect(internet.received).toEqual([]);
  });

  it("an issuer in the request must be the token's issuer", async () => {
    const id_token = issuers.apple.token(person());
    expect(await ask({ provider: 'apple', issuer: 'https://account.apple.com', id_token })).toMatchObject({
      msg: 'Provided issuer does not match ID token issuer',
    });
    expect(await ask({ provider: 'apple', id_token: 'x.y.z' })).toMatchObject({
      msg: 'Unable to detect issuer in ID token for Apple provider',
    });
  });
});

describe('requests', () => {
  it.each([
    [{}, { error: 'invalid request', error_description: 'id_token required' }],
    [
      { id_token: 'x' },
      { error: 'invalid request', error_description: 'provider or client_id and issuer required' },
    ],
    [
      { id_token: 'x', provider: 'nosuch' },
      { error_code: 'validation_failed', msg: 'Custom OIDC provider "nosuch" not allowed' },
    ],
    [
      { id_token: 'x', issuer: 'https://evil.example', client_id: 'c' },
      { msg: 'Custom OIDC provider "" not allowed' },
    ],
    [{ id_token: 'x', provider: 'custom:none' }, { msg: 'Custom provider "custom:none" not found' }],
    [
      { id_token: 'x', provider: 'google', link_identity: true },
      {
        error: 'invalid request',
        error_description: 'Linking requires a valid user access token in Authorization',
      },
    ],
  ])('%j', async (json, expected) => {
    const headers = { apikey: '' };
    const response = await auth.request('/token?grant_type=id_token', { json, headers });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject(expected);
  });

  it('for a disabled provider are rejected', async () => {
    const off = await startAuth({}, { outgoing: internet.outgoing });
    try {
      const response = await off.request('/token?grant_type=id_token', {
        json: { provider: 'google', id_token: issuers.google.token(person()) },
      });
      expect(await response.json()).toMatchObject({
        error_code: 'provider_disabled',
        msg: 'Provider (issuer "https://accounts.google.com") is not enabled',
      });
    } finally {
      await off.stop();
    }
  });

  it('for an unreachable issuer get a server error instead of a token error', async () => {
    const away = await startAuth(
      { external: { google: { enabled: true, client_id: 'native-client', secret: 's' } } },
      {
        outgoing: {
          send: () => Promise.reject(new Error('away')),
          requirePublic: () => Promise.resolve(),
        },
      },
    );
    try {
      const response = await away.request('/token?grant_type=id_token', {
        json: { provider: 'google', id_token: issuers.google.token(person()) },
      });
      expect(response.status).toBe(500);
      const nonsense = { provider: 'google', id_token: 'nonsense' };
      expect(await away.request('/token?grant_type=id_token', { json: nonsense })).toMatchObject({
        status: 400,
      });
    } finally {
      await away.stop();
    }
  });
});

describe('linking', () => {
  it('adds the identity to the signed-in user, once', async () => {
    const client = auth.client();
    const email = newEmail();
    const { data } = await client.auth.signUp({ email, password: 'correct horse' });
    const token = issuers.google.token(person());
    const linked = await client.auth.linkIdentity({ provider: 'google', token });
    expect(linked.error).toBeNull();
    expect(linked.data.user).toMatchObject({ id: data.user?.id, email });
    expect(linked.data.user?.identities?.map(({ provider }) => provider)).toEqual(['email', 'google']);
    const again = await client.auth.linkIdentity({ provider: 'google', token });
    expect(again.error?.code).toBe('identity_already_exists');
  });

  it('requires a valid user', async () => {
    const id_token = issuers.google.token(person());
    const response = await ask({ provider: 'google', id_token, link_identity: true }, 'no.valid.token');
    expect(response).toMatchObject({ status: 403, error_code: 'bad_jwt' });
  });
});

it('a key that the issuer has rotated is fetched', async () => {
  expect((await ask({ provider: 'kakao', id_token: issuers.kakao.token(person()) })).status).toBe(200);
  issuers.kakao.rotate();
  auth.clock.advance(30_000);
  expect((await ask({ provider: 'kakao', id_token: issuers.kakao.token(person()) })).status).toBe(200);
});
