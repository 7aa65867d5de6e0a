/** Tests GET /user with many concurrent requests, which share statements. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type AuthServer, newEmail, startAuth } from './harness.ts';

interface SessionJson {
  readonly access_token: string;
  readonly user: { readonly id: string; readonly email: string };
}

let server: AuthServer;
beforeAll(async () => {
  server = await startAuth();
});
afterAll(() => server.stop());

const signUp = async (): Promise<SessionJson> => {
  const json = { email: newEmail(), password: 'a password for the test' };
  return (await server.request('/signup', { json })).json<SessionJson>();
};

const readUser = async (token: string) => {
  const response = await server.request('/user', { token });
  return {
    status: response.status,
    body: await response.json<SessionJson['user'] & { error_code?: string }>(),
  };
};

test('each of many concurrent requests gets its own user or its own error', async () => {
  const sessions = await Promise.all(Array.from({ length: 12 }, signUp));
  const [deleted, ended, withoutSession, ...others] = sessions as [
    SessionJson,
    SessionJson,
    SessionJson,
    ...SessionJson[],
  ];
  const pool = server.database.pool('supabase_auth_admin');
  await pool.query(sql`delete from auth.users where id = ${deleted.user.id}`);
  await pool.query(sql`delete from auth.sessions where user_id = ${ended.user.id}`);
  const { sub, role, aud, exp } = JSON.parse(
    Buffer.from(withoutSession.access_token.split('.')[1] ?? '', 'base64url').toString(),
  );
  const sessionless = server.keys.sign({ sub, role, aud, exp });
  const asked = Array.from({ length: 4 }, () => [
    { token: deleted.access_token, expected: [403, 'user_not_found'] },
    { token: ended.access_token, expected: [403, 'session_not_found'] },
    { token: sessionless, expected: [200, withoutSession.user.email] },
    ...others.map(({ access_token, user }) => ({ token: access_token, expected: [200, user.email] })),
  ]).flat();
  const responses = await Promise.all(asked.map(({ token }) => readUser(token)));
  expect(responses.map(({ status, body }) => [status, body.error_code ?? body.email])).toEqual(
    asked.map(({ expected }) => expected),
  );
});

test('each request’s trace contains the statement that it shares', async () => {
  const { access_token: token } = await signUp();
  const before = server.records.length;
  await Promise.all(Array.from({ length: 20 }, () => readUser(token)));
  const own = server.records.slice(before).filter(({ url }) => url === '/auth/v1/user');
  expect(own).toHaveLength(20);
  for (const { trace } of own)
    expect(trace?.spans?.map(({ text }) => text)).toEqual([expect.stringContaining('auth.users')]);
});
