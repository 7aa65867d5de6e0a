/**
 * Tests CREATE EXTENSION as the role `postgres`, which also runs migrations. Available extensions work, and the others
 * become placeholders.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import {
  formerPlaceholders,
  missingExtensions,
  placeholderVersion,
} from '../../src/platform/database/extensions/missing.ts';
import { trustedContrib } from '../../src/platform/database/extensions/trusted.ts';
import type { Pool, Row } from '../../src/platform/database/index.ts';
import { createTestDatabase, type TestDatabase } from '../../src/platform/database/testing.ts';

// The timeouts are long, because starting a server can take a long time on a busy machine.
let own: TestDatabase;
let postgres: Pool;
beforeAll(async () => {
  own = await createTestDatabase('extensions');
  postgres = own.database.pool('postgres');
});
afterAll(() => own?.drop());

async function first(text: string): Promise<Row> {
  const [row] = await postgres.query<Row>(sql.raw(text));
  return row as Row;
}

test('the extensions of new projects on the hosted service are installed', async () => {
  const rows = await postgres.query<{ name: string; schema: string }>(sql`
    select extname::text as name, extnamespace::regnamespace::text as schema from pg_extension order by extname`);
  expect(rows.map(({ name, schema }) => `${schema}.${name}`)).toEqual([
    'extensions.pg_net',
    'extensions.pg_stat_statements',
    'extensions.pgcrypto',
    'pg_catalog.plpgsql',
    'vault.supabase_vault',
    'extensions.uuid-ossp',
  ]);
});

test.each([
  ...trustedContrib.filter((name) => name !== 'pg_stat_statements'),
  ...[
    'btree_gin',
    'btree_gist',
    'citext',
    'cube',
    'fuzzystrmatch',
    'hstore',
    'intarray',
    'ltree',
    'pg_trgm',
    'unaccent',
  ],
])('%s can be created, with or without a schema, and dropped', async (name) => {
  await postgres.exec(`create extension if not exists "${name}" with schema extensions cascade`);
  await postgres.exec(
    `drop extension "${name}" cascade; create extension "${name}" cascade; drop extension "${name}" cascade`,
  );
});

describe('foreign data wrappers', () => {
  /** A server and a user mapping that connect to this database over TCP. */
  const serverOf = (wrapper: string) => {
    const { hostname, port, password } = new URL(clusterUrl());
    return `create server self foreign data wrapper ${wrapper} options (host '${hostname}', port '${port}', dbname '${own.name}');
      create user mapping for postgres server self options (user 'postgres', password '${decodeURIComponent(password)}');`;
  };
  const clusterUrl = () => own.database.info.url;

  test('postgres_fdw reads tables of another database', async () => {
    await postgres.exec(`create table public.origin (id int); insert into public.origin values (1), (2)`);
    await postgres.exec(`
      create extension postgres_fdw with schema extensions;
      ${serverOf('postgres_fdw')}
      create schema remote;
      import foreign schema public limit to (origin) from server self into remote`);
    expect(await first('select count(*)::int as count from remote.origin')).toEqual({ count: 2 });
    await postgres.exec(`
      grant usage on foreign data wrapper postgres_fdw to service_role;
      drop schema remote cascade; drop table public.origin; drop extension postgres_fdw cascade`);
  });

  test('dblink connects to a server by its name', async () => {
    await postgres.exec(`create extension dblink with schema extensions; ${serverOf('dblink_fdw')}`);
    expect(await first(`select * from extensions.dblink('self', 'select 1') as t (one int)`)).toEqual({
      one: 1,
    });
    await postgres.exec('drop extension dblink cascade');
  });

  test.each(['postgres_fdw', 'dblink'])('%s gives postgres only the wrapper', async (name) => {
    const wrapper = name === 'dblink' ? 'dblink_fdw' : name;
    const outcomes: string[] = [];
    await postgres.transaction(
      async (tx) => {
        await tx.exec(`create extension ${name} with schema extensions`);
        const [facts] = await tx.query(sql`
          select rolsuper as super, fdwowner::regrole::text as owner, current_setting('is_superuser') as session
          from pg_roles, pg_foreign_data_wrapper where rolname = 'postgres' and fdwname = ${wrapper}`);
        expect(facts).toEqual({ super: false, owner: 'postgres', session: 'off' });
        for (const attempt of [
          `alter foreign data wrapper ${wrapper} no validator`,
          `alter foreign data wrapper ${wrapper} options (add host '127.0.0.1')`,
          `create foreign data wrapper other validator postgresql_fdw_validator`,
          `set local role authenticated; create server evil foreign data wrapper ${wrapper}`,
          `create server evil foreign data wrapper ${wrapper}; create user mapping for public server evil options (password_required 'false')`,
        ]) {
          await tx.exec('savepoint one');
          outcomes.push(
            await tx.exec(attempt).then(
              () => attempt,
              (error: { code: string }) => error.code,
            ),
          );
          await tx.exec('rollback to one');
        }
      },
      { end: 'rollback' },
    );
    // dblink_fdw doesn't have the last option.
    expect(outcomes).toEqual(['42501', '42501', '42501', '42501', name === 'dblink' ? 'HV00J' : '42501']);
  });

  test.each([
    ['renamed', 'alter foreign data wrapper postgres_fdw rename to other', ['other']],
    [
      'removed',
      'alter extension postgres_fdw drop foreign data wrapper postgres_fdw; drop foreign data wrapper postgres_fdw',
      [],
    ],
  ])('postgres_fdw can be updated after its wrapper was %s', async (_, change, names) => {
    await postgres.transaction(
      async (tx) => {
        await tx.exec(`create extension postgres_fdw with schema extensions version '1.0'; ${change}`);
        await tx.exec('alter extension postgres_fdw update');
        const left =
          await tx.query(sql`select fdwname::text as name, fdwowner::regrole::text as owner, rolsuper as super
          from pg_foreign_data_wrapper, pg_roles where rolname = 'postgres'`);
        expect(left).toEqual(names.map((name) => ({ name, owner: 'postgres', super: false })));
      },
      { end: 'rollback' },
    );
  });
});

