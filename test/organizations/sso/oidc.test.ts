/** Tests OpenID Connect connections of organizations. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../src/base/kernel/sql.ts';
import { type Issuer, startIssuer } from '../../keys/issuer.ts';
import { newDomain, type SsoServer, setupToken, startSso, unique } from './harness.ts';

let server: SsoServer;
const issuers: Issuer[] = [];
beforeAll(async () => {
  server = await startSso();
});
afterAll(async () => {
  await server?.stop();
  await Promise.all(issuers.map((issuer) => issuer.stop()));
});

/** A provider whose token endpoint issues ID tokens with `claims` for each code. */
async function newProvider() {
  const host = `${unique('login')}.example`;
  const issuer = await startIssuer(`https://${host}`);
  issuers.push(issuer);
  server.internet.lead(host, issuer.url);
  const tokenHost = `token-${host}`;
  issuer.discovery.token_endpoint = `https://${tokenHost}/token`;
  issuer.discovery.userinfo_endpoint = `https://${tokenHost}/userinfo`;
  const claims: Record<string, unknown> = {};
  const userinfo: Record<string, unknown> = {};
  const redeemed: URLSearchParams[] = [];
  server.internet.serve(`${tokenHost}/token`, ({ form }) => {
    redeemed.push(form);
    return {
      access_token: 'at-secret',
      token_type: 'Bearer',
      refresh_token: 'rt-secret',
      id_token: issuer.token({ aud: 'plinth', ...claims }),
    };
  });
  server.internet.serve(`${tokenHost}/userinfo`, () => userinfo);
  return { issuer, host, claims, userinfo, redeemed };
}

type Provider = Awaited<ReturnType<typeof newProvider>>;

async function company() {
  const provider = await newProvider();
  const domain = newDomain();
  const owner = await server.person();
  const id = await server.organization(owner);
  await server.verify(owner, id, domain);
  const token = await setupToken(server, owner, id);
  const visitor = server.auth.visitor();
  const settings = {
    kind: 'oidc',
    issuer: `https://${provider.host}`,
    clientId: 'plinth',
    clientSecret: 'client-secret',
  } as const;
  await visitor.changeSetup(token, { do: 'save', settings });
  const { open = '' } = await visitor.changeSetup(token, { do: 'test' });
  Object.assign(provider.claims, { sub: 'tester', email: `tester@${domain}`, groups: ['Staff'] });
  const tested = await comeBack(open);
  await visitor.changeSetup(token, { do: 'activate' });
  return { provider, domain, owner, id, token, settings, open, tested };
}

/** Returns from the provider with a code, to the URL in the request. */
async function comeBack(request: string, params: Record<string, string> = {}, redirectUri?: string) {
  const { searchParams } = new URL(request);
  const target = new URL(redirectUri ?? searchParams.get('redirect_uri') ?? '');
  target.search = new URLSearchParams({
    code: 'good',
    state: searchParams.get('state') ?? '',
    ...params,
  }).toString();
  const response = await fetch(target, { redirect: 'manual' });
  const location = new URL(response.headers.get('location') ?? 'about:blank');
  return {
    status: response.status,
    location,
    query: Object.fromEntries(location.searchParams),
    fragment: Object.fromEntries(new URLSearchParams(location.hash.slice(1))),
  };
}

async function signIn(domain: string, provider: Provider, claims: Record<string, unknown>) {
  const client = server.auth.client('pkce');
  const { data, error } = await client.auth.signInWithSSO({ domain });
  if (error) throw error;
  for (const name of Object.keys(provider.claims)) delete provider.claims[name];
  Object.assign(provider.claims, claims);
  const back = await comeBack(data?.url ?? '');
  const code = back.query.code ?? '';
  const exchanged = code === '' ? undefined : await client.auth.exchangeCodeForSession(code);
  return {
    client,
    url: data?.url ?? '',
    back,
    session: exchanged?.data.session ?? undefined,
    user: exchanged?.data.user ?? undefined,
    error: back.query.error_code ?? exchanged?.error?.code,
  };
}

test('a tested connection signs members in, with a separate redirect URL and PKCE', async () => {
  const { provider, domain, id, token, tested, open } = await company();
  expect(tested.location.href).toBe(`${server.auth.url}/account/organizations/setup?tested=1`);
  const state = await server.auth.visitor().readSetup(token);
  expect(state.test).toMatchObject({ ok: true, email: `tester@${domain}`, subject: 'tester' });
  expect(state.test?.attributes).toContainEqual({ name: 'groups', value: 'Staff' });
  expect(JSON.stringify(state)).not.toContain('client-secret');
  expect(new URL(open).searchParams.get('redirect_uri')).toBe(state.urls.redirect_url);
  const { user, session, url } = await signIn(domain, provider, {
    sub: 'ada',
    email: `ada@${domain}`,
    name: 'Ada',
  });
  expect(user).toMatchObject({ email: `ada@${domain}`, user_metadata: { name: 'Ada' } });
  expect(await server.roleOf(id, user?.id ?? '')).toBe('member');
  // The app doesn't receive the tokens of the provider.
  expect(JSON.stringify(session)).not.toContain('-secret');
  const { searchParams } = new URL(url);
  expect(searchParams.get('code_challenge_method')).toBe('S256');
  expect(provider.redeemed.at(-1)?.get('code_verifier')).toMatch(/^[\w-]{43}$/);
  const claims = JSON.parse(Buffer.from(session?.access_token.split('.')[1] ?? '', 'base64url').toString());
  expect(claims.amr).toMatchObject([{ method: 'sso/oidc' }]);
});

