/** Tests sign-in with a third-party identity provider (the package oidc-provider) and the stock client. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuthServer, newEmail, startAuth } from '../harness.ts';
import { createInternet, type Internet } from './internet.ts';
import { idpClient, type RealIdp, startRealIdp, walk } from './real-idp.ts';
import { comeBack } from './sign-in.ts';

describe('as a custom OpenID provider', () => {
  const issuer = 'https://idp.example.com';
  let auth: AuthServer;
  let idp: RealIdp;
  let internet: Internet;
  let hosts: ReadonlyMap<string, string>;

  beforeAll(async () => {
    idp = await startRealIdp();
    internet = await createInternet();
    internet.lead('idp.example.com', idp.url);
    hosts = new Map([['idp.example.com', idp.url]]);
    auth = await startAuth({ email: { enable_confirmations: true } }, { outgoing: internet.outgoing });
    idp.open({ issuer, redirectUri: `${auth.url}/auth/v1/callback`, pkce: true });
    const { data, error } = await auth.admin().auth.admin.customProviders.createProvider({
      provider_type: 'oidc',
      identifier: 'custom:idp',
      name: 'The provider',
      ...idpClient,
      issuer,
      scopes: ['email', 'profile'],
    });
    expect(error).toBeNull();
    expect(data?.discovery_document?.token_endpoint).toBe(`${issuer}/token`);
  });
  afterAll(async () => {
    await auth?.stop();
    await internet?.stop();
    await idp?.stop();
  });

  /** Runs a sign-in in the user's browser, from the app's button to the redirect back to the app. */
  async function leaveAndReturn(
    client: ReturnType<AuthServer['client']>,
    login: string,
    decision?: 'refuse',
  ) {
    const { data } = await client.auth.signInWithOAuth({
      provider: 'custom:idp',
      options: { skipBrowserRedirect: true },
    });
    const away = await fetch(data.url ?? '', { redirect: 'manual' });
    const back = await walk(away.headers.get('location') ?? '', hosts, login, decision);
    expect(back.origin + back.pathname).toBe(`${auth.url}/auth/v1/callback`);
    return comeBack(auth, Object.fromEntries(back.searchParams));
  }

  it('a user signs in, consents and gets a session for the code', async () => {
    const email = newEmail();
    idp.accounts.set('ann', { email, email_verified: true, name: 'Ann Example', preferred_username: 'ann' });
    const client = auth.client('pkce');
    const arrival = await leaveAndReturn(client, 'ann');
    const { data, error } = await client.auth.exchangeCodeForSession(arrival.query.code ?? '');
    expect(error).toBeNull();
    expect(data.user).toMatchObject({
      email,
      app_metadata: { provider: 'custom:idp', providers: ['custom:idp'] },
      user_metadata: { iss: issuer, sub: 'ann', name: 'Ann Example', email_verified: true },
    });
    expect(data.session?.provider_token).toMatch(/.{20}/);
    // The second sign-in finds the same user.
    const second = auth.client('pkce');
    const { query } = await leaveAndReturn(second, 'ann');
    const again = await second.auth.exchangeCodeForSession(query.code ?? '');
    expect(again.data.user?.id).toBe(data.user?.id);
  });

  it('a user who denies access returns without a session', async () => {
    idp.accounts.set('bob', { email: newEmail(), email_verified: true });
    const arrival = await leaveAndReturn(auth.client('pkce'), 'bob', 'refuse');
    expect(arrival.query).toEqual({
      error: 'access_denied',
      error_description: 'End-User aborted interaction',
    });
  });

  it('an unverified address doesn’t take over an account', async () => {
    const email = newEmail();
    await auth.admin().auth.admin.createUser({ email, password: 'correct horse', email_confirm: true });
    idp.accounts.set('mallory', { email, email_verified: false });
    const arrival = await leaveAndReturn(auth.client('pkce'), 'mallory');
    expect(arrival.query).toMatchObject({ error_code: 'provider_email_needs_verification' });
  });

  it('a code can be redeemed only once, and both sides reject the second attempt', async () => {
    idp.accounts.set('carol', { email: newEmail(), email_verified: true });
    const { data } = await auth.client().auth.signInWithOAuth({
      provider: 'custom:idp',
      options: { skipBrowserRedirect: true },
    });
    const away = await fetch(data.url ?? '', { redirect: 'manual' });
    const back = await walk(away.headers.get('location') ?? '', hosts, 'carol');
    const params = Object.fromEntries(back.searchParams);
    expect((await comeBack(auth, params)).fragment).toHaveProperty('access_token');
    expect((await comeBack(auth, params)).query).toMatchObject({ error_code: 'bad_oauth_state' });
    // The attacker uses the code in a different sign-in, which has a different PKCE verifier.
    const own = await auth.client().auth.signInWithOAuth({
      provider: 'custom:idp',
      options: { skipBrowserRedirect: true },
    });
    const begun = await fetch(own.data.url ?? '', { redirect: 'manual' });
    const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? '';
    const injected = await comeBack(auth, { ...params, state });
    expect(injected.query).toMatchObject({ error: 'server_error' });
    expect(injected.fragment).not.toHaveProperty('access_token');
  });

  it('a stolen code that wasn’t redeemed can’t be used in another sign-in', async () => {
    idp.accounts.set('dora', { email: newEmail(), email_verified: true });
    const begin = async () => {
      const { data } = await auth.client().auth.signInWithOAuth({
        provider: 'custom:idp',
        options: { skipBrowserRedirect: true },
      });
      const away = await fetch(data.url ?? '', { redirect: 'manual' });
      return away.headers.get('location') ?? '';
    };
    const stolen = await walk(await begin(), hosts, 'dora');
    const state = new URL(await begin()).searchParams.get('state') ?? '';
    const injected = await comeBack(auth, { ...Object.fromEntries(stolen.searchParams), state });
    expect(injected.query).toMatchObject({
      error: 'server_error',
      error_description: expect.stringMatching(/^Unable to exchange external code: .{4}$/),
    });
  });
});

