/** Tests all ways in which a client or a project's SQL could try to become a superuser of the embedded PostgreSQL. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createDatabase, type Database, type DatabaseOptions } from '../../src/platform/database/index.ts';
import { copyTemplateFolder } from '../../src/platform/database/testing/template-folder.ts';
import { Client, parseConnectionString } from '../../src/platform/database/wire/index.ts';
import { killEverything, temporaryFolder } from '../database/helpers.ts';
import { startWorld, type World } from './world.ts';

const serviceRoles = [
  'authenticator',
  'supabase_auth_admin',
  'supabase_storage_admin',
  'supabase_realtime_admin',
  'supabase_functions_admin',
  'supabase_replication_admin',
  'supabase_etl_admin',
  'supabase_read_only_user',
  'pgbouncer',
];

/** Well-known passwords. If undefined, no password is sent. */
const knownPasswords = [undefined, '', 'postgres', 'supabase_admin', 'password'];

describe('a running server', () => {
  let world: World;
  let where: { tcp: string; socket: string };
  beforeAll(async () => {
    world = await startWorld({ exclude: ['functions', 'realtime', 'storage'] });
    const { database } = world.backend;
    const { host, port } = parseConnectionString(database.info.url) as { host: string; port: number };
    where = {
      tcp: `host=${host} port=${port}`,
      socket: `host='${database.info.socketDir}' port=${port}`,
    };
    await database.pool('postgres').exec(`
      create extension dblink with schema public;
      create extension postgres_fdw with schema public;
      notify pgrst, 'reload schema'`);
  });
  afterAll(() => world?.stop());

  const connectionStrings = (): string[] =>
    [where.tcp, where.socket].flatMap((place) =>
      knownPasswords.map(
        (password) =>
          `${place} user=supabase_admin dbname=postgres sslmode=disable` +
          (password === undefined ? '' : ` password='${password}'`),
      ),
    );

  test('has no trust entry in pg_hba.conf, and rejects the superuser over TCP', async () => {
    const rules = await world.backend.database.pool('supabase_admin').query<Record<string, unknown>>(sql`
      select type, array_to_string(database, ',') as database, array_to_string(user_name, ',') as users, auth_method as method
      from pg_hba_file_rules order by rule_number`);
    for (const { method } of rules) expect(['scram-sha-256', 'reject']).toContain(method);
    const first = (type: string, user: string) =>
      rules.find(
        (rule) => rule.type === type && rule.database === 'all' && ['all', user].includes(String(rule.users)),
      )?.method;
    expect(first('host', 'supabase_admin')).toBe('reject');
    expect(first('local', 'supabase_admin')).toBe('scram-sha-256');
    expect(rules.filter(({ database }) => database === 'replication').map(({ method }) => method)).toEqual([
      'reject',
      'reject',
    ]);
  });

  test.each(['supabase_admin', ...serviceRoles])('has no known password for %s', async (user) => {
    const { database } = world.backend;
    const tcp = { ...parseConnectionString(database.info.url), user, sslMode: 'disable' as const };
    for (const target of [tcp, { ...tcp, host: database.info.socketDir as string }]) {
      for (const password of knownPasswords) {
        const signedIn = await Client.connect({ ...target, password }).then(
          (client) => client.connection.close().then(() => true),
          () => false,
        );
        expect([target.host, password, signedIn]).toEqual([target.host, password, false]);
      }
    }
  });

  test.each(['anon', 'authenticated', 'service_role'])('rejects dblink over REST as %s', async (role) => {
    const token = world.token({ role });
    const text = async (name: string, body: string) =>
      world.call(`/rest/v1/rpc/${name}`, {
        method: 'POST',
        body,
        token,
        headers: { 'content-type': 'text/plain', apikey: world.backend.keys.anonKey },
      });
    for (const name of ['dblink_connect_u', 'dblink_connect']) {
      for (const connection of connectionStrings()) {
        const { status, body } = await text(name, connection);
        expect([name, connection, status, body.code]).toEqual([
          name,
          connection,
          role === 'anon' ? 401 : 403,
          '42501',
        ]);
      }
    }
    expect((await text('dblink_exec', `copy (select 1) to program 'true'`)).body.code).toBe('42501');
  });

  test('rejects dblink as postgres', async () => {
    const session = await world.backend.database.pool('postgres').connect();
    try {
      for (const connection of connectionStrings()) {
        for (const name of ['dblink_connect_u', 'dblink_connect']) {
          const connected = await session.query(sql`select ${sql.raw(name)}(${connection})`).then(
            () => true,
            () => false,
          );
          expect([name, connection, connected]).toEqual([name, connection, false]);
        }
      }
    } finally {
      session.destroy();
    }
  });

  test.each(['postgres_fdw', 'dblink_fdw'])('rejects servers of %s as postgres', async (wrapper) => {
    const { database } = world.backend;
    const { host, port } = parseConnectionString(database.info.url);
    for (const place of [host, database.info.socketDir]) {
      for (const password of knownPasswords) {
        const secret = password === undefined ? '' : `, password '${password}'`;
        const query =
          wrapper === 'postgres_fdw'
            ? `create foreign table public.looped (rolname name) server loop options (schema_name 'pg_catalog', table_name 'pg_authid');
               select * from public.looped`
            : `select dblink_connect('loop')`;
        const attempt = database.pool('postgres').transaction(
          (tx) =>
            tx.exec(`
              create server loop foreign data wrapper ${wrapper} options (host '${place}', port '${port}', dbname 'postgres');
              create user mapping for public server loop options (user 'supabase_admin'${secret});
              ${query}`),
          { end: 'rollback' },
        );
        await expect(attempt, `${place} ${password}`).rejects.toMatchObject({
          code: expect.stringMatching(/^(08001|2F003|42501)$/),
        });
      }
    }
  });

  test('rejects subscriptions as postgres', async () => {
    const postgres = world.backend.database.pool('postgres');
    for (const connection of connectionStrings()) {
      await expect(
        postgres.query(
          sql`create subscription s connection ${sql.raw(`'${connection.replaceAll("'", "''")}'`)} publication supabase_realtime`,
        ),
      ).rejects.toThrow();
    }
  });

  test('doesn’t reveal secrets to a role with REPLICATION through a base backup', async () => {
    const target = { ...parseConnectionString(world.backend.database.info.url), sslMode: 'disable' as const };
    await expect(
      Client.connect({ ...target, parameters: { replication: 'true' }, bareSession: true }),
    ).rejects.toMatchObject({ code: '28000' });
    // A replication session in database mode can read the whole cluster folder, so that folder must not contain
    // Plinth's keys.
    const [row] = await world.backend.database
      .pool('supabase_admin')
      .query<{ folder: string }>(sql`select current_setting('data_directory') as folder`);
    const keys = readdirSync(row?.folder as string).filter((name) => name.endsWith('.key'));
    expect(keys).toEqual(['plinth_vault.key']);
  });

  test('continues to work if SQL changes a service role’s password', async () => {
    const { database } = world.backend;
    for (const role of ['authenticator', 'supabase_auth_admin'] as const) {
      await database
        .pool('postgres')
        .exec(`set role ${role}; alter role ${role} password 'taken'; reset role`);
      const session = await database.signIn(role, parseConnectionString(database.info.url).database ?? '');
      await session.end();
      const target = { ...parseConnectionString(database.info.url), user: role, sslMode: 'disable' as const };
      await expect(Client.connect({ ...target, password: 'taken' })).rejects.toMatchObject({ code: '28P01' });
    }
  });
});

