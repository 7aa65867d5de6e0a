/** Tests who can join an organization because of an email domain, and who can't. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sql, sql } from '../../../src/base/kernel/sql.ts';
import { newDomain, type Person, password, type SsoServer, setupToken, startSso, unique } from './harness.ts';

let server: SsoServer;
beforeAll(async () => {
  server = await startSso({ mfa: { totp: { enroll_enabled: true, verify_enabled: true } } });
});
afterAll(() => server?.stop());

const db = () => server.auth.database.pool('supabase_admin');

interface Available {
  readonly id: string;
  readonly name: string;
  readonly domain: string;
  readonly policy: string;
  readonly requested: boolean;
}

const available = async (person: Person) =>
  (await server.call<{ organizations: Available[] }>(person, '/organizations/available')).body.organizations;
const join = (person: Person, id: string) =>
  server.call<{ result?: string; error_code?: string }>(person, `/organizations/${id}/join`, {
    method: 'POST',
  });
const refused = { status: 403, body: { error_code: 'no_authorization' } };

/** An organization with a verified domain, which users can join. */
async function company(policy: 'join' | 'request' = 'join') {
  const owner = await server.person();
  const id = await server.organization(owner);
  const domain = newDomain();
  const domainId = await server.verify(owner, id, domain);
  const set = (json: object) =>
    server.call(owner, `/organizations/${id}/domains/${domainId}`, { method: 'PATCH', json });
  await set({ join_policy: policy });
  const employee = () => server.person(`${unique('employee')}@${domain}`);
  const requests = async () =>
    (
      await db().query<{ user_id: string }>(
        sql`select user_id::text from public.organization_join_requests where organization_id = ${id}`,
      )
    ).map((row) => row.user_id);
  const history = async () => {
    const { body } = await server.call<{
      events: { kind: string; user_id: string | null; email: string | null }[];
    }>(owner, `/organizations/${id}/sso`);
    return body.events;
  };
  return { owner, id, domain, domainId, set, employee, requests, history };
}

/** Removes a member as a member who manages the organization does, over the database with row level security. */
async function remove(by: Person, organizationId: string, userId: string): Promise<void> {
  await db().transaction(
    (tx) =>
      tx.query(sql`
        delete from public.organization_memberships
        where organization_id = ${organizationId} and user_id = ${userId}`),
    {
      settings: [
        ['role', 'authenticated'],
        ['request.jwt.claims', JSON.stringify({ sub: by.id, role: 'authenticated', aal: 'aal1' })],
      ],
    },
  );
}

test('joining twice, also at the same time, adds one member and one entry to the history', async () => {
  const { id, employee, history } = await company();
  const ada = await employee();
  const answers = await Promise.all([join(ada, id), join(ada, id), join(ada, id)]);
  expect(answers.map(({ status, body }) => [status, body.result])).toEqual(Array(3).fill([200, 'joined']));
  expect(await server.roleOf(id, ada.id)).toBe('member');
  const added = (await history()).filter(({ kind }) => kind === 'member_added');
  expect(added).toMatchObject([{ user_id: ada.id, email: ada.email }]);
});

test('a request is shown as sent, and answered when the user becomes a member', async () => {
  const { id, domain, employee, requests, set } = await company('request');
  const ada = await employee();
  expect(await available(ada)).toMatchObject([{ id, domain, policy: 'request', requested: false }]);
  expect((await join(ada, id)).body.result).toBe('requested');
  expect((await join(ada, id)).body.result).toBe('requested');
  expect(await requests()).toEqual([ada.id]);
  expect(await available(ada)).toMatchObject([{ policy: 'request', requested: true }]);
  await set({ join_policy: 'join' });
  expect((await join(ada, id)).body.result).toBe('joined');
  expect(await requests()).toEqual([]);
});

test('an address that is not confirmed, or that has changed, gives no access', async () => {
  const { id, employee } = await company();
  const [unconfirmed, changed] = [await employee(), await employee()];
  expect(await available(unconfirmed)).toHaveLength(1);
  await db().query(sql`update auth.users set email_confirmed_at = null where id = ${unconfirmed.id}`);
  await db().query(
    sql`update auth.users set email = ${`${changed.id}@mail.example`} where id = ${changed.id}`,
  );
  for (const person of [unconfirmed, changed]) {
    expect(await available(person)).toEqual([]);
    expect(await join(person, id)).toMatchObject(refused);
    expect(await server.roleOf(id, person.id)).toBeUndefined();
  }
});

