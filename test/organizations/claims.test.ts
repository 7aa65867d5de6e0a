/** The claims of the organization that a session has switched to, with the stock client. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type OrganizationServer, type Person, startOrganizations } from './harness.ts';

let server: OrganizationServer & { stop(): Promise<void> };
beforeAll(async () => {
  server = await startOrganizations();
});
afterAll(() => server?.stop());

/** Refreshes the person's session, and returns the claims of the new access token. */
async function refreshed({ client }: Pick<Person, 'client'>): Promise<Record<string, unknown>> {
  const { data, error } = await client.auth.refreshSession();
  expect(error).toBeNull();
  const [, payload = ''] = data.session?.access_token.split('.') ?? [];
  return JSON.parse(Buffer.from(payload, 'base64url').toString());
}

const current = async ({ client }: Person) => (await client.rpc('current_organization')).data;

test('a session has no organization until it switches to one', async () => {
  const { members } = await server.team('owner');
  const claims = await refreshed(members[0] as Person);
  expect(claims).not.toHaveProperty('org_id');
  expect(claims).not.toHaveProperty('org_role');
});

test('switch_organization and refreshSession add the claims, for this session only', async () => {
  const { id, members } = await server.team('owner', 'admin');
  const [owner, admin] = members as [Person, Person];
  const other = server.visitor();
  const signedIn = await other.auth.signInWithPassword({
    email: admin.email,
    password: 'correct horse battery',
  });
  expect(signedIn.error).toBeNull();
  expect((await admin.client.rpc('switch_organization', { organization_id: id })).error).toBeNull();
  expect(await refreshed(admin)).toMatchObject({ org_id: id, org_role: 'admin', role: 'authenticated' });
  expect(await refreshed(admin)).toMatchObject({ org_id: id, org_role: 'admin' });
  expect(await refreshed({ client: other })).not.toHaveProperty('org_id');
  expect(await refreshed(owner)).not.toHaveProperty('org_id');
  await admin.client.rpc('switch_organization', { organization_id: null });
  expect(await refreshed(admin)).not.toHaveProperty('org_id');
});

test('a changed role is in the next token', async () => {
  const { id, members } = await server.team('owner', 'admin');
  const [owner, admin] = members as [Person, Person];
  await admin.client.rpc('switch_organization', { organization_id: id });
  expect(await refreshed(admin)).toMatchObject({ org_role: 'admin' });
  const changed = await owner.client
    .from('organization_memberships')
    .update({ role: 'member' })
    .eq('organization_id', id)
    .eq('user_id', admin.id);
  expect(changed.error).toBeNull();
  expect(await refreshed(admin)).toMatchObject({ org_id: id, org_role: 'member' });
});

test("a removed member's claim has no effect, and isn't in the next token", async () => {
  const { id, members } = await server.team('owner', 'member');
  const [owner, member] = members as [Person, Person];
  await server.backend.database.pool('postgres').query(sql`
    create or replace function public.current_organization() returns uuid
    language sql stable security invoker set search_path = '' as 'select org.current()'`);
  await server.backend.database.pool('postgres').query(sql`notify pgrst, 'reload schema'`);
  await member.client.rpc('switch_organization', { organization_id: id });
  await refreshed(member);
  await expect.poll(() => current(member), { timeout: 30_000 }).toBe(id);
  const removed = await owner.client
    .from('organization_memberships')
    .delete()
    .eq('organization_id', id)
    .eq('user_id', member.id);
  expect(removed.error).toBeNull();
  expect(await current(member)).toBeNull();
  const claims = await refreshed(member);
  expect(claims).not.toHaveProperty('org_id');
  expect(claims).not.toHaveProperty('org_role');
});

test("a user can't switch to another organization or another user's session", async () => {
  const { id } = await server.team('owner');
  const stranger = await server.person();
  const { error, status } = await stranger.client.rpc('switch_organization', { organization_id: id });
  expect([status, error?.code, error?.hint]).toEqual([404, 'PT404', 'organization_not_found']);
  expect(await refreshed(stranger)).not.toHaveProperty('org_id');
  const direct = await stranger.client.schema('org').from('sessions').select();
  expect(direct.error?.code).toBe('PGRST106');
});

