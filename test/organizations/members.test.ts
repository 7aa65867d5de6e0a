/** Every role against the tables and functions of organizations, with the stock client. */
import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type OrganizationServer, type Person, startOrganizations, uniqueName } from './harness.ts';

let server: OrganizationServer & { stop(): Promise<void> };
beforeAll(async () => {
  server = await startOrganizations();
});
afterAll(() => server?.stop());

const missing = '00000000-0000-4000-8000-000000000000';

/** The roles in the columns of the tables below. `manager` is a custom role with the rank 60. */
const roles = ['owner', 'manager', 'admin', 'member', 'stranger', 'visitor'] as const;
type Role = (typeof roles)[number];

interface Fixture {
  readonly id: string;
  readonly people: Readonly<Record<Exclude<Role, 'visitor'>, Person>>;
  /** Another member, an invitation by link and a request, which the callers change. */
  readonly target: Person;
  readonly invitationId: string;
  readonly requestId: string;
  client(role: Role): SupabaseClient;
}

/** The users, who belong to the organizations of all fixtures. */
let people: Fixture['people'];
let others: { readonly target: Person; readonly asking: Person };
let visitor: SupabaseClient;
beforeAll(async () => {
  const names = ['owner', 'manager', 'admin', 'member', 'stranger', 'target', 'asking'] as const;
  const found: Record<string, Person> = {};
  for (const name of names) found[name] = await server.person();
  const { target, asking, ...callers } = found;
  people = callers as Fixture['people'];
  others = { target, asking } as typeof others;
  visitor = server.visitor();
});

/** Creates an organization with a custom role, all members, an invitation and a request. */
async function fixture(): Promise<Fixture> {
  const { owner, manager, admin, member } = people;
  const { target, asking } = others;
  const [id, invitationId, requestId] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()];
  await server.backend.database.pool('postgres').statements([
    sql`insert into public.organizations (id, name, slug) values (${id}, 'Acme', ${id})`,
    sql`insert into public.organization_roles (organization_id, key, name, rank, built_in)
        values (${id}, 'owner', 'Owner', 100, true), (${id}, 'admin', 'Admin', 50, true),
               (${id}, 'member', 'Member', 10, true), (${id}, 'manager', 'Manager', 60, false)`,
    sql`insert into public.organization_memberships (organization_id, user_id, role)
        values (${id}, ${owner.id}, 'owner'), (${id}, ${manager.id}, 'manager'), (${id}, ${admin.id}, 'admin'),
               (${id}, ${member.id}, 'member'), (${id}, ${target.id}, 'member')`,
    sql`insert into public.organization_invitations (id, organization_id, role, invited_by)
        values (${invitationId}, ${id}, 'member', ${owner.id})`,
    sql`insert into public.organization_join_requests (id, organization_id, user_id)
        values (${requestId}, ${id}, ${asking.id})`,
  ]);
  const client = (role: Role) => (role === 'visitor' ? visitor : people[role].client);
  return { id, people, target, invitationId, requestId, client };
}

/** Returns how many rows a request returned or changed, or the error's code. */
async function outcome(
  request: PromiseLike<{ data: unknown; error: { code: string; hint?: string | null } | null }>,
) {
  const { data, error } = await request;
  if (error) return error.code.startsWith('PT') ? error.hint : error.code;
  return Array.isArray(data) ? data.length : 'ok';
}

type Call = (client: SupabaseClient, at: Fixture, role: Role) => Promise<unknown>;
type Row = readonly [name: string, call: Call, expected: Readonly<Record<Role, unknown>>];

const expected = (
  owner: unknown,
  manager: unknown,
  admin: unknown,
  member: unknown,
  stranger: unknown,
  visitor: unknown,
): Readonly<Record<Role, unknown>> => ({ owner, manager, admin, member, stranger, visitor });

