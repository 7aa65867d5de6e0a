/** Tests a target whose account can't disable triggers and foreign keys, as on some managed servers. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Backend } from '../../src/entry/main.ts';
import { checkTransfer, verify } from '../../src/project/migrate/index.ts';
import { createObjects, endOf, move, optionsOf, readValue, run, startServer } from './helpers.ts';

const privilege = 'set on parameter session_replication_role';
let source: Backend;
let target: Backend;
beforeAll(async () => {
  [source, target] = await Promise.all([startServer(), startServer()]);
  await run(
    source,
    `
    create table public.b_parent (id int primary key);
    create table public.a_child (id int primary key, parent int references public.b_parent, owner uuid references auth.users);
    create table public.trace (n int);
    create function public.note() returns trigger language plpgsql as $$ begin insert into public.trace values (1); return new; end $$;
    create trigger of_child after insert on public.a_child for each row execute function public.note();
    create trigger of_user after insert on auth.users for each row execute function public.note();
    insert into auth.users (id, email) values ('8d5b4c1e-0f5e-4c43-9b3f-6a1f0e9d2c11', 'a@example.com');
    insert into auth.identities (provider_id, user_id, identity_data, provider)
      values ('x', '8d5b4c1e-0f5e-4c43-9b3f-6a1f0e9d2c11', '{}', 'email');
    insert into public.b_parent values (1), (2);
    insert into public.a_child values (1, 1, '8d5b4c1e-0f5e-4c43-9b3f-6a1f0e9d2c11'), (2, 2, null);
    truncate public.trace`,
  );
  await createObjects(source, 3);
  await target.database.pool('supabase_admin').exec(`revoke ${privilege} from postgres`);
});
afterAll(async () => {
  await target?.database.pool('supabase_admin').exec(`grant ${privilege} to postgres`);
  await Promise.all([source?.stop(), target?.stop()]);
});

test('triggers and foreign keys are created after the rows, and a second run is rejected', async () => {
  const check = await checkTransfer(optionsOf(source, target));
  expect(check.failing).toEqual([]);
  expect(check.notes.join('\n')).toContain("can't set session_replication_role");
  expect((await move(source, target)).complete).toBe(true);
  expect(await readValue(target, 'select count(*)::int as value from public.trace')).toBe(0);
  expect(
    await readValue(
      target,
      `select count(*)::int as value from pg_trigger where tgname in ('of_child', 'of_user')`,
    ),
  ).toBe(2);
  const { differences, objects } = await verify({
    source: endOf(source, 'the source'),
    target: endOf(target, 'the target'),
    objects: true,
    parallel: 2,
    onProgress: () => {},
  });
  // The trigger on storage.objects sets updated_at, so this column differs.
  expect(differences).toEqual(['Table storage.objects: rows differ']);
  expect(objects).toBe(3);
  await expect(move(source, target)).rejects.toMatchObject({ code: 'no_replica_role' });
});
