/**
 * Tests SAML connections of organizations: their setup with a one-time link, sign-ins, and that an identity provider
 * reaches only accounts of the domains that its organization has verified.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../src/base/kernel/sql.ts';
import { attribute, buildAnswer, postAnswer, signAnswer, type TestIdp } from '../../auth/saml-idp.ts';
import {
  answerAs,
  createIdp,
  newDomain,
  type Person,
  password,
  type SsoServer,
  setupToken,
  startSso,
  unique,
} from './harness.ts';

let server: SsoServer;
beforeAll(async () => {
  server = await startSso();
});
afterAll(() => server?.stop());

const saml = (idp: TestIdp) =>
  ({ do: 'save', settings: { kind: 'saml', metadataUrl: '', metadataXml: idp.metadata() } }) as const;

/** Sets up an organization with a verified domain and an active connection. */
async function company({ idp = createIdp(), domain = newDomain() } = {}) {
  const owner = await server.person();
  const id = await server.organization(owner);
  await server.verify(owner, id, domain);
  const token = await setupToken(server, owner, id);
  const visitor = server.auth.visitor();
  await visitor.changeSetup(token, saml(idp));
  const { open = '' } = await visitor.changeSetup(token, { do: 'test' });
  await answerAs(server, idp, open, { email: `tester@${domain}` });
  await visitor.changeSetup(token, { do: 'activate' });
  const change = (json: object, person: Person = owner) =>
    server.call(person, `/organizations/${id}/sso`, { method: 'PATCH', json });
  return { owner, id, domain, idp, token, change };
}

/** Signs in with stock supabase-js. */
async function signIn(domain: string, idp: TestIdp, user: Parameters<typeof answerAs>[3]) {
  const client = server.auth.client('pkce');
  const { data, error } = await client.auth.signInWithSSO({ domain });
  if (error) throw error;
  const back = await answerAs(server, idp, data?.url ?? '', user);
  const code = back.query.code ?? '';
  const exchanged = code === '' ? undefined : await client.auth.exchangeCodeForSession(code);
  return { client, back, user: exchanged?.data.user, error: back.query.error_code ?? exchanged?.error?.code };
}

test('an IT administrator sets up a connection with a link, and members then sign in with their domain', async () => {
  const owner = await server.person();
  const id = await server.organization(owner);
  const domain = newDomain();
  const idp = createIdp();
  const link = await server.call<{ url: string }>(owner, `/organizations/${id}/setup-links`, {
    method: 'POST',
  });
  expect(link.status).toBe(201);
  expect(link.body.url).toMatch(/\/account\/organizations\/setup\?token=[\w-]{43}$/);
  const token = new URL(link.body.url).searchParams.get('token') ?? '';
  const visitor = server.auth.visitor();
  expect(await visitor.readSetup(token)).toMatchObject({
    connection: { settings: null, draft: null, is_active: false },
    test: null,
    urls: {
      acs_url: `${server.auth.url}/auth/v1/sso/saml/acs`,
      entity_id: `${server.auth.url}/auth/v1/sso/saml/metadata`,
      scim_url: `${server.auth.url}/scim/v2/${id}`,
    },
  });
  await visitor.changeSetup(token, saml(idp));
  await expect(visitor.changeSetup(token, { do: 'activate' })).rejects.toMatchObject({
    code: 'validation_failed',
  });

  const { open = '' } = await visitor.changeSetup(token, { do: 'test' });
  const back = await answerAs(server, idp, open, {
    email: `ada@${domain}`,
    attributes: attribute('groups', 'Engineers', 'Admins'),
  });
  expect([back.status, back.location.href]).toEqual([
    302,
    `${server.auth.url}/account/organizations/setup?tested=1`,
  ]);
  expect((await visitor.readSetup(token)).test).toEqual({
    ok: false,
    problem: 'other-domain',
    detail: '',
    email: `ada@${domain}`,
    subject: `ada@${domain}`,
    attributes: [
      { name: 'mail', value: `ada@${domain}` },
      { name: 'groups', value: 'Engineers, Admins' },
    ],
  });
  await server.verify(owner, id, domain);
  const again = await visitor.changeSetup(token, { do: 'test' });
  await answerAs(server, idp, again.open ?? '', { email: `ada@${domain}` });
  expect((await visitor.readSetup(token)).test).toMatchObject({ ok: true });
  // The test signed no one in and created no account.
  const users = await server.auth.database
    .pool('supabase_admin')
    .query(sql`select from auth.users where email = ${`ada@${domain}`}`);
  expect(users).toEqual([]);
  expect((await server.auth.client().auth.signInWithSSO({ domain })).error?.code).toBe(
    'sso_provider_not_found',
  );
  await visitor.changeSetup(token, { do: 'activate' });

  const { user } = await signIn(domain, idp, { email: `ada@${domain}` });
  expect(user).toMatchObject({
    email: `ada@${domain}`,
    app_metadata: { provider: expect.stringMatching(/^sso:/) },
  });
  expect(await server.roleOf(id, user?.id ?? '')).toBe('member');
  const second = await signIn(domain.toUpperCase(), idp, { email: `ada@${domain}` });
  expect(second.user?.id).toBe(user?.id);
  const { body } = await server.call<{ events: { kind: string; actor: string }[] }>(
    owner,
    `/organizations/${id}/sso`,
  );
  expect(body.events.map(({ kind, actor }) => `${actor} ${kind}`)).toEqual([
    'server member_added',
    'setup connection_activated',
    'setup connection_tested',
    'user domain_verified',
    'user domain_added',
    'setup connection_tested',
    'user setup_link_created',
  ]);
});

