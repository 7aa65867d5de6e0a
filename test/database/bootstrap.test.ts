/**
 * Tests the roles, schemas, grants and functions that migrations, policies and clients rely on. The cases are listed as
 * data, including statements that must be rejected.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Logger, silentLogger } from '../../src/base/kernel/log.ts';
import { sql } from '../../src/base/kernel/sql.ts';
import { repairRoles } from '../../src/platform/database/embedded/self-repair.ts';
import type { Database, LoginRole } from '../../src/platform/database/index.ts';
import { createTestDatabase, type TestDatabase } from '../../src/platform/database/testing.ts';

// The timeouts are long, because starting a server can take a long time on a busy machine.
let own: TestDatabase;
let database: Database;
beforeAll(async () => {
  own = await createTestDatabase('bootstrap', async (template) => {
    await template.migrate([{ module: 'fixtures', dir: new URL('./fixtures/migrations/', import.meta.url) }]);
  });
  database = own.database;
});
afterAll(() => own?.drop());

/** Runs the statements as `role` and rolls back their changes. Returns the SQLSTATE of the error, or `ok`. */
async function outcome(login: LoginRole, statements: string, role?: string): Promise<string> {
  try {
    await database.pool(login).transaction(
      async (tx) => {
        if (role !== undefined) await tx.exec(`set local role ${role}`);
        await tx.exec(statements);
      },
      { end: 'rollback' },
    );
    return 'ok';
  } catch (error) {
    return (error as { code: string }).code;
  }
}

async function value(text: string): Promise<unknown> {
  const [row] = await database
    .pool('postgres')
    .query<{ value: unknown }>(sql`select (${sql.raw(text)}) as value`);
  return row?.value;
}

describe('roles', () => {
  test.each([
    ['supabase_admin', 'login super inherit createrole createdb replication bypass'],
    ['postgres', 'login inherit createrole createdb bypass'],
    ['anon', 'inherit'],
    ['authenticated', 'inherit'],
    ['service_role', 'inherit bypass'],
    ['authenticator', 'login'],
    ['supabase_auth_admin', 'login'],
    ['supabase_storage_admin', 'login createrole'],
    ['supabase_realtime_admin', 'login createrole'],
    ['supabase_functions_admin', 'login createrole'],
    ['supabase_replication_admin', 'login inherit replication'],
    ['supabase_etl_admin', 'login inherit replication'],
    ['supabase_read_only_user', 'login inherit bypass'],
    ['dashboard_user', 'inherit createrole createdb replication'],
    ['pgbouncer', 'login inherit'],
    ['supabase_privileged_role', 'inherit'],
  ])('%s has the attributes %s', async (name, attributes) => {
    const [row] = await database.pool('postgres').query<{ attributes: string }>(sql`
      select concat_ws(' ', case when rolcanlogin then 'login' end, case when rolsuper then 'super' end,
        case when rolinherit then 'inherit' end, case when rolcreaterole then 'createrole' end,
        case when rolcreatedb then 'createdb' end, case when rolreplication then 'replication' end,
        case when rolbypassrls then 'bypass' end) as attributes
      from pg_roles where rolname = ${name}`);
    expect(row?.attributes).toBe(attributes);
  });

  test.each([
    ['anon', 'statement_timeout=3s'],
    ['authenticated', 'statement_timeout=8s'],
    ['authenticator', 'statement_timeout=8s'],
    ['authenticator', 'lock_timeout=8s'],
    ['postgres', 'search_path="$user", public, extensions'],
    ['supabase_admin', 'search_path=pg_catalog, pg_temp'],
    ['supabase_read_only_user', 'default_transaction_read_only=on'],
    ['supabase_admin', 'event_triggers=off'],
    ['supabase_auth_admin', 'search_path=auth'],
    ['supabase_auth_admin', 'idle_in_transaction_session_timeout=60s'],
    ['supabase_storage_admin', 'search_path=storage'],
    ['supabase_realtime_admin', 'search_path=realtime'],
    ['supabase_functions_admin', 'search_path=supabase_functions'],
  ])('%s has %s', async (name, setting) => {
    expect(await value(`select rolconfig from pg_roles where rolname = '${name}'`)).toContain(setting);
  });

  const memberships: [string, string, 'usage' | 'set' | 'none'][] = [
    ['authenticator', 'anon', 'set'],
    ['authenticator', 'service_role', 'set'],
    ['supabase_realtime_admin', 'authenticated', 'set'],
    ['supabase_realtime_admin', 'authenticator', 'set'],
    ['supabase_storage_admin', 'authenticator', 'set'],
    ['supabase_storage_admin', 'anon', 'set'],
    ['postgres', 'authenticator', 'usage'],
    ['postgres', 'supabase_auth_admin', 'usage'],
    ['postgres', 'supabase_storage_admin', 'usage'],
    ['postgres', 'pg_read_all_data', 'usage'],
    ['postgres', 'pg_create_subscription', 'usage'],
    ['postgres', 'supabase_admin', 'none'],
    ['authenticator', 'supabase_auth_admin', 'none'],
    ['anon', 'service_role', 'none'],
    ['authenticated', 'postgres', 'none'],
  ];
  test.each(memberships)('%s is a member of %s: %s', async (member, role, kind) => {
    const usage = await value(`select pg_has_role('${member}', '${role}', 'usage')`);
    const set = await value(`select pg_has_role('${member}', '${role}', 'set')`);
    expect({ usage, set }).toEqual({ usage: kind === 'usage', set: kind !== 'none' });
  });
});