test.each(['file_fdw', 'pageinspect', 'pg_surgery', 'pg_visibility', 'xml2'])(
  '%s requires a superuser',
  async (name) => {
    await expect(postgres.exec(`create extension ${name}`)).rejects.toMatchObject({ code: '42501' });
  },
);

test.each(Object.keys(missingExtensions))('%s is created as an empty placeholder', async (name) => {
  await postgres.transaction(
    async (tx) => {
      await tx.exec(`create extension if not exists "${name}" with schema extensions cascade`);
      await tx.exec(`
        comment on extension "${name}" is 'as a dump has it';
        alter extension "${name}" set schema public;
        alter extension "${name}" update;
        create extension if not exists "${name}"`);
      const [made] = await tx.query(sql`
        select extversion as version, extowner::regrole::text as owner, extnamespace::regnamespace::text as schema, extconfig as config,
          (select count(*)::int from pg_depend d where d.refclassid = 'pg_extension'::regclass and d.refobjid = e.oid) as members
        from pg_extension e where extname = ${name}`);
      expect(made).toEqual({
        version: placeholderVersion,
        owner: 'postgres',
        schema: 'public',
        config: null,
        members: 0,
      });
      expect(await tx.query(sql`select from pg_available_extensions where name = ${name}`)).toEqual([]);
      await tx.exec(`drop extension "${name}"`);
    },
    { end: 'rollback' },
  );
});

