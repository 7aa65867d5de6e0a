/** Tests the harness for database tests. */
import { afterAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestDatabase, type TestDatabase } from '../../src/platform/database/testing.ts';

// The timeouts are long, because starting a server can take a long time on a busy machine.
const made: TestDatabase[] = [];
afterAll(async () => {
  for (const each of made) await each.drop();
});

test('databases from one template are prepared once and are independent', async () => {
  let prepared = 0;
  const create = async () => {
    const each = await createTestDatabase('isolated', async (template) => {
      prepared++;
      await template.pool('postgres').exec(`create table public.things (id int);
        do $$ begin execute format('alter database %I set "app.settings.jwt_secret" = %L', current_database(), 'x=y'); end $$`);
    });
    made.push(each);
    return each.database.pool('postgres');
  };
  const [one, two] = await Promise.all([create(), create()]);
  expect(prepared).toBe(1);
  await one.exec('insert into public.things values (1)');
  expect(await two.query(sql`select count(*)::int as count from public.things`)).toEqual([{ count: 0 }]);
  // CREATE DATABASE doesn't copy settings that ALTER DATABASE has set, so the harness copies them.
  expect(await two.query(sql`select current_setting('app.settings.jwt_secret') as value`)).toEqual([
    { value: 'x=y' },
  ]);
});

test('a template that couldn’t be prepared is tried again', async () => {
  const failing = createTestDatabase('fickle', () => Promise.reject(new Error('not today')));
  await expect(failing).rejects.toThrow('not today');
  const again = await createTestDatabase('fickle', (template) =>
    template.pool('postgres').exec('create table public.t ()'),
  );
  made.push(again);
  expect(await again.database.pool('postgres').query(sql`select from public.t`)).toEqual([]);
});

test('each of several requests runs with its own role and claims', async () => {
  const { database, drop } = await createTestDatabase('isolated');
  const rows = await Promise.all(
    ['anon', 'authenticated', 'service_role'].map((role) =>
      database.asRequest({ role, settings: [['request.jwt.claims', `{"role":"${role}"}`]] }, (tx) =>
        tx.query(sql`select current_user::text as who, auth.role() as claimed`),
      ),
    ),
  );
  expect(rows.flat()).toEqual(
    ['anon', 'authenticated', 'service_role'].map((role) => ({ who: role, claimed: role })),
  );
  await drop();
});
