/** Tests account activity, and the links in notices that undo changes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type AuthServer, codeOf, newEmail, startAuth } from './harness.ts';

const password = 'correct horse';
const hour = 3_600_000;
let auth: AuthServer;
beforeAll(async () => {
  auth = await startAuth(
    { enable_manual_linking: true, email: { double_confirm_changes: false, enable_confirmations: true } },
    {
      servesAccount: true,
      trustedProxies: ['127.0.0.1'],
      plinth: {
        auth: { api_keys: { enabled: true }, security: { notices: 'always', undo_period: 48 * hour } },
      },
    },
  );
});
afterAll(() => auth.stop());

interface Events {
  readonly events: readonly {
    readonly id: string;
    readonly kind: string;
    readonly actor: string;
    readonly details: Record<string, unknown>;
    readonly network: string | null;
  }[];
  readonly next: string | null;
}

const eventsOf = async (token: string, query = ''): Promise<Events> =>
  (await auth.request(`/user/security-events${query}`, { token })).json<Events>();

/** Signs in from an IP address. Returns the access token. */
async function signIn(email: string, ip = '203.0.113.7', typed = password): Promise<string> {
  const response = await auth.request('/token?grant_type=password', {
    json: { email, password: typed },
    headers: { 'x-forwarded-for': ip },
  });
  return (await response.json<{ access_token: string }>()).access_token;
}

async function newUser(): Promise<{ email: string; id: string }> {
  const email = newEmail();
  const { data } = await auth.admin().auth.admin.createUser({ email, password, email_confirm: true });
  return { email, id: data.user?.id ?? '' };
}

/** Waits for a notice, because it may be sent after the response. Returns its link. */
async function linkTo(email: string, subject: RegExp): Promise<string> {
  const found = async () => (await auth.inbox(email)).find((mail) => subject.test(mail.subject ?? ''));
  await expect.poll(found, { timeout: 10_000 }).toBeDefined();
  return /http\S+\/account\/not-me\?token=\S+/.exec((await found())?.text ?? '')?.[0] ?? '';
}

/** Presses the button on the page that a notice links to. Returns the address of the next page. */
async function press(link: string): Promise<string> {
  const page = await fetch(`${auth.url}/account/cancel-change?token=${'0'.repeat(56)}`);
  const cookie = page.headers.getSetCookie().map((one) => one.split(';', 1)[0]);
  const mark = /name="mark" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
  const response = await fetch(link, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: cookie.join('; '), origin: auth.url },
    body: new URLSearchParams({ mark, token: new URL(link).searchParams.get('token') ?? '' }),
  });
  return response.headers.get('location') ?? String(response.status);
}

/** Changes the email address and confirms the change at the new address. A session is sufficient for this change. */
async function changeEmail(token: string, next: string): Promise<void> {
  await auth.request('/user', { method: 'PUT', token, json: { email: next } });
  const code = codeOf((await auth.inbox(next))[0]);
  const json = { type: 'email_change', email: next, token: code };
  expect((await auth.request('/verify', { json })).status).toBe(200);
}

describe('account activity', () => {
  test('lists sign-ins and changes with approximate addresses, in pages, only for the user', async () => {
    const { email, id } = await newUser();
    const token = await signIn(email);
    await auth.request('/user', { method: 'PUT', token, json: { password: 'another horse' } });
    await auth.admin().auth.admin.updateUserById(id, { password });
    const again = await signIn(email, '2001:db8:5:6::1');
    const { events } = await eventsOf(again);
    expect(events.map(({ kind, actor, network }) => [kind, actor, network])).toEqual([
      ['sign_in', 'user', '2001:db8:5::/48'],
      ['password_changed', 'operator', null],
      ['password_changed', 'user', '127.0.0.*'],
      ['sign_in', 'user', '203.0.113.*'],
    ]);
    expect(events[0]?.details).toEqual({ method: 'password', new_device: true });
    expect(events[3]?.details).toEqual({ method: 'password' });
    const first = await eventsOf(again, '?limit=3');
    expect(first.events).toHaveLength(3);
    const rest = await eventsOf(again, `?limit=3&before=${first.next}`);
    expect(rest).toEqual({ events: events.slice(3), next: null });
    // Another user's event isn't a valid position in this list.
    const stranger = await signIn((await newUser()).email);
    expect((await eventsOf(stranger, `?before=${events[0]?.id}`)).events).toEqual([]);
    for (const query of ['?limit=0', '?limit=101', '?limit=x', '?before=x'])
      expect((await auth.request(`/user/security-events${query}`, { token: again })).status).toBe(400);
    const data = await (await auth.request('/user/data', { token: again })).json<{
      security_events: unknown;
    }>();
    expect(data.security_events).toEqual(events);
  });

  test('contains signing out other devices only if a session ended', async () => {
    const { email } = await newUser();
    await signIn(email);
    const token = await signIn(email);
    for (let n = 0; n < 3; n += 1)
      expect((await auth.request('/logout?scope=others', { method: 'POST', token })).status).toBe(204);
    const ended = (await eventsOf(token)).events.filter(({ kind }) => kind === 'sessions_ended');
    expect(ended.map(({ details }) => details)).toEqual([{ scope: 'others' }]);
  });

  test('contains bans by operators, and lifting a ban only if there was one', async () => {
    const { email, id } = await newUser();
    for (const ban_duration of ['none', '24h', 'none', 'none'])
      await auth.admin().auth.admin.updateUserById(id, { ban_duration });
    const { events } = await eventsOf(await signIn(email));
    expect(events.map(({ kind, actor, network }) => [kind, actor, network]).slice(1)).toEqual([
      ['unbanned', 'operator', null],
      ['banned', 'operator', null],
    ]);
  });

  test('doesn’t contain failed changes, and is deleted with the user or when it is old', async () => {
    const { email, id } = await newUser();
    const token = await signIn(email);
    await auth.request('/user', { method: 'PUT', token, json: { password } });
    expect((await eventsOf(token)).events.map(({ kind }) => kind)).toEqual(['sign_in']);
    await auth.admin().auth.admin.deleteUser(id);
    const own = auth.database.pool('supabase_admin');
    for (const table of ['security_events', 'known_devices'])
      expect(await own.query(sql`select from ${sql.id('_plinth', table)} where user_id = ${id}`)).toEqual([]);
  });
});

