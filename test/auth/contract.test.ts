/** Tests details of GoTrue 2.196 that are easy to miss but that clients and projects rely on, one per test. */
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type AuthServer, codeOf, linkOf, newEmail, startAuth } from './harness.ts';

const password = 'correct horse';

interface SessionJson {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly user: { readonly id: string; readonly email: string };
}

function pkce() {
  const verifier = randomBytes(32).toString('hex');
  const code_challenge = createHash('sha256').update(verifier).digest('base64url');
  return { verifier, code_challenge, code_challenge_method: 's256' };
}

const hashOf = (link: string) => new URL(link).searchParams.get('token') ?? '';
const follow = async (link: string) =>
  (await fetch(link, { redirect: 'manual' })).headers.get('location') ?? '';

describe('with autoconfirm, the local default', () => {
  let server: AuthServer;
  beforeAll(async () => {
    server = await startAuth(
      { enable_anonymous_sign_ins: true, email: { require_current_password: true } },
      { passwordCost: 'production' },
    );
  });
  afterAll(() => server.stop());

  const signUp = async (email = newEmail()) =>
    (await server.request('/signup', { json: { email, password } })).json<SessionJson>();

  test('unsupported methods get 405, unknown paths 404, and HEAD doesn’t use a link', async () => {
    const { user } = await signUp();
    await server.client().auth.resetPasswordForEmail(user.email);
    const link = linkOf((await server.inbox(user.email))[0]);
    for (const method of ['HEAD', 'DELETE', 'PUT']) {
      const response = await fetch(link, { method, redirect: 'manual' });
      expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'POST, GET']);
    }
    expect(await follow(link)).toContain('#access_token=');
    expect((await server.request('/nowhere')).status).toBe(404);
    expect((await server.request('/verify/more')).status).toBe(404);
  });

  test('the stock client reads the next page and the total from the response headers', async () => {
    await signUp();
    await signUp();
    const { data, error } = await server.admin().auth.admin.listUsers({ page: 1, perPage: 1 });
    expect(error).toBeNull();
    expect(data).toMatchObject({ nextPage: 2, aud: 'authenticated' });
    expect((data as { total: number }).total).toBeGreaterThan(1);
    expect(data.users[0]?.identities ?? null).toBeNull();
  });

  test('a code request for a new user becomes a confirmation: the user is created, and the email is a sign-in email', async () => {
    const email = newEmail();
    const client = server.client();
    expect(await client.auth.signInWithOtp({ email })).toMatchObject({
      error: null,
      data: { session: null },
    });
    const [mail] = await server.inbox(email);
    expect(mail?.subject).toBe('Your sign-in link');
    const { data } = await server.admin().auth.admin.listUsers({ perPage: 1000 });
    const made = data.users.find((user) => user.email === email);
    expect(made?.email_confirmed_at).toBeDefined();
    const [sessions] = await server.database
      .pool('supabase_admin')
      .query<{ count: number }>(sql`select count(*)::int from auth.sessions where user_id = ${made?.id}`);
    // The session exists, although the client never received the response that contained it.
    expect(sessions?.count).toBe(1);
  });

  test('an address change with double confirmation sends two emails and needs one click', async () => {
    const session = await signUp();
    const next = newEmail();
    await server.request('/user', { method: 'PUT', token: session.access_token, json: { email: next } });
    expect(await server.inbox(session.user.email)).toHaveLength(1);
    const location = await follow(linkOf((await server.inbox(next))[0]));
    expect(new URLSearchParams(location.split('#')[1]).get('type')).toBe('email_change');
    expect((await server.client().auth.signInWithPassword({ email: next, password })).error).toBeNull();
  });

  test('a link with type=email contains the original type, magiclink, in the redirect’s fragment', async () => {
    const { user } = await signUp();
    await server.client().auth.signInWithOtp({ email: user.email });
    const link = linkOf((await server.inbox(user.email))[0]).replace('type=magiclink', 'type=email');
    expect(new URLSearchParams((await follow(link)).split('#')[1]).get('type')).toBe('magiclink');
  });

  test('a session from a code counts as recovery and, unlike other sessions, doesn’t need the current password', async () => {
    const { user, access_token } = await signUp();
    const change = async (token: string, json: object) => {
      const response = await server.request('/user', { method: 'PUT', token, json });
      return response.status === 200 ? 200 : (await response.json()).error_code;
    };
    expect(await change(access_token, { password: 'another horse' })).toBe('current_password_required');
    const wrong = { password: 'another horse', current_password: 'wrong horse' };
    expect(await change(access_token, wrong)).toBe('current_password_invalid');
    const client = server.client();
    await client.auth.signInWithOtp({ email: user.email });
    const token = codeOf((await server.inbox(user.email))[0]);
    const { data } = await client.auth.verifyOtp({ email: user.email, token, type: 'email' });
    expect(data.session?.user.user_metadata.email_verified).toBe(true);
    expect(await change(data.session?.access_token ?? '', { password: 'another horse' })).toBe(200);
    expect(await change(data.session?.access_token ?? '', { password: 'another horse' })).toBe(
      'same_password',
    );
  });

  test('a password change by the user ends all other sessions, and by an administrator all sessions', async () => {
    const first = await signUp();
    const second = (await (
      await server.request('/token?grant_type=password', { json: { email: first.user.email, password } })
    ).json()) as unknown as SessionJson;
    const json = { password: 'another horse', current_password: password };
    expect((await server.request('/user', { method: 'PUT', token: first.access_token, json })).status).toBe(
      200,
    );
    const gone = await server.request('/user', { token: second.access_token });
    expect([gone.status, (await gone.json()).error_code]).toEqual([403, 'session_not_found']);
    expect((await server.request('/user', { token: first.access_token })).status).toBe(200);
    await server.admin().auth.admin.updateUserById(first.user.id, { password: 'third horse' });
    expect((await server.request('/user', { token: first.access_token })).status).toBe(403);
  });

  test('an invited user without a password gets a random one', async () => {
    const email = newEmail();
    const { data } = await server.admin().auth.admin.inviteUserByEmail(email);
    const hashes = () =>
      server.database
        .pool('supabase_admin')
        .query(sql`select encrypted_password as hash from auth.users where id = ${data.user?.id}`);
    expect(await hashes()).toEqual([{ hash: '' }]);
    expect(await follow(linkOf((await server.inbox(email))[0]))).toContain('type=invite');
    expect(await hashes()).toEqual([{ hash: expect.stringMatching(/^\$2a\$10\$/) }]);
  });

  test('addresses are stored in lower case, and absent phone numbers are null', async () => {
    const email = newEmail();
    const { user } = await signUp(email.toUpperCase());
    expect(user.email).toBe(email);
    const rows = await server.database
      .pool('supabase_admin')
      .query(sql`select email, phone from auth.users where id = ${user.id}`);
    expect(rows).toEqual([{ email, phone: null }]);
    const login = await server.client().auth.signInWithPassword({ email: email.toUpperCase(), password });
    expect(login.error).toBeNull();
  });

  test('users of another instance aren’t found', async () => {
    const { user } = await signUp();
    await server.database
      .pool('supabase_admin')
      .query(sql`update auth.users set instance_id = null where id = ${user.id}`);
    const login = await server.client().auth.signInWithPassword({ email: user.email, password });
    expect(login.error).toMatchObject({ code: 'invalid_credentials' });
  });

  test('a code request with create_user=false gets the same error for unknown and invalid addresses', async () => {
    for (const json of [{ email: newEmail() }, { email: 'no address' }]) {
      const response = await server.request('/otp', { json: { ...json, create_user: false } });
      expect([response.status, (await response.json()).error_code]).toEqual([422, 'otp_disabled']);
    }
    const neither = await server.request('/otp', { json: { create_user: false } });
    expect([neither.status, (await neither.json()).msg]).toEqual([400, 'One of email or phone must be set']);
  });

  test('user metadata can’t overwrite the service’s own claims', async () => {
    const email = newEmail();
    const data = {
      sub: 'x',
      email: 'evil@example.org',
      email_verified: false,
      phone_verified: true,
      color: 'red',
    };
    const { user } = (await (
      await server.request('/signup', { json: { email, password, data } })
    ).json()) as unknown as { user: { id: string; user_metadata: object } };
    expect(user.user_metadata).toEqual({
      sub: user.id,
      email,
      email_verified: true,
      phone_verified: false,
      color: 'red',
    });
  });

  test('reauthentication requires an address or a number, which guests don’t have', async () => {
    const guest = await (await server.request('/signup', { json: {} })).json<SessionJson>();
    const response = await server.request('/reauthenticate', { token: guest.access_token });
    expect([response.status, (await response.json()).error_code]).toEqual([400, 'validation_failed']);
  });
});