test('only an owner removes a connection, which then signs no one in', async () => {
  const { owner, id, domain, idp } = await company();
  const admin = await server.person();
  await server.member(id, admin, 'admin');
  const remove = (person: Person) => server.call(person, `/organizations/${id}/sso`, { method: 'DELETE' });
  expect((await remove(admin)).status).toBe(403);
  expect((await signIn(domain, idp, { email: `ada@${domain}` })).error).toBeUndefined();
  expect((await remove(owner)).status).toBe(204);
  const { error } = await server.auth.client('pkce').auth.signInWithSSO({ domain });
  expect(error?.code).toBe('sso_provider_not_found');
});

test('a changed draft must be tested again, and the settings in use remain until then', async () => {
  const { domain, idp, token } = await company();
  const visitor = server.auth.visitor();
  const next = createIdp();
  await visitor.changeSetup(token, saml(next));
  await expect(visitor.changeSetup(token, { do: 'activate' })).rejects.toMatchObject({
    code: 'validation_failed',
  });
  const first = await signIn(domain, idp, { email: `ada@${domain}` });
  expect(first.error).toBeUndefined();
  const { open = '' } = await visitor.changeSetup(token, { do: 'test' });
  await answerAs(server, next, open, { email: `ada@${domain}` });
  await visitor.changeSetup(token, { do: 'activate' });
  expect((await signIn(domain, idp, { email: `ada@${domain}` })).error).toBe('validation_failed');
  // The users keep their accounts although the new provider has other subjects.
  const moved = await signIn(domain, next, { email: `ada@${domain}`, nameId: 'new-subject' });
  expect(moved.user?.id).toBe(first.user?.id);
});

