/**
 * Tests that creating pgTAP in an exposed schema doesn't give clients the privileges of `service_role`. pgTAP runs SQL
 * from its arguments, and API sessions can set any API role.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';

let backend: Backend;
beforeAll(async () => {
  backend = await createTestBackend();
  await backend.database.pool('postgres').exec(`
    create extension pgtap with schema public;
    create function public.own(text) returns text language sql as 'select $1';
    create table public.secrets (id int);
    alter table public.secrets enable row level security;
    insert into public.secrets values (1)`);
  await vi.waitFor(async () => expect((await call('own', 'x')).status).toBe(200), { timeout: 20_000 });
});
afterAll(() => backend?.stop());

const call = (name: string, body: string) =>
  fetch(`${backend.url}/rest/v1/rpc/${name}`, {
    method: 'POST',
    headers: { apikey: backend.keys.anonKey, 'content-type': 'text/plain' },
    body,
  });

test.each(['lives_ok', 'throws_ok', 'is_empty', 'isnt_empty', 'do_tap', 'findfuncs', 'todo_start', 'diag'])(
  'clients can’t call rpc/%s',
  async (name) => {
    const response = await call(
      name,
      `do $$ begin set local role service_role; delete from public.secrets; perform no_plan(); end $$`,
    );
    const { code } = (await response.json()) as { code: string };
    expect(await backend.database.pool('postgres').query(sql`select id from public.secrets`)).toEqual([
      { id: 1 },
    ]);
    expect([response.status, code]).toEqual([404, 'PGRST202']);
  },
);

test('a test can still call the functions with every role', async () => {
  for (const role of ['anon', 'authenticated', 'service_role']) {
    const [row] = await backend.database.pool('postgres').transaction(
      async (tx) => {
        await tx.exec(`select plan(1); set local role ${role}`);
        return tx.query(sql`select lives_ok('select 1', 'runs') as line`);
      },
      { end: 'rollback' },
    );
    expect(row).toEqual({ line: 'ok 1 - runs' });
  }
});
