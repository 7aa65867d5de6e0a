/**
 * Tests `--database-url` with an empty database, a Plinth database and a database of the hosted service, with and
 * without superuser privileges.
 */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { silentLogger } from '../../src/base/kernel/log.ts';
import { sql } from '../../src/base/kernel/sql.ts';
import {
  createDatabase,
  type Database,
  type DatabaseError,
  type DatabaseOptions,
} from '../../src/platform/database/index.ts';
import { Client, parseConnectionString } from '../../src/platform/database/wire/index.ts';
import { createNodeSession } from '../../src/services/realtime/changes/group/node-session.ts';
import { availableServers, type ExternalServer, startExternalServer } from './external-server.ts';
import { temporaryFolder } from './helpers.ts';

// The timeouts are long, because starting a server can take a long time on a busy machine.
const more = { module: 'more', dir: new URL('./fixtures/migrations/', import.meta.url) };

async function using<T>(
  options: Partial<DatabaseOptions>,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await createDatabase({ dataDir: '/nowhere', ...options });
  try {
    return await work(database);
  } finally {
    await database.stop();
  }
}

async function asClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await Client.connect(parseConnectionString(url));
  try {
    return await work(client);
  } finally {
    await client.connection.close();
  }
}

/** Returns hashes of all catalogs that a start could have changed. */
function fingerprint(client: Client): Promise<unknown> {
  return client.query(sql`
    select (select md5(string_agg(c::text, ';' order by oid)) from pg_class c) as classes,
      (select md5(string_agg(p::text, ';' order by oid)) from pg_proc p) as functions,
      (select md5(string_agg(n::text, ';' order by oid)) from pg_namespace n) as schemas,
      (select md5(string_agg(d::text, ';' order by oid)) from pg_default_acl d) as defaults,
      (select md5(string_agg(e::text, ';' order by oid)) from pg_extension e) as extensions,
      (select md5(string_agg(r::text, ';' order by oid)) from pg_roles r) as roles,
      (select md5(string_agg(s::text, ';' order by setdatabase, setrole)) from pg_db_role_setting s) as settings,
      (select md5(string_agg(m::text, ';' order by roleid, member)) from pg_auth_members m) as members`);
}