describe('the link in a notice', () => {
  test('does nothing after an operator has repaired the account', async () => {
    const { email, id } = await newUser();
    const attacker = await signIn(email);
    await changeEmail(attacker, newEmail());
    const link = await linkTo(email, /address was changed/);
    const real = newEmail();
    await auth.admin().auth.admin.updateUserById(id, { email: real, email_confirm: true });
    expect((await fetch(link)).status).toBe(400);
    expect(await press(link)).toBe('400');
    const { data } = await auth.admin().auth.admin.getUserById(id);
    expect(data.user?.email).toBe(real);
  });

  test('changes nothing when it is opened, and its button works once, within the period, with the form’s token', async () => {
    const { email } = await newUser();
    const token = await signIn(email);
    await auth.request('/user', { method: 'PUT', token, json: { password: 'attacker 1' } });
    const link = await linkTo(email, /password/);
    expect((await fetch(link)).status).toBe(200);
    const forged = await fetch(link, {
      method: 'POST',
      headers: { origin: 'https://evil.example' },
      body: new URLSearchParams({ token: new URL(link).searchParams.get('token') ?? '' }),
    });
    expect(forged.status).toBe(403);
    const attacker = await signIn(email, '203.0.113.7', 'attacker 1');
    expect(await press(link)).toBe('/account/secured');
    expect((await auth.request('/user', { token: attacker })).status).toBe(403);
    expect(await signIn(email, '203.0.113.7', 'attacker 1')).toBeUndefined();
    expect(await signIn(email)).toBeUndefined();
    expect(await press(link)).toBe('400');
    const [row] = await auth.database
      .pool('supabase_admin')
      .query<{ count: number }>(
        sql`select count(*)::int from _plinth.event_reversals where hash = ${new URL(link).searchParams.get('token')}`,
      );
    expect(row?.count).toBe(0);
  });

  test('does nothing after it has expired', async () => {
    const { email } = await newUser();
    const token = await signIn(email);
    await auth.request('/user', { method: 'PUT', token, json: { password: 'owner 12345' } });
    const link = await linkTo(email, /password/);
    auth.clock.advance(49 * hour);
    expect((await fetch(link)).status).toBe(400);
    expect(await press(link)).toBe('400');
    expect(await signIn(email, '203.0.113.7', 'owner 12345')).toBeDefined();
  });

  test('restores the old address even if an attacker changed it twice and then used it for another account', async () => {
    const { email } = await newUser();
    const owner = await signIn(email);
    const [evil, worse] = [newEmail(), newEmail()];
    await changeEmail(owner, evil);
    await changeEmail(owner, worse);
    // The attacker signs up with the owner's address, so that the address can't be restored to the owner's account.
    await auth.request('/signup', { json: { email, password: 'attacker 1' } });
    const [ownersLink, attackersLink] = [
      await linkTo(email, /address was changed/),
      await linkTo(evil, /address was changed/),
    ];
    expect(await press(attackersLink)).toBe('/account/secured');
    expect(await press(ownersLink)).toBe('/account/secured');
    const { data } = await auth.admin().auth.admin.listUsers({ perPage: 1000 });
    const emails = data.users.map((user) => user.email);
    expect([emails.includes(email), emails.includes(evil), emails.includes(worse)]).toEqual([
      true,
      false,
      false,
    ]);
    // The owner signs in with a code, and sees what happened.
    await auth.request('/recover', { json: { email } });
    const code = codeOf((await auth.inbox(email)).find((mail) => /reset/i.test(mail.subject ?? '')));
    const verified = await auth.request('/verify', { json: { type: 'recovery', email, token: code } });
    const { access_token: token } = await verified.json<{ access_token: string }>();
    const kinds = (await eventsOf(token)).events.map(({ kind }) => kind);
    // As in upstream, confirming an address also creates a session, but this session isn't recorded as the owner's
    // sign-in.
    const changes = ['email_changed', 'email_changed'];
    expect(kinds).toEqual(['sign_in', 'secured', 'secured', ...changes, 'sign_in']);
  });

  test('doesn’t work for the attacker after the owner has used an earlier link', async () => {
    const { email } = await newUser();
    const owner = await signIn(email);
    const [evil, worse] = [newEmail(), newEmail()];
    await changeEmail(owner, evil);
    await changeEmail(owner, worse);
    const attackersLink = await linkTo(evil, /address was changed/);
    expect(await press(await linkTo(email, /address was changed/))).toBe('/account/secured');
    expect(await press(attackersLink)).toBe('400');
  });

  test('removes an identity that replaced the address, and the owner can sign in with the old address', async () => {
    const { email, id } = await newUser();
    await signIn(email);
    const attacker = await signIn(email, '198.51.100.10');
    // The provider's callback writes the same rows when the attacker links an account with another address.
    const evil = newEmail();
    const [identity, now] = [crypto.randomUUID(), new Date(auth.clock.now()).toISOString()];
    const own = auth.database.pool('supabase_admin');
    await own.query(sql`
      insert into auth.identities (id, provider_id, user_id, identity_data, provider, created_at)
      values (${identity}, ${identity}, ${id},
              ${{ sub: identity, email: evil, email_verified: true }}::jsonb, 'github', ${now})`);
    await own.query(sql`
      insert into _plinth.security_events (id, user_id, kind, actor, details, created_at)
      values (gen_random_uuid(), ${id}, 'identity_linked', 'user', ${{ identity_id: identity }}::jsonb, ${now})`);
    const { identities } = await (await auth.request('/user', { token: attacker })).json<{
      identities: readonly { identity_id: string; provider: string }[];
    }>();
    const first = identities.find(({ provider }) => provider === 'email')?.identity_id;
    const path = `/user/identities/${first}`;
    expect((await auth.request(path, { method: 'DELETE', token: attacker })).status).toBe(200);
    const changed = await auth.admin().auth.admin.getUserById(id);
    expect(changed.data.user?.email).toBe(evil);
    expect(await press(await linkTo(email, /New sign-in/))).toBe('/account/secured');
    const { data } = await auth.admin().auth.admin.getUserById(id);
    expect(data.user?.email).toBe(email);
    const left = data.user?.identities?.map(({ provider, identity_data }) => [
      provider,
      identity_data?.email,
    ]);
    expect(left).toEqual([['email', email]]);
  });

  test('undoes a sign-in on a new device with everything that was added after it', async () => {
    const { email, id } = await newUser();
    await signIn(email);
    const attacker = await signIn(email, '198.51.100.9');
    const evil = newEmail();
    await changeEmail(attacker, evil);
    expect(await press(await linkTo(email, /New sign-in/))).toBe('/account/secured');
    const { data } = await auth.admin().auth.admin.getUserById(id);
    expect(data.user?.email).toBe(email);
    expect((await auth.request('/user', { token: attacker })).status).toBe(403);
  });
});

test('“This wasn’t me” in the notice about an API key revokes all API keys', async () => {
  const { email } = await newUser();
  const token = await signIn(email);
  for (const name of ['Old', 'New'])
    expect((await auth.request('/user/api-keys', { token, json: { name } })).status).toBe(201);
  const notices = (await auth.inbox(email)).filter(({ subject }) =>
    /API key was created/.test(subject ?? ''),
  );
  expect(notices.map(({ text }) => /Its name is (\w+)/.exec(text ?? '')?.[1]).sort()).toEqual(['New', 'Old']);
  const link = /http\S+\/account\/not-me\?token=\S+/.exec(notices[0]?.text ?? '')?.[0] ?? '';
  const page = await (await fetch(link)).text();
  expect(page).toContain('An API key was created for your account on');
  expect(page).toContain('All API keys of your account will be revoked.');
  expect(await press(link)).toBe('/account/secured');
  const [{ count } = { count: -1 }] = await auth.database.pool('supabase_admin').query<{ count: number }>(sql`
    select count(*)::int as count from _plinth.user_api_keys k join auth.users u on u.id = k.user_id
    where u.email = ${email}`);
  expect(count).toBe(0);
});