const denied = '42501';
const rows: readonly Row[] = [
  [
    'read the organization',
    (client, { id }) => outcome(client.from('organizations').select().eq('id', id)),
    expected(1, 1, 1, 1, 0, denied),
  ],
  [
    'read the members',
    (client, { id }) => outcome(client.from('organization_memberships').select().eq('organization_id', id)),
    expected(5, 5, 5, 5, 0, denied),
  ],
  [
    'list the members with their names',
    (client, { id }) => outcome(client.rpc('organization_members', { organization_id: id })),
    expected(5, 5, 5, 5, 0, denied),
  ],
  [
    'read the roles',
    (client, { id }) => outcome(client.from('organization_roles').select().eq('organization_id', id)),
    expected(4, 4, 4, 4, 0, denied),
  ],
  [
    'read the invitations',
    (client, { id }) => outcome(client.from('organization_invitations').select().eq('organization_id', id)),
    expected(1, 1, 1, 0, 0, denied),
  ],
  [
    'read the requests',
    (client, { id }) => outcome(client.from('organization_join_requests').select().eq('organization_id', id)),
    expected(1, 1, 1, 0, 0, denied),
  ],
  [
    'rename the organization',
    (client, { id }) =>
      outcome(
        client
          .from('organizations')
          .update({ name: uniqueName('Renamed') })
          .eq('id', id)
          .select(),
      ),
    expected(1, 1, 1, 0, 0, denied),
  ],
  [
    "change the organization's creator",
    (client, { id }) => outcome(client.from('organizations').update({ created_by: null }).eq('id', id)),
    expected(denied, denied, denied, denied, denied, denied),
  ],
  [
    'create an organization row',
    (client) => outcome(client.from('organizations').insert({ name: 'x', slug: 'x' })),
    expected(denied, denied, denied, denied, denied, denied),
  ],
  [
    'delete the organization row',
    (client, { id }) => outcome(client.from('organizations').delete().eq('id', id)),
    expected(denied, denied, denied, denied, denied, denied),
  ],
  [
    'add oneself as an owner',
    (client, { id, people }, role) =>
      outcome(
        client.from('organization_memberships').insert({
          organization_id: id,
          user_id: role === 'visitor' ? missing : people[role].id,
          role: 'owner',
        }),
      ),
    expected(denied, denied, denied, denied, denied, denied),
  ],
  [
    'make oneself an owner',
    (client, { id, people }, role) =>
      outcome(
        client
          .from('organization_memberships')
          .update({ role: 'owner' })
          .eq('organization_id', id)
          .eq('user_id', role === 'visitor' ? missing : people[role].id)
          .select(),
      ),
    expected(1, denied, denied, 0, 0, denied),
  ],
  [
    'move a membership to another user',
    (client, { id, people }) =>
      outcome(
        client
          .from('organization_memberships')
          .update({ user_id: people.stranger.id })
          .eq('organization_id', id),
      ),
    expected(denied, denied, denied, denied, denied, denied),
  ],
  [
    'make a member an admin',
    (client, { id, target }) =>
      outcome(
        client
          .from('organization_memberships')
          .update({ role: 'admin' })
          .eq('organization_id', id)
          .eq('user_id', target.id)
          .select(),
      ),
    expected(1, 1, 1, 0, 0, denied),
  ],
  [
    'make a member a manager',
    (client, { id, target }) =>
      outcome(
        client
          .from('organization_memberships')
          .update({ role: 'manager' })
          .eq('organization_id', id)
          .eq('user_id', target.id)
          .select(),
      ),
    expected(1, 1, denied, 0, 0, denied),
  ],
  [
    'demote an owner',
    (client, { id, people }, role) =>
      role === 'owner'
        ? Promise.resolve(0)
        : outcome(
            client
              .from('organization_memberships')
              .update({ role: 'member' })
              .eq('organization_id', id)
              .eq('user_id', people.owner.id)
              .select(),
          ),
    expected(0, 0, 0, 0, 0, denied),
  ],
  [
    'remove an owner',
    (client, { id, people }, role) =>
      role === 'owner'
        ? Promise.resolve(0)
        : outcome(
            client
              .from('organization_memberships')
              .delete()
              .eq('organization_id', id)
              .eq('user_id', people.owner.id)
              .select(),
          ),
    expected(0, 0, 0, 0, 0, denied),
  ],
  [
    'create a role with the rank 60',
    (client, { id }) =>
      outcome(
        client
          .from('organization_roles')
          .insert({ organization_id: id, key: 'lead', name: 'Lead', rank: 60 })
          .select(),
      ),
    expected(1, 1, denied, denied, denied, denied),
  ],
  [
    'raise the rank of a role to 99',
    (client, { id }) =>
      outcome(
        client
          .from('organization_roles')
          .update({ rank: 99 })
          .eq('organization_id', id)
          .eq('key', 'manager')
          .select(),
      ),
    expected(1, denied, 0, 0, 0, denied),
  ],
  [
    'change a built-in role',
    (client, { id }) =>
      outcome(
        client
          .from('organization_roles')
          .update({ name: 'x' })
          .eq('organization_id', id)
          .eq('key', 'member')
          .select(),
      ),
    expected(0, 0, 0, 0, 0, denied),
  ],
  [
    'create an invitation row',
    (client, { id }) =>
      outcome(client.from('organization_invitations').insert({ organization_id: id, role: 'member' })),
    expected(denied, denied, denied, denied, denied, denied),
  ],
  [
    'invite a member',
    (client, { id }) => outcome(client.rpc('invite_to_organization', { organization_id: id })),
    expected(1, 1, 1, 'not_allowed', 'organization_not_found', denied),
  ],
  [
    'invite a manager',
    (client, { id }) =>
      outcome(client.rpc('invite_to_organization', { organization_id: id, role: 'manager' })),
    expected(1, 1, 'not_allowed', 'not_allowed', 'organization_not_found', denied),
  ],
  [
    'invite an owner',
    (client, { id }) => outcome(client.rpc('invite_to_organization', { organization_id: id, role: 'owner' })),
    expected(1, 'not_allowed', 'not_allowed', 'not_allowed', 'organization_not_found', denied),
  ],
  [
    'revoke an invitation',
    (client, { invitationId }) =>
      outcome(client.from('organization_invitations').delete().eq('id', invitationId).select()),
    expected(1, 1, 1, 0, 0, denied),
  ],
  [
    'approve a request',
    (client, { requestId }) =>
      outcome(client.rpc('approve_organization_join_request', { request_id: requestId })),
    expected('ok', 'ok', 'ok', 'request_not_found', 'request_not_found', denied),
  ],
  [
    'approve a request as an owner',
    (client, { requestId }) =>
      outcome(client.rpc('approve_organization_join_request', { request_id: requestId, role: 'owner' })),
    expected('ok', 'not_allowed', 'not_allowed', 'request_not_found', 'request_not_found', denied),
  ],
  [
    'decline a request',
    (client, { requestId }) =>
      outcome(client.from('organization_join_requests').delete().eq('id', requestId).select()),
    expected(1, 1, 1, 0, 0, denied),
  ],
  [
    'remove a member',
    (client, { id, target }) =>
      outcome(
        client
          .from('organization_memberships')
          .delete()
          .eq('organization_id', id)
          .eq('user_id', target.id)
          .select(),
      ),
    expected(1, 1, 1, 0, 0, denied),
  ],
  [
    'transfer the organization',
    (client, { id, target }) =>
      outcome(client.rpc('transfer_organization', { organization_id: id, user_id: target.id })),
    expected('ok', 'not_allowed', 'not_allowed', 'not_allowed', 'organization_not_found', denied),
  ],
  [
    'switch to the organization',
    (client, { id }) => outcome(client.rpc('switch_organization', { organization_id: id })),
    expected('ok', 'ok', 'ok', 'ok', 'organization_not_found', denied),
  ],
  [
    'leave the organization',
    (client, { id }) => outcome(client.rpc('leave_organization', { organization_id: id })),
    expected('last_owner', 'ok', 'ok', 'ok', 'organization_not_found', denied),
  ],
  [
    'delete the organization',
    (client, { id }) => outcome(client.rpc('delete_organization', { organization_id: id })),
    expected('ok', 'not_allowed', 'not_allowed', 'not_allowed', 'organization_not_found', denied),
  ],
];

