/** Tests that `supabase db advisors` doesn't report any of Plinth's functions ("Function Search Path Mutable"). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';

let backend: Backend;
beforeAll(async () => {
  backend = await createTestBackend();
});
afterAll(async () => {
  await backend.stop();
});

test('every Plinth function sets its search path, including generated ones', async () => {
  await backend.database.pool('postgres').exec('create table public.followed (id int primary key)');
  const [made] = await backend.database
    .pool('supabase_realtime_admin')
    .query<{ name: string }>(
      sql`select _plinth.realtime_make_visibility('public.followed'::regclass) as name`,
    );
  expect(made?.name).toMatch(/^realtime_visible_/);
  const found = await backend.database.pool('supabase_admin').query<{ name: string }>(sql`
    select n.nspname || '.' || p.proname as name
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname in ('_plinth', '_realtime')
      and not exists (select from unnest(p.proconfig) as setting where setting like 'search_path=%')
    order by 1`);
  expect(found).toEqual([]);
});