test('a token hook runs after the claims of the organization', async () => {
  const own = await startOrganizations(
    {
      auth: { hook: { custom_access_token: { enabled: true, uri: 'pg-functions://postgres/public/token' } } },
    },
    {
      sql: `${(await import('./harness.ts')).migration}
        create function public.token(event jsonb) returns jsonb language sql as $$
          select jsonb_set(event, '{claims,seen}', coalesce(event #> '{claims,org_role}', '"none"'))
        $$;
        grant execute on function public.token to supabase_auth_admin;`,
    },
  );
  try {
    const { id, members } = await own.team('owner');
    const [owner] = members as [Person];
    await owner.client.rpc('switch_organization', { organization_id: id });
    expect(await refreshed(owner)).toMatchObject({ org_id: id, org_role: 'owner', seen: 'owner' });
  } finally {
    await own.stop();
  }
});

/** Functions that a project could have broken or that an attacker could have changed. */
const broken: readonly (readonly [name: string, body: string])[] = [
  ['raises an error', `language plpgsql as $$ begin raise exception 'broken'; end $$`],
  ['writes', `language plpgsql as $$ begin delete from org.sessions; return; end $$`],
  [
    'returns text instead of an ID',
    `language plpgsql as $$ begin return query select 'x'::text, 'owner'::text; end $$`,
  ],
  ['runs too long', `language plpgsql as $$ begin perform pg_sleep(60); return; end $$`],
];

test.each(broken)('a function that %s prevents no sign-in', async (_name, body) => {
  const own = await startOrganizations();
  try {
    const { id, members } = await own.team('owner');
    const [owner] = members as [Person];
    await owner.client.rpc('switch_organization', { organization_id: id });
    expect(await refreshed(owner)).toMatchObject({ org_id: id });
    await own.backend.database.pool('postgres').exec(`
      drop function org.token_claims();
      create function org.token_claims() returns table (org_id text, org_role text)
        security definer set search_path = '' ${body};
      grant execute on function org.token_claims() to authenticated;`);
    expect(await refreshed(owner)).not.toHaveProperty('org_id');
    expect((await own.person()).id).toBeTruthy();
    const [row] = await own.backend.database
      .pool('postgres')
      .query<{ count: number }>(sql`select count(*)::int from org.sessions`);
    expect(row?.count).toBe(1);
  } finally {
    await own.stop();
  }
});

test('the function runs as the signed-in user without other privileges', async () => {
  const own = await startOrganizations();
  try {
    const { members } = await own.team('owner');
    const [owner] = members as [Person];
    await own.backend.database.pool('postgres').exec(`
      drop function org.token_claims();
      create function org.token_claims() returns table (org_id uuid, org_role text)
        language sql stable set search_path = ''
        as $$ select auth.uid(), current_user || ' ' || session_user $$;
      grant execute on function org.token_claims() to authenticated;`);
    expect(await refreshed(owner)).toMatchObject({
      sub: owner.id,
      org_id: owner.id,
      org_role: 'authenticated authenticator',
    });
  } finally {
    await own.stop();
  }
});

test('without the migration, users sign in and refresh as before', async () => {
  const own = await startOrganizations({}, { sql: '' });
  try {
    const ada = await own.person();
    expect(await refreshed(ada)).toMatchObject({ sub: ada.id, role: 'authenticated' });
  } finally {
    await own.stop();
  }
});

test('without the setting, tokens have no claims', async () => {
  const own = await startOrganizations({ plinth: { account: { organizations: false } } });
  try {
    const { id, members } = await own.team('owner');
    const [owner] = members as [Person];
    await owner.client.rpc('switch_organization', { organization_id: id });
    expect(await refreshed(owner)).not.toHaveProperty('org_id');
  } finally {
    await own.stop();
  }
});
