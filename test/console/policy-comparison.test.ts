/**
 * Tests the comparison of a policy change. The oracle is PostgreSQL: each change is also made, and the rows that each
 * user can access before and after it are counted with real statements.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import type { PolicyComparison } from '../../src/pages/console/policies/contract.ts';
import { type Backend, type Operator, operator, startBackend } from './harness.ts';

const ben = '00000000-0000-4000-8000-00000000000b';
const eva = '00000000-0000-4000-8000-00000000000e';

let backend: Backend;
let owner: Operator;
beforeAll(async () => {
  backend = await startBackend();
  await backend.operators.createOperator('looker', 'read-only');
  owner = await operator(backend);
  await backend.database.pool('supabase_admin').exec(`
    insert into auth.users (id, aud, role, email, raw_app_meta_data, last_sign_in_at, created_at) values
      ('${ben}', 'authenticated', 'authenticated', 'ben@example.com', '{"team": "blue"}', '2026-01-02', now()),
      ('${eva}', 'authenticated', 'authenticated', 'eva@example.com', '{"team": "red"}', '2026-01-01', now());`);
  await backend.database.pool('postgres').exec(`
    create table public."Team ""notes""" (
      id int primary key, "user" uuid, team text, "is public" boolean, words int generated always as (length(team)) virtual);
    insert into public."Team ""notes""" (id, "user", team, "is public")
      select n, case n % 3 when 0 then '${ben}' when 1 then '${eva}' end::uuid, (array['blue', 'red', 'it''s, "green"'])[n % 3 + 1], n % 10 = 0
      from generate_series(1, 60) n;
    alter table public."Team ""notes""" enable row level security;
    create policy own on public."Team ""notes""" for all to authenticated using ("user" = auth.uid());
    grant select, insert, update, delete on public."Team ""notes""" to authenticated;
    grant select on public."Team ""notes""" to anon;
    revoke insert, update, delete on public."Team ""notes""" from anon;
    create table public.teams (name text primary key, boss uuid);
    insert into public.teams values ('blue', '${eva}'), ('red', '${ben}');
    alter table public.teams enable row level security;
    create policy bosses on public.teams for select using (boss = auth.uid());
    grant select on public.teams to authenticated;
    create table public.big (id int primary key);
    insert into public.big select generate_series(1, 30000);
    alter table public.big enable row level security;
    analyze public.big;
    create table public.bare (label text);
    insert into public.bare values ('a'), (null);
    create table public.empty_rows ();
    insert into public.empty_rows default values;`);
});
afterAll(() => backend?.stop());

const notes = 'Team "notes"';
const compare = async (change: object, table = notes, who = owner) =>
  (await who.call('POST', '/policies/compare', { schema: 'public', table, change })) as {
    status: number;
    body: PolicyComparison;
  };

const policy = (part: object) => ({
  kind: 'create',
  policy: {
    name: 'new',
    command: 'select',
    permissive: true,
    roles: ['authenticated'],
    using: 'true',
    check: null,
    ...part,
  },
});

const statements = {
  select: 'select 1 from public."Team ""notes"""',
  update: 'update public."Team ""notes""" set "user" = "user" where id > 0 returning 1',
  delete: 'delete from public."Team ""notes""" where id > 0 returning 1',
} as const;

/** Returns the number of rows that each statement affects as each user, after an optional change. */
async function counted(change?: object): Promise<Record<string, Record<string, number | string>>> {
  const found: Record<string, Record<string, number | string>> = {};
  const pool = backend.database.pool('postgres');
  const script =
    change === undefined
      ? ''
      : ((await owner.call('POST', '/policies/preview', { schema: 'public', table: notes, change })).body
          .sql as string);
  for (const [name, role, sub] of [
    ['anon', 'anon', undefined],
    ['ben@example.com', 'authenticated', ben],
    ['eva@example.com', 'authenticated', eva],
  ] as const) {
    const team = sub === ben ? 'blue' : 'red';
    const claims = { role, ...(sub === undefined ? {} : { sub, app_metadata: { team } }) };
    const counts: Record<string, number | string> = {};
    for (const [access, text] of Object.entries(statements)) {
      counts[access] = await pool.transaction(
        async (tx) => {
          if (script !== '') await tx.exec(script);
          await tx.query(sql`select set_config('request.jwt.claims', ${JSON.stringify(claims)}, true)`);
          await tx.query(sql`select set_config('role', ${role}, true)`);
          try {
            return (await tx.savepoint((inner) => inner.query(sql.raw(text)))).length;
          } catch (error) {
            return (error as { code: string }).code;
          }
        },
        { end: 'rollback' },
      );
    }
    found[name] = counts;
  }
  return found;
}

