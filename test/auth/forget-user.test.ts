/**
 * Tests that deleting a user also deletes the user's rows in the schema `_plinth`, which no foreign key deletes
 * (`account/forget-user.ts`).
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sql, sql } from '../../src/base/kernel/sql.ts';
import { deleteSentEvents } from '../../src/services/auth/webhooks/forget.ts';
import { type AuthServer, newEmail, startAuth } from './harness.ts';

let server: AuthServer;
beforeAll(async () => {
  server = await startAuth({}, { plinth: { account: { deletion: true } } });
});
afterAll(() => server.stop());

const db = () => server.database.pool('supabase_admin');

/** The tables whose rows are deleted with the user, each with a statement that inserts a row. */
const deleted: Record<string, (userId: string) => Sql> = {
  recovery_codes: (id) => sql`
    insert into _plinth.recovery_codes (user_id, hashes, total, created_at) values (${id}, '{x}', 1, now())`,
  factor_removals: (id) => sql`
    insert into _plinth.factor_removals (user_id, hash, requested_at) values (${id}, ${id}, now())`,
  security_events: (id) => sql`
    insert into _plinth.security_events (id, user_id, kind, actor, details, created_at)
    values (gen_random_uuid(), ${id}, 'sign_in', 'user', '{}', now())`,
  known_devices: (id) => sql`
    insert into _plinth.known_devices (user_id, device, created_at, last_seen_at)
    values (${id}, 'other', now(), now())`,
  user_api_keys: (id) => sql`
    insert into _plinth.user_api_keys (id, user_id, name, hash, beginning, scopes, created_at, expires_at)
    values (gen_random_uuid(), ${id}, 'key', gen_random_uuid()::text, 'plinth_uk_', '{}', now(), now())`,
  scim_users: (id) => sql`
    insert into _plinth.scim_users (organization_id, user_id, user_name) values (${id}, ${id}, ${id})`,
  organization_events: (id) => sql`
    insert into _plinth.organization_events (organization_id, kind, actor, user_id)
    values (${id}, 'member_added', 'user', ${id})`,
  user_events: (id) => sql`
    insert into _plinth.user_events (type, user_id, data, is_new) values ('user.updated', ${id}, '{}', false)`,
  user_event_deliveries: (id) => sql`
    with event as (
      insert into _plinth.user_events (type, user_id, data, is_new) values ('user.updated', ${id}, '{}', false)
      returning id
    )
    insert into _plinth.user_event_deliveries (event, endpoint, user_id, status)
    select id, 'crm', ${id}, 'delivered' from event`,
};

/** The tables whose rows remain until a round of `housekeeping.ts` deletes them with the user's sessions. */
const expiring = ['session_browsers'];

test('every table with a user ID is in one of the two lists', async () => {
  const found = await db().query<{ name: string }>(sql`
    select table_name as name from information_schema.columns
    where table_schema = '_plinth' and column_name = 'user_id'`);
  const hint =
    'Delete the rows of a new table in account/forget-user.ts, and add the table to `deleted` in this test.';
  expect(found.map(({ name }) => name).sort(), hint).toEqual([...Object.keys(deleted), ...expiring].sort());
});

test.each(['hard', 'soft', 'own account'])('a deletion deletes the user’s rows (%s)', async (way) => {
  const json = { email: newEmail(), password: 'correct horse' };
  const signedUp = await server.request('/signup', { json });
  const { access_token: token, user } = await signedUp.json<{ access_token: string; user: { id: string } }>();
  for (const insert of Object.values(deleted)) await db().query(insert(user.id));
  const response =
    way === 'own account'
      ? await server.request('/user', { method: 'DELETE', token })
      : await server.request(`/admin/users/${user.id}`, {
          method: 'DELETE',
          json: { should_soft_delete: way === 'soft' },
          token: server.keys.serviceRoleKey,
        });
  expect(response.ok).toBe(true);
  for (const table of Object.keys(deleted)) {
    const rows = await db().query(sql`select from ${sql.id('_plinth', table)} where user_id = ${user.id}`);
    expect(rows, table).toEqual([]);
  }
});

test('events that aren’t delivered yet remain', async () => {
  const userId = crypto.randomUUID();
  await db().query(sql`
    with event as (
      insert into _plinth.user_events (type, user_id, data, is_new)
      values ('user.updated', ${userId}, '{}', false) returning id
    )
    insert into _plinth.user_event_deliveries (event, endpoint, user_id) select id, 'crm', ${userId} from event`);
  await db().query(sql`
    insert into _plinth.user_events (type, user_id, data) values ('user.deleted', ${userId}, '{}')`);
  await deleteSentEvents(db(), userId);
  const rows = await db().query<{ type: string }>(
    sql`select type from _plinth.user_events where user_id = ${userId} order by id`,
  );
  expect(rows.map(({ type }) => type)).toEqual(['user.updated', 'user.deleted']);
});
