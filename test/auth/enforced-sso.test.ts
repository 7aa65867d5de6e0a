/** Tests [auth.saml] enforced_domains: which ways to sign in are rejected for a domain, with upstream's error shape. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AuthServer, newEmail, startAuth } from './harness.ts';
import { buildAnswer, createIdp, postAnswer, readRequest, signAnswer } from './saml-idp.ts';

const domain = 'works.example';
const password = 'correct horse battery';
const idp = createIdp();
let auth: AuthServer;

beforeAll(async () => {
  const saml = { enabled: true, enforced_domains: ['Works.example', 'no-connection.example'] };
  auth = await startAuth({ enable_signup: true }, { plinth: { auth: { saml } } });
  for (const [metadata, domains] of [
    [idp.metadata(), [domain]],
    [createIdp().metadata(), ['free.example']],
  ] as const) {
    await auth.request('/admin/sso/providers', {
      token: auth.keys.serviceRoleKey,
      json: { type: 'saml', metadata_xml: metadata, domains },
    });
  }
});
afterAll(() => auth.stop());

/** Creates a confirmed user with a password, as an operator. */
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

test('other domains, and domains without a connection, keep their ways to sign in', async () => {
  for (const email of ['ada@free.example', 'ada@no-connection.example', `ada@sub.${domain}`]) {
    await makeUser(email);
    const { error } = await auth.client().auth.signInWithPassword({ email, password });
    expect([email, error]).toEqual([email, null]);
  }
});

test('SSO signs the user in, and a disabled connection stays enforced', async () => {
  const client = auth.client('pkce');
  const { data } = await client.auth.signInWithSSO({ domain });
  const { id, relayState } = readRequest(data?.url ?? '');
  const xml = buildAnswer({
    acs: `${auth.url}/auth/v1/sso/saml/acs`,
    audience: `${auth.url}/auth/v1/sso/saml/metadata`,
    issuer: idp.entityId,
    inResponseTo: id,
    email: `ada@${domain}`,
  });
  const back = await postAnswer(auth, signAnswer(idp, xml, 'Assertion'), relayState);
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
