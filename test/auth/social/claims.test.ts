/** Tests the users that are created from the providers' documented responses, claim by claim. */
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Issuer, startIssuer } from '../../keys/issuer.ts';
import { type AuthServer, newEmail, startAuth } from '../harness.ts';
import { createInternet, type Internet } from './internet.ts';
import { comeBack, leave, publishIssuer, serveGithub, signIn, userOf } from './sign-in.ts';

const google = 'https://accounts.google.com';
const apple = 'https://appleid.apple.com';
const tenant = 'https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0';

let auth: AuthServer;
let internet: Internet;
let googleIssuer: Issuer;
let appleIssuer: Issuer;
let azureIssuer: Issuer;

const configured = (client_id: string) => ({ enabled: true, client_id, secret: `${client_id}-secret` });

beforeAll(async () => {
  internet = await createInternet();
  [googleIssuer, appleIssuer, azureIssuer] = (await Promise.all(
    [google, apple, tenant].map(startIssuer),
  )) as [Issuer, Issuer, Issuer];
  publishIssuer(internet, google, googleIssuer);
  publishIssuer(internet, apple, appleIssuer);
  publishIssuer(internet, tenant, azureIssuer);
  auth = await startAuth(
    {
      email: { enable_confirmations: true },
      external: {
        apple: configured('apple-client'),
        azure: configured('azure-client'),
        discord: configured('discord-client'),
        facebook: configured('facebook-client'),
        github: configured('github-client'),
        google: { ...configured('google-client'), client_id: 'google-client, ios-client' },
        twitter: configured('twitter-client'),
        workos: configured('workos-client'),
        x: configured('x-client'),
      },
    },
    { outgoing: internet.outgoing },
  );
});
afterAll(async () => {
  await auth?.stop();
  await Promise.all([googleIssuer, appleIssuer, azureIssuer].map((issuer) => issuer?.stop()));
  await internet?.stop();
});

const lastOf = (host: string, path: string) =>
  internet.received.findLast((request) => request.host === host && request.path === path);

describe('GitHub', () => {
  it('redirects the browser with the required parameters and those of the app', async () => {
    const { url, state } = await leave(auth, 'github', {
      scopes: 'repo',
      redirect_to: 'http://127.0.0.1:3000/done',
      login: 'octocat',
      state: 'attack',
    });
    expect(url.origin + url.pathname).toBe('https://github.com/login/oauth/authorize');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: 'github-client',
      redirect_uri: `${auth.url}/auth/v1/callback`,
      response_type: 'code',
      scope: 'user:email repo',
      state,
      login: 'octocat',
      redirect_to: 'http://127.0.0.1:3000/done',
    });
    expect(state).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('addresses come from a separate endpoint, and the primary one is used', async () => {
    const [primary, other] = [newEmail(), newEmail()];
    const id = serveGithub(internet, [
      { email: other, verified: true, primary: false },
      { email: primary, verified: true, primary: true },
    ]);
    const arrival = await signIn(auth, 'github', { redirect_to: 'http://127.0.0.1:3000/done' });
    expect(arrival.status).toBe(302);
    expect(arrival.url.origin + arrival.url.pathname).toBe('http://127.0.0.1:3000/done');
    expect(Object.keys(arrival.fragment).sort()).toEqual([
      'access_token',
      'expires_at',
      'expires_in',
      'provider_token',
      'refresh_token',
      'sb',
      'token_type',
    ]);
    expect(arrival.fragment.provider_token).toBe('gho_token');
    expect(lastOf('api.github.com', '/user')?.headers.authorization).toBe('Bearer gho_token');
    expect(Object.fromEntries(lastOf('github.com', '/login/oauth/access_token')?.form ?? [])).toEqual({
      grant_type: 'authorization_code',
      code: 'good-code',
      redirect_uri: `${auth.url}/auth/v1/callback`,
      client_id: 'github-client',
      client_secret: 'github-client-secret',
    });

    const claims = {
      avatar_url: 'https://avatars.example/octocat.gif',
      email: primary,
      email_verified: true,
      full_name: 'Monalisa Octocat',
      iss: 'https://api.github.com',
      name: 'Monalisa Octocat',
      phone_verified: false,
      preferred_username: 'octocat',
      provider_id: String(id),
      sub: String(id),
      user_name: 'octocat',
    };
    const user = await userOf(auth, arrival);
    expect(user).toMatchObject({
      email: primary,
      email_confirmed_at: expect.any(String),
      app_metadata: { provider: 'github', providers: ['github'] },
    });
    expect(user.user_metadata).toEqual(claims);
    expect(user.identities).toEqual([
      expect.objectContaining({ id: String(id), provider: 'github', identity_data: claims, email: primary }),
    ]);
    const amr = JSON.parse(
      Buffer.from(arrival.fragment.access_token?.split('.')[1] ?? '', 'base64url').toString(),
    ).amr;
    expect(amr).toEqual([{ method: 'oauth', timestamp: expect.any(Number) }]);
  });

  it('a returning user keeps the same account, with the newest claims', async () => {
    const email = newEmail();
    const id = serveGithub(internet, [{ email, verified: true, primary: true }]);
    const first = await userOf(auth, await signIn(auth, 'github'));
    internet.serve('api.github.com/user', () => ({ id, login: 'renamed', name: 'New Name' }));
    const second = await userOf(auth, await signIn(auth, 'github'));
    expect(second.id).toBe(first.id);
    expect(second.user_metadata).toMatchObject({ name: 'New Name', user_name: 'renamed' });
    expect(second.identities[0]?.identity_data).not.toHaveProperty('avatar_url');
  });
});