test.each(Object.entries(formerPlaceholders))(
  'the placeholder %s of an earlier version is updated',
  async (name, schema) => {
    await own.database.pool('supabase_admin').transaction(
      async (tx) => {
        await tx.exec(`
          create schema old authorization postgres;
          insert into pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
          values (99999, '${name}', 'postgres'::regrole, 'old'::regnamespace, true, '${placeholderVersion}');
          insert into pg_depend values ('pg_extension'::regclass, 99999, 0, 'pg_namespace'::regclass, 'old'::regnamespace, 0, 'n');
          alter extension ${name} update`);
        const [updated] = await tx.query(sql`
          select extnamespace::regnamespace::text as schema, extversion <> ${placeholderVersion} as "isUpdated",
            exists (select from pg_depend where refclassid = 'pg_extension'::regclass and refobjid = e.oid and deptype = 'e')
              as "hasMembers"
          from pg_extension e where extname = ${name}`);
        expect(updated).toEqual({ schema: schema ?? 'old', isUpdated: true, hasMembers: true });
        await tx.exec(`set local role postgres; drop extension ${name} cascade`);
      },
      { end: 'rollback' },
    );
  },
);

test('a role without CREATE on the database can’t create a placeholder', async () => {
  for (const role of ['anon', 'authenticated', 'service_role', 'authenticator']) {
    await expect(
      own.database.pool('supabase_admin').exec(`set role ${role}; create extension postgis schema public`),
    ).rejects.toMatchObject({ code: '42501' });
  }
});

test('the catalog lists exactly the extensions that CREATE EXTENSION creates', async () => {
  const listed = await postgres.query<{ name: string }>(sql`
    select name::text from pg_available_extensions where installed_version is null order by name`);
  const versions = await postgres.query<{ name: string }>(sql`
    select distinct name::text from pg_available_extension_versions v
    where not exists (select from pg_extension e where e.extname = v.name) order by name`);
  expect(versions).toEqual(listed);
  const refused: string[] = [];
  for (const { name } of listed) {
    try {
      await postgres.transaction((tx) => tx.exec(`create extension "${name}" cascade`), { end: 'rollback' });
    } catch {
      refused.push(name);
    }
  }
  expect(refused).toEqual([]);
  expect(listed.map(({ name }) => name)).toEqual(
    expect.arrayContaining([...trustedContrib.slice(0, 3), 'vector', 'pgmq']),
  );
  await postgres.exec(`do $$ begin
    if exists (select from pg_available_extensions where name in ('plv8', 'postgis', 'file_fdw')) then raise 'guards fail'; end if;
    if not exists (select from pg_available_extensions where name = 'pg_cron' and installed_version is null) then raise 'no pg_cron'; end if;
  end $$`);
  const forSuperusers = await own.database.pool('supabase_admin').query(sql`
    select from pg_available_extensions where name in ('file_fdw', 'pageinspect')`);
  expect(forSuperusers).toHaveLength(2);
});

test('a project’s event trigger doesn’t run with the privileges of Plinth’s scripts', async () => {
  await own.database.pool('supabase_admin').exec(`
    create table public.seen (who text);
    create function public.spy() returns event_trigger language plpgsql as
      $$ begin insert into public.seen values (current_user); end $$;
    create event trigger spy on ddl_command_end execute function public.spy()`);
  await postgres.exec('create extension pgjwt with schema extensions; drop extension pgjwt');
  await own.database.pool('supabase_admin').exec('drop event trigger spy');
  expect(await postgres.query(sql`select distinct who from public.seen where who <> 'postgres'`)).toEqual([]);
});

describe('pgjwt', () => {
  beforeAll(() => postgres.exec('create extension pgjwt with schema extensions'));

  test('signs as RFC 7519 specifies', async () => {
    // This is the HS256 example from jwt.io, with the header fields in the order of that example.
    expect(
      await first(`select sign('{"sub":"1234567890","name":"John Doe","admin":true}', 'secret') as token`),
    ).toEqual({
      token:
        'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiYWRtaW4iOnRydWV9.TJVA95OrM7E2cBab30RMHrHDcEfxjoYZgeFONFh7HgQ',
    });
  });

  test.each([
    ['HS256', '{"a":1}', 'secret', true],
    ['HS384', '{"a":"ü"}', 'secret', true],
    ['HS512', '{"exp":4102444800}', 'secret', true],
    ['HS256', '{"a":1}', 'other', false],
    ['HS256', '{"exp":1}', 'secret', false],
    ['HS256', '{"nbf":4102444800}', 'secret', false],
    ['HS256', '{"exp":"soon"}', 'secret', true],
  ])('%s of %s under %s: %s', async (algorithm, payload, secret, valid) => {
    const row = await first(
      `select header, payload, valid from verify(sign('${payload}', 'secret', '${algorithm}'), '${secret}', '${algorithm}')`,
    );
    expect(row).toEqual({ header: { alg: algorithm, typ: 'JWT' }, payload: JSON.parse(payload), valid });
  });
});