describe('as Keycloak, at the configured URL', () => {
  let auth: AuthServer;
  let idp: RealIdp;

  beforeAll(async () => {
    idp = await startRealIdp();
    auth = await startAuth({
      external: {
        keycloak: {
          enabled: true,
          client_id: idpClient.client_id,
          secret: idpClient.client_secret,
          url: `${idp.url}/`,
        },
      },
    });
    const path = '/protocol/openid-connect';
    idp.open({
      issuer: idp.url,
      redirectUri: `${auth.url}/auth/v1/callback`,
      pkce: false,
      routes: { authorization: `${path}/auth`, token: `${path}/token`, userinfo: `${path}/userinfo` },
    });
  });
  afterAll(async () => {
    await auth?.stop();
    await idp?.stop();
  });

  it('the token and the user’s data are fetched over the network', async () => {
    const email = newEmail();
    idp.accounts.set('ann', { email, email_verified: true, name: 'Ann', preferred_username: 'ann' });
    const client = auth.client('pkce');
    const { data } = await client.auth.signInWithOAuth({
      provider: 'keycloak',
      options: { skipBrowserRedirect: true, scopes: 'openid' },
    });
    const away = await fetch(data.url ?? '', { redirect: 'manual' });
    const hosts = new Map([[new URL(idp.url).host, idp.url]]);
    const back = await walk(away.headers.get('location') ?? '', hosts, 'ann');
    const { query } = await comeBack(auth, Object.fromEntries(back.searchParams));
    const signedIn = await client.auth.exchangeCodeForSession(query.code ?? '');
    expect(signedIn.error).toBeNull();
    expect(signedIn.data.user).toMatchObject({
      email,
      user_metadata: {
        iss: idp.url,
        sub: 'ann',
        full_name: 'Ann',
        custom_claims: { preferred_username: 'ann' },
      },
    });
  });
});