describe('Google', () => {
  const serve = (claims: Record<string, unknown>) =>
    internet.serve('oauth2.googleapis.com/token', () => ({
      access_token: 'ya29.token',
      expires_in: 3599,
      refresh_token: '1//refresh',
      scope: 'openid email profile',
      token_type: 'Bearer',
      id_token: googleIssuer.token(claims),
    }));

  it('uses the ID token', async () => {
    const email = newEmail();
    const { url, state } = await leave(auth, 'google', { access_type: 'offline', prompt: 'consent' });
    expect(url.origin + url.pathname).toBe('https://accounts.google.com/o/oauth2/v2/auth');
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      scope: 'email profile',
      access_type: 'offline',
      prompt: 'consent',
    });
    serve({
      aud: 'google-client',
      azp: 'google-client',
      sub: '110169484474386276334',
      hd: 'example.com',
      email,
      email_verified: true,
      name: 'Ann Example',
      picture: 'https://lh3.example/a.jpg',
      given_name: 'Ann',
    });
    const arrival = await comeBack(auth, { code: 'good-code', state });
    expect(arrival.fragment).toMatchObject({
      provider_token: 'ya29.token',
      provider_refresh_token: '1//refresh',
    });
    expect((await userOf(auth, arrival)).user_metadata).toEqual({
      avatar_url: 'https://lh3.example/a.jpg',
      custom_claims: { hd: 'example.com' },
      email,
      email_verified: true,
      full_name: 'Ann Example',
      iss: google,
      name: 'Ann Example',
      phone_verified: false,
      picture: 'https://lh3.example/a.jpg',
      provider_id: '110169484474386276334',
      sub: '110169484474386276334',
    });
  });

  it('uses the API if there isn’t an ID token', async () => {
    const email = newEmail();
    internet.serve('oauth2.googleapis.com/token', () => ({
      access_token: 'ya29.bare',
      token_type: 'Bearer',
    }));
    internet.serve('www.googleapis.com/userinfo/v2/me', ({ headers }) =>
      headers.authorization === 'Bearer ya29.bare'
        ? { id: '42', email, verified_email: true, name: 'Ann', picture: 'https://lh3.example/a.jpg' }
        : { status: 401, json: {} },
    );
    expect((await userOf(auth, await signIn(auth, 'google'))).user_metadata).toMatchObject({
      iss: 'https://www.googleapis.com/userinfo/v2/me',
      sub: '42',
      email,
      email_verified: true,
    });
  });

  it.each([
    ['made for another app', { aud: 'other-client' }],
    ['for the native app, which isn’t used here', { aud: 'ios-client' }],
    ['of another issuer', { iss: 'https://accounts.example.com' }],
    ['expired', { exp: Math.floor(Date.now() / 1000) - 1 }],
    ['for another access token', { at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' }],
    ['without a subject', { sub: undefined }],
  ])('an ID token %s is rejected', async (_name, claims) => {
    serve({ aud: 'google-client', sub: '1', email: newEmail(), email_verified: true, ...claims });
    const arrival = await signIn(auth, 'google');
    expect(arrival.fragment).toEqual({
      error: 'server_error',
      error_code: 'unexpected_failure',
      error_description: 'Error getting user profile from external provider',
      sb: '',
    });
  });
});