test('a change of the address, the domain or the session that comes first wins', async () => {
  const { id, domainId, employee, owner, set } = await company();
  const races: Readonly<Record<string, (userId: string) => Sql>> = {
    address: (userId) => sql`update auth.users set email = ${`${userId}@mail.example`} where id = ${userId}`,
    session: (userId) => sql`delete from auth.sessions where user_id = ${userId}`,
  };
  for (const [name, statement] of Object.entries(races)) {
    const person = await employee();
    const { sent } = await db().transaction(async (tx) => {
      await tx.query(sql`select from auth.users where id = ${person.id} for update`);
      const response = join(person, id);
      await expect
        .poll(
          async () =>
            (
              await db().query(sql`
              select from pg_stat_activity
              where datname = current_database() and usename = 'supabase_auth_admin' and wait_event_type = 'Lock'`)
            ).length,
        )
        .toBe(1);
      await tx.query(statement(person.id));
      return { sent: response };
    });
    expect([name, (await sent).status]).toEqual([name, 403]);
    expect(await server.roleOf(id, person.id)).toBeUndefined();
  }
  const late = await employee();
  await set({ join_policy: 'never' });
  expect(await join(late, id)).toMatchObject(refused);
  await server.call(owner, `/organizations/${id}/domains/${domainId}`, { method: 'DELETE' });
  expect(await join(late, id)).toMatchObject(refused);
});

test('a member whom someone removed asks to join, and one who left joins again', async () => {
  const { id, owner, employee, requests } = await company();
  const [removed, left] = [await employee(), await employee()];
  for (const person of [removed, left]) expect((await join(person, id)).body.result).toBe('joined');
  await remove(owner, id, removed.id);
  await remove(left, id, left.id);
  expect(await server.roleOf(id, removed.id)).toBeUndefined();
  expect(await available(left)).toMatchObject([{ policy: 'join' }]);
  expect((await join(left, id)).body.result).toBe('joined');
  expect(await available(removed)).toMatchObject([{ policy: 'request', requested: false }]);
  expect((await join(removed, id)).body.result).toBe('requested');
  expect(await server.roleOf(id, removed.id)).toBeUndefined();
  expect(await requests()).toEqual([removed.id]);
  // Someone who manages the organization has decided again.
  await server.member(id, removed);
  await remove(removed, id, removed.id);
  expect(await available(removed)).toMatchObject([{ policy: 'join' }]);
});

test('users and organizations with removed members can be deleted', async () => {
  const { id, owner, employee } = await company();
  const [ada, bob] = [await employee(), await employee()];
  for (const person of [ada, bob]) await join(person, id);
  await remove(owner, id, ada.id);
  for (const { id: user } of [ada, bob])
    expect((await server.auth.admin().auth.admin.deleteUser(user)).error).toBeNull();
  await db().query(sql`delete from public.organizations where id = ${id}`);
  expect(await db().query(sql`select from org.removed_members where organization_id = ${id}`)).toEqual([]);
});

test('without the function of the migration, removed members join again', async () => {
  const { id, owner, employee } = await company();
  const ada = await employee();
  await join(ada, id);
  await remove(owner, id, ada.id);
  await db().query(sql`alter function org.was_removed(uuid, uuid) rename to was_removed_before`);
  try {
    expect(await available(ada)).toMatchObject([{ policy: 'join' }]);
  } finally {
    await db().query(sql`alter function org.was_removed_before(uuid, uuid) rename to was_removed`);
  }
});

