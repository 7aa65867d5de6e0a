/**
 * Tests the SQL of operators who aren't owners. Covers the role that runs this SQL, and the privileges of the project
 * code that the SQL triggers.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type Backend, type Operator, operator, startBackend } from '../console/harness.ts';

let backend: Backend;
let looker: Operator;
let developer: Operator;
beforeAll(async () => {
  backend = await startBackend();
  for (const role of ['developer', 'read-only'] as const) await backend.operators.createOperator(role, role);
  looker = await operator(backend, 'read-only');
  developer = await operator(backend, 'developer');
  await backend.database.pool('postgres').exec(`
    create schema ran;
    grant usage on schema ran to public;
    create function ran.note() returns boolean language plpgsql set search_path = pg_catalog as $$
    begin
      -- Sequences are not rolled back; a role that may not advance one is told by the other.
      perform nextval(format('ran.%I', session_user || '/' || current_user));
      return true;
    end $$;
    create domain public.trap as text check (ran.note());
    create type public.trapped as (inner_value public.trap);
    create view public.who as select session_user::text as session, current_user::text as role;
    create view public.trapping as select ran.note() as noted;
    create schema if not exists supabase_migrations;
    create table if not exists supabase_migrations.schema_migrations (version text primary key, statements text[], name text);
    insert into supabase_migrations.schema_migrations values ('1', '{a key of a webhook}', 'webhook');
  `);
  const roles = ['supabase_admin', 'postgres', 'authenticator', 'anon', 'supabase_read_only_user'];
  for (const session of roles)
    for (const current of roles)
      await backend.database
        .pool('postgres')
        .exec(
          `create sequence ran."${session}/${current}"; grant usage on sequence ran."${session}/${current}" to public`,
        );
});
afterAll(() => backend?.stop());

/** Returns `session user/current user` for each run of the project's function since the last call. */
async function whoRan(): Promise<string[]> {
  const db = backend.database.pool('postgres');
  const rows = await db.query<{ name: string }>(sql`
    select sequencename::text as name from pg_sequences where schemaname = 'ran' and last_value is not null order by 1`);
  for (const { name } of rows) await db.exec(`alter sequence ran."${name}" restart`);
  return rows.map(({ name }) => name);
}

const literals = [
  `select '("x")'::public.trapped`,
  `select '{x}'::public.trap[]`,
  `select 'x'::public.trap`,
  `select * from (values ('("x")'::public.trapped)) v (a) where a is not null`,
];

test.each(literals)('a literal whose type runs code runs it as a read-only role: %s', async (text) => {
  await whoRan();
  for (const path of ['/sql/look', '/sql/look/explain', '/sql/look/cell'])
    await looker.call('POST', path, { text, row: 0, column: 0 });
  expect((await whoRan()).filter((who) => who !== 'supabase_read_only_user/supabase_read_only_user')).toEqual(
    [],
  );
});

test.each(literals)('a developer can’t run code as a superuser: %s', async (text) => {
  await whoRan();
  for (const as of ['operator', 'anon'])
    for (const path of ['/sql/run', '/sql/explain', '/sql/cell'])
      await developer.call('POST', path, { text, as, row: 0, column: 0, analyze: true });
  expect((await whoRan()).filter((who) => who.includes('supabase_admin'))).toEqual([]);
});

test('pages of a read-only operator use a role that can’t write or switch to another role', async () => {
  const { body } = await looker.call('GET', '/tables/public/who/rows');
  expect(body.rows).toEqual([['supabase_read_only_user', 'supabase_read_only_user']]);
  const looked = await looker.call('POST', '/sql/look', { text: 'table public.who' });
  expect(looked.body).toContain('["supabase_read_only_user","supabase_read_only_user"]');
  await whoRan();
  await looker.call('GET', '/tables/public/trapping/rows');
  await looker.call('GET', '/tables/public/trapping/export?format=csv');
  expect((await whoRan()).filter((who) => !who.startsWith('supabase_read_only_user/'))).toEqual([]);
  const [role] = await backend.database.pool('postgres').query(sql`
    select rolsuper, rolcreaterole, rolcreatedb, rolreplication,
      (select array_agg(g.rolname::text order by g.rolname) from pg_auth_members m join pg_roles g on g.oid = m.roleid
        where m.member = r.oid) as member_of
    from pg_roles r where rolname = 'supabase_read_only_user'`);
  expect(role).toEqual({
    rolsuper: false,
    rolcreaterole: false,
    rolcreatedb: false,
    rolreplication: false,
    member_of: ['pg_monitor', 'pg_read_all_data'],
  });
});

