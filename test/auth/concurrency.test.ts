/** Tests concurrent requests for the same data, and a database that is briefly unavailable. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type AuthServer, newEmail, startAuth } from './harness.ts';

interface SessionJson {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly user: { readonly id: string; readonly email: string };
}

const password = 'correct horse';
let auth: AuthServer;
beforeAll(async () => {
  auth = await startAuth({
    enable_anonymous_sign_ins: true,
    mfa: { totp: { enroll_enabled: true, verify_enabled: true } },
  });
});
afterAll(() => auth.stop());

async function signUp(): Promise<SessionJson> {
  return (await auth.request('/signup', { json: { email: newEmail(), password } })).json<SessionJson>();
}

/**
 * Locks a row while requests run, so that they collide. When the lock is released, each request has read the row but
 * hasn't written it yet.
 */
async function whileHeld<T>(
  id: string,
  requests: () => readonly Promise<T>[],
  table = sql`auth.users`,
): Promise<T[]> {
  const db = auth.database.pool('supabase_admin');
  const { answers } = await db.transaction(async (tx) => {
    await tx.query(sql`select from ${table} where id = ${id} for update`);
    const sent = requests();
    const waiting = sql`
      select 1 from pg_stat_activity
      where datname = current_database() and usename = 'supabase_auth_admin' and wait_event_type = 'Lock'`;
    while ((await db.query(waiting)).length < sent.length);
    return { answers: Promise.all(sent) };
  });
  return answers;
}

async function outcomes(answers: readonly Awaited<ReturnType<AuthServer['request']>>[]): Promise<string[]> {
  const texts = await Promise.all(
    answers.map(async (response) => `${response.status} ${(await response.json())?.error_code ?? ''}`.trim()),
  );
  return texts.sort();
}

const times = <T>(count: number, one: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => one(index));

test('concurrent metadata updates are all kept', async () => {
  const session = await signUp();
  const admin = auth.keys.serviceRoleKey;
  const path = `/admin/users/${session.user.id}`;
  const set = (token: string, where: string, json: object) =>
    auth.request(where, { method: 'PUT', token, json });
  const answers = await whileHeld(session.user.id, () => [
    set(session.access_token, '/user', { data: { theme: 'dark' } }),
    set(session.access_token, '/user', { data: { language: 'is' } }),
    set(admin, path, { user_metadata: { plan: { seats: 3 } }, app_metadata: { roles: ['editor'] } }),
    set(admin, path, { app_metadata: { customer: 'cus_1' } }),
  ]);
  expect(await outcomes(answers)).toEqual(['200', '200', '200', '200']);
  const { data } = await auth.admin().auth.admin.getUserById(session.user.id);
  expect(data.user?.user_metadata).toMatchObject({ theme: 'dark', language: 'is', plan: { seats: 3 } });
  expect(data.user?.app_metadata).toEqual({
    provider: 'email',
    providers: ['email'],
    roles: ['editor'],
    customer: 'cus_1',
  });
});

test('metadata is merged at the top level, and null removes a key', async () => {
  const { access_token: token } = await signUp();
  const set = async (data: object) => {
    const response = await auth.request('/user', { method: 'PUT', token, json: { data } });
    return (await response.json<{ user_metadata: object }>()).user_metadata;
  };
  await set({ a: { b: 1 }, c: 2, d: null });
  const merged = await set({ a: { x: 1 }, c: null, absent: null });
  expect(merged).toMatchObject({ a: { x: 1 } });
  expect(Object.keys(merged)).not.toContain('c');
  expect(Object.keys(merged)).not.toContain('d');
  expect(Object.keys(merged)).not.toContain('absent');
});

test('metadata that is null or an array after a restore can be set', async () => {
  const { access_token: token, user } = await signUp();
  const db = auth.database.pool('supabase_admin');
  for (const old of [sql`null`, sql`'[1]'::jsonb`]) {
    await db.query(sql`update auth.users set raw_user_meta_data = ${old} where id = ${user.id}`);
    const response = await auth.request('/user', { method: 'PUT', token, json: { data: { a: 1 } } });
    expect(await response.json()).toMatchObject({ user_metadata: { a: 1 } });
  }
});

test.each([
  ['link', (link: { hashed_token: string }) => ({ type: 'magiclink', token_hash: link.hashed_token })],
  [
    'code',
    (link: { email_otp: string; email: string }) => ({
      type: 'magiclink',
      token: link.email_otp,
      email: link.email,
    }),
  ],
])('a %s used twice concurrently works once', async (_, bring) => {
  const { user } = await signUp();
  const made = await auth.request('/admin/generate_link', {
    token: auth.keys.serviceRoleKey,
    json: { type: 'magiclink', email: user.email },
  });
  const link = await made.json<{ hashed_token: string; email_otp: string; email: string }>();
  const answers = await whileHeld(user.id, () =>
    times(2, () => auth.request('/verify', { json: bring(link) })),
  );
  expect(await outcomes(answers)).toEqual(['200', '403 otp_expired']);
});

test('if there are several sign-ups with one address, one creates the account and the others get the existing-user response', async () => {
  const email = newEmail();
  const answers = await Promise.all(times(4, () => auth.request('/signup', { json: { email, password } })));
  expect(await outcomes(answers)).toEqual(['200', ...times(3, () => '422 user_already_exists')]);
});