test('the address can come from the user info endpoint or the user name, but must be verified', async () => {
  const { provider, domain } = await company();
  Object.assign(provider.userinfo, { sub: 'okta', email: `okta@${domain}` });
  expect((await signIn(domain, provider, { sub: 'okta' })).user?.email).toBe(`okta@${domain}`);
  // The response of another user is ignored.
  expect((await signIn(domain, provider, { sub: 'other' })).error).toBeDefined();
  const entra = await signIn(domain, provider, { sub: 'entra', preferred_username: `entra@${domain}` });
  expect(entra.user?.email).toBe(`entra@${domain}`);
  const unverified = await signIn(domain, provider, {
    sub: 'x',
    email: `x@${domain}`,
    email_verified: false,
  });
  expect(unverified.error).toBe('sso_not_allowed');
  const elsewhere = await signIn(domain, provider, { sub: 'y', email: 'y@elsewhere.example' });
  expect(elsewhere.error).toBe('sso_not_allowed');
});

test('the provider of an organization receives no codes of others', async () => {
  const [one, other] = [await company(), await company()];
  const { data } = await server.auth.client('pkce').auth.signInWithSSO({ domain: one.domain });
  const request = data?.url ?? '';
  const count = other.provider.redeemed.length;
  for (const wrong of [
    `${server.auth.url}/auth/v1/callback`,
    new URL(other.open).searchParams.get('redirect_uri') ?? '',
    `${server.auth.url}/auth/v1/sso/oidc/not-an-id/callback`,
  ]) {
    const back = await comeBack(request, {}, wrong);
    expect([wrong, back.query.error_code]).toEqual([wrong, 'bad_oauth_state']);
  }
  expect(other.provider.redeemed).toHaveLength(count);
  // A test can't be completed with the URL of another connection either.
  const { open = '' } = await server.auth.visitor().changeSetup(one.token, { do: 'test' });
  const back = await comeBack(open, {}, new URL(other.open).searchParams.get('redirect_uri') ?? '');
  expect(back.query.error_code).toBe('bad_oauth_state');
  // Flows of connections can't be started with other routes.
  const id =
    /sso\/oidc\/([\w-]+)\//.exec(other.open)?.[1] ??
    decodeURIComponent(other.open).split('/oidc/')[1]?.slice(0, 36);
  const authorize = await server.auth.request(`/authorize?provider=sso:${id}`);
  expect(authorize.status).toBe(400);
});

test('a response is used once, and a failed test shows the reason', async () => {
  const { token, open, domain, provider } = await company();
  expect((await comeBack(open)).query.error_code).toBe('bad_oauth_state');
  const visitor = server.auth.visitor();
  const { open: next = '' } = await visitor.changeSetup(token, { do: 'test' });
  await comeBack(next, { error: 'access_denied', error_description: 'The user is not assigned' });
  expect((await visitor.readSetup(token)).test).toMatchObject({
    ok: false,
    problem: 'rejected',
    detail: 'The user is not assigned',
  });
  const forged = await signIn(domain, provider, { sub: 'ada', aud: 'another', email: `ada@${domain}` });
  expect(forged.error).toBe('unexpected_failure');
});

test('the secret is never shown, and remains if only it is left out', async () => {
  const { token, settings, provider, domain, owner, id } = await company();
  const visitor = server.auth.visitor();
  await visitor.changeSetup(token, { do: 'save', settings: { ...settings, clientSecret: '' } });
  await expect(
    visitor.changeSetup(token, {
      do: 'save',
      settings: { ...settings, clientId: 'other', clientSecret: '' },
    }),
  ).rejects.toMatchObject({ code: 'validation_failed' });
  expect((await signIn(domain, provider, { sub: 'ada', email: `ada@${domain}` })).error).toBeUndefined();
  const { body } = await server.call(owner, `/organizations/${id}/sso`);
  expect(JSON.stringify(body)).not.toContain('client-secret');
  const client = await server.auth.database
    .pool('supabase_admin')
    .query<{ can: boolean }>(
      sql`select has_table_privilege('authenticated', '_plinth.organization_connections', 'select') as can`,
    );
  expect(client).toEqual([{ can: false }]);
});

test('issuers must be public, use https, and belong to one company', async () => {
  const owner = await server.person();
  const id = await server.organization(owner);
  const token = await setupToken(server, owner, id);
  for (const issuer of [
    'http://login.example',
    'https://127.0.0.1',
    'https://localhost:8443',
    'https://169.254.169.254',
    'https://accounts.google.com',
    'https://login.microsoftonline.com/common/v2.0',
    'https://nothing-here.invalid',
  ]) {
    const settings = { kind: 'oidc', issuer, clientId: 'a', clientSecret: 'b' } as const;
    const saved = server.auth.visitor().changeSetup(token, { do: 'save', settings });
    await expect(saved, issuer).rejects.toMatchObject({ status: 400 });
  }
  const provider = await newProvider();
  provider.issuer.discovery.authorization_endpoint = 'javascript:alert(1)';
  const settings = {
    kind: 'oidc',
    issuer: `https://${provider.host}`,
    clientId: 'a',
    clientSecret: 'b',
  } as const;
  const saved = server.auth.visitor().changeSetup(token, { do: 'save', settings });
  await expect(saved).rejects.toMatchObject({ status: 400 });
});
