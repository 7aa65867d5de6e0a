/**
 * Tests which sign-in methods are rejected for a domain in `enforced_domains` of [auth.saml], with an error in
 * upstream's format.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type Issuer, startIssuer } from '../keys/issuer.ts';
import { type AuthServer, newEmail, startAuth } from './harness.ts';
import { authorizationId, decide, open, pkce, register } from './oauth-server/client.ts';
import { buildAnswer, createIdp, postAnswer, readRequest, signAnswer, type TestIdp } from './saml-idp.ts';
import { createInternet, type Internet } from './social/internet.ts';
import { comeBack, publishIssuer, serveGithub } from './social/sign-in.ts';

const domain = 'works.example';
const password = 'correct horse battery';
const idp = createIdp();
/** The connection of another organization, whose domain doesn't require SSO. */
const otherIdp = createIdp();
let auth: AuthServer;
let internet: Internet;
let google: Issuer;

beforeAll(async () => {
  const saml = { enabled: true, enforced_domains: ['Works.example', 'no-connection.example'] };
  internet = await createInternet();
  google = await startIssuer('https://accounts.google.com');
  publishIssuer(internet, 'https://accounts.google.com', google);
  const provider = { enabled: true, client_id: 'app', secret: 'secret' };
  auth = await startAuth(
    {
      enable_signup: true,
      enable_anonymous_sign_ins: true,
      enable_manual_linking: true,
      external: { google: provider, github: provider },
      oauth_server: { enabled: true, allow_dynamic_registration: true },
    },
    { plinth: { auth: { saml } }, outgoing: internet.outgoing },
  );
  for (const [metadata, domains] of [
    [idp.metadata(), [domain]],
    [otherIdp.metadata(), ['free.example']],
  ] as const) {
    await auth.request('/admin/sso/providers', {
      token: auth.keys.serviceRoleKey,
      json: { type: 'saml', metadata_xml: metadata, domains },
    });
  }
});
afterAll(async () => {
  await auth?.stop();
  await Promise.all([google?.stop(), internet?.stop()]);
});

/** Signs in through a connection. Returns the client and the response to the provider's assertion. */
async function signInAt(provider: TestIdp, at: string, email: string) {
  const client = auth.client('pkce');
  const { data } = await client.auth.signInWithSSO({ domain: at });
  const { id, relayState } = readRequest(data?.url ?? '');
  const xml = buildAnswer({
    acs: `${auth.url}/auth/v1/sso/saml/acs`,
    audience: `${auth.url}/auth/v1/sso/saml/metadata`,
    issuer: provider.entityId,
    inResponseTo: id,
    nameId: email,
    email,
  });
  const back = await postAnswer(auth, signAnswer(provider, xml, 'Assertion'), relayState);
  return { client, back };
}

const googleToken = (sub: string, email = newEmail()) =>
  google.token({ aud: 'app', sub, email, email_verified: true });

/** Creates a confirmed user with a password, as an operator would. */
async function makeUser(email: string): Promise<string> {
  const { data, error } = await auth.admin().auth.admin.createUser({ email, password, email_confirm: true });
  expect(error).toBeNull();
  return data.user?.id ?? '';
}

const rejection = {
  code: 422,
  error_code: 'sso_required',
  msg: 'This email domain requires single sign-on. Sign in with SSO instead.',
};

test('passwords, codes and sign-up are rejected for the domain, whether or not the account exists', async () => {
  await makeUser(`ada@${domain}`);
  for (const email of [`ada@${domain}`, `unknown@${domain}`, `Ada@WORKS.example`]) {
    for (const [path, json] of [
      ['/token?grant_type=password', { email, password }],
      ['/token?grant_type=password', { email, password: 'not this one' }],
      ['/signup', { email, password }],
      ['/otp', { email }],
      ['/otp', { email, create_user: false }],
      ['/magiclink', { email }],
      ['/recover', { email }],
      ['/resend', { email, type: 'signup' }],
    ] as const) {
      const response = await auth.request(path, { json });
      expect([email, path, response.status, await response.json()]).toEqual([email, path, 422, rejection]);
    }
  }
  expect(await auth.inbox(`ada@${domain}`)).toEqual([]);
});

test('a link that an operator creates, and a change to an address of the domain, are rejected', async () => {
  const { data } = await auth.admin().auth.admin.generateLink({ type: 'magiclink', email: `ada@${domain}` });
  const hash = data.properties?.hashed_token ?? '';
  const typed = await auth.client().auth.verifyOtp({ type: 'magiclink', token_hash: hash });
  expect(typed.error?.code).toBe('sso_required');
  const email = newEmail();
  await makeUser(email);
  const client = auth.client();
  await client.auth.signInWithPassword({ email, password });
  const change = await client.auth.updateUser({ email: `eve@${domain}` });
  expect(change.error?.code).toBe('sso_required');
});

