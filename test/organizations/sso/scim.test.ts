/** Tests SCIM 2.0 with the requests that Okta and Entra ID send, and what a token of one organization can't reach. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../src/base/kernel/sql.ts';
import {
  answerAs,
  createIdp,
  newDomain,
  type Person,
  password,
  type SsoServer,
  setupToken,
  startSso,
} from './harness.ts';

let server: SsoServer;
beforeAll(async () => {
  server = await startSso();
});
afterAll(() => server?.stop());

type Resource = Record<string, unknown> & { id: string; meta: { version: string; location: string } };
interface List {
  readonly totalResults: number;
  readonly startIndex: number;
  readonly itemsPerPage: number;
  readonly Resources: readonly Resource[];
}

const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

async function company() {
  const owner = await server.person();
  const id = await server.organization(owner);
  const domain = newDomain();
  await server.verify(owner, id, domain);
  const link = await setupToken(server, owner, id);
  const { token = '' } = await server.auth.visitor().changeSetup(link, { do: 'create-token' });
  const scim = async <T = Resource>(
    method: string,
    path: string,
    json?: unknown,
    headers: Record<string, string> = {},
  ) => {
    const response = await fetch(`${server.auth.url}/scim/v2/${id}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json', ...headers },
      ...(json === undefined ? {} : { body: typeof json === 'string' ? json : JSON.stringify(json) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? {} : JSON.parse(text)) as T,
    };
  };
  const create = (name: string, more: object = {}) =>
    scim('POST', '/Users', {
      schemas: [userSchema],
      userName: `${name}@${domain}`,
      externalId: `ext-${name}`,
      name: { givenName: name, familyName: 'Test' },
      emails: [{ primary: true, type: 'work', value: `${name}@${domain}` }],
      active: true,
      ...more,
    });
  const patch = (path: string, ...Operations: object[]) =>
    scim('PATCH', path, { schemas: [patchSchema], Operations });
  return { owner, id, domain, link, token, scim, create, patch };
}

const accountOf = async (email: string): Promise<string> => {
  const [row] = await server.auth.database
    .pool('supabase_admin')
    .query<{ id: string }>(sql`select id::text from auth.users where email = ${email}`);
  return row?.id ?? '';
};

/** Signs in with a password that an operator has set. */
async function session(email: string): Promise<Person & { refreshToken: string }> {
  const id = await accountOf(email);
  await server.auth.admin().auth.admin.updateUserById(id, { password });
  const { data, error } = await server.auth.client().auth.signInWithPassword({ email, password });
  if (error) throw error;
  return { id, email, token: data.session.access_token, refreshToken: data.session.refresh_token };
}