describe('Apple', () => {
  const serve = (claims: Record<string, unknown>) =>
    internet.serve('appleid.apple.com/auth/token', () => ({
      access_token: 'adg61.token',
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: 'rca7.refresh',
      id_token: appleIssuer.token(claims),
    }));

  it('posts a form that contains the name and the code', async () => {
    const email = newEmail();
    const { url, state } = await leave(auth, 'apple', { scopes: 'other', prompt: 'x' });
    expect(url.origin + url.pathname).toBe('https://appleid.apple.com/auth/authorize');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: 'apple-client',
      redirect_uri: `${auth.url}/auth/v1/callback`,
      response_mode: 'form_post',
      response_type: 'code',
      scope: 'email name',
      state,
    });
    serve({
      aud: 'apple-client',
      sub: '001999.abc.1234',
      email,
      email_verified: 'true',
      is_private_email: 'true',
      auth_time: 1700000000,
      nonce_supported: true,
    });
    const user = JSON.stringify({ name: { firstName: 'Ann', lastName: 'Example' }, email });
    const arrival = await comeBack(auth, { code: 'good-code', state, user }, 'POST');
    expect((await userOf(auth, arrival)).user_metadata).toEqual({
      custom_claims: { auth_time: 1700000000, is_private_email: true },
      email,
      email_verified: true,
      full_name: 'Ann Example',
      iss: apple,
      name: 'Ann Example',
      phone_verified: false,
      provider_id: '001999.abc.1234',
      sub: '001999.abc.1234',
    });
    expect(Object.fromEntries(lastOf('appleid.apple.com', '/auth/token')?.form ?? [])).toMatchObject({
      client_id: 'apple-client',
      client_secret: 'apple-client-secret',
    });

    // The second response doesn't contain a name, so the stored name stays the same.
    const again = await leave(auth, 'apple');
    const second = await comeBack(auth, { code: 'good-code', state: again.state }, 'POST');
    expect((await userOf(auth, second)).user_metadata).toMatchObject({ name: 'Ann Example' });
  });

  it('a name that isn’t JSON is rejected', async () => {
    serve({ aud: 'apple-client', sub: '2', email: newEmail() });
    const { state } = await leave(auth, 'apple');
    const arrival = await comeBack(auth, { code: 'good-code', state, user: '{' }, 'POST');
    expect(arrival.fragment).toMatchObject({ error: 'server_error' });
  });
});