test('a setup link opens one organization, expires, and can be revoked', async () => {
  const { owner, id, token } = await company();
  const visitor = server.auth.visitor();
  const other = await company();
  const path = `/organizations/${id}`;
  const links = async () =>
    (await server.call<{ links: { id: string; opened_at: string | null }[] }>(owner, `${path}/sso`)).body
      .links;
  const gone = { code: 'otp_expired' };
  for (const wrong of ['', 'x', token.slice(1), `${token.slice(0, -1)}${token.endsWith('A') ? 'E' : 'A'}`])
    await expect(visitor.readSetup(wrong)).rejects.toMatchObject(gone);
  const [link] = await links();
  expect(link?.opened_at).not.toBeNull();
  // The database contains no token.
  const rows = await server.auth.database
    .pool('supabase_admin')
    .query<{ all: string }>(sql`select to_jsonb(l)::text as all from _plinth.organization_setup_links l`);
  expect(rows.some((row) => row.all.includes(token))).toBe(false);
  // Another owner can't revoke it, and a member can't create one.
  const revoke = (person: Person, of: string) =>
    server.call(person, `/organizations/${of}/setup-links/${link?.id}`, { method: 'DELETE' });
  await revoke(other.owner, other.id);
  expect((await revoke(other.owner, id)).status).toBe(404);
  expect(await visitor.readSetup(token)).toMatchObject({ organization: expect.any(String) });
  const admin = await server.person();
  await server.member(id, admin, 'admin');
  expect((await server.call(admin, `${path}/setup-links`, { method: 'POST' })).status).toBe(403);
  expect((await server.call<{ links: [] }>(admin, `${path}/sso`)).body.links).toEqual([]);
  expect((await revoke(owner, id)).status).toBe(204);
  await expect(visitor.readSetup(token)).rejects.toMatchObject(gone);
  await expect(visitor.changeSetup(token, { do: 'create-token' })).rejects.toMatchObject(gone);
  const late = await setupToken(server, owner, id);
  await server.auth.database.pool('supabase_admin').query(sql`
    update _plinth.organization_setup_links set expires_at = now() - interval '1 second' where organization_id = ${id}`);
  await expect(visitor.readSetup(late)).rejects.toMatchObject(gone);
});

test('an identity provider signs in only users of the domains of its organization', async () => {
  const [victim, attacker] = [await company(), await company()];
  const target = await server.person(`boss@${victim.domain}`);
  const outsider = await server.person();
  for (const email of [target.email, outsider.email, `new@${victim.domain}`, `boss@sub.${attacker.domain}`]) {
    const { error } = await signIn(attacker.domain, attacker.idp, { email });
    expect([email, error]).toEqual([email, 'sso_not_allowed']);
  }
  // The subject of a user whose address has changed to another domain.
  const eve = await signIn(attacker.domain, attacker.idp, { email: `eve@${attacker.domain}`, nameId: 'eve' });
  await server.auth
    .admin()
    .auth.admin.updateUserById(eve.user?.id ?? '', { email: `eve@${unique('private')}.example` });
  const again = await signIn(attacker.domain, attacker.idp, {
    email: `eve@${attacker.domain}`,
    nameId: 'eve',
  });
  expect(again.error).toBe('sso_not_allowed');
  // The attacker's provider answers the request for the victim's.
  const { data } = await server.auth.client('pkce').auth.signInWithSSO({ domain: victim.domain });
  const forged = await answerAs(server, { ...attacker.idp, entityId: victim.idp.entityId }, data?.url ?? '', {
    email: target.email,
  });
  expect(forged.query.error_code).toBe('validation_failed');
});

test('an assertion for one organization is of no use for another with the same identity provider', async () => {
  const idp = createIdp();
  const [one, other] = [await company({ idp }), await company({ idp })];
  const client = server.auth.client('pkce');
  const [a, b] = [
    (await client.auth.signInWithSSO({ domain: one.domain })).data?.url ?? '',
    (await client.auth.signInWithSSO({ domain: other.domain })).data?.url ?? '',
  ];
  // The response to the request of one organization, with the relay state of the other.
  const mixed = new URL(a);
  mixed.searchParams.set('RelayState', new URL(b).searchParams.get('RelayState') ?? '');
  expect((await answerAs(server, idp, mixed.href, { email: `ada@${one.domain}` })).query.error_code).toBe(
    'validation_failed',
  );
  const { error } = await signIn(other.domain, idp, { email: `ada@${one.domain}` });
  expect(error).toBe('sso_not_allowed');
});

test('a sign-in takes over an existing account only if its address is confirmed', async () => {
  const { domain, idp, id } = await company();
  const known = await server.person(`known@${domain}`);
  const { user } = await signIn(domain, idp, { email: known.email });
  expect(user?.id).toBe(known.id);
  expect(await server.roleOf(id, known.id)).toBe('member');
  const planted = `planted@${domain}`;
  await server.auth.admin().auth.admin.createUser({ email: planted, password, email_confirm: false });
  const other = await signIn(domain, idp, { email: planted });
  const { data } = await server.auth.admin().auth.admin.listUsers({ perPage: 1000 });
  const accounts = data.users.filter(({ email }) => email === planted);
  expect(accounts.map((one) => one.id)).toContain(other.user?.id);
  expect(accounts).toHaveLength(2);
});