test('users are created, found, changed and removed', async () => {
  const { scim, create, id, domain } = await company();
  const made = await create('ada', {
    [enterprise]: { department: 'Engines' },
    unknownAttribute: 1,
    password: 'x',
  });
  expect(made.status).toBe(201);
  expect(made.headers.get('content-type')).toMatch(/^application\/scim\+json/);
  expect(made.headers.get('location')).toBe(made.body.meta.location);
  expect(made.headers.get('etag')).toBe(made.body.meta.version);
  expect(made.body).toEqual({
    schemas: [userSchema, enterprise],
    id: expect.any(String),
    externalId: 'ext-ada',
    userName: `ada@${domain}`,
    name: { givenName: 'ada', familyName: 'Test' },
    emails: [{ primary: true, type: 'work', value: `ada@${domain}` }],
    active: true,
    [enterprise]: { department: 'Engines' },
    meta: {
      resourceType: 'User',
      created: expect.any(String),
      lastModified: expect.any(String),
      location: `${server.auth.url}/scim/v2/${id}/Users/${made.body.id}`,
      version: 'W/"1"',
    },
  });
  const account = await accountOf(`ada@${domain}`);
  expect(await server.roleOf(id, account)).toBe('member');
  for (const filter of [
    `userName eq "ADA@${domain}"`,
    'externalId eq "ext-ada"',
    `emails[type eq "work" and value eq "ada@${domain}"]`,
    `userName sw "ada" and active eq true`,
    `not (userName eq "x") and name.familyName co "est"`,
    `(emails.value ew "${domain}") or (title pr)`,
    `${enterprise}:department eq "engines"`,
  ]) {
    const { body } = await scim<List>('GET', `/Users?filter=${encodeURIComponent(filter)}`);
    expect([filter, body.totalResults]).toEqual([filter, 1]);
  }
  for (const filter of ['userName eq "unknown"', 'externalId eq "EXT-ada"', 'active eq false', 'title pr'])
    expect((await scim<List>('GET', `/Users?filter=${encodeURIComponent(filter)}`)).body).toMatchObject({
      totalResults: 0,
      Resources: [],
    });
  for (const filter of [
    'userName',
    'userName eq',
    'userName xx "a"',
    '((',
    '"a',
    `${'('.repeat(50)}a pr${')'.repeat(50)}`,
  ])
    expect((await scim('GET', `/Users?filter=${encodeURIComponent(filter)}`)).body).toMatchObject({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: '400',
      scimType: 'invalidFilter',
    });
  const path = `/Users/${made.body.id}`;
  const put = await scim('PUT', path, { userName: `ada@${domain}`, title: 'Lead', active: true });
  expect(put).toMatchObject({ status: 200, body: { title: 'Lead', meta: { version: 'W/"2"' } } });
  expect(put.body).not.toHaveProperty('name');
  expect((await scim('DELETE', path)).status).toBe(204);
  expect((await scim('GET', path)).status).toBe(404);
  expect(await server.roleOf(id, account)).toBeUndefined();
  // The account remains, and the identity provider can add the user again.
  expect(await accountOf(`ada@${domain}`)).toBe(account);
  expect((await create('ada')).status).toBe(201);
  expect(await server.roleOf(id, account)).toBe('member');
});

test('lists have pages', async () => {
  const { scim, create } = await company();
  for (const name of ['a', 'b', 'c']) await create(name);
  const page = async (query: string) => (await scim<List>('GET', `/Users?${query}`)).body;
  expect(await page('startIndex=2&count=1')).toMatchObject({
    totalResults: 3,
    startIndex: 2,
    itemsPerPage: 1,
  });
  expect(await page('startIndex=0&count=-1')).toMatchObject({
    totalResults: 3,
    startIndex: 1,
    itemsPerPage: 0,
  });
  expect(await page(`filter=${encodeURIComponent('active eq true')}&startIndex=3`)).toMatchObject({
    totalResults: 3,
    startIndex: 3,
    itemsPerPage: 1,
  });
  expect((await scim('GET', '/Users?count=many')).status).toBe(400);
  const [short] = (await page('attributes=userName&count=1')).Resources;
  expect(Object.keys(short ?? {}).sort()).toEqual(['id', 'meta', 'schemas', 'userName']);
});