const changes: Readonly<Record<string, object>> = {
  'a policy for reading': policy({ using: '"is public"', roles: ['public'] }),
  'a policy for everything': policy({
    command: 'all',
    using: `team = (auth.jwt() #>> '{app_metadata,team}')`,
  }),
  'a policy with another check': policy({
    command: 'update',
    using: 'true',
    check: '"is public" or id < 5 -- the end',
  }),
  'a policy for deleting': policy({ command: 'delete', using: 'id < 10' }),
  'a restrictive policy': policy({
    command: 'all',
    permissive: false,
    roles: ['public'],
    using: 'id % 2 = 0',
  }),
  'a policy that reads another table': policy({
    using: 'exists (select from teams t where t.name = team)',
  }),
  'a policy with the table’s name and the whole row': policy({
    using: `"Team ""notes""".id = 7 or to_jsonb("Team ""notes""") ->> 'words' = '4'`,
  }),
  'a policy for another role': policy({ roles: ['service_role'] }),
  'another condition': {
    kind: 'replace',
    previous: 'own',
    policy: { ...policy({}).policy, name: 'renamed', command: 'select', using: '"user" is null' },
  },
  'dropping a policy': { kind: 'drop', name: 'own' },
  'turning a policy off': { kind: 'off', name: 'own' },
  'turning row-level security off': { kind: 'security', enabled: false, forced: false },
};

describe.each(Object.entries(changes))('%s', (_name, change) => {
  test('differs as it would in the database', async () => {
    const [before, after] = [await counted(), await counted(change)];
    const { status, body } = await compare(change);
    expect(status).toBe(200);
    expect(body).toMatchObject({ rows: 60, allRows: null, allUsers: 2 });
    expect(body.users.map(({ name }) => name)).toEqual(['anon', 'ben@example.com', 'eva@example.com']);
    for (const { name, accesses, error } of body.users) {
      expect(error).toBeNull();
      for (const { access, ...counts } of accesses) {
        if (access === 'insert') continue;
        const real = { before: before[name]?.[access], after: after[name]?.[access] };
        // A row that an update may not save is an error for the statement as a whole.
        if (typeof real.before === 'string' || typeof real.after === 'string') continue;
        expect([name, access, counts]).toMatchObject([name, access, real]);
        expect(counts.after - counts.before).toBe(counts.gained - counts.lost);
      }
    }
    // Nothing has been changed.
    expect(await counted()).toEqual(before);
  });
});

test('the keys of the first rows that a user gains and loses are listed', async () => {
  const change = {
    kind: 'replace',
    previous: 'own',
    policy: { ...policy({}).policy, name: 'own', using: 'id between 1 and 9' },
  };
  const { body } = await compare(change);
  const user = body.users.find(({ id }) => id === ben);
  expect(user?.accesses[0]).toEqual({
    access: 'select',
    before: 20,
    after: 9,
    gained: 6,
    lost: 17,
    gainedKeys: ['1', '2', '4', '5', '7'],
    lostKeys: ['12', '15', '18', '21', '24'],
  });
});