test('other domains, and domains without a connection, keep their sign-in methods', async () => {
  for (const email of ['ada@free.example', 'ada@no-connection.example', `ada@sub.${domain}`]) {
    await makeUser(email);
    const { error } = await auth.client().auth.signInWithPassword({ email, password });
    expect([email, error]).toEqual([email, null]);
  }
});

test('an SSO user can’t sign in with an identity, or a grant, that didn’t come from SSO', async () => {
  const { client, back } = await signInAt(idp, domain, `grace@${domain}`);
  const { data, error } = await client.auth.exchangeCodeForSession(back.query.code ?? '');
  expect(error).toBeNull();
  const { user } = data;
  const sub = crypto.randomUUID();
  const linked = await client.auth.linkIdentity({ provider: 'google', token: googleToken(sub) });
  expect(linked.error?.code).toBe('sso_required');
  expect((await client.auth.getUserIdentities()).data?.identities).toHaveLength(1);
  // The identity was linked before the domain required SSO.
  const superuser = auth.database.pool('supabase_admin');
  await superuser.query(sql`
    insert into auth.identities (provider_id, user_id, identity_data, provider, created_at, updated_at)
    values (${sub}, ${user?.id ?? ''}, ${{ sub }}, 'google', now(), now())`);
  const token = googleToken(sub);
  const social = await auth.client().auth.signInWithIdToken({ provider: 'google', token });
  expect(social.error?.code).toBe('sso_required');

  const app = await register(auth);
  const accessToken = data.session?.access_token ?? '';
  const granted = await authorizationId(auth, app.client_id, pkce().challenge);
  await open(auth, granted, accessToken);
  expect((await decide(auth, granted, accessToken, 'approve')).status).toBe(200);
  await superuser.query(sql`
    update auth.mfa_amr_claims set authentication_method = 'passkey'
    where session_id in (select id from auth.sessions where user_id = ${user?.id ?? ''})`);
  const refused = await authorizationId(auth, app.client_id, pkce().challenge);
  expect((await open(auth, refused, accessToken)).body).toMatchObject({ error_code: 'sso_required' });
});

test('only the connection that owns the domain can assert its addresses', async () => {
  const { back } = await signInAt(otherIdp, 'free.example', `ceo@${domain}`);
  expect(back.query).toMatchObject({ error_code: 'sso_required' });
  const own = await signInAt(otherIdp, 'free.example', 'ceo@elsewhere.example');
  expect((await own.client.auth.exchangeCodeForSession(own.back.query.code ?? '')).error).toBeNull();
  // The account got the address before the domain required SSO.
  await auth.database
    .pool('supabase_admin')
    .query(sql`update auth.users set email = ${`ceo@${domain}`} where email = 'ceo@elsewhere.example'`);
  const later = await signInAt(otherIdp, 'free.example', 'ceo@elsewhere.example');
  const exchanged = await later.client.auth.exchangeCodeForSession(later.back.query.code ?? '');
  expect(exchanged.error?.code).toBe('sso_required');
});

test('a guest can’t get an address of the domain from a linked identity', async () => {
  const client = auth.client('pkce');
  await client.auth.signInAnonymously();
  for (const verified of [true, false]) {
    serveGithub(internet, [{ email: `guest@${domain}`, verified, primary: true }]);
    const { data } = await client.auth.linkIdentity({
      provider: 'github',
      options: { skipBrowserRedirect: true },
    });
    const state = new URL(data?.url ?? '').searchParams.get('state') ?? '';
    const back = await comeBack(auth, { code: 'good-code', state });
    expect([verified, back.query.error_code, back.query.code]).toEqual([verified, 'sso_required', undefined]);
  }
  expect((await client.auth.getUser()).data.user).toMatchObject({ email: '', is_anonymous: true });
  expect(await auth.inbox(`guest@${domain}`)).toEqual([]);
});

test('SSO signs the user in, and a disabled connection stays enforced', async () => {
  const { client, back } = await signInAt(idp, domain, `ada@${domain}`);
  const session = await client.auth.exchangeCodeForSession(back.query.code ?? '');
  expect(session.data.user?.email).toBe(`ada@${domain}`);
  expect((await client.auth.refreshSession()).error).toBeNull();

  const { items } = await (
    await auth.request('/admin/sso/providers', { token: auth.keys.serviceRoleKey })
  ).json<{ items: { id: string; saml: { entity_id: string } }[] }>();
  const connection = items.find(({ saml }) => saml.entity_id === idp.entityId);
  const disabled = await auth.request(`/admin/sso/providers/${connection?.id}`, {
    token: auth.keys.serviceRoleKey,
    method: 'PUT',
    json: { disabled: true },
  });
  expect(disabled.status).toBe(200);
  const refused = await auth.client().auth.signInWithPassword({ email: `ada@${domain}`, password });
  expect(refused.error?.code).toBe('sso_required');
});
