/**
 * Tests the list of everyone who can access a row. The oracle is PostgreSQL: each listed access is compared with the
 * result of a real statement.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import type { Everyone } from '../../src/pages/console/why/contract.ts';
import { type Backend, type Operator, operator, startBackend } from './harness.ts';

const ben = '00000000-0000-4000-8000-00000000000b';
const eva = '00000000-0000-4000-8000-00000000000e';
const bot = '00000000-0000-4000-8000-0000000000b0';

let backend: Backend;
let owner: Operator;
beforeAll(async () => {
  backend = await startBackend();
  await backend.operators.createOperator('looker', 'read-only');
  owner = await operator(backend);
  await backend.database.pool('supabase_admin').exec(`
    insert into auth.users (id, aud, role, email, last_sign_in_at, created_at) values
      ('${ben}', 'authenticated', 'authenticated', 'ben@example.com', '2026-01-03', now()),
      ('${eva}', 'authenticated', 'authenticated', 'eva@example.com', '2026-01-02', now()),
      ('${bot}', 'authenticated', 'service_role', 'bot@example.com', '2026-01-01', now());`);
  await backend.database.pool('postgres').exec(`
    create table public."Let ters" (id int primary key, "user" uuid, "is public" boolean, state text);
    insert into public."Let ters" values
      (1, '${ben}', false, 'open'), (2, '${ben}', true, 'open'), (3, '${eva}', true, 'locked'), (4, null, false, '1');
    alter table public."Let ters" enable row level security;
    create policy own on public."Let ters" for all to authenticated using ("user" = auth.uid());
    create policy "public ones" on public."Let ters" for select using ("is public");
    create policy "not locked" on public."Let ters" as restrictive for update using (state <> 'locked');
    create policy "no numbers" on public."Let ters" as restrictive for select to authenticated
      using (case when state = '1' then auth.role()::int = 1 else true end);
    revoke update, delete on public."Let ters" from anon;
    create view public.views as select 1 as id;
    create table public.plain (id int primary key);
    insert into public.plain values (1);`);
});
afterAll(() => backend?.stop());

const everyone = async (key: object, table = 'Let ters', who = owner) =>
  (await who.call('POST', '/why/everyone', { schema: 'public', table, key })) as {
    status: number;
    body: Everyone;
  };

const statements = {
  select: 'select 1 from public."Let ters" where id = ',
  update: 'update public."Let ters" set state = state where id = ',
  delete: 'delete from public."Let ters" where id = ',
} as const;

async function really(role: string, sub: string | null, id: number): Promise<Record<string, boolean>> {
  const claims = { role, ...(sub === null ? {} : { sub }) };
  const found: Record<string, boolean> = {};
  for (const [operation, text] of Object.entries(statements)) {
    const returning = operation === 'select' ? '' : ' returning 1';
    found[operation] = await backend.database.pool('postgres').transaction(
      async (tx) => {
        await tx.query(sql`select set_config('request.jwt.claims', ${JSON.stringify(claims)}, true)`);
        await tx.query(sql`select set_config('role', ${role}, true)`);
        try {
          return (
            (await tx.savepoint((inner) => inner.query(sql.raw(`${text}${id}${returning}`)))).length === 1
          );
        } catch {
          return false;
        }
      },
      { end: 'rollback' },
    );
  }
  return found;
}

test.each([1, 2, 3, 4])('row %s: each user’s access is that of a real statement', async (id) => {
  const { status, body } = await everyone({ id: String(id) });
  expect(status).toBe(200);
  expect(body.allUsers).toBe(3);
  expect(body.users.map(({ name }) => name)).toEqual([
    'anon',
    'ben@example.com',
    'eva@example.com',
    'bot@example.com',
  ]);
  for (const user of body.users) {
    const role = user.id === null ? 'anon' : user.id === bot ? 'service_role' : 'authenticated';
    expect([user.name, user.allowed]).toEqual([user.name, await really(role, user.id, id)]);
  }
});

test('the deciding policies are named', async () => {
  const of = async (id: number) =>
    Object.fromEntries(
      (await everyone({ id: String(id) })).body.users.map(
        ({ name, allowedBy, hiddenBy, security, error }) => [name, { allowedBy, hiddenBy, security, error }],
      ),
    );
  expect(await of(2)).toEqual({
    anon: { allowedBy: ['public ones'], hiddenBy: [], security: 'on', error: null },
    'ben@example.com': { allowedBy: ['own', 'public ones'], hiddenBy: [], security: 'on', error: null },
    'eva@example.com': { allowedBy: ['public ones'], hiddenBy: [], security: 'on', error: null },
    'bot@example.com': { allowedBy: [], hiddenBy: [], security: 'bypassrls', error: null },
  });
  expect((await of(4))['ben@example.com']).toEqual({
    allowedBy: [],
    hiddenBy: [],
    security: 'on',
    error: 'invalid input syntax for type integer: "authenticated"',
  });
});

test('a read-only operator gets the list, but not for rows that the role may not read', async () => {
  const looker = await operator(backend, 'looker');
  expect((await everyone({ id: '1' }, 'Let ters', looker)).body.users).toHaveLength(4);
  const refused = await looker.call('POST', '/why/everyone', {
    schema: 'auth',
    table: 'users',
    key: { id: ben },
  });
  expect(refused.status).toBe(403);
});

test('rows and tables that don’t exist, views, and unknown columns are refused', async () => {
  expect((await everyone({ id: '99' })).status).toBe(404);
  expect((await everyone({ id: '1' }, 'missing')).status).toBe(404);
  expect((await everyone({ id: '1' }, 'views')).status).toBe(404);
  expect((await everyone({ 'id" = 1 or "id': '1' })).status).toBe(400);
  expect((await everyone({})).status).toBe(400);
  expect((await everyone({ id: 'x' })).status).toBe(422);
});

test('without row-level security, the list says so', async () => {
  const { body } = await everyone({ id: '1' }, 'plain');
  expect(body.users.map(({ security, allowed }) => [security, allowed.select])).toEqual(
    Array(4).fill(['off', true]),
  );
});