describe('every role', () => {
  test.each(rows)('%s', async (_name, call, wanted) => {
    const seen: Record<string, unknown> = {};
    for (const role of roles) {
      const at = await fixture();
      seen[role] = await call(at.client(role), at, role);
    }
    expect(seen).toEqual(wanted);
  });
});

test('a user creates an organization and becomes its owner', async () => {
  const ada = await server.person();
  const { data, error } = await ada.client.rpc('create_organization', { name: 'Acme Ünited' });
  expect(error).toBeNull();
  expect(data).toMatchObject({ name: 'Acme Ünited', created_by: ada.id });
  expect(data.slug).toMatch(/^acme-nited-[0-9a-f]{8}$/);
  const own = await ada.client.from('organization_memberships').select().eq('organization_id', data.id);
  expect(own.data).toEqual([expect.objectContaining({ user_id: ada.id, role: 'owner' })]);
});

test.each([
  [{ name: '' }, 'invalid_input'],
  [{ name: 'a\nb' }, 'invalid_input'],
  [{ name: 'x'.repeat(101) }, 'invalid_input'],
  [{ name: 'Acme', slug: 'Not a slug' }, 'invalid_input'],
])('create_organization rejects %j', async (input, code) => {
  const ada = await server.person();
  const { error, status } = await ada.client.rpc('create_organization', input);
  expect([status, error?.code, error?.hint]).toEqual([400, 'PT400', code]);
});