describe('Microsoft', () => {
  const serve = (claims: Record<string, unknown>) =>
    internet.serve('login.microsoftonline.com/common/oauth2/v2.0/token', () => ({
      token_type: 'Bearer',
      access_token: 'EwBo.token',
      id_token: azureIssuer.token(claims),
    }));
  const person = (email: string) => ({
    aud: 'azure-client',
    sub: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ',
    name: 'Ann Example',
    preferred_username: 'ann@example.com',
    oid: '00000000-0000-0000-66f3-3332eca7ea81',
    tid: '9188040d-6c67-4c5b-b112-36a304b66dad',
    ver: '2.0',
    email,
  });

  it('each tenant is a separate issuer', async () => {
    const email = newEmail();
    serve(person(email));
    expect((await userOf(auth, await signIn(auth, 'azure'))).user_metadata).toEqual({
      custom_claims: {
        email,
        oid: '00000000-0000-0000-66f3-3332eca7ea81',
        tid: '9188040d-6c67-4c5b-b112-36a304b66dad',
      },
      email,
      email_verified: true,
      full_name: 'Ann Example',
      iss: tenant,
      phone_verified: false,
      preferred_username: 'ann@example.com',
      provider_id: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ',
      sub: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ',
    });
  });

  it.each([
    [true, true],
    ['1', true],
    ['true', true],
    [false, false],
    ['0', false],
    [1, false],
  ])('with xms_edov %j, the address is verified: %j', async (edov, verified) => {
    serve({ ...person(newEmail()), sub: `edov-${JSON.stringify(edov)}`, xms_edov: edov });
    const arrival = await signIn(auth, 'azure');
    if (verified) expect((await userOf(auth, arrival)).user_metadata).toMatchObject({ email_verified: true });
    else expect(arrival.fragment).toMatchObject({ error_code: 'provider_email_needs_verification' });
  });

  it.each([
    'https://login.evil.example/9188040d/v2.0',
    'https://login.microsoftonline.com.evil.example/9188040d/v2.0',
    'https://sts.windows.net/9188040d/',
  ])('a token from %s is rejected without a request to the issuer', async (iss) => {
    serve({ ...person(newEmail()), iss });
    internet.received.length = 0;
    expect((await signIn(auth, 'azure')).fragment).toMatchObject({ error: 'server_error' });
    expect(internet.received.map(({ host }) => host)).toEqual(['login.microsoftonline.com']);
  });
});

describe('Facebook', () => {
  it('every request proves that the server knows the secret', async () => {
    const email = newEmail();
    internet.serve('graph.facebook.com/oauth/access_token', () => ({
      access_token: 'EAAB.token',
      token_type: 'bearer',
      expires_in: 5183944,
    }));
    internet.serve('graph.facebook.com/me', () => ({
      id: '10221',
      email,
      first_name: 'Ann',
      last_name: 'Example',
      name: 'Ann M. Example',
      picture: {
        data: { height: 50, is_silhouette: false, url: 'https://scontent.example/p.jpg', width: 50 },
      },
    }));
    const { url } = await leave(auth, 'facebook');
    expect(url.origin + url.pathname).toBe('https://www.facebook.com/dialog/oauth');
    const user = await userOf(auth, await signIn(auth, 'facebook'));
    const asked = lastOf('graph.facebook.com', '/me');
    expect(asked?.query.get('fields')).toBe('email,first_name,last_name,name,picture');
    expect(asked?.query.get('appsecret_proof')).toBe(
      createHmac('sha256', 'facebook-client-secret').update('EAAB.token').digest('hex'),
    );
    expect(user.user_metadata).toEqual({
      avatar_url: 'https://scontent.example/p.jpg',
      email,
      email_verified: true,
      full_name: 'Ann Example',
      iss: 'https://graph.facebook.com/me?fields=email,first_name,last_name,name,picture',
      name: 'Ann Example',
      nickname: 'Ann M. Example',
      phone_verified: false,
      picture: 'https://scontent.example/p.jpg',
      provider_id: '10221',
      slug: 'Ann M. Example',
      sub: '10221',
    });
  });
});