describe('vault', () => {
  test('stores a secret encrypted and returns it', async () => {
    const { id } = await first("select vault.create_secret('top secret ü', 'api key', 'what for') as id");
    const stored = await first(
      'select name, description, secret, decrypted_secret from vault.decrypted_secrets',
    );
    expect(stored).toMatchObject({
      name: 'api key',
      description: 'what for',
      decrypted_secret: 'top secret ü',
    });
    expect(Buffer.from(stored.secret as string, 'base64').toString('latin1')).not.toContain('top secret');

    await postgres.query(sql`select vault.update_secret(${id as string}, new_description => 'other')`);
    await postgres.query(sql`select vault.update_secret(${id as string}, 'changed')`);
    expect(await first('select description, decrypted_secret from vault.decrypted_secrets')).toEqual({
      description: 'other',
      decrypted_secret: 'changed',
    });
    await expect(postgres.query(sql`select vault.create_secret('again', 'api key')`)).rejects.toMatchObject({
      code: '23505',
    });
  });

  test('detects a row that was tampered with', async () => {
    const admin = own.database.pool('supabase_admin');
    await admin.exec(
      "select vault.create_secret('a', 'a'); select vault.create_secret('b', 'b'); select vault.create_secret('c', 'c')",
    );
    await admin.exec(
      `update vault.secrets s set secret = o.secret, nonce = o.nonce from vault.secrets o where s.name = 'a' and o.name = 'b'`,
    );
    await admin.exec("update vault.secrets set secret = 'my-plain-secret' where name = 'c'");
    expect(
      await postgres.query(
        sql`select name, decrypted_secret as value from vault.decrypted_secrets where name in ('a', 'b', 'c') order by name`,
      ),
    ).toEqual([
      { name: 'a', value: null },
      { name: 'b', value: 'b' },
      { name: 'c', value: null },
    ]);
    await postgres.exec("delete from vault.secrets where name in ('a', 'b', 'c')");
  });

  test.each([
    ['an insert', `insert into vault.secrets (name, secret) values ('plain', 'my-plain-secret')`],
    [
      'an insert without triggers',
      `set local session_replication_role = replica;
       insert into vault.secrets (id, name, secret) values (gen_random_uuid(), 'plain', 'my-plain-secret')`,
    ],
    [
      'an insert after the vault was created again',
      `drop extension supabase_vault cascade; create extension supabase_vault;
       insert into vault.secrets (name, secret) values ('plain', 'my-plain-secret')`,
    ],
  ])('encrypts %s', async (_name, statements) => {
    await postgres.transaction(
      async (tx) => {
        await tx.exec(`${statements}; select vault.create_secret('other', 'other')`);
        const rows = await tx.query<{ secret: string; decrypted_secret: string }>(sql`
          select secret, decrypted_secret from vault.decrypted_secrets where name in ('other', 'plain') order by name`);
        expect(rows.map(({ decrypted_secret }) => decrypted_secret)).toEqual(['other', 'my-plain-secret']);
        expect(JSON.stringify(rows.map(({ secret }) => secret))).not.toContain('plain');
      },
      { end: 'rollback' },
    );
  });

  test.each([
    ['the key', 'select vault._root_key()'],
    ['an insert of ciphertext', "insert into vault.secrets (secret, nonce) values ('x', 'x')"],
    ['an update', "update vault.secrets set name = 'x'"],
    [
      'a trigger',
      'create trigger t before insert on vault.secrets for each row execute function suppress_redundant_updates_trigger()',
    ],
  ])('denies postgres %s', async (_name, statement) => {
    await expect(postgres.exec(statement)).rejects.toMatchObject({ code: '42501' });
  });
});