describe('a data folder', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let running: Database | undefined;
  afterEach(async () => {
    await running?.stop();
    running = undefined;
    killEverything(folder.path);
    folder.remove();
  });

  async function start(options: Partial<DatabaseOptions> = {}): Promise<Database> {
    running = await createDatabase({ dataDir: folder.path, durable: false, port: 0, ...options });
    return running;
  }
  async function stop(): Promise<void> {
    await running?.stop();
    running = undefined;
  }
  const signsIn = (database: Database, user: string, password: string): Promise<boolean> =>
    Client.connect({
      ...parseConnectionString(database.info.url),
      host: database.info.socketDir as string,
      sslMode: 'disable',
      user,
      password,
    }).then(
      (client) => client.connection.close().then(() => true),
      () => false,
    );
  const keyFile = (): string => join(folder.path, 'database-logins.key');

  test.each([
    ['with one password for all, as earlier versions made it', `password 'postgres'`],
    ['whose first start was cut short', 'password null'],
  ])('%s gets separate passwords', async (_name, password) => {
    folder = temporaryFolder();
    await copyTemplateFolder(folder.path);
    const old = await start();
    await old.pool('postgres').exec('create table kept as select 42 as answer');
    const everyone = ['authenticator', 'supabase_auth_admin', 'supabase_admin'];
    await old.pool('supabase_admin').exec(everyone.map((role) => `alter role ${role} ${password}`).join(';'));
    await stop();
    rmSync(keyFile());

    const database = await start();
    expect(await database.pool('postgres').query(sql`select answer from kept`)).toEqual([{ answer: 42 }]);
    for (const role of everyone)
      expect([role, await signsIn(database, role, 'postgres')]).toEqual([role, false]);
    expect(await signsIn(database, 'postgres', 'postgres')).toBe(true);
    expect(statSync(keyFile()).mode & 0o777).toBe(0o600);
    const key = readFileSync(keyFile(), 'utf8');
    await stop();
    await start();
    expect(readFileSync(keyFile(), 'utf8')).toBe(key);
  });

  test('can be opened again if its key was lost or replaced', async () => {
    folder = temporaryFolder();
    await copyTemplateFolder(folder.path);
    await start();
    await stop();
    rmSync(keyFile());
    await start();
    await stop();
    writeFileSync(keyFile(), 'f'.repeat(64), { mode: 0o600 });
    const database = await start();
    expect(await database.pool('authenticator').query(sql`select 1 as one`)).toEqual([{ one: 1 }]);
  });

  test('can’t be read by other users of the machine', async () => {
    folder = temporaryFolder();
    const database = await start();
    const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
    expect(mode(join(folder.path, 'postgres'))).toBe('700');
    expect(mode(database.info.socketDir as string)).toBe('700');
    expect(mode(join(folder.path, 'postgres', 'plinth_vault.key'))).toBe('600');
    expect(mode(join(folder.path, 'postgres', 'pg_hba.conf'))).toBe('600');
    expect(existsSync(keyFile()) && mode(keyFile())).toBe('600');
  });

  test('with shared_password can be opened as in upstream', async () => {
    folder = temporaryFolder();
    await copyTemplateFolder(folder.path);
    const database = await start({ sharedPassword: true });
    const target = { ...parseConnectionString(database.info.url), sslMode: 'disable' as const };
    for (const user of ['supabase_admin', 'authenticator']) {
      const client = await Client.connect({ ...target, user, password: 'postgres' });
      await client.connection.close();
    }
    await stop();
    const closed = await start();
    expect(await signsIn(closed, 'supabase_admin', 'postgres')).toBe(false);
  });
});
