/** Tests that a request that exceeds the time limit gets an error, and that its work is stopped. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type AuthServer, newEmail, startAuth } from './harness.ts';

const password = 'correct horse';
let auth: AuthServer;
beforeAll(async () => {
  auth = await startAuth({}, { plinth: { auth: { api: { max_request_duration: 4000 } } } });
});
afterAll(() => auth.stop());

test('a request that exceeds the time limit gets an error, and its work is rolled back', async () => {
  const email = newEmail();
  const { data } = await auth.client().auth.signUp({ email, password });
  const token = data.session?.access_token ?? '';
  const db = auth.database.pool('supabase_admin');
  const response = await db.transaction(async (tx) => {
    await tx.query(sql`select from auth.users where email = ${email} for update`);
    return auth.request('/user', { method: 'PUT', token, json: { data: { late: true } } });
  });
  expect(response.status).toBe(504);
  expect(await response.json()).toMatchObject({
    error_code: 'request_timeout',
    msg: 'Processing this request timed out, please retry after a moment.',
  });
  // The lock has been released, so a transaction that was still waiting for the lock would write now.
  const user = await auth.client().auth.getUser(token);
  expect(user.data.user?.user_metadata).not.toHaveProperty('late');
  const waiting = await db.queryText(
    sql`select 1 from pg_stat_activity where datname = current_database() and usename = 'supabase_auth_admin' and state <> 'idle'`,
  );
  expect(waiting.rows).toEqual([]);
  expect(
    (await auth.request('/user', { method: 'PUT', token, json: { data: { late: false } } })).status,
  ).toBe(200);
});