describe('pg_net', () => {
  test('queues the request, and notifies the sender at the commit', async () => {
    const heard: string[] = [];
    const stop = await own.database.listen('plinth_net', (payload) => heard.push(payload));
    await postgres.transaction(async (tx) => {
      await tx.exec(
        `select net.http_post('http://localhost/a?b=c', '{"x":1}', '{"q":"a b&ü"}', '{"X-Test":"1"}', 100)`,
      );
    });
    await expect.poll(() => heard).toEqual(['']);
    await stop();
    expect(
      await first(`select method::text, url, headers, convert_from(body, 'UTF8')::json as body, timeout_milliseconds as timeout
      from net.http_request_queue order by id desc limit 1`),
    ).toEqual({
      method: 'POST',
      url: 'http://localhost/a?b=c&q=a%20b%26%C3%BC',
      headers: { 'X-Test': '1', 'Content-Type': 'application/json' },
      body: { x: 1 },
      timeout: 100,
    });
  });

  test('accepts requests from every API role', async () => {
    for (const role of ['anon', 'authenticated', 'service_role']) {
      await own.database.asRequest({ role, settings: [] }, (tx) =>
        tx.query(sql`select net.http_get('http://localhost/')`),
      );
      await own.database.asRequest({ role, settings: [] }, (tx) =>
        tx.query(sql`select net.http_delete('http://localhost/')`),
      );
    }
  });

  test('rejects another content type', async () => {
    await expect(
      postgres.exec(`select net.http_post('http://localhost/', headers => '{"content-type":"text/plain"}')`),
    ).rejects.toMatchObject({ code: 'P0001', message: 'Content-Type header must be "application/json"' });
  });

  test('returns responses', async () => {
    await postgres.exec(`insert into net._http_response (id, status_code, headers, content) values (-1, 200, '{"a":"b"}', 'hello');
      insert into net._http_response (id, error_msg) values (-2, 'refused')`);
    expect(
      await first(
        'select status::text, message, (response).status_code, (response).body from net.http_collect_response(-1)',
      ),
    ).toEqual({
      status: 'SUCCESS',
      message: 'ok',
      status_code: 200,
      body: 'hello',
    });
    expect(
      await first('select status::text, message from net.http_collect_response(-2, async => false)'),
    ).toEqual({
      status: 'ERROR',
      message: 'refused',
    });
    expect(await first('select status::text from net.http_collect_response(-3)')).toEqual({
      status: 'PENDING',
    });
  });

  test('provides a webhook trigger that sends the row', async () => {
    await postgres.exec(`create table public.orders (id int, note text);
      create trigger hook after insert or update or delete on public.orders for each row
        execute function supabase_functions.http_request('http://localhost/hook', 'POST', '{"Content-Type":"application/json"}', '{}', '700')`);
    await postgres.exec(
      "insert into public.orders values (1, 'a'); update public.orders set note = 'b'; delete from public.orders",
    );
    const rows = await postgres.query<{ body: unknown }>(sql`
      select convert_from(q.body, 'UTF8')::json as body from net.http_request_queue q
      join supabase_functions.hooks h on h.request_id = q.id
      where h.hook_name = 'hook' and q.timeout_milliseconds = 700 order by q.id`);
    const about = { table: 'orders', schema: 'public' };
    expect(rows.map(({ body }) => body)).toEqual([
      { ...about, type: 'INSERT', record: { id: 1, note: 'a' }, old_record: null },
      { ...about, type: 'UPDATE', record: { id: 1, note: 'b' }, old_record: { id: 1, note: 'a' } },
      { ...about, type: 'DELETE', record: null, old_record: { id: 1, note: 'b' } },
    ]);
  });

  test('can be dropped and created again', async () => {
    await postgres.exec(
      'drop extension pg_net; create extension pg_net; drop extension pg_net; create extension pg_net with schema extensions',
    );
    expect(await first("select net.http_get('http://localhost/') > 0 as queued")).toEqual({ queued: true });
  });
});
