/** Tests user administration and session management with the stock client. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type AuthServer, linkOf, newEmail, startAuth } from './harness.ts';

const password = 'correct horse';
const dayMs = 86_400_000;

interface UserList {
  readonly users: readonly { readonly identities: unknown }[];
}

interface SessionEntry {
  readonly id: string;
  readonly current: boolean;
}

let server: AuthServer;
beforeAll(async () => {
  server = await startAuth({ additional_redirect_urls: ['https://app.example.com/**'] });
});
afterAll(() => server.stop());

describe('users', () => {
  test('can be created, read, updated and deleted', async () => {
    const { admin } = server.admin().auth;
    const email = newEmail();
    const created = await admin.createUser({
      email,
      password,
      email_confirm: true,
      user_metadata: { name: 'Ann' },
      app_metadata: { plan: 'gold' },
      phone: '+49 151 1234567',
    });
    expect(created.error).toBeNull();
    const user = created.data.user;
    expect(user).toMatchObject({
      email,
      phone: '491511234567',
      role: 'authenticated',
      app_metadata: { plan: 'gold', provider: 'email', providers: ['email', 'phone'] },
      user_metadata: { name: 'Ann', email_verified: true },
    });
    const id = user?.id ?? '';
    expect((await server.client().auth.signInWithPassword({ email, password })).error).toBeNull();
    const updated = await admin.updateUserById(id, {
      app_metadata: { plan: null, seats: 3 },
      user_metadata: { x: 1 },
      role: 'editor',
    });
    expect(updated.data.user).toMatchObject({
      role: 'editor',
      app_metadata: { seats: 3 },
      user_metadata: { name: 'Ann', x: 1 },
    });
    expect(updated.data.user?.app_metadata).not.toHaveProperty('plan');
    expect((await admin.getUserById(id)).data.user).toMatchObject({ id, role: 'editor' });
    expect((await admin.createUser({ email, password })).error).toMatchObject({
      status: 422,
      code: 'email_exists',
    });
    expect((await admin.deleteUser(id)).error).toBeNull();
    expect((await admin.getUserById(id)).error).toMatchObject({ status: 404, code: 'user_not_found' });
  });

  test('are listed in pages, newest first, with null identities', async () => {
    const { admin } = server.admin().auth;
    const emails = [newEmail(), newEmail(), newEmail()];
    for (const email of emails) await admin.createUser({ email });
    const { data, error } = await admin.listUsers({ page: 1, perPage: 2 });
    expect(error).toBeNull();
    expect(data.users.map((user) => user.email)).toEqual([emails[2], emails[1]]);
    expect(data).toMatchObject({ nextPage: 2, lastPage: expect.any(Number), total: expect.any(Number) });
    const plain = await server.request('/admin/users?per_page=1&page=1', {
      token: server.keys.serviceRoleKey,
    });
    expect(plain.headers.get('link')).toMatch(
      /^<\/admin\/users\?page=2&per_page=1>; rel="next", <\/admin\/users\?page=\d+&per_page=1>; rel="last"$/,
    );
    expect((await plain.json<UserList>()).users[0]?.identities).toBeNull();
    const filtered = await server.request(`/admin/users?filter=${emails[0]?.split('@')[0]}`, {
      token: server.keys.serviceRoleKey,
    });
    expect((await filtered.json<UserList>()).users).toHaveLength(1);
  });

  test('a ban applies until it is lifted', async () => {
    const { admin } = server.admin().auth;
    const email = newEmail();
    const { data } = await admin.createUser({ email, password, email_confirm: true });
    const id = data.user?.id ?? '';
    const client = server.client();
    await client.auth.signInWithPassword({ email, password });
    const banned = await admin.updateUserById(id, { ban_duration: '1h30m' });
    expect(Date.parse((banned.data.user as { banned_until?: string }).banned_until ?? '')).toBeGreaterThan(
      Date.now() + 5_000_000,
    );
    expect((await server.client().auth.signInWithPassword({ email, password })).error).toMatchObject({
      status: 400,
      code: 'user_banned',
    });
    expect((await client.auth.getUser()).error).toMatchObject({ status: 403, code: 'user_banned' });
    await admin.updateUserById(id, { ban_duration: 'none' });
    expect((await client.auth.getUser()).error).toBeNull();
    expect((await admin.updateUserById(id, { ban_duration: 'soon' })).error).toMatchObject({
      status: 400,
      code: 'validation_failed',
    });
  });

  test('keep their row, but no personal data, after a soft deletion', async () => {
    const { admin } = server.admin().auth;
    const email = newEmail();
    const { data } = await admin.createUser({
      email,
      password,
      user_metadata: { name: 'Ann' },
      email_confirm: true,
    });
    await admin.deleteUser(data.user?.id ?? '', true);
    const after = await admin.getUserById(data.user?.id ?? '');
    expect(after.data.user).toMatchObject({
      user_metadata: {},
      app_metadata: {},
      deleted_at: expect.any(String),
    });
    expect(after.data.user?.email).not.toBe(email);
    expect((await server.client().auth.signUp({ email, password })).error).toBeNull();
  });

  test('require service_role', async () => {
    const { data } = await server.client().auth.signUp({ email: newEmail(), password });
    for (const token of [data.session?.access_token ?? '', server.keys.anonKey]) {
      const response = await server.request('/admin/users', { token });
      expect([response.status, (await response.json()).error_code]).toEqual([403, 'not_admin']);
    }
  });

  test('can sign in with imported password hashes, including those from pgcrypto', async () => {
    const email = newEmail();
    const [row] = await server.database
      .pool('supabase_admin')
      .query<{ hash: string }>(
        sql`select extensions.crypt(${password}, extensions.gen_salt('bf', 6)) as hash`,
      );
    const { error } = await server
      .admin()
      .auth.admin.createUser({ email, password_hash: row?.hash ?? '', email_confirm: true });
    expect(error).toBeNull();
    expect((await server.client().auth.signInWithPassword({ email, password })).error).toBeNull();
  });
});

describe('a confirmation', () => {
  let numbers = 0;
  const newPhone = () => `4915${String(Date.now()).slice(-7)}${numbers++}`;

  test('of a contact that the user doesn’t have isn’t stored', async () => {
    const { admin } = server.admin().auth;
    const both = { email_confirm: true, phone_confirm: true };
    const { data: withPhone } = await admin.createUser({ phone: newPhone(), ...both });
    expect(withPhone.user).toMatchObject({ phone_confirmed_at: expect.any(String) });
    expect(withPhone.user).not.toHaveProperty('email_confirmed_at');
    const { data: withEmail } = await admin.createUser({ email: newEmail(), ...both });
    expect(withEmail.user).toMatchObject({ email_confirmed_at: expect.any(String) });
    expect(withEmail.user).not.toHaveProperty('phone_confirmed_at');

    for (const [created, missing] of [
      [withPhone, 'email_confirmed_at'],
      [withEmail, 'phone_confirmed_at'],
    ] as const) {
      const { data, error } = await admin.updateUserById(created.user?.id ?? '', both);
      expect(error).toBeNull();
      expect(data.user).not.toHaveProperty(missing);
    }
    // An address that the user gets later isn't confirmed.
    const id = withPhone.user?.id ?? '';
    const { data: later } = await admin.updateUserById(id, { email: newEmail() });
    expect(later.user).not.toHaveProperty('email_confirmed_at');
    expect(later.user?.user_metadata).not.toHaveProperty('email_verified');
  });

  test('applies to a contact in the same request', async () => {
    const { admin } = server.admin().auth;
    const { data } = await admin.createUser({ phone: newPhone() });
    const contacts = { email: newEmail(), email_confirm: true, phone_confirm: true };
    const updated = await admin.updateUserById(data.user?.id ?? '', contacts);
    expect(updated.data.user).toMatchObject({
      email_confirmed_at: expect.any(String),
      phone_confirmed_at: expect.any(String),
    });
  });
});

describe('links and invitations', () => {
  test('an invitation is emailed, and its link signs the user in', async () => {
    const email = newEmail();
    const { data, error } = await server.admin().auth.admin.inviteUserByEmail(email, { data: { team: 'a' } });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({ email, invited_at: expect.any(String), user_metadata: { team: 'a' } });
    const [mail] = await server.inbox(email);
    expect(mail?.subject).toBe("You've been invited");
    const hash = new URL(linkOf(mail)).searchParams.get('token') ?? '';
    const accepted = await server.client().auth.verifyOtp({ token_hash: hash, type: 'invite' });
    expect(accepted.data.user?.email_confirmed_at).toBeTruthy();
    expect((await server.admin().auth.admin.inviteUserByEmail(email)).error).toMatchObject({
      status: 422,
      code: 'email_exists',
    });
  });

  test.each([
    [
      'an email',
      async (email: string) => {
        await server.admin().auth.admin.inviteUserByEmail(email);
        const [mail] = await server.inbox(email);
        return { hash: new URL(linkOf(mail)).searchParams.get('token') ?? '', code: undefined };
      },
    ],
    [
      'a generated link',
      async (email: string) => {
        const { data } = await server.admin().auth.admin.generateLink({ type: 'invite', email });
        return { hash: data.properties?.hashed_token ?? '', code: data.properties?.email_otp };
      },
    ],
  ])('an invitation in %s is valid for seven days and can’t be guessed from a code', async (_by, invite) => {
    const [inTime, late] = [newEmail(), newEmail()];
    const [open, expired] = [await invite(inTime), await invite(late)];
    const accept = (token_hash: string) => server.client().auth.verifyOtp({ token_hash, type: 'invite' });
    if (open.code !== undefined) {
      expect(open.hash).not.toBe(createHash('sha224').update(`${inTime}${open.code}`).digest('hex'));
    }
    server.clock.advance(6 * dayMs);
    // The code, which the default email doesn't contain, expires like all codes.
    if (open.code !== undefined) {
      const typed = await server.client().auth.verifyOtp({ email: inTime, token: open.code, type: 'invite' });
      expect(typed.error).toMatchObject({ code: 'otp_expired' });
    }
    expect((await accept(open.hash)).data.user?.email).toBe(inTime);
    server.clock.advance(dayMs + 1000);
    expect((await accept(expired.hash)).error).toMatchObject({ code: 'otp_expired' });
  });

  test('a confirmation email replaces an invitation, and its link expires like other links', async () => {
    const strict = await startAuth({ email: { enable_confirmations: true, max_frequency: 0 } });
    try {
      const email = newEmail();
      await strict.admin().auth.admin.inviteUserByEmail(email);
      strict.clock.advance(dayMs);
      await strict.client().auth.signUp({ email, password });
      const [mail] = await strict.inbox(email);
      strict.clock.advance(3_601_000);
      const hash = new URL(linkOf(mail)).searchParams.get('token') ?? '';
      const accepted = await strict.client().auth.verifyOtp({ token_hash: hash, type: 'email' });
      expect(accepted.error).toMatchObject({ code: 'otp_expired' });
    } finally {
      await strict.stop();
    }
  });

  test.each(['magiclink', 'recovery'] as const)(
    'generate_link %s works for an existing user',
    async (type) => {
      const { admin } = server.admin().auth;
      const email = newEmail();
      await admin.createUser({ email, password, email_confirm: true });
      const { data, error } = await admin.generateLink({
        type,
        email,
        options: { redirectTo: 'https://app.example.com/x' },
      });
      expect(error).toBeNull();
      expect(data.properties).toMatchObject({
        action_link: expect.stringContaining(`type=${type}&redirect_to=https://app.example.com/x`),
        email_otp: expect.stringMatching(/^\d{6}$/),
        hashed_token: expect.stringMatching(/^[0-9a-f]{56}$/),
        redirect_to: 'https://app.example.com/x',
        verification_type: type,
      });
      const signedIn = await server
        .client()
        .auth.verifyOtp({ token_hash: data.properties?.hashed_token ?? '', type });
      expect(signedIn.data.session?.user.email).toBe(email);
      expect(await server.inbox(email)).toHaveLength(0);
    },
  );

  test('generate_link creates users for sign-up, but not for recovery', async () => {
    const { admin } = server.admin().auth;
    const { data } = await admin.generateLink({ type: 'magiclink', email: newEmail() });
    expect(data.properties?.verification_type).toBe('signup');
    expect((await admin.generateLink({ type: 'recovery', email: newEmail() })).error).toMatchObject({
      status: 404,
      code: 'user_not_found',
    });
  });
});

describe('a user’s own sessions', () => {
  test('are listed and can be ended one by one', async () => {
    const email = newEmail();
    const [here, there] = [server.client(), server.client()];
    const { data } = await here.auth.signUp({ email, password });
    await there.auth.signInWithPassword({ email, password });
    const token = data.session?.access_token ?? '';
    const response = await server.request('/user/sessions', { token });
    const listed = (await response.json<{ sessions: SessionEntry[] }>()).sessions;
    expect(listed).toHaveLength(2);
    expect(listed.filter((session) => session.current)).toHaveLength(1);
    expect(Object.keys(listed[0] ?? {})).toEqual([
      'id',
      'created_at',
      'refreshed_at',
      'user_agent',
      'ip',
      'aal',
      'current',
      'browser',
      'app',
    ]);
    const other = listed.find((session) => !session.current);
    expect((await server.request(`/user/sessions/${other?.id}`, { method: 'DELETE', token })).status).toBe(
      204,
    );
    expect((await server.request(`/user/sessions/${other?.id}`, { method: 'DELETE', token })).status).toBe(
      404,
    );
    expect((await there.auth.getUser()).error).toMatchObject({ name: 'AuthSessionMissingError' });
    expect((await here.auth.getUser()).error).toBeNull();
  });

  test('can’t be ended by other users', async () => {
    const victim = await server.client().auth.signUp({ email: newEmail(), password });
    const attacker = await server.client().auth.signUp({ email: newEmail(), password });
    const [, body] = (victim.data.session?.access_token ?? '').split('.');
    const id = JSON.parse(Buffer.from(body ?? '', 'base64url').toString()).session_id;
    const token = attacker.data.session?.access_token ?? '';
    expect((await server.request(`/user/sessions/${id}`, { method: 'DELETE', token })).status).toBe(404);
    expect((await server.request('/user', { token: victim.data.session?.access_token ?? '' })).status).toBe(
      200,
    );
  });

  test('end according to the logout scope', async () => {
    const email = newEmail();
    const clients = [server.client(), server.client(), server.client()] as const;
    await clients[0].auth.signUp({ email, password });
    for (const client of clients.slice(1)) await client.auth.signInWithPassword({ email, password });
    await clients[0].auth.signOut({ scope: 'local' });
    expect((await clients[1].auth.getUser()).error).toBeNull();
    await clients[1].auth.signOut({ scope: 'others' });
    expect((await clients[2].auth.getUser()).error).not.toBeNull();
    expect((await clients[1].auth.getUser()).error).toBeNull();
  });
});

test('the audit log contains the actions', async () => {
  const email = newEmail();
  await server.client().auth.signUp({ email, password });
  const response = await server.request(`/admin/audit?query=author:${encodeURIComponent(email)}`, {
    token: server.keys.serviceRoleKey,
  });
  const entries = await response.json<{ payload: { action: string } }[]>();
  expect(entries.map((entry) => entry.payload.action).sort()).toEqual(['login', 'user_signedup']);
  expect((await server.request('/admin/audit?query=bad', { token: server.keys.serviceRoleKey })).status).toBe(
    400,
  );
});