test('membership and roles come from the settings, and never change an owner', async () => {
  const { domain, idp, id, change } = await company();
  const member = (email: string, ...groups: string[]) =>
    signIn(domain, idp, { email, attributes: attribute('groups', ...groups) });
  expect((await change({ default_role: 'owner' })).status).toBe(400);
  expect((await change({ group_roles: [{ group: 'Admins', role: 'owner' }] })).status).toBe(400);
  await change({ group_roles: [{ group: 'Admins', role: 'admin' }] });
  const ada = await member(`ada@${domain}`, 'admins', 'Others');
  expect(await server.roleOf(id, ada.user?.id ?? '')).toBe('admin');
  await change({ group_roles: [{ group: 'Others', role: 'member' }] });
  await member(`ada@${domain}`, 'Others');
  expect(await server.roleOf(id, ada.user?.id ?? '')).toBe('member');
  const chief = await server.person(`chief@${domain}`);
  await server.member(id, chief, 'owner');
  await member(chief.email, 'Others');
  expect(await server.roleOf(id, chief.id)).toBe('owner');
  await change({ adds_members: false });
  const bob = await member(`bob@${domain}`);
  expect(bob.error).toBeUndefined();
  expect(await server.roleOf(id, bob.user?.id ?? '')).toBeUndefined();
  // The groups aren't stored with the user.
  expect(JSON.stringify(ada.user)).not.toContain('Others');
});

test('enforced single sign-on rejects other methods, with the same error for everyone but owners', async () => {
  const { domain, idp, id, change } = await company();
  const [ada, chief] = [await server.person(`ada@${domain}`), await server.person(`chief@${domain}`)];
  await server.member(id, ada, 'admin');
  await server.member(id, chief, 'owner');
  expect((await change({ enforced: true }, ada)).status).toBe(403);
  expect(await change({ enforced: true })).toMatchObject({
    status: 200,
    body: { connection: { is_enforced: true } },
  });
  const signInWith = async (email: string, secret: string) =>
    (await server.auth.client().auth.signInWithPassword({ email, password: secret })).error?.code;
  for (const [email, secret] of [
    [ada.email, password],
    [ada.email, 'wrong'],
    [chief.email, 'wrong'],
    [`unknown@${domain}`, password],
  ] as const)
    expect([email, secret, await signInWith(email, secret)]).toEqual([email, secret, 'sso_required']);
  for (const [path, json] of [
    ['/signup', { email: `new@${domain}`, password }],
    ['/otp', { email: chief.email }],
    ['/recover', { email: chief.email }],
  ] as const)
    expect([path, (await server.auth.request(path, { json })).status]).toEqual([path, 422]);
  // The emergency exit, which appears in the history.
  expect(await signInWith(chief.email, password)).toBeUndefined();
  const { body } = await server.call<{ events: object[] }>(chief, `/organizations/${id}/sso`);
  expect(body.events[0]).toMatchObject({ kind: 'emergency_sign_in', user_id: chief.id });
  expect((await signIn(domain, idp, { email: ada.email })).user?.id).toBe(ada.id);
  // A disabled connection remains enforced.
  await change({ disabled: true });
  expect(await signInWith(ada.email, password)).toBe('sso_required');
  expect((await server.auth.client().auth.signInWithSSO({ domain })).error?.code).toBe(
    'sso_provider_disabled',
  );
  expect(await signInWith(chief.email, password)).toBeUndefined();
  await change({ enforced: false });
  expect(await signInWith(ada.email, password)).toBeUndefined();
});

