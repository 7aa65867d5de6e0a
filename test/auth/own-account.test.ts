/** Tests that users can download their data and delete their accounts. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { totpCode } from '../../src/base/shared/one-time-codes.ts';
import { type AuthServer, newEmail, startAuth } from './harness.ts';

const password = 'correct horse';
const minuteMs = 60_000;

let server: AuthServer;
beforeAll(async () => {
  server = await startAuth(
    {
      enable_anonymous_sign_ins: true,
      jwt_expiry: 7200,
      mfa: { totp: { enroll_enabled: true, verify_enabled: true } },
    },
    { plinth: { account: { deletion: true } } },
  );
});
afterAll(() => server.stop());

const db = () => server.database.pool('supabase_admin');

interface SessionJson {
  readonly access_token: string;
  readonly user: { readonly id: string; readonly email: string };
}

const signUp = async (json: object = { email: newEmail(), password }) =>
  (await server.request('/signup', { json })).json<SessionJson>();
const signIn = async (email: string) =>
  (await server.request('/token?grant_type=password', { json: { email, password } })).json<SessionJson>();
const leave = async (token: string) => {
  const response = await server.request('/user', { method: 'DELETE', token });
  return response.status === 204 ? 204 : [response.status, (await response.json()).error_code];
};
const exists = async (id: string) =>
  (await db().query(sql`select from auth.users where id = ${id}`)).length === 1;

async function addFactor(token: string): Promise<string> {
  const ask = async <T>(path: string, json: object) =>
    (await server.request(path, { token, json })).json<T>();
  const { id, totp } = await ask<{ id: string; totp: { secret: string } }>('/factors', {
    factor_type: 'totp',
  });
  const { id: challenge_id } = await ask<{ id: string }>(`/factors/${id}/challenge`, {});
  const code = totpCode(totp.secret, Math.floor(Date.now() / 30_000));
  return (await ask<SessionJson>(`/factors/${id}/verify`, { challenge_id, code })).access_token;
}

/** Creates a session for a client of the OAuth server. */
async function asClient(token: string, userId: string): Promise<void> {
  const { session_id: id } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
    session_id: string;
  };
  await db().exec(`
    insert into auth.oauth_clients (id, registration_type, redirect_uris, grant_types, token_endpoint_auth_method)
    values ('${userId}', 'manual', 'https://a.example', 'authorization_code', 'none');
    update auth.sessions set oauth_client_id = '${userId}' where id = '${id}';`);
}

describe('data', () => {
  test('contains everything about the user, and no secrets', async () => {
    const { access_token, user } = await signUp({ email: newEmail(), password, data: { name: 'Ann' } });
    await signIn(user.email);
    const token = await addFactor(access_token);
    await signIn(user.email);
    const response = await server.request('/user/data', { token });
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const text = await response.text();
    const data = JSON.parse(text) as { sessions: { current: boolean }[] };
    expect(data).toEqual({
      exported_at: expect.stringMatching(/^\d{4}-.*Z$/),
      user: expect.objectContaining({
        id: user.id,
        email: user.email,
        user_metadata: expect.objectContaining({ name: 'Ann' }),
        identities: [expect.objectContaining({ provider: 'email' })],
        factors: [expect.objectContaining({ factor_type: 'totp', status: 'verified' })],
      }),
      sessions: [expect.any(Object), expect.any(Object)],
      passkeys: [],
      oauth_grants: [],
      api_keys: [],
      security_events: expect.arrayContaining([expect.objectContaining({ kind: 'factor_added' })]),
      recovery_codes: { total: 0, remaining: 0, created_at: null },
    });
    expect(data.sessions.filter(({ current }) => current)).toHaveLength(1);
    const [secrets] = await db().query<{ hash: string; secret: string; token: string }>(sql`
      select u.encrypted_password as hash, f.secret, t.token from auth.users u
      join auth.mfa_factors f on f.user_id = u.id join auth.refresh_tokens t on t.user_id = u.id::text
      where u.id = ${user.id} limit 1`);
    for (const secret of Object.values(secrets ?? {})) expect(text).not.toContain(secret);
  });

  test('is only available to the user, after the second factor', async () => {
    const ask = async (token?: string) => {
      const response = await server.request('/user/data', token === undefined ? {} : { token });
      return [response.status, (await response.json()).error_code];
    };
    expect(await ask()).toEqual([401, 'no_authorization']);
    const { access_token, user } = await signUp();
    await addFactor(access_token);
    expect(await ask((await signIn(user.email)).access_token)).toEqual([403, 'insufficient_aal']);
    const other = await signUp();
    await asClient(other.access_token, other.user.id);
    expect(await ask(other.access_token)).toEqual([403, 'no_authorization']);
  });
});