test('a user whom SCIM has removed can neither join nor ask', async () => {
  const { id, owner, domain, requests } = await company();
  const link = await setupToken(server, owner, id);
  const { token = '' } = await server.auth.visitor().changeSetup(link, { do: 'create-token' });
  const scim = async (method: string, path: string, json?: object) => {
    const response = await fetch(`${server.auth.url}/scim/v2/${id}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const text = await response.text();
    return (text === '' ? {} : JSON.parse(text)) as { id: string };
  };
  const signIn = async (email: string, userId: string): Promise<Person> => {
    const signedIn = await server.auth.client().auth.signInWithPassword({ email, password });
    return { id: userId, email, token: signedIn.data.session?.access_token ?? '' };
  };
  for (const way of ['deactivated', 'deleted']) {
    const email = `${way}@${domain}`;
    const { id: userId } = await server.person(email);
    const created = await scim('POST', '/Users', {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName: email,
      active: true,
    });
    expect(await server.roleOf(id, userId)).toBe('member');
    const body = {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'replace', path: 'active', value: false }],
    };
    await (way === 'deleted'
      ? scim('DELETE', `/Users/${created.id}`)
      : scim('PATCH', `/Users/${created.id}`, body));
    // The account remains, so the password still works.
    const person = await signIn(email, userId);
    expect([way, await available(person)]).toEqual([way, []]);
    expect(await join(person, id)).toMatchObject(refused);
    expect(await server.roleOf(id, userId)).toBeUndefined();
  }
  expect(await requests()).toEqual([]);
});

test('an account of another connection has not proved its address', async () => {
  const { id, employee } = await company();
  const [connection] = await db().query<{ id: string }>(sql`
    insert into _plinth.organization_connections (organization_id) values (${id}) returning id::text`);
  const become = async (provider: string): Promise<Person> => {
    const person = await employee();
    await db().query(sql`update auth.users set is_sso_user = true where id = ${person.id}`);
    await db().query(sql`
      update auth.identities set provider = ${provider}, provider_id = ${person.email}
      where user_id = ${person.id}`);
    return person;
  };
  const stranger = await become(`sso:${crypto.randomUUID()}`);
  expect(await available(stranger)).toEqual([]);
  expect(await join(stranger, id)).toMatchObject(refused);
  const own = await become(`sso:${connection?.id}`);
  expect((await join(own, id)).body.result).toBe('joined');
});

test('a session that has not used the second factor can’t join', async () => {
  const { id, employee } = await company();
  const ada = await employee();
  await db().query(sql`
    insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at, secret)
    values (gen_random_uuid(), ${ada.id}, 'totp', 'verified', now(), now(), 'secret')`);
  expect(await join(ada, id)).toMatchObject({ status: 403, body: { error_code: 'insufficient_aal' } });
  expect(await server.roleOf(id, ada.id)).toBeUndefined();
});

test('unknown, foreign and malformed IDs have the same response', async () => {
  const [one, other] = [await company(), await company()];
  const ada = await one.employee();
  for (const id of [other.id, crypto.randomUUID(), 'x', '%00'])
    expect([id, await join(ada, id)]).toMatchObject([id, refused]);
  expect((await server.auth.request('/organizations/available')).status).toBe(401);
});

test('a role that was deleted since is replaced by the role of members', async () => {
  const { id, set, employee } = await company();
  await db().query(sql`
    insert into public.organization_roles (organization_id, key, name, rank) values (${id}, 'guide', 'Guide', 20)`);
  await set({ join_role: 'guide' });
  await db().query(
    sql`delete from public.organization_roles where organization_id = ${id} and key = 'guide'`,
  );
  const ada = await employee();
  expect((await join(ada, id)).body.result).toBe('joined');
  expect(await server.roleOf(id, ada.id)).toBe('member');
});

test('users can’t read or change who was removed', async () => {
  const { id, owner, employee } = await company();
  const ada = await employee();
  await join(ada, id);
  await remove(owner, id, ada.id);
  const asUser = (query: Sql) =>
    db().transaction((tx) => tx.query(query), {
      settings: [
        ['role', 'authenticated'],
        ['request.jwt.claims', JSON.stringify({ sub: ada.id, role: 'authenticated' })],
      ],
    });
  for (const query of [
    sql`delete from org.removed_members`,
    sql`select from org.removed_members`,
    sql`select org.was_removed(${id}, ${ada.id})`,
  ])
    await expect(asUser(query)).rejects.toMatchObject({ code: '42501' });
});

test('the history shows addresses only of the domains that the organization holds', async () => {
  const { id, employee, history } = await company();
  const ada = await employee();
  await join(ada, id);
  const added = async () => (await history()).find(({ kind }) => kind === 'member_added');
  expect(await added()).toMatchObject({ user_id: ada.id, email: ada.email });
  // A former member uses another address now.
  await db().query(sql`update auth.users set email = ${`${ada.id}@mail.example`} where id = ${ada.id}`);
  expect(await added()).toMatchObject({ user_id: ada.id, email: null });
  await db().query(sql`
    update auth.users set email = ${ada.email}, email_confirmed_at = null where id = ${ada.id}`);
  expect(await added()).toMatchObject({ email: null });
});