test('two organizations with the same slug', async () => {
  const slug = uniqueName('slug');
  const [ada, ben] = [await server.person(), await server.person()];
  const results = await Promise.all(
    [ada, ben].map(({ client }) => client.rpc('create_organization', { name: 'Acme', slug })),
  );
  expect(results.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(results.find(({ error }) => error)?.error?.hint).toBe('slug_taken');
});

test('the email addresses of other members are visible only to members who manage the organization', async () => {
  const { id, members } = await server.team('owner', 'admin', 'member');
  const [owner, admin, member] = members as [Person, Person, Person];
  const list = async ({ client }: Person) => {
    const { data } = await client.rpc('organization_members', { organization_id: id });
    return (data as { email: string | null }[]).map(({ email }) => email);
  };
  expect(await list(admin)).toEqual([owner.email, admin.email, member.email]);
  expect(await list(member)).toEqual([null, null, member.email]);
});

test('two owners who leave at the same time', async () => {
  for (let round = 0; round < 5; round++) {
    const { id, members } = await server.team('owner', 'owner');
    const left = await Promise.all(
      members.map(({ client }) => client.rpc('leave_organization', { organization_id: id })),
    );
    expect(left.map(({ error }) => error?.hint ?? 'left').sort()).toEqual(['last_owner', 'left']);
  }
});

test('two owners who demote each other at the same time', async () => {
  for (let round = 0; round < 5; round++) {
    const { id, members } = await server.team('owner', 'owner');
    const [ada, ben] = members as [Person, Person];
    const demote = (by: Person, whom: Person) =>
      by.client
        .from('organization_memberships')
        .update({ role: 'member' })
        .eq('organization_id', id)
        .eq('user_id', whom.id);
    await Promise.all([demote(ada, ben), demote(ben, ada)]);
    const [row] = await server.backend.database.pool('postgres').query<{ owners: number }>(sql`
      select count(*)::int as owners from public.organization_memberships
      where organization_id = ${id} and role = 'owner'`);
    expect(row?.owners).toBe(1);
  }
});

test('an owner who removes all members in one request', async () => {
  const { id, members } = await server.team('owner', 'owner', 'member');
  const [owner] = members as [Person];
  const { error, status } = await owner.client
    .from('organization_memberships')
    .delete()
    .eq('organization_id', id);
  expect([status, error?.hint]).toEqual([409, 'last_owner']);
  const left = await owner.client.from('organization_memberships').select().eq('organization_id', id);
  expect(left.data).toHaveLength(3);
});

test('owners who transfer the organization to each other at the same time', async () => {
  const { id, members } = await server.team('owner', 'owner');
  const [ada, ben] = members as [Person, Person];
  const transfer = (by: Person, to: Person) =>
    by.client.rpc('transfer_organization', { organization_id: id, user_id: to.id });
  const results = await Promise.all([transfer(ada, ben), transfer(ben, ada)]);
  // The second transfer is also allowed if its owner still was one.
  expect(results.map(({ error }) => error?.hint ?? 'transferred')).toContain('transferred');
  for (const { status } of results) expect([204, 403]).toContain(status);
  const { data } = await ada.client.from('organization_memberships').select('role').eq('organization_id', id);
  expect(data?.map(({ role }) => role).sort()).toEqual(['admin', 'owner']);
});

test('deleting the only owner is rejected, and deleting another user removes the memberships', async () => {
  const { id, members } = await server.team('owner', 'member');
  const [owner, member] = members as [Person, Person];
  const { auth } = server.admin();
  const refused = await auth.admin.deleteUser(owner.id);
  expect(refused.error?.status).toBe(409);
  expect(refused.error?.code).toBe('conflict');
  expect(refused.error?.message).toContain('only owner of an organization');
  expect((await auth.admin.deleteUser(member.id)).error).toBeNull();
  const left = await owner.client.from('organization_memberships').select().eq('organization_id', id);
  expect(left.data).toEqual([expect.objectContaining({ user_id: owner.id })]);
  await owner.client.rpc('delete_organization', { organization_id: id });
  expect((await auth.admin.deleteUser(owner.id)).error).toBeNull();
});

test('functions for policies see only the caller', async () => {
  const { id, members } = await server.team('owner', 'member');
  const [owner, member] = members as [Person, Person];
  const stranger = await server.person();
  const ask = async (person: Person) => {
    const claims = JSON.stringify({ sub: person.id, role: 'authenticated', org_id: id });
    const [rows] = await server.backend.database.pool('authenticator').statements(
      [
        sql`select org.is_member(${id}), org.has_role(${id}, 'owner', 'admin') as has,
                   org.at_least(${id}, 'member') as least, org.at_least(${id}, 'unknown') as unknown,
                   org.current() = ${id} as current, array(select org.ids()) = array[${id}::uuid] as ids`,
      ],
      {
        settings: [
          ['role', 'authenticated'],
          ['request.jwt.claims', claims],
        ],
      },
    );
    return rows?.[0];
  };
  const none = { is_member: false, has: false, least: false, unknown: false };
  expect(await ask(owner)).toEqual({
    ...none,
    is_member: true,
    has: true,
    least: true,
    current: true,
    ids: true,
  });
  expect(await ask(member)).toEqual({ ...none, is_member: true, least: true, current: true, ids: true });
  expect(await ask(stranger)).toEqual({ ...none, current: null, ids: false });
});

describe('a token that may only read', () => {
  /** Runs a statement with the claims of an access token. Returns the hint of the error, or the number of rows. */
  async function outcome(claims: object, statement: ReturnType<typeof sql>): Promise<string | number> {
    try {
      const rows = await server.backend.database
        .pool('authenticator')
        .transaction((tx) => tx.query(statement), {
          settings: [
            ['role', 'authenticated'],
            ['request.jwt.claims', JSON.stringify(claims)],
          ],
        });
      return rows.length;
    } catch (error) {
      return (error as { hint?: string }).hint ?? String(error);
    }
  }

  const changes = (id: string, member: string) => [
    sql`select public.create_organization(name => 'Other')`,
    sql`select public.delete_organization(organization_id => ${id}::uuid)`,
    sql`select public.invite_to_organization(organization_id => ${id}::uuid, role => 'owner')`,
    sql`select public.accept_organization_invitation(token => ${'0'.repeat(64)})`,
    sql`select public.decline_organization_invitation(token => ${'0'.repeat(64)})`,
    sql`select public.request_to_join_organization(slug => 'any')`,
    sql`select public.leave_organization(organization_id => ${id}::uuid)`,
    sql`select public.transfer_organization(organization_id => ${id}::uuid, user_id => ${member}::uuid)`,
    sql`select public.approve_organization_join_request(request_id => ${id}::uuid)`,
    sql`update public.organizations set name = 'Other' where id = ${id}::uuid returning id`,
    sql`update public.organization_memberships set role = 'owner' where user_id = ${member}::uuid returning role`,
    sql`delete from public.organization_memberships where user_id = ${member}::uuid returning role`,
    sql`insert into public.organization_roles (organization_id, key, name, rank)
      values (${id}::uuid, 'helper', 'Helper', 5) returning key`,
  ];
  const reads = (id: string) => sql`select id from public.organizations where id = ${id}::uuid`;

  test('an app that a user has allowed to act for them changes nothing', async () => {
    const { id, members } = await server.team('owner', 'member');
    const [owner, member] = members as [Person, Person];
    const claims = { sub: owner.id, role: 'authenticated', aal: 'aal1', client_id: crypto.randomUUID() };
    expect(await outcome(claims, reads(id))).toBe(1);
    const outcomes: unknown[] = [];
    for (const change of changes(id, member.id)) outcomes.push(await outcome(claims, change));
    expect(outcomes.slice(0, 9)).toEqual(Array(9).fill('not_allowed'));
    expect(outcomes.slice(9, 12)).toEqual([0, 0, 0]);
    expect(String(outcomes[12])).toContain('row-level security');
    const { client_id: _, ...own } = claims;
    expect(await outcome(own, changes(id, member.id)[9] as ReturnType<typeof sql>)).toBe(1);
  });

  test('a sign-in without the user’s second factor changes nothing', async () => {
    const { id, members } = await server.team('owner', 'member');
    const [owner, member] = members as [Person, Person];
    await server.backend.database.pool('supabase_admin').query(sql`
      insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at, secret)
      values (gen_random_uuid(), ${owner.id}::uuid, 'totp', 'verified', now(), now(), 'x')`);
    const claims = { sub: owner.id, role: 'authenticated', aal: 'aal1' };
    expect(await outcome(claims, reads(id))).toBe(1);
    const outcomes: unknown[] = [];
    for (const change of changes(id, member.id)) outcomes.push(await outcome(claims, change));
    expect(outcomes.slice(0, 9)).toEqual(Array(9).fill('insufficient_aal'));
    expect(outcomes.slice(9, 12)).toEqual([0, 0, 0]);
    const confirmed = { ...claims, aal: 'aal2' };
    expect(await outcome(confirmed, changes(id, member.id)[9] as ReturnType<typeof sql>)).toBe(1);
  });
});