test('if several administrators create the same user, one succeeds', async () => {
  const json = { email: newEmail(), password };
  const token = auth.keys.serviceRoleKey;
  const answers = await Promise.all(times(4, () => auth.request('/admin/users', { token, json })));
  expect(await outcomes(answers)).toEqual(['200', ...times(3, () => '422 email_exists')]);
});

test('concurrent code requests for a new address all send an email', async () => {
  const email = newEmail();
  const answers = await Promise.all(times(3, () => auth.request('/otp', { json: { email } })));
  expect(await outcomes(answers)).toEqual(['200', '200', '200']);
  expect(await auth.inbox(email)).toHaveLength(3);
});

test('a factor enrolled twice concurrently exists once and accepts two concurrent challenges', async () => {
  const { access_token: token } = await signUp();
  const enroll = () =>
    auth.request('/factors', { token, json: { factor_type: 'totp', friendly_name: 'phone' } });
  const enrollments = await Promise.all(times(3, enroll));
  const made = enrollments.find(({ status }) => status === 200)?.clone() as (typeof enrollments)[number];
  const conflict = '422 mfa_factor_name_conflict';
  expect(await outcomes(enrollments)).toEqual(['200', conflict, conflict]);
  const { id } = await made.json<{ id: string }>();
  const challenge = () => auth.request(`/factors/${id}/challenge`, { token, json: {} });
  const challenges = await whileHeld(id, () => times(2, challenge), sql`auth.mfa_factors`);
  expect(await outcomes(challenges)).toEqual(['200', '200']);
});

test('a change that another user’s contact conflicts with sends no message', async () => {
  const own = await startAuth({
    sms: { enable_confirmations: false },
    email: {
      double_confirm_changes: true,
      notification: { password_changed: { enabled: true }, phone_changed: { enabled: true } },
    },
  });
  try {
    const email = newEmail();
    const next = newEmail();
    const signedUp = await own.request('/signup', { json: { email, password } });
    const { access_token: token, user } = await signedUp.json<SessionJson>();
    const put = (json: object) => own.request('/user', { method: 'PUT', token, json });
    const db = own.database.pool('supabase_admin');
    const taken = '15550001111';
    // The other user's number is committed only when the request has checked the number and waits to write it.
    const { answer } = await db.transaction(async (tx) => {
      await tx.query(
        sql`insert into auth.users (id, aud, phone) values (gen_random_uuid(), 'authenticated', ${taken})`,
      );
      const sent = put({ password: 'another good password', email: next, phone: taken });
      const waiting = sql`
        select 1 from pg_stat_activity
        where datname = current_database() and usename = 'supabase_auth_admin' and wait_event_type = 'Lock'`;
      while ((await db.query(waiting)).length < 1);
      return { answer: sent };
    });
    expect(await outcomes([await answer])).toEqual(['422 phone_exists']);
    expect([await own.inbox(email), await own.inbox(next)]).toEqual([[], []]);
    const signIn = await own.request('/token?grant_type=password', { json: { email, password } });
    expect(signIn.status).toBe(200);

    // Without a conflict, each message is sent once, and the code for the new address is valid.
    expect((await put({ password: 'another good password', email: next, phone: '15550002222' })).status).toBe(
      200,
    );
    const subjects = (await own.inbox(email)).map(({ subject }) => subject).sort();
    expect(subjects).toEqual([expect.stringMatching(/email/i), expect.stringMatching(/password/i)]);
    expect(await own.inbox(next)).toHaveLength(1);
    const pending = sql`select 1 from auth.one_time_tokens where user_id = ${user.id} and token_type::text like 'email_change%'`;
    expect(await db.query(pending)).toHaveLength(2);
  } finally {
    await own.stop();
  }
});

test('while PostgreSQL refuses connections, requests get 503 and sessions stay valid', async () => {
  const { refresh_token, user } = await signUp();
  const db = auth.database.pool('supabase_admin');
  const [place] = await db.query<{ name: string }>(sql`select current_database() as name`);
  const limit = (connections: number) =>
    db.query(
      sql`alter database ${sql.id(place?.name ?? '')} connection limit ${sql.raw(String(connections))}`,
    );
  const refresh = () => auth.request('/token?grant_type=refresh_token', { json: { refresh_token } });
  const signIn = () => auth.request('/token?grant_type=password', { json: { email: user.email, password } });
  await limit(0);
  try {
    await db.query(sql`
      select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where datname = current_database() and usename = 'supabase_auth_admin'`);
    const answers = await Promise.all([refresh(), signIn()]);
    expect(await outcomes(answers)).toEqual(['503 unexpected_failure', '503 unexpected_failure']);
  } finally {
    await limit(-1);
  }
  expect((await refresh()).status).toBe(200);
});

test('a request that is still running can’t change the account after its session was ended', async () => {
  const session = await signUp();
  const db = auth.database.pool('supabase_admin');
  const { sent } = await db.transaction(async (tx) => {
    await tx.query(sql`select from auth.users where id = ${session.user.id} for update`);
    const request = auth.request('/user', {
      method: 'PUT',
      token: session.access_token,
      json: { password: 'attacker 12' },
    });
    const waiting = sql`
      select 1 from pg_stat_activity
      where datname = current_database() and usename = 'supabase_auth_admin' and wait_event_type = 'Lock'`;
    while ((await db.query(waiting)).length === 0);
    await tx.query(sql`delete from auth.sessions where user_id = ${session.user.id}`);
    return { sent: request };
  });
  expect(await outcomes([await sent])).toEqual(['403 session_not_found']);
});
