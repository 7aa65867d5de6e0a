/**
 * Tests accounts with an email address and a password with the stock client: sign-up, sign-in, refresh, user and
 * logout.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuthServer, newEmail, startAuth } from './harness.ts';

const password = 'correct horse';

describe('with confirmations off', () => {
  let server: AuthServer;
  beforeAll(async () => {
    server = await startAuth();
  });
  afterAll(() => server.stop());

  test('sign-up returns a session immediately', async () => {
    const email = newEmail();
    const { data, error } = await server.client().auth.signUp({
      email: email.toUpperCase(),
      password,
      options: { data: { name: 'Ann', email_verified: 'mine', sub: 'mine' } },
    });
    expect(error).toBeNull();
    expect(data.session).toMatchObject({ token_type: 'bearer', expires_in: 3600 });
    expect(data.session?.refresh_token).toMatch(/^[a-z2-7]{12}$/);
    const { user } = data;
    expect(Object.keys(user ?? {})).toEqual([
      'id',
      'aud',
      'role',
      'email',
      'email_confirmed_at',
      'phone',
      'last_sign_in_at',
      'app_metadata',
      'user_metadata',
      'identities',
      'created_at',
      'updated_at',
      'is_anonymous',
    ]);
    expect(user).toMatchObject({
      aud: 'authenticated',
      role: 'authenticated',
      email,
      phone: '',
      app_metadata: { provider: 'email', providers: ['email'] },
      user_metadata: { email, email_verified: true, name: 'Ann', phone_verified: false, sub: user?.id },
      is_anonymous: false,
    });
    expect(user?.identities?.[0]).toMatchObject({
      id: user?.id,
      provider: 'email',
      user_id: user?.id,
      email,
    });
  });

  test('the access token identifies the user and the sign-in method', async () => {
    const email = newEmail();
    const { data } = await server.client().auth.signUp({ email, password });
    const token = data.session?.access_token ?? '';
    const [header, claims] = token
      .split('.')
      .slice(0, 2)
      .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));
    expect(header).toMatchObject({ alg: 'ES256', typ: 'JWT' });
    expect(Object.keys(claims)).toEqual([
      'iss',
      'sub',
      'aud',
      'exp',
      'iat',
      'email',
      'phone',
      'app_metadata',
      'user_metadata',
      'role',
      'aal',
      'amr',
      'session_id',
      'is_anonymous',
    ]);
    expect(claims).toMatchObject({
      iss: `${server.url}/auth/v1`,
      sub: data.user?.id,
      aud: 'authenticated',
      role: 'authenticated',
      aal: 'aal1',
    });
    expect(claims.amr).toEqual([{ method: 'password', timestamp: expect.any(Number) }]);
    const verified = await server.client().auth.getClaims(token);
    expect(verified.error).toBeNull();
    expect(verified.data?.claims.sub).toBe(data.user?.id);
  });

  test('a second sign-up is rejected', async () => {
    const email = newEmail();
    await server.client().auth.signUp({ email, password });
    const { error } = await server.client().auth.signUp({ email, password });
    expect(error).toMatchObject({
      status: 422,
      code: 'user_already_exists',
      message: 'User already registered',
    });
  });

  test('sign-in, user, refresh and logout work', async () => {
    const email = newEmail();
    const client = server.client();
    await client.auth.signUp({ email, password });
    const signedIn = await client.auth.signInWithPassword({ email, password });
    expect(signedIn.error).toBeNull();
    const { data } = await client.auth.getUser();
    expect(data.user?.email).toBe(email);
    const refreshed = await client.auth.refreshSession();
    expect(refreshed.error).toBeNull();
    expect(refreshed.data.session?.refresh_token).not.toBe(signedIn.data.session?.refresh_token);
    expect((await client.auth.signOut()).error).toBeNull();
    const after = await server.request('/user', { token: refreshed.data.session?.access_token ?? '' });
    expect(after.status).toBe(403);
    expect(await after.json()).toMatchObject({ error_code: 'session_not_found' });
  });

  test('a wrong password and an unknown user get the same response', async () => {
    const email = newEmail();
    await server.client().auth.signUp({ email, password });
    const wrong = await server.client().auth.signInWithPassword({ email, password: 'wrong one' });
    const unknown = await server.client().auth.signInWithPassword({ email: newEmail(), password });
    expect(wrong.error).toMatchObject({
      status: 400,
      code: 'invalid_credentials',
      message: 'Invalid login credentials',
    });
    expect(unknown.error).toEqual(wrong.error);
  });

  test('a short password is rejected as weak', async () => {
    const { error } = await server.client().auth.signUp({ email: newEmail(), password: '12345' });
    expect(error).toMatchObject({
      name: 'AuthWeakPasswordError',
      status: 422,
      code: 'weak_password',
      reasons: ['length'],
    });
  });

  test('user updates merge metadata, reject the old password as a new one, and end other sessions', async () => {
    const email = newEmail();
    const [client, other] = [server.client(), server.client()];
    await client.auth.signUp({ email, password, options: { data: { a: 1, b: 2 } } });
    await other.auth.signInWithPassword({ email, password });
    const updated = await client.auth.updateUser({ data: { a: null, c: { z: 1, a: 2 } } });
    expect(updated.data.user?.user_metadata).toMatchObject({ b: 2, c: { a: 2, z: 1 } });
    expect(updated.data.user?.user_metadata).not.toHaveProperty('a');
    expect((await client.auth.updateUser({ password })).error).toMatchObject({
      status: 422,
      code: 'same_password',
    });
    expect((await client.auth.updateUser({ password: 'another horse' })).error).toBeNull();
    expect((await other.auth.getUser()).error).toMatchObject({ name: 'AuthSessionMissingError' });
    expect((await client.auth.getUser()).error).toBeNull();
    expect(
      (await server.client().auth.signInWithPassword({ email, password: 'another horse' })).error,
    ).toBeNull();
  });

  test("users can't set app_metadata and role", async () => {
    const { data } = await server
      .client()
      .auth.signUp({ email: newEmail(), password, options: { data: { role: 'service_role' } } });
    const token = data.session?.access_token ?? '';
    const response = await server.request('/user', {
      method: 'PUT',
      token,
      json: { app_metadata: { admin: true }, role: 'service_role' },
    });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error_code: 'not_admin' });
    const plain = await server.request('/user', {
      method: 'PUT',
      token,
      json: { role: 'service_role', aud: 'x' },
    });
    expect(await plain.json()).toMatchObject({ role: 'authenticated', aud: 'authenticated' });
  });
});

test('stored hashes are bcrypt in pgcrypto’s format, and pgcrypto’s hashes are accepted', async () => {
  const server = await startAuth({}, { passwordCost: 'production' });
  try {
    const email = newEmail();
    await server.client().auth.signUp({ email, password });
    const rows = await server.database
      .pool('supabase_admin')
      .queryText(
        (await import('../../src/base/kernel/sql.ts'))
          .sql`select encrypted_password from auth.users where email = ${email}`,
      );
    expect(rows.rows[0]?.[0]).toMatch(/^\$2a\$10\$/);
  } finally {
    await server.stop();
  }
});