describe('schemas', () => {
  test.each([
    ['public', 'pg_database_owner', 'postgres anon authenticated service_role'],
    ['auth', 'supabase_admin', 'postgres anon authenticated service_role dashboard_user'],
    ['storage', 'supabase_admin', 'postgres anon authenticated service_role dashboard_user'],
    ['realtime', 'supabase_admin', 'postgres anon authenticated service_role'],
    ['_realtime', 'postgres', 'postgres'],
    ['extensions', 'postgres', 'postgres anon authenticated service_role dashboard_user'],
    ['graphql', 'supabase_admin', 'postgres anon authenticated service_role'],
    ['graphql_public', 'supabase_admin', 'postgres anon authenticated service_role'],
    ['vault', 'supabase_admin', 'postgres service_role'],
    ['supabase_functions', 'supabase_admin', 'postgres anon authenticated service_role'],
    ['_plinth', 'supabase_admin', 'postgres'], // pg_read_all_data allows only reading.
  ])('%s belongs to %s and can be used by %s', async (schema, owner, users) => {
    expect(await value(`select nspowner::regrole::text from pg_namespace where nspname = '${schema}'`)).toBe(
      owner,
    );
    const asked = ['postgres', 'anon', 'authenticated', 'service_role', 'dashboard_user'];
    const granted = [];
    for (const user of asked) {
      if (user === 'dashboard_user' && schema === 'public') continue; // Granted through PUBLIC.
      if (await value(`select has_schema_privilege('${user}', '${schema}', 'usage')`)) granted.push(user);
    }
    expect(granted.join(' ')).toBe(users);
  });

  test('the database uses an ICU collation and belongs to postgres', async () => {
    expect(
      await value(
        "select datlocprovider::text || ' ' || datlocale || ' ' || datdba::regrole from pg_database where datname = 'postgres'",
      ),
    ).toBe('i en-US postgres');
    expect(
      await value(`select string_agg(x, ' ' order by x) from unnest(array['B', 'a', '_x', 'é', 'A', 'b']) x`),
    ).toBe('_x a A b B é');
  });

  test.each([
    ['postgres', 'table public.n (id int)', 'anon', 'select, insert, update, delete, truncate', true],
    ['supabase_admin', 'table public.n (id int)', 'service_role', 'select, insert, update, delete', false],
    ['postgres', 'table storage.n (id int)', 'authenticated', 'select', true],
    ['supabase_admin', 'table realtime.n (id int)', 'postgres', 'select', true],
    ['supabase_admin', 'table realtime.n (id int)', 'anon', 'select', false],
    ['supabase_auth_admin', 'table auth.n (id int)', 'dashboard_user', 'select', true],
    ['supabase_auth_admin', 'table auth.n (id int)', 'anon', 'select', false],
    ['supabase_admin', 'table extensions.n (id int)', 'postgres', 'select with grant option', true],
    ['supabase_admin', 'table graphql_public.n (id int)', 'anon', 'select', false],
  ] as const)(
    'default privileges: %s creates %s, and %s has %s: %s',
    async (maker, object, role, privileges, expected) => {
      const name = object.split(' ')[1] as string;
      const granted = await database.pool(maker).transaction(
        async (tx) => {
          await tx.exec(`create ${object}`);
          const [row] = await tx.query<{ granted: boolean }>(
            sql`select has_table_privilege(${role}, ${name}, ${privileges}) as granted`,
          );
          return row?.granted;
        },
        { end: 'rollback' },
      );
      expect(granted).toBe(expected);
    },
  );
});

