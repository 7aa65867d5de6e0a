/**
 * Tests that REST never exposes the helpers of `basejump-supabase_test_helpers`, even if their schema is exposed. The
 * helpers can create users and set any API role. A project's tests call the helpers as an API role, so these roles need
 * EXECUTE.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';

let backend: Backend;
beforeAll(async () => {
  backend = await createTestBackend({
    config: { api: { schemas: ['tests', 'test_overrides'] } },
    sql: `create extension "basejump-supabase_test_helpers";
      create function tests.own() returns text language sql return 'own';
      create role outsider; grant usage on schema tests to outsider; grant outsider to postgres;`,
  });
});
afterAll(() => backend?.stop());

const call = (name: string, body: object) =>
  fetch(`${backend.url}/rest/v1/rpc/${name}`, {
    method: 'POST',
    headers: { apikey: backend.keys.anonKey, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

test.each([
  ['create_supabase_user', { identifier: 'eve' }],
  ['get_supabase_user', { identifier: 'ann' }],
  ['get_supabase_uid', { identifier: 'ann' }],
  ['authenticate_as', { identifier: 'ann' }],
  ['authenticate_as_service_role', {}],
  ['clear_authentication', {}],
  ['freeze_time', { frozen_time: '2020-01-01' }],
])("clients can't call rpc/%s in an exposed schema", async (name, body) => {
  await vi.waitFor(async () => expect((await call('own', {})).status).toBe(200), { timeout: 20_000 });
  const response = await call(name, body);
  const { code } = (await response.json()) as { code: string };
  expect([response.status, code]).toEqual([404, 'PGRST202']);
  expect(await backend.database.pool('supabase_admin').query(sql`select id from auth.users`)).toEqual([]);
});

test('tests can call the helpers as an API role, and other roles can’t', async () => {
  const run = (role: string) =>
    backend.database.pool('postgres').transaction(
      async (tx) => {
        await tx.exec(`select tests.create_supabase_user('ann'); set local role ${role};
          select tests.authenticate_as('ann'); select tests.authenticate_as_service_role()`);
        const [row] = await tx.query<{ role: string }>(sql`select current_user::text as role`);
        return row?.role;
      },
      { end: 'rollback' },
    );
  for (const role of ['postgres', 'anon', 'authenticated', 'service_role'])
    expect(await run(role)).toBe('service_role');
  await expect(run('outsider')).rejects.toMatchObject({ code: '42501' });
});