describe.each(availableServers())('PostgreSQL $version with a URL', ({ version, bin }) => {
  let folder: ReturnType<typeof temporaryFolder>;
  let server: ExternalServer;
  beforeAll(async () => {
    folder = temporaryFolder();
    server = await startExternalServer(bin, folder.path);
  });
  afterAll(async () => {
    await server?.stop();
    folder?.remove();
  });

  test('an owner with CREATEROLE uses only the privileges it has', async () => {
    await asClient(server.url('admin'), async (client) => {
      await client.exec("create role owner login createrole createdb password 'secret'");
      await client.exec('create database owned owner owner');
      const before = await fingerprint(client);
      const refused = await createDatabase({
        dataDir: '/nowhere',
        databaseUrl: server.url('owner', 'owned'),
      }).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'unusable', details: { host: '127.0.0.1' } });
      expect(await fingerprint(client)).toEqual(before);
      // An administrator runs the statements that the error contains.
      await client.exec((refused as DatabaseError).details.statements as string);
    });
    await using({ databaseUrl: server.url('owner', 'owned') }, async (database) => {
      expect(database.info.ownsSchemas).toBe(true);
      const [refused] = await database
        .pool('supabase_admin')
        .query<{ count: number }>(sql`select count(*)::int as count from _plinth.refused`);
      expect(refused?.count).toBeGreaterThan(0);
      await database.asRequest({ role: 'anon', settings: [] }, (tx) => tx.query(sql`select auth.uid()`));
      const [role] = await database.asRequest({ role: 'service_role', settings: [] }, (tx) =>
        tx.query(sql`select rolbypassrls as bypasses from pg_roles where rolname = current_user`),
      );
      expect(role).toEqual({ bypasses: true });
      const limited = (await database.findings()).filter(({ status }) => status !== 'ok');
      expect(limited.map(({ check }) => check)).toEqual(
        expect.arrayContaining(['realtime', 'event_triggers']),
      );
    });
  });

  test('an owner with CREATEROLE can use a server whose first role is postgres, and two nodes can use it', async () => {
    const own = temporaryFolder();
    const first = await startExternalServer(bin, own.path);
    try {
      await asClient(first.url('admin'), async (client) => {
        await client.exec("create role helper superuser login password 'secret'");
      });
      await asClient(first.url('helper'), async (client) => {
        await client.exec('alter role admin rename to postgres');
        await client.exec("create role owner login createrole bypassrls replication password 'secret'");
        await client.exec('create database owned owner owner');
      });
      const databaseUrl = first.url('owner', 'owned');
      const refused = await createDatabase({ dataDir: '/nowhere', databaseUrl })
        .then((database) => database.stop())
        .catch((error: DatabaseError) => error);
      // PostgreSQL 15 needs statements of an administrator.
      if (refused !== undefined)
        await asClient(first.url('helper', 'owned'), (client) =>
          client.exec(refused.details.statements as string),
        );
      await using({ databaseUrl }, async (node) => {
        const session = createNodeSession({ pool: () => node.pool('supabase_admin'), log: silentLogger });
        await session.want();
        await using({ databaseUrl }, (other) => other.checkLogins());
        await session.release();
      });
    } finally {
      await first.stop();
      own.remove();
    }
  });

  test('an empty database is prepared only once', async () => {
    await asClient(server.url('admin'), (client) => client.exec('create database fresh'));
    const databaseUrl = server.url('admin', 'fresh');
    await using({ databaseUrl }, async (database) => {
      expect(database.info).toMatchObject({ embedded: false, ownsSchemas: true, url: databaseUrl });
      expect(Math.floor(database.info.serverVersion / 10_000)).toBe(Number(version));
      await database.migrate([more]);
      const roles = [
        'postgres',
        'authenticator',
        'supabase_auth_admin',
        'supabase_storage_admin',
        'supabase_admin',
      ] as const;
      for (const role of roles) {
        const [row] = await database.pool(role).query<{ who: string }>(sql`select current_user::text as who`);
        expect(row?.who).toBe(role);
      }
      // Code that users control must not run in a superuser's session.
      const [login] = await database
        .pool('authenticator')
        .query<{ superuser: boolean }>(
          sql`select rolsuper as superuser from pg_roles where rolname = session_user`,
        );
      expect(login?.superuser).toBe(false);
      const id = await database.asRequest(
        {
          role: 'authenticated',
          settings: [['request.jwt.claims', '{"sub":"8d5b4c1e-0f5e-4c43-9b3f-6a1f0e9d2c11"}']],
        },
        (tx) => tx.query(sql`select auth.uid()::text as id, current_user::text as who`),
      );
      expect(id).toEqual([{ id: '8d5b4c1e-0f5e-4c43-9b3f-6a1f0e9d2c11', who: 'authenticated' }]);
      const postgres = database.pool('postgres');
      await postgres.query(sql`select vault.create_secret('hush', 'name')`);
      expect(await postgres.query(sql`select decrypted_secret from vault.decrypted_secrets`)).toEqual([
        { decrypted_secret: 'hush' },
      ]);
      await postgres.query(sql`select net.http_get('http://127.0.0.1:9/')`);
      expect(await postgres.query(sql`select crypt('a', gen_salt('bf', 4)) <> '' as found`)).toEqual([
        { found: true },
      ]);
    });
    const [before, after] = await asClient(databaseUrl, async (client) => {
      const first = await fingerprint(client);
      await using({ databaseUrl }, (database) => database.migrate([more]));
      return [first, await fingerprint(client)];
    });
    expect(after).toEqual(before);
  });

  test('several processes can start concurrently on a new server, with one database or several', async () => {
    const folderOfOwn = temporaryFolder();
    const fresh = await startExternalServer(bin, folderOfOwn.path);
    try {
      await asClient(fresh.url('admin'), (client) => client.exec('create database other'));
      const urls = ['postgres', 'other', 'postgres', 'other', 'postgres'].map((name) =>
        fresh.url('admin', name),
      );
      const started = await Promise.allSettled(
        urls.map((databaseUrl) =>
          using({ databaseUrl }, async (database) => {
            await database.migrate([more]);
            await database.checkLogins();
          }),
        ),
      );
      expect(started).toEqual(urls.map(() => ({ status: 'fulfilled', value: undefined })));
    } finally {
      await fresh.stop();
      folderOfOwn.remove();
    }
  });

  test('a Plinth database is unchanged when postgres without superuser privileges connects', async () => {
    await asClient(server.url('admin'), (client) => client.exec('create database copied'));
    await using({ databaseUrl: server.url('admin', 'copied') }, async () => {});
    await asClient(server.url('admin', 'copied'), async (client) => {
      await client.exec("alter role postgres password 'secret'");
      const before = await fingerprint(client);
      await using({ databaseUrl: server.url('postgres', 'copied') }, async (database) => {
        expect(database.info.ownsSchemas).toBe(false);
        await database.migrate([more]);
        expect(await database.pool('authenticator').query(sql`select current_user::text as who`)).toEqual([
          { who: 'authenticator' },
        ]);
      });
      expect(await fingerprint(client)).toEqual(before);
    });
  });

  test('a database of the hosted service is unchanged, and postgres switches to roles without a known password', async () => {
    await asClient(server.url('admin'), async (client) => {
      await client.exec('create database hosted');
      await client.exec("alter role postgres password 'secret'; alter role authenticator password 'unknown'");
    });
    await asClient(server.url('admin', 'hosted'), async (client) => {
      await client.exec('create schema auth; create table auth.users (id uuid primary key)');
      const before = await fingerprint(client);
      await using({ databaseUrl: server.url('postgres', 'hosted') }, async (database) => {
        expect(database.info.ownsSchemas).toBe(false);
        await database.migrate([more]);
        const pool = database.pool('authenticator');
        await pool.exec('reset role');
        expect(await pool.query(sql`select current_user::text as who`)).toEqual([{ who: 'authenticator' }]);
      });
      expect(await fingerprint(client)).toEqual(before);
      await client.exec("alter role authenticator password 'secret'");
    });
  });
});

test('an invalid URL and an unreachable server cause clear errors', async () => {
  await expect(
    createDatabase({ dataDir: '/nowhere', databaseUrl: 'postgresql://a:b@c:x/d' }),
  ).rejects.toMatchObject({
    code: 'bad_url',
  });
  await expect(
    createDatabase({ dataDir: '/nowhere', databaseUrl: 'postgresql://a:b@127.0.0.1:1/d' }),
  ).rejects.toMatchObject({
    code: 'unreachable',
  });
});