test('only the kinds of access that the change concerns are compared, and only with the privilege', async () => {
  const accessesOf = async (change: object) =>
    Object.fromEntries(
      (await compare(change)).body.users.map(({ name, accesses }) => [
        name,
        accesses.map(({ access }) => access).join(' '),
      ]),
    );
  expect(await accessesOf(policy({ command: 'select' }))).toEqual({
    anon: 'select',
    'ben@example.com': 'select update delete',
    'eva@example.com': 'select update delete',
  });
  expect(await accessesOf(policy({ command: 'insert', using: null, check: 'true' }))).toEqual({
    anon: '',
    'ben@example.com': 'insert',
    'eva@example.com': 'insert',
  });
});

test('a policy for inserting is compared by the rows that the user could insert again', async () => {
  const { body } = await compare(policy({ command: 'insert', using: null, check: 'id <= 30' }));
  expect(body.users.find(({ id }) => id === eva)?.accesses).toMatchObject([
    { access: 'insert', before: 20, after: 40, gained: 20, lost: 0 },
  ]);
});

test('a condition that fails for a user is reported for this user', async () => {
  const { status, body } = await compare(
    policy({ using: `(auth.jwt() ->> 'email')::int = id`, roles: ['public'] }),
  );
  expect(status).toBe(200);
  expect(body.users.map(({ name, error }) => [name, error])).toEqual([
    ['anon', null],
    ['ben@example.com', 'invalid input syntax for type integer: "ben@example.com"'],
    ['eva@example.com', 'invalid input syntax for type integer: "eva@example.com"'],
  ]);
});

test('a large table is compared by a sample', async () => {
  const { body } = await compare(policy({ roles: ['public'], using: 'id % 2 = 0' }), 'big');
  expect(body).toMatchObject({ allRows: 30_000 });
  expect(body.rows).toBeGreaterThan(5000);
  expect(body.rows).toBeLessThanOrEqual(10_000);
  const [anonymous] = body.users[0]?.accesses ?? [];
  expect(anonymous?.gained).toBeGreaterThan(body.rows / 3);
});

test.each(['bare', 'empty_rows'])('a table without a key, %s, is compared without keys', async (table) => {
  const { status, body } = await compare({ kind: 'security', enabled: true, forced: false }, table);
  expect(status).toBe(200);
  expect(body.users[0]?.accesses[0]).toMatchObject({ after: 0, lost: body.rows, lostKeys: [] });
  expect(body.rows).toBeGreaterThan(0);
});

test('conditions run as the user, can’t write, and can’t become the operator', async () => {
  await backend.database.pool('postgres').exec(`
    create table public.traces (who text);
    grant insert on public.traces to public;
    create function public.trace() returns boolean language plpgsql as
      $$ begin insert into public.traces values (current_user); return true; end $$;
    create function public.escape() returns boolean language plpgsql as
      $$ begin perform set_config('role', 'postgres', true); return true; end $$;
    create function public.is_user(name text) returns boolean language sql as
      $$ select current_user = name and session_user = 'authenticator' $$;`);
  const errorsOf = async (using: string) =>
    (await compare(policy({ roles: ['public'], using }))).body.users.map(({ error }) => error);
  expect(await errorsOf('trace()')).toEqual(
    Array(3).fill('cannot execute INSERT in a read-only transaction'),
  );
  expect(await errorsOf('escape()')).toEqual(Array(3).fill('permission denied to set role "postgres"'));
  const { body } = await compare(policy({ roles: ['public'], using: `is_user('authenticated')` }));
  expect(body.users.map(({ accesses }) => accesses[0]?.after)).toEqual([0, 60, 60]);
  expect(await backend.database.pool('postgres').query(sql`select * from public.traces`)).toEqual([]);
});

test('a read-only operator can’t compare, and bad input is refused', async () => {
  const looker = await operator(backend, 'looker');
  expect((await compare(policy({}), notes, looker)).status).toBe(403);
  expect((await compare(policy({ using: 'true) or (true' }))).status).toBe(400);
  expect((await compare(policy({}), 'missing')).status).toBe(404);
  expect((await compare({ kind: 'drop', name: 'missing' })).status).toBe(200);
});