describe('postgres, without superuser privileges', () => {
  test.each([
    // The following cases concern the services' tables.
    ['a policy', 'create policy p on storage.notes for select using (true)', 'ok'],
    [
      'a trigger',
      'create trigger t before insert on storage.notes for each row execute function suppress_redundant_updates_trigger()',
      'ok',
    ],
    ['enabling RLS', 'alter table storage.notes enable row level security', 'ok'],
    [
      'adding and dropping a column',
      'alter table storage.notes add column mine int; alter table storage.notes drop column mine',
      'ok',
    ],
    ['an index', 'create index on storage.notes (body)', 'ok'],
    ['dropping the table', 'drop table storage.notes', '42501'],
    ['dropping it by cascade', 'drop owned by supabase_storage_admin cascade', '42501'],
    ['dropping a column', 'alter table storage.notes drop column body', '42501'],
    ['renaming the table', 'alter table storage.notes rename to notizen', '42501'],
    ['renaming a column', 'alter table storage.notes rename column body to text', '42501'],
    ['moving the table', 'alter table storage.notes set schema public', '42501'],
    ['taking over the table', 'alter table storage.notes owner to postgres', '42501'],
    ['renaming it as an index', 'alter index storage.notes rename to notizen', '42501'],
    [
      'dropping the table with triggers disabled',
      'set session_replication_role = replica; drop table storage.notes',
      '42501',
    ],
    [
      'renaming a column with triggers disabled',
      'set session_replication_role = replica; alter table storage.notes rename column body to text',
      '42501',
    ],
    ['Plinth’s migration history', 'delete from _plinth.migrations', '42501'],
    ['Plinth’s registry', 'delete from _plinth.guarded', '42501'],
    ['dropping a schema of Plinth’s', 'drop schema auth cascade', '42501'],
    ['dropping Plinth’s event trigger', 'drop event trigger plinth_guard_dropped', '42501'],
    [
      'everything on its own tables',
      'create table public.a (b int); alter table a rename b to c; alter table a rename to d; alter table d drop column c; drop table d',
      'ok',
    ],
    // Settings.
    ['settings of the REST service', "alter role authenticator set pgrst.db_schemas = 'public'", 'ok'],
    ['settings of an API role', "alter role anon set statement_timeout = '5s'", 'ok'],
    ['settings of the superuser', "alter role supabase_admin set search_path = ''", '42501'],
    ['an unknown setting', "alter role anon set foo.bar = 'x'", '42501'],
    ['the first statements of every dump', 'set session_replication_role = replica', 'ok'],
    // The following cases concern roles and other objects.
    ['a role', 'create role reader; grant anon to reader', 'ok'],
    ['a superuser', 'create role boss superuser', '42501'],
    ['an owner', 'create table public.a (b int); alter table a owner to supabase_auth_admin', '42501'],
    ['becoming an API role', 'set role service_role', 'ok'],
    ['becoming superuser', 'set role supabase_admin', '42501'],
    ['a comment on public', "comment on schema public is 'mine'", 'ok'],
    [
      'the publication',
      'create table public.a (b int); alter publication supabase_realtime add table a',
      'ok',
    ],
    [
      'recreating the publication',
      'drop publication supabase_realtime; create publication supabase_realtime',
      'ok',
    ],
    [
      'a foreign table server',
      "create extension postgres_fdw; create server s foreign data wrapper postgres_fdw options (host 'x')",
      'ok',
    ],
    [
      'a foreign table server for files',
      'create foreign data wrapper files; create server s foreign data wrapper files',
      '42501',
    ],
    ['the server’s files', "select pg_read_file('plinth_vault.key')", '42501'],
    ['a program', "copy (select 1) to program 'true'", '42501'],
  ])('%s', async (_name, statements, expected) => {
    expect(await outcome('postgres', statements)).toBe(expected);
  });
});