describe('Discord', () => {
  const serve = (user: object) => {
    internet.serve('discord.com/api/oauth2/token', () => ({
      access_token: '6qrZcUqja7812RVdnEKjpzOL4CvHBFG',
      token_type: 'Bearer',
      expires_in: 604800,
      refresh_token: 'D43f5y0ahjqew82jZ4NViEr2YafMKhue',
      scope: 'identify email',
    }));
    internet.serve('discord.com/api/users/@me', () => user);
  };

  it.each([
    [
      'a_1269e74af4df7417b13759eae50c83dc',
      'avatars/80351110224678912/a_1269e74af4df7417b13759eae50c83dc.gif',
    ],
    ['8342729096ea3675442027381ff50dfe', 'avatars/80351110224678912/8342729096ea3675442027381ff50dfe.png'],
    [null, 'embed/avatars/2.png'],
  ])('avatar %s is used', async (avatar, path) => {
    const email = newEmail();
    serve({
      id: '80351110224678912',
      username: 'Nelly',
      discriminator: '1337',
      global_name: 'Nelly G.',
      avatar,
      verified: true,
      email,
    });
    const picture = `https://cdn.discordapp.com/${path}`;
    const user = await userOf(auth, await signIn(auth, 'discord'));
    expect(user.identities[0]?.identity_data).toEqual({
      avatar_url: picture,
      custom_claims: { global_name: 'Nelly G.' },
      email,
      email_verified: true,
      full_name: 'Nelly',
      iss: 'https://discord.com/api',
      name: 'Nelly#1337',
      phone_verified: false,
      picture,
      provider_id: '80351110224678912',
      sub: '80351110224678912',
    });
  });

  it('a user without an address is rejected', async () => {
    serve({ id: '7', username: 'x', discriminator: '0', avatar: null, verified: false });
    expect((await signIn(auth, 'discord')).fragment).toEqual({
      error: 'server_error',
      error_code: 'unexpected_failure',
      error_description: 'Error getting user email from external provider',
      sb: '',
    });
  });
});

it('Apple and Microsoft don’t sign a user in without an ID token', async () => {
  internet.serve('appleid.apple.com/auth/token', () => ({ access_token: 'a' }));
  internet.serve('login.microsoftonline.com/common/oauth2/v2.0/token', () => ({ access_token: 'a' }));
  expect((await signIn(auth, 'apple')).query).toMatchObject({
    error_description: 'Error getting user email from external provider',
  });
  expect((await signIn(auth, 'azure')).query).toMatchObject({
    error_description: 'Error getting user profile from external provider',
  });
});

describe('WorkOS and X', () => {
  it('WorkOS sends the profile with the token', async () => {
    const email = newEmail();
    internet.serve('api.workos.com/sso/token', () => ({
      access_token: '01DMEK0J53CVMC32CK5SE0KZ8Q',
      profile: {
        id: 'prof_01',
        connection_id: 'conn_01',
        organization_id: 'org_01',
        email,
        first_name: 'Ann',
        last_name: 'Example',
      },
    }));
    const { url } = await leave(auth, 'workos', { workos_provider: 'GoogleOAuth' });
    expect(url.searchParams.get('provider')).toBe('GoogleOAuth');
    expect(url.searchParams.has('scope')).toBe(false);
    expect((await userOf(auth, await signIn(auth, 'workos'))).user_metadata).toMatchObject({
      custom_claims: { connection_id: 'conn_01', organization_id: 'org_01' },
      name: 'Ann Example',
      sub: 'prof_01',
    });
  });

  it('X requires PKCE and receives the secret by HTTP Basic', async () => {
    const email = newEmail();
    internet.serve('api.x.com/2/oauth2/token', () => ({ access_token: 'x.token', token_type: 'bearer' }));
    internet.serve('api.x.com/2/users/me', () => ({
      data: {
        id: '2244994945',
        name: 'Ann',
        username: 'ann',
        confirmed_email: email,
        created_at: '2013-12-14T04:35:55.000Z',
      },
    }));
    const { url, state } = await leave(auth, 'x');
    expect(url.searchParams.get('code_challenge_method')).toBe('S256');
    const arrival = await comeBack(auth, { code: 'good-code', state });
    const sent = lastOf('api.x.com', '/2/oauth2/token');
    const verifier = sent?.form.get('code_verifier') ?? '';
    const { createHash } = await import('node:crypto');
    expect(createHash('sha256').update(verifier).digest('base64url')).toBe(
      url.searchParams.get('code_challenge'),
    );
    expect(sent?.headers.authorization).toBe(
      `Basic ${Buffer.from('x-client:x-client-secret').toString('base64')}`,
    );
    expect((await userOf(auth, arrival)).user_metadata).toMatchObject({
      profile: 'https://x.com/ann',
      custom_claims: { created_at: '2013-12-14T04:35:55.000Z' },
    });
  });
});