test.each([
  `set transaction read write`,
  `select set_config('transaction_read_only', 'off', false)`,
  `select set_config('role', 'postgres', false)`,
  `reset role`,
  `select pg_sleep(60)`,
  `select pg_advisory_lock(1)`,
  `select lo_import('/etc/passwd')`,
  `select pg_read_file('/etc/passwd')`,
  `copy (select 1) to program 'true'`,
  `select query_to_xml('select * from auth.users', true, true, '')`,
  `select * from vault.decrypted_secrets`,
  `select token from auth.refresh_tokens`,
  `select * from net.http_request_queue`,
  `select csrf_token from _plinth.operator_sessions`,
  `select rolpassword from pg_authid`,
  `select setconfig from pg_db_role_setting`,
  `select statements from supabase_migrations.schema_migrations`,
  `select current_setting('app.settings.jwt_secret', true)`,
  `select net.http_get('http://127.0.0.1:1/')`,
  `select 1) plinth_rows; drop table public.tasks; --`,
])('a read-only operator can’t run %s', async (text) => {
  const { status, body } = await looker.call('POST', '/sql/look', { text });
  const lines =
    typeof body === 'string'
      ? body
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
      : [];
  expect(status === 200 ? lines.some(({ event }) => event === 'error') : status >= 400).toBe(true);
  expect(lines.some(({ event }) => event === 'rows')).toBe(false);
});

test('an explanation for a read-only operator doesn’t fire triggers', async () => {
  const postgres = backend.database.pool('postgres');
  await postgres.exec(`
    create function ran.noted() returns trigger language plpgsql as $$ begin perform ran.note(); return new; end $$;
    create trigger noted before insert or update on public.tasks for each row execute function ran.noted();
  `);
  const ask = (who: Operator, operation: string) =>
    who.call('POST', '/why', {
      schema: 'public',
      table: 'tasks',
      as: 'operator',
      operation,
      key: { id: '1' },
      values: operation === 'select' ? {} : { title: 'tried' },
      returned: ['title'],
    });
  await whoRan();
  for (const operation of ['insert', 'update', 'delete'])
    expect((await ask(looker, operation)).status).toBe(403);
  expect((await ask(looker, 'select')).status).toBe(200);
  expect(await whoRan()).toEqual([]);
  // This request shows that the trigger works.
  expect((await ask(developer, 'update')).status).toBe(200);
  expect(await whoRan()).toEqual(['postgres/postgres']);
  await postgres.exec('drop trigger noted on public.tasks');
});

describe('code of a database role with few privileges', () => {
  const planted = sql`select name from pg_prepared_statements where name = 'planted'`;
  beforeAll(async () => {
    const admin = await backend.database.pool('postgres').connect();
    await admin.exec(`
      create role app_dev nologin; grant app_dev to postgres; create schema app; grant all on schema app to app_dev;
      grant usage on schema app to public;
      create function app.leak() returns setof int language plpgsql as $$ begin
        if current_user <> 'anon' then return next 1; end if;
        if not exists (select from pg_prepared_statements where name = 'planted') then execute 'prepare planted as select 1'; end if;
      end $$;
      create function app.rise() returns boolean language sql security definer as
        $$ select session_user = 'postgres' and set_config('role', 'postgres', true) = 'postgres' $$;
      create table app.leaking (id int primary key); insert into app.leaking values (1);
      alter table app.leaking enable row level security;
      create policy leaking on app.leaking using (exists (select * from app.leak()));
      create table app.rising (id int primary key); insert into app.rising values (1);
      alter table app.rising enable row level security;
      create policy rising on app.rising using (app.rise());
      grant select on app.leaking, app.rising to public;
      alter table app.leaking owner to app_dev; alter table app.rising owner to app_dev;
      alter function app.leak() owner to app_dev; alter function app.rise() owner to app_dev;
    `);
    admin.release();
  });
  const ask = (who: Operator, table: string) =>
    who.call('POST', '/why', {
      schema: 'app',
      table,
      as: 'anon',
      operation: 'select',
      key: { id: '1' },
      values: {},
      returned: [],
    });

  test('isn’t run by an explanation with more privileges, and doesn’t leave a prepared statement behind', async () => {
    for (const who of [looker, developer]) {
      const { status, body } = await ask(who, 'leaking');
      const [rows] = body.gates[0].policies[0].tree.rows;
      expect([status, rows.from, rows.hidden]).toEqual([200, 'app.leak() leak(leak)', null]);
    }
    for (const login of ['postgres', 'authenticator', 'supabase_read_only_user'] as const) {
      const pool = backend.database.pool(login);
      const found = await Promise.all(Array.from({ length: 5 }, () => pool.query(planted)));
      expect(found.flat()).toEqual([]);
    }
  });

  test('can’t switch to postgres in the body of a SECURITY DEFINER function, which is only shown', async () => {
    const { body } = await ask(developer, 'rising');
    expect(body.gates[0].policies[0].tree.calls).toMatchObject([
      {
        name: 'app.rise()',
        value: 'false',
        note: 'role',
        tree: null,
        body: expect.stringContaining('session_user'),
      },
    ]);
  });
});
