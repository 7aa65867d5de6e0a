/**
 * Tests what the preflight check rejects on an external server, and that a rejection doesn't change the catalogs. Also
 * tests two projects on one server.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createDatabase, type Database, examineExternal } from '../../src/platform/database/index.ts';
import { Client, parseConnectionString } from '../../src/platform/database/wire/index.ts';
import { availableServers, type ExternalServer, startExternalServer } from './external-server.ts';
import { temporaryFolder } from './helpers.ts';

const environment = {};

async function asClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await Client.connect(parseConnectionString(url));
  try {
    return await work(client);
  } finally {
    await client.connection.close();
  }
}

const open = (databaseUrl: string): Promise<Database> =>
  createDatabase({ dataDir: '/nowhere', databaseUrl, environment });

/** Returns hashes of all catalogs that a start could change, including comments and passwords. */
function catalogs(client: Client): Promise<unknown> {
  return client.query(sql`
    select (select md5(string_agg(c::text, ';' order by oid)) from pg_class c) as classes,
      (select md5(string_agg(p::text, ';' order by oid)) from pg_proc p) as functions,
      (select md5(string_agg(n::text, ';' order by oid)) from pg_namespace n) as schemas,
      (select md5(string_agg(r::text, ';' order by oid)) from pg_authid r) as roles,
      (select md5(string_agg(m::text, ';' order by m::text)) from pg_auth_members m) as members,
      (select md5(string_agg(d::text, ';' order by oid)) from pg_database d) as databases,
      (select md5(string_agg(d::text, ';' order by d::text)) from pg_shdescription d) as comments,
      (select md5(string_agg(s::text, ';' order by s::text)) from pg_db_role_setting s) as settings`);
}

describe.each(availableServers())('PostgreSQL $version', ({ version, bin }) => {
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

  const asAdmin = <T>(database: string, work: (client: Client) => Promise<T>): Promise<T> =>
    asClient(server.url('admin', database), work);

  /**
   * Starts Plinth with `url`, and expects that the start is rejected and doesn't change anything in `database`. Returns
   * the message.
   */
  async function rejected(url: string, database: string): Promise<string> {
    return asAdmin(database, async (client) => {
      const before = await catalogs(client);
      const error = await open(url).then(
        () => undefined,
        (reason: unknown) => reason as Error & { code: string },
      );
      expect(error).toMatchObject({ code: 'unusable' });
      expect(await catalogs(client)).toEqual(before);
      return error?.message ?? '';
    });
  }

  test('an account without privileges is rejected', async () => {
    await asAdmin('postgres', async (client) => {
      await client.exec("create role plain login password 'secret'");
      await client.exec('create database plain');
    });
    expect(await rejected(server.url('plain', 'plain'), 'plain')).toContain(
      "The account plain doesn't own the database plain",
    );
  });

  test('a different encoding, existing schemas and read-only transactions are rejected', async () => {
    await asAdmin('postgres', async (client) => {
      await client.exec("create database latin encoding 'LATIN1' locale 'C' template template0");
      await client.exec('create database occupied');
      await client.exec('create database frozen');
      await client.exec('alter database frozen set default_transaction_read_only = on');
    });
    await asAdmin('occupied', (client) => client.exec('create schema storage'));
    expect(await rejected(server.url('admin', 'latin'), 'latin')).toContain('LATIN1');
    expect(await rejected(server.url('admin', 'occupied'), 'occupied')).toContain('already exist: storage');
    expect(await rejected(server.url('admin', 'frozen'), 'frozen')).toContain('read-only by default');
  });

  test('two projects with one login work, and one with another login is rejected', async () => {
    await asAdmin('postgres', async (client) => {
      await client.exec("create role second login superuser password 'other'");
      for (const name of ['one', 'two', 'three']) await client.exec(`create database ${name}`);
    });
    const one = await open(server.url('admin', 'one'));
    try {
      const two = await open(server.url('admin', 'two'));
      await two.checkLogins();
      await two.stop();
      const message = await rejected(server.url('second', 'three', 'other'), 'three');
      expect(message).toContain('another project with the login admin');
      // The message is the same for a database that the first project has prepared.
      expect(await rejected(server.url('second', 'two', 'other'), 'two')).toBe(message);
      await one.checkLogins();
    } finally {
      await one.stop();
    }
  });

  test('another program’s roles keep their passwords, unless an administrator transfers them', async () => {
    await asAdmin('postgres', async (client) => {
      await client.exec("comment on role authenticator is null; alter role authenticator password 'theirs'");
      await client.exec('create database four');
    });
    expect(await rejected(server.url('admin', 'four'), 'four')).toContain('by another program');
    const findings = await examineExternal(
      { direct: server.url('admin', 'four') },
      {
        sharedPassword: false,
        environment,
      },
    );
    const statements = findings.flatMap((finding) => finding.statements);
    await asAdmin('four', (client) => client.exec(statements.join('\n')));
    const four = await open(server.url('admin', 'four'));
    await four.checkLogins();
    await four.stop();
  });

  test('the account’s password can be changed', async () => {
    await asAdmin('postgres', (client) => client.exec("alter role second superuser password 'renewed'"));
    await asAdmin('postgres', (client) =>
      client.exec(
        "comment on role authenticator is 'Plinth manages the passwords of its roles through the login second'",
      ),
    );
    const database = await open(server.url('second', 'one', 'renewed'));
    await database.checkLogins();
    await database.stop();
    await asAdmin('postgres', (client) => client.exec("alter role second password 'renewed again'"));
    const renewed = await open(server.url('second', 'one', 'renewed again'));
    await renewed.checkLogins();
    await renewed.stop();
  });

  test('a standby is rejected', async () => {
    await server.stop();
    await server.start('standby');
    await expect(open(server.url('admin', 'one'))).rejects.toThrow('The server is a standby');
    await server.stop();
    await server.start();
  });

  test('every form of connection string works', async () => {
    const { port } = new URL(server.url('admin'));
    await asAdmin('postgres', (client) =>
      client.exec('comment on role authenticator is null; alter role authenticator password null'),
    );
    const texts = [
      `host=127.0.0.1 port=${port} user=admin password=secret dbname=one`,
      `postgresql://admin:secret@127.0.0.1:1,127.0.0.1:${port}/one?target_session_attrs=read-write`,
      `postgresql:///one?host=127.0.0.1&port=${port}&user=admin`,
    ];
    for (const text of texts) {
      const database = await createDatabase({
        dataDir: '/nowhere',
        databaseUrl: text,
        environment: { PGPASSWORD: 'secret' },
      });
      await database.checkLogins();
      expect(/^postgresql:\/\/(admin:secret)?@?127.0.0.1:.*\/one/.test(database.info.url)).toBe(true);
      await asClient(database.info.projectUrl, (client) => client.exec('select 1'));
      await database.stop();
    }
    expect(Number(version)).toBeGreaterThan(14);
  });
});