describe('Twitter (OAuth 1.0a)', () => {
  const serve = (email: string) => {
    internet.serve('api.twitter.com/oauth/request_token', () => ({
      type: 'application/x-www-form-urlencoded',
      text: 'oauth_token=request-token&oauth_token_secret=request-secret&oauth_callback_confirmed=true',
    }));
    internet.serve('api.twitter.com/oauth/access_token', () => ({
      type: 'application/x-www-form-urlencoded',
      text: 'oauth_token=access-token&oauth_token_secret=access-secret&user_id=38895958&screen_name=ann',
    }));
    internet.serve('api.twitter.com/1.1/account/verify_credentials.json', () => ({
      id_str: '38895958',
      name: 'Ann',
      screen_name: 'ann',
      profile_image_url_https: 'https://pbs.example/a.jpg',
      email,
    }));
  };
  /** The state is part of the callback URL, which is signed. */
  const begin = async () => {
    const query = await auth.request('/authorize?provider=twitter', { redirect: 'manual' });
    const url = new URL(query.headers.get('location') ?? '');
    const header = lastOf('api.twitter.com', '/oauth/request_token')?.headers.authorization ?? '';
    const callback = decodeURIComponent(/oauth_callback="([^"]+)"/.exec(header)?.[1] ?? '');
    return { url, header, state: new URL(callback).searchParams.get('state') ?? '' };
  };

  it('three signed steps sign the user in', async () => {
    const email = newEmail();
    serve(email);
    const { url, header, state } = await begin();
    expect(url.href).toBe('https://api.twitter.com/oauth/authenticate?oauth_token=request-token');
    expect(header).toMatch(
      /^OAuth oauth_consumer_key="twitter-client", .*oauth_signature_method="HMAC-SHA1"/,
    );
    const arrival = await comeBack(auth, { state, oauth_token: 'request-token', oauth_verifier: 'verifier' });
    expect(lastOf('api.twitter.com', '/oauth/access_token')?.headers.authorization).toMatch(
      /oauth_token="request-token"/,
    );
    expect(arrival.fragment.provider_token).toBe('access-token');
    expect((await userOf(auth, arrival)).user_metadata).toEqual({
      avatar_url: 'https://pbs.example/a.jpg',
      email,
      email_verified: true,
      full_name: 'Ann',
      iss: 'https://api.twitter.com/1.1/account/verify_credentials.json',
      name: 'Ann',
      phone_verified: false,
      picture: 'https://pbs.example/a.jpg',
      preferred_username: 'ann',
      provider_id: '38895958',
      sub: '38895958',
      user_name: 'ann',
    });
  });

  it('a response to another request, and a user who denied access, are rejected', async () => {
    serve(newEmail());
    const first = await begin();
    expect(
      (await comeBack(auth, { state: first.state, oauth_token: 'stolen-token', oauth_verifier: 'v' }))
        .fragment,
    ).toMatchObject({ error: 'invalid_request', error_code: 'oauth_invalid_state' });
    const second = await begin();
    expect((await comeBack(auth, { state: second.state, denied: 'request-token' })).fragment).toMatchObject({
      error: 'access_denied',
    });
  });
});

it('apps can list the enabled providers', async () => {
  const settings = await (await auth.request('/settings')).json<{ external: Record<string, boolean> }>();
  expect(settings.external).toMatchObject({
    github: true,
    google: true,
    apple: true,
    gitlab: false,
    zoom: false,
  });
  expect(settings.external).not.toHaveProperty('x');
});