describe('deletion', () => {
  test('deletes the user and all dependent rows, and is written to the audit log', async () => {
    const { access_token, user } = await signUp();
    await db().exec(`
      create table public.notes (owner uuid references auth.users on delete cascade);
      insert into public.notes values ('${user.id}');`);
    expect(await leave(access_token)).toBe(204);
    expect(await exists(user.id)).toBe(false);
    expect(await db().query(sql`select from public.notes`)).toEqual([]);
    const [entry] = await db().query(sql`
      select payload ->> 'actor_username' as who, payload -> 'traits' ->> 'user_id' as whom
      from auth.audit_log_entries where payload ->> 'action' = 'user_deleted'`);
    expect(entry).toEqual({ who: user.email, whom: user.id });
    expect(await leave(access_token)).toEqual([403, 'user_not_found']);
    // The email address can be used for a new account.
    expect((await signUp({ email: user.email, password })).user.id).not.toBe(user.id);
  });

  test('works for guests', async () => {
    const { access_token, user } = await signUp({});
    expect(await leave(access_token)).toBe(204);
    expect(await exists(user.id)).toBe(false);
  });

  test('is rejected after an old sign-in, with only the first factor, for OAuth clients, and for SSO users', async () => {
    const { access_token, user } = await signUp();
    server.clock.advance(16 * minuteMs);
    expect(await leave(access_token)).toEqual([400, 'reauthentication_needed']);
    server.clock.advance(-16 * minuteMs);
    const strong = await addFactor((await signIn(user.email)).access_token);
    expect(await leave((await signIn(user.email)).access_token)).toEqual([403, 'insufficient_aal']);
    await db().query(sql`update auth.users set is_sso_user = true where id = ${user.id}`);
    expect(await leave(strong)).toEqual([422, 'user_sso_managed']);
    await asClient(strong, user.id);
    expect(await leave(strong)).toEqual([403, 'no_authorization']);
    expect(await exists(user.id)).toBe(true);
  });

  test.each(['no action', 'restrict'])(
    'that foreign keys with %s prevent changes nothing, and the error doesn’t name a table',
    async (rule) => {
      const { access_token, user } = await signUp();
      await db().exec(`
      create table public.invoices (payer uuid references auth.users on delete ${rule});
      insert into public.invoices values ('${user.id}');`);
      const response = await server.request('/user', { method: 'DELETE', token: access_token });
      expect(response.status).toBe(409);
      const text = await response.text();
      expect(JSON.parse(text)).toMatchObject({ error_code: 'conflict' });
      expect(text).not.toContain('invoices');
      expect((await server.request('/user', { token: access_token })).status).toBe(200);
      await db().exec('drop table public.invoices');
    },
  );

  test('is off by default', async () => {
    const plain = await startAuth();
    try {
      const json = { email: newEmail(), password };
      const { access_token: token } = await (await plain.request('/signup', { json })).json<SessionJson>();
      const response = await plain.request('/user', { method: 'DELETE', token });
      expect([response.status, (await response.json()).error_code]).toEqual([404, 'feature_disabled']);
    } finally {
      await plain.stop();
    }
  });
});