describe('with confirmations', () => {
  let server: AuthServer;
  beforeAll(async () => {
    server = await startAuth({ email: { enable_confirmations: true }, sms: { enable_confirmations: true } });
  });
  afterAll(() => server.stop());

  async function confirmed() {
    const email = newEmail();
    const client = server.client();
    await client.auth.signUp({ email, password });
    const token = codeOf((await server.inbox(email))[0]);
    const { data } = await client.auth.verifyOtp({ email, token, type: 'signup' });
    return { email, client, session: data.session };
  }

  test('a repeated sign-up of an unconfirmed user sends another email and replaces the password', async () => {
    const email = newEmail();
    await server.client().auth.signUp({ email, password: 'another password' });
    await server.client().auth.signUp({ email, password });
    const mails = await server.inbox(email);
    expect(mails).toHaveLength(2);
    await server.client().auth.verifyOtp({ email, token: codeOf(mails[0]), type: 'signup' });
    expect((await server.client().auth.signInWithPassword({ email, password })).error).toBeNull();
  });

  test('PKCE codes expire relative to the request (for a sign-up) or to the click (for a magic link)', async () => {
    const { verifier, ...challenge } = pkce();
    const exchange = async (location: string) => {
      const auth_code = new URL(location).searchParams.get('code');
      const response = await server.request('/token?grant_type=pkce', {
        json: { auth_code, code_verifier: verifier },
      });
      return [response.status, (await response.json()).error_code];
    };
    const email = newEmail();
    await server.request('/signup', { json: { email, password, ...challenge } });
    server.clock.advance(301_000);
    expect(await exchange(await follow(linkOf((await server.inbox(email))[0])))).toEqual([
      422,
      'flow_state_expired',
    ]);
    await server.request('/otp', { json: { email, ...challenge } });
    server.clock.advance(301_000);
    expect(await exchange(await follow(linkOf((await server.inbox(email))[0])))).toEqual([200, undefined]);
  });

  test('POST /verify accepts a PKCE token hash without a verifier, and typed codes with or without the prefix', async () => {
    const { verifier: _, ...challenge } = pkce();
    const [one, other] = [newEmail(), newEmail()];
    for (const email of [one, other])
      await server.request('/signup', { json: { email, password, ...challenge } });
    const token_hash = hashOf(linkOf((await server.inbox(one))[0]));
    expect(token_hash).toMatch(/^pkce_/);
    expect((await server.request('/verify', { json: { type: 'signup', token_hash } })).status).toBe(200);
    const token = codeOf((await server.inbox(other))[0]);
    expect((await server.request('/verify', { json: { type: 'signup', token, email: other } })).status).toBe(
      200,
    );
  });

  test('a confirmation invalidates the other links and creates a session with the method otp', async () => {
    const { email, session } = await confirmed();
    const claims = JSON.parse(Buffer.from(session?.access_token.split('.')[1] ?? '', 'base64url').toString());
    expect(claims.amr).toMatchObject([{ method: 'otp' }]);
    await server.client().auth.resetPasswordForEmail(email);
    const recovery = linkOf((await server.inbox(email))[0]);
    await server.client().auth.signInWithOtp({ email });
    const link = linkOf((await server.inbox(email))[0]);
    expect(await follow(link)).toContain('type=magiclink');
    expect(await follow(recovery)).toContain('error_code=otp_expired');
  });

  test('the first of the two links for an address change redirects with a message in the fragment', async () => {
    const { email, client } = await confirmed();
    const next = newEmail();
    await client.auth.updateUser({ email: next });
    const half = await follow(linkOf((await server.inbox(next))[0]));
    expect(half).toMatch(/#message=Confirmation\+link\+accepted.*&sb=$/);
    expect((await server.client().auth.signInWithPassword({ email, password })).error).toBeNull();
    expect(await follow(linkOf((await server.inbox(email))[0]))).toContain('type=email_change');
    expect((await server.client().auth.signInWithPassword({ email: next, password })).error).toBeNull();
  });

  test('generate_link for a new address returns a working link and a working hashed_token', async () => {
    const { email } = await confirmed();
    const next = newEmail();
    const generate = (type: 'email_change_new' | 'email_change_current') =>
      server.admin().auth.admin.generateLink({ type, email, newEmail: next });
    const { data } = await generate('email_change_new');
    const properties = data.properties;
    const half = await follow(properties?.action_link ?? '');
    expect(half).toContain('#message=');
    const again = (await generate('email_change_new')).data.properties;
    const verified = await server.request('/verify', {
      json: { type: 'email_change', token_hash: again?.hashed_token },
    });
    expect([verified.status, (await verified.json()).msg]).toEqual([
      200,
      expect.stringContaining('Confirmation link accepted'),
    ]);
    expect(await server.inbox(next)).toEqual([]);
  });

  test('a user who signs out or is banned can’t use earlier emails', async () => {
    const { email, session } = await confirmed();
    await server.client().auth.signInWithOtp({ email });
    const link = linkOf((await server.inbox(email))[0]);
    await server.admin().auth.admin.updateUserById(session?.user.id ?? '', { ban_duration: '1h' });
    expect(await follow(link)).toContain('error_code=user_banned');
    const blocked = await server.request('/user', { token: session?.access_token ?? '' });
    expect([blocked.status, (await blocked.json()).error_code]).toEqual([403, 'user_banned']);
  });
});

test('if sign-up is disabled, no user can sign up by password, code or as a guest, but administrators can add users', async () => {
  const server = await startAuth({ enable_signup: false, enable_anonymous_sign_ins: true });
  try {
    const codeOfAnswer = async (path: string, json: object) => {
      const response = await server.request(path, { json });
      return [response.status, (await response.json()).error_code];
    };
    expect(await codeOfAnswer('/signup', { email: newEmail(), password })).toEqual([422, 'signup_disabled']);
    expect(await codeOfAnswer('/signup', {})).toEqual([422, 'signup_disabled']);
    expect(await codeOfAnswer('/otp', { email: newEmail() })).toEqual([422, 'signup_disabled']);
    expect(await codeOfAnswer('/magiclink', { email: newEmail() })).toEqual([422, 'signup_disabled']);
    const made = await server
      .admin()
      .auth.admin.createUser({ email: newEmail(), password: 'x', email_confirm: true });
    expect(made.error).toBeNull();
    // Password rules apply to password changes but not when an administrator creates a user.
    const changed = await server
      .admin()
      .auth.admin.updateUserById(made.data.user?.id ?? '', { password: 'x' });
    expect(changed.error).toMatchObject({ status: 422, code: 'weak_password' });
  } finally {
    await server.stop();
  }
});

test('if email is disabled, every sign-in method that uses an address is disabled too', async () => {
  const server = await startAuth({ email: { enable_signup: false } });
  try {
    const email = newEmail();
    for (const [path, json, status] of [
      ['/signup', { email, password }, 400],
      ['/token?grant_type=password', { email, password }, 422],
      ['/otp', { email }, 422],
      ['/magiclink', { email }, 422],
      ['/recover', { email }, 400],
      ['/resend', { email, type: 'signup' }, 400],
    ] as const) {
      const response = await server.request(path, { json });
      expect([path, response.status, (await response.json()).error_code]).toEqual([
        path,
        status,
        'email_provider_disabled',
      ]);
    }
  } finally {
    await server.stop();
  }
});