test('changes of Entra ID and Okta are understood', async () => {
  const { scim, create, patch, domain } = await company();
  const { body: user } = await create('ada');
  const path = `/Users/${user.id}`;
  // Entra ID: operations in any case, booleans as strings, and paths with filters for values that don't exist yet.
  const entra = await patch(
    path,
    { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+15550100' },
    { op: 'Replace', path: 'emails[type eq "work"].value', value: `ada.new@${domain}` },
    { op: 'Replace', path: 'name.givenName', value: 'Augusta' },
    { op: 'Add', path: `${enterprise}:department`, value: 'Research' },
    { op: 'Replace', path: 'active', value: 'True' },
    {
      op: 'Add',
      value: { displayName: 'Ada L.', 'name.familyName': 'Lovelace', [`${enterprise}:division`]: 'North' },
    },
    { op: 'Replace', path: 'addresses[type eq "work"].locality', value: 'London' },
  );
  expect(entra).toMatchObject({
    status: 200,
    body: {
      displayName: 'Ada L.',
      active: true,
      name: { givenName: 'Augusta', familyName: 'Lovelace' },
      phoneNumbers: [{ type: 'mobile', value: '+15550100' }],
      emails: [{ type: 'work', value: `ada.new@${domain}`, primary: true }],
      [enterprise]: { department: 'Research', division: 'North' },
    },
  });
  // Okta: an operation without a path.
  const okta = await patch(path, { op: 'replace', value: { active: false } });
  expect(okta.body.active).toBe(false);
  expect((await patch(path, { op: 'replace', value: { active: true } })).body.active).toBe(true);
  const removed = await patch(
    path,
    { op: 'remove', path: 'phoneNumbers[type eq "mobile"]' },
    { op: 'Remove', path: 'displayName' },
  );
  expect(removed.body).not.toHaveProperty('phoneNumbers');
  expect(removed.body).not.toHaveProperty('displayName');
  for (const [operation, scimType] of [
    [{ op: 'swap', path: 'title' }, 'invalidSyntax'],
    [{ op: 'remove' }, 'noTarget'],
    [{ op: 'replace', path: 'emails[', value: 'x' }, 'invalidPath'],
    [{ op: 'replace', path: 'active', value: 'maybe' }, 'invalidValue'],
    [{ op: 'remove', path: 'userName' }, 'invalidValue'],
    [{ op: 'add', value: 'text' }, 'invalidValue'],
    [{ op: 'replace', path: 'emails[value co "nothing"].display', value: 'x' }, 'noTarget'],
  ] as const)
    expect([operation, (await patch(path, operation)).body]).toMatchObject([
      operation,
      { status: '400', scimType },
    ]);
  expect((await scim('PATCH', path, '{"Operations": [')).body).toMatchObject({ scimType: 'invalidSyntax' });
  const stale = await scim('PUT', path, { userName: `ada@${domain}` }, { 'if-match': 'W/"1"' });
  expect(stale.status).toBe(412);
});

test('deactivating a user ends all sessions and the membership, and the user cannot return with SSO', async () => {
  const { create, patch, id, domain, scim, link } = await company();
  const idp = createIdp();
  const visitor = server.auth.visitor();
  await visitor.changeSetup(link, {
    do: 'save',
    settings: { kind: 'saml', metadataUrl: '', metadataXml: idp.metadata() },
  });
  const { open = '' } = await visitor.changeSetup(link, { do: 'test' });
  await answerAs(server, idp, open, { email: `t@${domain}` });
  await visitor.changeSetup(link, { do: 'activate' });
  const { body: user } = await create('ada');
  const email = `ada@${domain}`;
  const signIn = async () => {
    const client = server.auth.client('pkce');
    const { data } = await client.auth.signInWithSSO({ domain });
    const back = await answerAs(server, idp, data?.url ?? '', { email, nameId: 'ada' });
    if (back.query.code === undefined) return back.query.error_code;
    return (await client.auth.exchangeCodeForSession(back.query.code)).data.user?.id;
  };
  const account = await accountOf(email);
  expect(await signIn()).toBe(account);
  const [one, two] = [await session(email), await session(email)];
  // A code that isn't exchanged yet.
  const pending = server.auth.client('pkce');
  const { data } = await pending.auth.signInWithSSO({ domain });
  const back = await answerAs(server, idp, data?.url ?? '', { email, nameId: 'ada' });
  expect(
    (await patch(`/Users/${user.id}`, { op: 'Replace', path: 'active', value: 'False' })).body.active,
  ).toBe(false);
  for (const { token, refreshToken } of [one, two]) {
    expect((await server.auth.request('/user', { token })).status).toBe(403);
    const refreshed = await server.auth.request('/token?grant_type=refresh_token', {
      json: { refresh_token: refreshToken },
    });
    expect(refreshed.status).toBe(400);
  }
  expect((await pending.auth.exchangeCodeForSession(back.query.code ?? '')).error).not.toBeNull();
  expect(await server.roleOf(id, account)).toBeUndefined();
  expect(await signIn()).toBe('sso_not_allowed');
  await patch(`/Users/${user.id}`, { op: 'replace', path: 'active', value: true });
  expect(await signIn()).toBe(account);
  await scim('DELETE', `/Users/${user.id}`);
  expect(await signIn()).toBe('sso_not_allowed');
  const { body } = await server.call<{ events: { kind: string }[] }>(
    await ownerOf(id),
    `/organizations/${id}/sso`,
  );
  expect(body.events.map(({ kind }) => kind).slice(0, 3)).toEqual([
    'member_removed',
    'member_added',
    'member_removed',
  ]);
});

async function ownerOf(organizationId: string): Promise<Person> {
  const person = await server.person();
  await server.member(organizationId, person, 'owner');
  return person;
}

test('the only owner remains a member, but the sessions end', async () => {
  const { create, patch, id, domain, owner } = await company();
  await server.auth.admin().auth.admin.updateUserById(owner.id, { email: `owner@${domain}` });
  const { body: user } = await create('owner');
  const current = await session(`owner@${domain}`);
  const result = await patch(`/Users/${user.id}`, { op: 'replace', path: 'active', value: false });
  expect(result).toMatchObject({ status: 409 });
  expect(await server.roleOf(id, owner.id)).toBe('owner');
  expect((await server.auth.request('/user', { token: current.token })).status).toBe(403);
});

test('groups give roles below owner', async () => {
  const { create, patch, scim, id, domain, owner, link } = await company();
  await server.auth.visitor().changeSetup(link, {
    do: 'save',
    settings: { kind: 'saml', metadataUrl: '', metadataXml: createIdp().metadata() },
  });
  const rules = { group_roles: [{ group: 'Plinth Admins', role: 'admin' }] };
  expect(
    (await server.call(owner, `/organizations/${id}/sso`, { method: 'PATCH', json: rules })).status,
  ).toBe(200);
  const [ada, bob] = [(await create('ada')).body, (await create('bob')).body];
  const role = async (name: string) => server.roleOf(id, await accountOf(`${name}@${domain}`));
  const group = await scim('POST', '/Groups', { displayName: 'Plinth Admins', members: [{ value: ada.id }] });
  expect(group).toMatchObject({
    status: 201,
    body: {
      displayName: 'Plinth Admins',
      members: [{ value: ada.id, display: `ada@${domain}`, type: 'User' }],
    },
  });
  expect([await role('ada'), await role('bob')]).toEqual(['admin', 'member']);
  expect((await scim('GET', `/Users/${ada.id}`)).body.groups).toEqual([
    { value: group.body.id, display: 'Plinth Admins' },
  ]);
  const path = `/Groups/${group.body.id}`;
  await patch(path, { op: 'Add', path: 'members', value: [{ value: bob.id }] });
  expect([await role('ada'), await role('bob')]).toEqual(['admin', 'admin']);
  await patch(path, { op: 'Remove', path: 'members', value: [{ value: ada.id }] });
  await patch(path, { op: 'remove', path: `members[value eq "${bob.id}"]` });
  expect([await role('ada'), await role('bob')]).toEqual(['member', 'member']);
  await server.member(id, await server.person(`chief@${domain}`), 'owner');
  const { body: chief } = await create('chief');
  await patch(path, { op: 'add', path: 'members', value: [{ value: chief.id }, { value: ada.id }] });
  expect([await role('chief'), await role('ada')]).toEqual(['owner', 'admin']);
  const found = await scim<List>(
    'GET',
    `/Groups?excludedAttributes=members&filter=${encodeURIComponent('displayName eq "plinth admins"')}`,
  );
  expect(found.body).toMatchObject({ totalResults: 1, Resources: [{ id: group.body.id }] });
  expect(found.body.Resources[0]).not.toHaveProperty('members');
  expect((await scim('POST', '/Groups', { displayName: 'PLINTH admins' })).body).toMatchObject({
    scimType: 'uniqueness',
  });
  expect(
    (await scim('POST', '/Groups', { displayName: 'X', members: [{ value: crypto.randomUUID() }] })).status,
  ).toBe(400);
  expect((await scim('DELETE', path)).status).toBe(204);
  expect([await role('chief'), await role('ada')]).toEqual(['owner', 'member']);
});

test('a user needs an address in a verified domain, and names are unique', async () => {
  const { create, scim, domain, patch } = await company();
  const other = await company();
  for (const value of [`eve@${other.domain}`, 'eve@gmail.com', 'no address', `eve@sub.${domain}`]) {
    const { status, body } = await create('eve', { userName: value, emails: [{ value, primary: true }] });
    expect([value, status, body.scimType]).toEqual([value, 400, 'invalidValue']);
  }
  // The address decides, not the user name.
  const victim = await server.person(`victim@${other.domain}`);
  await create('x', { userName: victim.email });
  expect(await server.roleOf(other.id, victim.id)).toBeUndefined();
  const { body: ada } = await create('ada');
  expect(await create('ADA')).toMatchObject({ status: 409, body: { scimType: 'uniqueness' } });
  expect(await create('other', { emails: [{ value: `ada@${domain}` }] })).toMatchObject({ status: 409 });
  const { body: bob } = await create('bob');
  expect(
    (await patch(`/Users/${bob.id}`, { op: 'replace', path: 'userName', value: `ada@${domain}` })).status,
  ).toBe(409);
  const moved = await patch(`/Users/${ada.id}`, {
    op: 'replace',
    path: 'emails',
    value: [{ value: victim.email }],
  });
  expect(moved.status).toBe(400);
  expect((await scim('POST', '/Users', {})).body).toMatchObject({ scimType: 'invalidValue' });
  expect((await scim('POST', '/Users', '[]')).body).toMatchObject({ scimType: 'invalidSyntax' });
  expect((await create('nul', { title: 'a\u0000b' })).status).toBe(400);
  expect((await create('long', { title: 'a'.repeat(5000) })).status).toBe(400);
});

test('SCIM takes over an existing account only if its address is confirmed', async () => {
  const { create, id, domain } = await company();
  const known = await server.person(`known@${domain}`);
  expect((await create('known')).status).toBe(201);
  expect(await server.roleOf(id, known.id)).toBe('member');
  await server.auth
    .admin()
    .auth.admin.createUser({ email: `planted@${domain}`, password, email_confirm: false });
  expect(await create('planted')).toMatchObject({ status: 409 });
  expect(await server.roleOf(id, await accountOf(`planted@${domain}`))).toBeUndefined();
});

test('a token works only for its organization, until it is revoked', async () => {
  const [one, other] = [await company(), await company()];
  const { body: user } = await one.create('ada');
  const ask = (organization: string, token: string, path = '/Users') =>
    fetch(`${server.auth.url}/scim/v2/${organization}${path}`, {
      headers: { authorization: `Bearer ${token}` },
    });
  for (const [organization, token] of [
    [one.id, other.token],
    [one.id, one.token.slice(0, -1)],
    [one.id, server.auth.keys.serviceRoleKey],
    [one.id, one.owner.token],
    [crypto.randomUUID(), one.token],
    ['not-an-id', one.token],
  ] as const) {
    const response = await ask(organization, token);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(await response.json()).toMatchObject({ status: '401', detail: expect.any(String) });
  }
  // The user of another organization doesn't exist here.
  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'])
    expect((await other.scim(method, `/Users/${user.id}`, method === 'GET' ? undefined : {})).status).toBe(
      404,
    );
  expect(
    (await other.scim('POST', '/Groups', { displayName: 'A', members: [{ value: user.id }] })).status,
  ).toBe(400);
  expect((await other.scim<List>('GET', '/Users')).body.totalResults).toBe(0);
  // The database contains no token.
  const rows = await server.auth.database
    .pool('supabase_admin')
    .query<{ all: string }>(sql`select to_jsonb(t)::text as all from _plinth.scim_tokens t`);
  expect(rows.some((row) => row.all.includes(one.token))).toBe(false);
  const visitor = server.auth.visitor();
  const second = await visitor.changeSetup(one.link, { do: 'create-token' });
  await expect(visitor.changeSetup(one.link, { do: 'create-token' })).rejects.toMatchObject({
    code: 'validation_failed',
  });
  const { scim_tokens: [first] = [] } = await visitor.readSetup(one.link);
  // The link of another organization can't revoke it.
  await visitor.changeSetup(other.link, { do: 'revoke-token', tokenId: first?.id ?? '' });
  expect((await ask(one.id, one.token)).status).toBe(200);
  await visitor.changeSetup(one.link, { do: 'revoke-token', tokenId: first?.id ?? '' });
  expect((await ask(one.id, one.token)).status).toBe(401);
  expect((await ask(one.id, second.token ?? '')).status).toBe(200);
});

test('only an owner revokes a token of the own organization', async () => {
  const [one, other] = [await company(), await company()];
  const admin = await server.person();
  await server.member(one.id, admin, 'admin');
  const read = await server.call<{ scim_tokens: { id: string }[] }>(
    one.owner,
    `/organizations/${one.id}/sso`,
  );
  const [token] = read.body.scim_tokens;
  const revoke = (person: Person, organization: string) =>
    server.call(person, `/organizations/${organization}/scim-tokens/${token?.id}`, { method: 'DELETE' });
  expect((await revoke(admin, one.id)).status).toBe(403);
  await revoke(other.owner, other.id);
  expect((await one.scim<List>('GET', '/Users')).status).toBe(200);
  expect((await revoke(one.owner, one.id)).status).toBe(204);
  expect((await one.scim<List>('GET', '/Users')).status).toBe(401);
});

test('the service describes itself', async () => {
  const { scim } = await company();
  expect((await scim('GET', '/ServiceProviderConfig')).body).toMatchObject({
    patch: { supported: true },
    bulk: { supported: false },
    filter: { supported: true, maxResults: 200 },
  });
  const { body: schemas } = await scim<List>('GET', '/Schemas');
  expect(schemas.Resources.map(({ id }) => id)).toEqual([
    userSchema,
    'urn:ietf:params:scim:schemas:core:2.0:Group',
    enterprise,
  ]);
  expect((await scim('GET', `/Schemas/${userSchema}`)).status).toBe(200);
  expect((await scim<List>('GET', '/ResourceTypes')).body.totalResults).toBe(2);
  expect((await scim('GET', '/ResourceTypes/User')).body).toMatchObject({ endpoint: '/Users' });
  expect((await scim('GET', '/Schemas/other')).status).toBe(404);
  expect((await scim('GET', '/Bulk')).body).toMatchObject({ status: '404' });
  expect((await scim('POST', '/Schemas', {})).body).toMatchObject({ status: '405' });
});

test('the tables can have more columns and triggers, which run with the role of the secret key', async () => {
  const db = server.auth.database.pool('postgres');
  await db.exec(`
    alter table public.organization_memberships add column note text default 'x';
    create table public.seen_roles (role text);
    grant insert on public.seen_roles to service_role;
    create function public.see_role() returns trigger language plpgsql as
      $$ begin insert into public.seen_roles values (current_user); return new; end $$;
    create trigger see_role after insert on public.organization_memberships
      for each row execute function public.see_role();`);
  try {
    const { create } = await company();
    await db.exec('truncate public.seen_roles');
    expect((await create('ada')).status).toBe(201);
    expect(await db.query(sql`select role from public.seen_roles`)).toEqual([{ role: 'service_role' }]);
  } finally {
    await db.exec('drop trigger see_role on public.organization_memberships');
  }
});

test('deleting a user deletes what SCIM knows', async () => {
  const { create, domain, scim } = await company();
  await create('ada', { title: 'Secret title' });
  const account = await accountOf(`ada@${domain}`);
  await server.auth.admin().auth.admin.deleteUser(account);
  expect((await scim<List>('GET', '/Users')).body.totalResults).toBe(0);
});