test('single sign-on cannot be enforced if no owner could sign in anymore', async () => {
  const { domain, owner, idp, change } = await company();
  const { data } = await server.auth
    .admin()
    .auth.admin.updateUserById(owner.id, { email: `owner@${domain}` });
  expect(data.user?.email).toBe(`owner@${domain}`);
  const setPassword = (hash: string) =>
    server.auth.database
      .pool('supabase_admin')
      .query(sql`update auth.users set encrypted_password = ${hash} where id = ${owner.id}`);
  await setPassword('');
  expect((await change({ enforced: true })).status).toBe(409);
  await signIn(domain, idp, { email: `owner@${domain}` });
  expect((await change({ enforced: true })).status).toBe(200);
});

test('a sign-in that the identity provider starts only opens the confirmation page', async () => {
  const { idp, domain } = await company();
  const xml = buildAnswer({
    acs: `${server.auth.url}/auth/v1/sso/saml/acs`,
    audience: `${server.auth.url}/auth/v1/sso/saml/metadata`,
    issuer: idp.entityId,
    email: `ada@${domain}`,
  });
  const back = await postAnswer(server.auth, signAnswer(idp, xml, 'Assertion'));
  expect(back.location.pathname).toBe('/account/with');
  expect(await server.auth.visitor().ssoConnection(back.query.sso ?? '')).toBe(domain);
  expect(back.fragment).toEqual({});
});

test('a lost domain ends its sign-ins, also for sign-ins in progress', async () => {
  const { domain, idp, owner, id } = await company();
  const { data } = await server.auth.client('pkce').auth.signInWithSSO({ domain });
  const { body } = await server.call<{ domains: { id: string }[] }>(owner, `/organizations/${id}/sso`);
  await server.call(owner, `/organizations/${id}/domains/${body.domains[0]?.id}`, { method: 'DELETE' });
  const back = await answerAs(server, idp, data?.url ?? '', { email: `ada@${domain}` });
  expect(back.query.error_code).toBe('sso_not_allowed');
  expect((await server.auth.client().auth.signInWithSSO({ domain })).error?.code).toBe(
    'sso_provider_not_found',
  );
});

test('metadata is read only from public addresses with https, and must be complete', async () => {
  const owner = await server.person();
  const id = await server.organization(owner);
  const token = await setupToken(server, owner, id);
  const save = (settings: { metadataUrl?: string; metadataXml?: string }) =>
    server.auth.visitor().changeSetup(token, {
      do: 'save',
      settings: { kind: 'saml', metadataUrl: '', metadataXml: '', ...settings },
    });
  for (const metadataUrl of [
    'http://idp.example/metadata',
    'https://127.0.0.1/metadata',
    'https://localhost/metadata',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/',
    'https://user:secret@idp.example/',
    'file:///etc/passwd',
    'javascript:alert(1)',
  ])
    await expect(save({ metadataUrl }), metadataUrl).rejects.toMatchObject({ status: 400 });
  const xml = createIdp().metadata();
  for (const metadataXml of [
    '',
    'not xml',
    '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><EntityDescriptor>&e;</EntityDescriptor>',
    xml.replace('https://idp.example.com/sso', 'javascript:alert(1)'),
    xml.replace('https://idp.example.com/sso', 'http://idp.example.com/sso'),
    xml.replace(/<KeyDescriptor.*<\/KeyDescriptor>/s, ''),
  ])
    await expect(save({ metadataXml }), metadataXml.slice(0, 40)).rejects.toMatchObject({ status: 400 });
  server.internet.serve('idp.example/metadata', () => ({ type: 'application/xml', text: xml }));
  await save({ metadataUrl: 'https://idp.example/metadata' });
});

test('without organizations, nothing of this exists', async () => {
  const { domain, owner, id, token } = await company();
  await server.auth.configure({ account: { organizations: false } });
  try {
    expect((await server.auth.client().auth.signInWithSSO({ domain })).error?.code).toBe(
      'saml_provider_disabled',
    );
    expect((await server.call(owner, `/organizations/${id}/sso`)).status).toBe(404);
    expect((await server.call(owner, '/organizations/available')).status).toBe(404);
    await expect(server.auth.visitor().readSetup(token)).rejects.toMatchObject({ code: 'feature_disabled' });
    expect((await fetch(`${server.auth.url}/scim/v2/${id}/Users`)).status).toBe(404);
  } finally {
    await server.auth.configure({ account: { organizations: true } });
  }
});