describe('the API roles', () => {
  test.each([
    ['anon', 'create table public.a (b int)', '42501'],
    ['authenticated', 'select from storage.notes', '42501'],
    ['service_role', 'select from vault.decrypted_secrets', 'ok'],
    ['anon', 'select from vault.secrets', '42501'],
    ['anon', 'set role service_role', 'ok'], // The session's own role is the authenticator.
    ['anon', 'set role postgres', '42501'],
    ['authenticated', 'select from auth.uid()', 'ok'],
    ['anon', 'select extensions.uuid_generate_v4()', 'ok'],
  ])('%s: %s', async (role, statements, expected) => {
    expect(await outcome('authenticator', statements, role)).toBe(expected);
  });

  const id = '0f1e2d3c-4b5a-4687-9788-a9bacbdcedfe';
  test.each([
    ['uid', [], null],
    ['uid', [['request.jwt.claims', '']], null],
    ['uid', [['request.jwt.claims', `{"sub":"${id}"}`]], id],
    [
      'uid',
      [
        ['request.jwt.claim.sub', id],
        ['request.jwt.claims', '{"sub":"other"}'],
      ],
      id,
    ],
    ['uid', [['request.jwt.claims', '{"sub":"none"}']], '22P02'],
    ['role', [['request.jwt.claims', '{"role":"anon"}']], 'anon'],
    ['email', [['request.jwt.claims', '{"email":"a@b.c"}']], 'a@b.c'],
    ['jwt', [['request.jwt.claims', '{"a":{"b":1}}']], { a: { b: 1 } }],
    ['jwt', [], null],
  ] as const)('auth.%s() with %j is %j', async (name, settings, expected) => {
    const result = await database
      .asRequest(
        { role: 'authenticated', settings: settings.map(([key, text]) => [key, text] as const) },
        (tx) => tx.query<{ value: unknown }>(sql`select ${sql.id('auth', name)}() as value`),
      )
      .then(
        ([row]) => row?.value,
        (error: { code: string }) => error.code,
      );
    expect(result).toEqual(expected);
  });
});

test('a request can’t run as the session’s own role', async () => {
  const asNone = database.asRequest({ role: 'none', settings: [] }, (tx) => tx.query(sql`select 1`));
  await expect(asNone).rejects.toMatchObject({ code: '22023', message: 'role "none" does not exist' });
});

describe('the schema cache of the REST service', () => {
  test.each([
    ['a table', 'create table public.watched (id int)', true],
    ['a comment', "comment on table public.watched is 'x'", true],
    ['a drop', 'drop table public.watched', true],
    ['a temporary table', 'create temporary table passing (id int)', false],
    ['a table of a service', 'create policy q on storage.notes using (true)', false],
  ])('%s: notified %s', async (_name, statement, told) => {
    const heard: string[] = [];
    const stop = await database.listen('pgrst', (payload) => heard.push(payload));
    const stopMark = await database.listen('mark', () => heard.push('mark'));
    await database.pool('postgres').exec(statement);
    await database.pool('postgres').exec('notify mark');
    await expect.poll(() => heard).toContain('mark');
    expect(heard).toEqual(told ? ['reload schema', 'mark'] : ['mark']);
    await stop();
    await stopMark();
  });
});

test('graphql returns an error that says that it isn’t available', async () => {
  expect(await value("select graphql_public.graphql(query => '{ a }')")).toEqual({
    errors: [{ message: 'pg_graphql extension is not enabled.' }],
  });
});

test('the replication role can decode changes of the publication', async () => {
  const connection = await database.connectReplication();
  try {
    const [slot] = await connection.command(
      `CREATE_REPLICATION_SLOT "${own.name}" TEMPORARY LOGICAL pgoutput (SNAPSHOT 'nothing')`,
    );
    expect(slot).toMatchObject({ slot_name: own.name, output_plugin: 'pgoutput' });
  } finally {
    connection.destroy();
  }
  expect(
    await value(
      "select puballtables::text || pubinsert || pubupdate || pubdelete || pubtruncate || ' ' || pubowner::regrole from pg_publication where pubname = 'supabase_realtime'",
    ),
  ).toBe('falsetruetruetruetrue postgres');
});

test('changes by postgres to the API roles are reverted at the next start', async () => {
  const warnings: string[] = [];
  const log = { ...silentLogger, warn: (_fields: unknown, message: string) => warnings.push(message) };
  const session = await database.pool('supabase_admin').connect();
  try {
    await repairRoles(session, log as Logger, { replication: false });
    expect(warnings).toEqual([]);
    await database.pool('postgres').exec(`alter role service_role nobypassrls;
      alter role authenticated set local_preload_libraries = 'missing'; alter role anon rename to renamed_anon`);
    await repairRoles(session, log as Logger, { replication: false });
    expect(warnings).toHaveLength(3);
    warnings.length = 0;
    await repairRoles(session, log as Logger, { replication: false });
    expect(warnings).toEqual([]);
  } finally {
    await session.exec('drop role anon; alter role renamed_anon rename to anon');
    session.release();
  }
});
