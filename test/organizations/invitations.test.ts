/** Invitations and requests to join, with the stock client. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type OrganizationServer, type Person, startOrganizations, uniqueName } from './harness.ts';

let server: OrganizationServer & { stop(): Promise<void> };
beforeAll(async () => {
  server = await startOrganizations();
});
afterAll(() => server?.stop());

interface NewInvitation {
  readonly id: string;
  readonly token: string;
  readonly expires_at: string;
}

async function invite(by: Person, input: object): Promise<NewInvitation> {
  const { data, error } = await by.client.rpc('invite_to_organization', input);
  expect(error).toBeNull();
  return data[0];
}

const accept = async ({ client }: Person, input: object) => {
  const { data, error, status } = await client.rpc('accept_organization_invitation', input);
  return error ? [status, error.hint] : data;
};

const query = (statement: ReturnType<typeof sql>) =>
  server.backend.database.pool('postgres').query(statement);

test('an invitation by link is accepted once', async () => {
  const { id, members } = await server.team('owner');
  const [owner] = members as [Person];
  const { token, expires_at } = await invite(owner, { organization_id: id, role: 'admin' });
  expect(token).toMatch(/^[0-9a-f]{64}$/);
  const days = (Date.parse(expires_at) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(6.9);
  expect(days).toBeLessThan(7.1);
  const shown = await server.visitor().rpc('organization_invitation', { token });
  expect(shown.data).toEqual([expect.objectContaining({ role: 'admin', email: null, state: 'open' })]);
  const [ada, ben] = [await server.person(), await server.person()];
  const results = await Promise.all([accept(ada, { token }), accept(ben, { token })]);
  expect(results).toContainEqual([410, 'invitation_used']);
  expect(results).toContain(id);
  expect((await server.visitor().rpc('organization_invitation', { token })).data[0].state).toBe('used');
});

test('the database contains only the hash of a token', async () => {
  const { id, members } = await server.team('owner');
  const { token } = await invite(members[0] as Person, { organization_id: id });
  const [row] = await query(sql`
    select (select count(*)::int from org.invitation_tokens where encode(hash, 'escape') like ${`%${token}%`})
         + (select count(*)::int from public.organization_invitations i where i::text like ${`%${token}%`}) as found`);
  expect(row).toEqual({ found: 0 });
});

test('only the token of an invitation by email accepts it, and only for the owner of the confirmed address', async () => {
  const { id, members } = await server.team('owner');
  const [owner] = members as [Person];
  const email = `${uniqueName('Invited')}@Example.com`;
  const { id: invitation_id, token } = await invite(owner, { organization_id: id, email });
  const stranger = await server.person();
  expect(await accept(stranger, { token })).toEqual([403, 'invitation_for_other_email']);
  const mine = await server.person(email.toLowerCase());
  await query(sql`update auth.users set email_confirmed_at = null where id = ${mine.id}`);
  expect(await accept(mine, { token })).toEqual([403, 'invitation_for_other_email']);
  expect((await mine.client.rpc('my_organization_invitations')).data).toEqual([]);
  await query(sql`update auth.users set email_confirmed_at = now() where id = ${mine.id}`);
  expect((await mine.client.rpc('my_organization_invitations')).data).toEqual([
    expect.objectContaining({ id: invitation_id, role: 'member' }),
  ]);
  // Without confirmations, anyone can sign up with the address. Only the recipient of the email has the token.
  const { error } = await mine.client.rpc('accept_organization_invitation', { invitation_id });
  expect(error?.code).toBe('PGRST202');
  expect(await accept(mine, { token })).toBe(id);
  expect(await accept(mine, { token })).toEqual([410, 'invitation_used']);
});

test('an expired invitation', async () => {
  const { id, members } = await server.team('owner');
  const { id: invitationId, token } = await invite(members[0] as Person, { organization_id: id });
  await query(sql`
    update public.organization_invitations set expires_at = now() - interval '1 second' where id = ${invitationId}`);
  expect(await accept(await server.person(), { token })).toEqual([410, 'invitation_expired']);
});

test('an invitation ends with the permission of its inviter', async () => {
  const { id, members } = await server.team('owner', 'admin');
  const [owner, admin] = members as [Person, Person];
  const { token } = await invite(admin, { organization_id: id, role: 'admin' });
  await owner.client
    .from('organization_memberships')
    .update({ role: 'member' })
    .eq('organization_id', id)
    .eq('user_id', admin.id);
  expect(await accept(await server.person(), { token })).toEqual([410, 'invitation_expired']);
  await owner.client
    .from('organization_memberships')
    .delete()
    .eq('organization_id', id)
    .eq('user_id', admin.id);
  expect(await accept(admin, { token })).toEqual([410, 'invitation_expired']);
  expect((await server.visitor().rpc('organization_invitation', { token })).data[0].state).toBe('expired');
});

test('guessed, missing and foreign tokens', async () => {
  const ada = await server.person();
  const missing = [404, 'invitation_not_found'];
  expect(await accept(ada, { token: 'f'.repeat(64) })).toEqual(missing);
  expect(await accept(ada, { token: '' })).toEqual(missing);
  expect(await accept(ada, { token: 'x'.repeat(100_000) })).toEqual(missing);
  expect(await accept(ada, { token: null })).toEqual([400, 'invalid_input']);
  expect((await server.visitor().rpc('organization_invitation', { token: 'guess' })).data).toEqual([]);
});

test('a member who accepts an invitation leaves it open', async () => {
  const { id, members } = await server.team('owner');
  const [owner] = members as [Person];
  const { token } = await invite(owner, { organization_id: id });
  expect(await accept(owner, { token })).toEqual([409, 'already_member']);
  expect(await accept(await server.person(), { token })).toBe(id);
});

test('another invitation for the same address replaces the first one', async () => {
  const { id, members } = await server.team('owner');
  const [owner] = members as [Person];
  const mine = await server.person();
  const first = await invite(owner, { organization_id: id, email: mine.email });
  const [second, third] = await Promise.all([
    invite(owner, { organization_id: id, email: mine.email.toUpperCase() }),
    invite(owner, { organization_id: id, email: mine.email }),
  ]);
  expect(await accept(mine, { token: first.token })).toEqual([404, 'invitation_not_found']);
  expect(second.id).not.toBe(first.id);
  const open = await owner.client.from('organization_invitations').select().eq('organization_id', id);
  expect(open.data).toHaveLength(1);
  const newest = [second, third].find(({ id: one }) => one === open.data?.[0].id);
  expect(await accept(mine, { token: newest?.token })).toBe(id);
});

test('declining an invitation', async () => {
  const { id, members } = await server.team('owner');
  const [owner] = members as [Person];
  const mine = await server.person();
  const byEmail = await invite(owner, { organization_id: id, email: mine.email });
  const byLink = await invite(owner, { organization_id: id });
  const decline = async ({ client }: Person, input: object) => {
    const { error } = await client.rpc('decline_organization_invitation', input);
    return error?.hint ?? 'declined';
  };
  expect(await decline(await server.person(), { token: byEmail.token })).toBe('invitation_for_other_email');
  expect(await decline(mine, { token: byLink.token })).toBe('invalid_input');
  expect(await decline(mine, { invitation_id: byEmail.id })).toBe('declined');
  expect(await accept(mine, { token: byEmail.token })).toEqual([404, 'invitation_not_found']);
});

test.each(['not an address', 'a@b@c', 'a\n@example.com', `${'x'.repeat(250)}@example.com`])(
  'invite_to_organization rejects the address %j',
  async (email) => {
    const { id, members } = await server.team('owner');
    const { error } = await (members[0] as Person).client.rpc('invite_to_organization', {
      organization_id: id,
      email,
    });
    expect([error?.code, error?.hint]).toEqual(['PT400', 'invalid_input']);
  },
);

test('guests need an account', async () => {
  const own = await startOrganizations({ auth: { enable_anonymous_sign_ins: true } });
  try {
    const guest = own.visitor();
    expect((await guest.auth.signInAnonymously()).error).toBeNull();
    const created = await guest.rpc('create_organization', { name: 'Acme' });
    expect([created.status, created.error?.hint]).toEqual([403, 'account_required']);
  } finally {
    await own.stop();
  }
});

test('requests to join', async () => {
  const { id, members } = await server.team('owner', 'member');
  const [owner, member] = members as [Person, Person];
  const { data } = await owner.client.from('organizations').select('slug').eq('id', id).single();
  const slug = data?.slug;
  const ada = await server.person();
  const ask = async ({ client }: Person, input: object) => {
    const { error, status } = await client.rpc('request_to_join_organization', input);
    return error ? [status, error.hint] : 'asked';
  };
  expect(await ask(ada, { slug })).toEqual([404, 'organization_not_found']);
  expect(await ask(ada, { slug: uniqueName('unknown') })).toEqual([404, 'organization_not_found']);
  await owner.client.from('organizations').update({ accepts_join_requests: true }).eq('id', id);
  expect(await ask(member, { slug })).toEqual([409, 'already_member']);
  expect(await ask(ada, { slug, message: 'x'.repeat(501) })).toEqual([400, 'invalid_input']);
  expect(await Promise.all([ask(ada, { slug, message: 'Hello' }), ask(ada, { slug })])).toEqual([
    'asked',
    'asked',
  ]);
  const own = await ada.client.from('organization_join_requests').select();
  expect(own.data).toHaveLength(1);
  const approve = () =>
    owner.client.rpc('approve_organization_join_request', { request_id: own.data?.[0].id });
  expect((await approve()).error).toBeNull();
  expect((await approve()).error?.hint).toBe('request_not_found');
  const joined = await ada.client.from('organization_memberships').select('role').eq('organization_id', id);
  expect(joined.data).toContainEqual({ role: 'member' });
});

test('a user withdraws a request', async () => {
  const { id, members } = await server.team('owner');
  const [owner] = members as [Person];
  const { data } = await owner.client
    .from('organizations')
    .update({ accepts_join_requests: true })
    .eq('id', id)
    .select('slug')
    .single();
  const ada = await server.person();
  await ada.client.rpc('request_to_join_organization', { slug: data?.slug });
  const withdrawn = await ada.client
    .from('organization_join_requests')
    .delete()
    .eq('user_id', ada.id)
    .select();
  expect(withdrawn.data).toHaveLength(1);
});
