/** Tests how the client signs in to a stub with passwords and TLS, and to PostgreSQL with SCRAM. */
import { createHash } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestDatabase, type TestDatabase } from '../../src/platform/database/testing.ts';
import {
  Client,
  type ConnectionOptions,
  parseConnectionString,
  type SessionKind,
  type SslMode,
} from '../../src/platform/database/wire/index.ts';
import { type Stub, type StubOptions, startStub, TEST_CERTIFICATE, TEST_KEY } from './wire-stub.ts';

let db: TestDatabase;
let folder: string;
const stubs: Stub[] = [];

beforeAll(async () => {
  db = await createTestDatabase('wire');
  folder = await mkdtemp(join(tmpdir(), 'plinth-wire-'));
  await writeFile(join(folder, 'ca.pem'), TEST_CERTIFICATE);
});

afterEach(async () => {
  await Promise.all(stubs.splice(0).map((stub) => stub.close()));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await db?.drop();
});

async function connect(
  options: StubOptions,
  target: Partial<ConnectionOptions> = {},
): Promise<Stub & { client: Client }> {
  const stub = await startStub(options);
  stubs.push(stub);
  const client = await Client.connect({
    host: '127.0.0.1',
    port: stub.port,
    user: 'me',
    password: 'sécret',
    database: 'app',
    sslMode: 'disable',
    connectTimeoutMs: 2000,
    ...target,
  });
  client.connection.destroy();
  return { ...stub, client };
}

test('sign-in with the method trust works, and the startup message has the expected parameters', async () => {
  const { client, startups, passwords } = await connect({}, { applicationName: 'test', options: '-c a=b' });
  expect(client.processId).toBe(7);
  expect(client.connection.parameters.get('server_version')).toBe('99');
  expect(passwords).toEqual([]);
  const [startup = []] = startups;
  const pairs = Object.fromEntries(
    startup.map((name, index) => [name, startup[index + 1]]).filter((_, index) => index % 2 === 0),
  );
  expect(pairs).toMatchObject({
    user: 'me',
    database: 'app',
    client_encoding: 'UTF8',
    TimeZone: 'UTC',
    DateStyle: 'ISO, MDY',
    application_name: 'test',
    options: '-c a=b',
  });
});

test('a cleartext password works', async () => {
  expect((await connect({ asks: Buffer.from([0, 0, 0, 3]) })).passwords).toEqual(['sécret']);
});

test('an md5 password works', async () => {
  const md5 = (text: string | Buffer) => createHash('md5').update(text).digest('hex');
  const { passwords } = await connect({ asks: Buffer.from([0, 0, 0, 5, 9, 8, 7, 6]) });
  expect(passwords).toEqual([
    `md5${md5(Buffer.concat([Buffer.from(md5('sécretme')), Buffer.from([9, 8, 7, 6])]))}`,
  ]);
});

test('an unknown method and a missing password are rejected', async () => {
  await expect(connect({ asks: Buffer.from([0, 0, 0, 7]) })).rejects.toMatchObject({ code: '08001' });
  const without = connect({ asks: Buffer.from([0, 0, 0, 3]) }, { password: undefined });
  await expect(without).rejects.toThrow(/password of me/);
});

test.each<[SslMode, 'accept' | 'refuse', string, boolean]>([
  ['disable', 'refuse', 'localhost', true],
  ['prefer', 'refuse', 'localhost', true],
  ['prefer', 'accept', 'localhost', true],
  ['require', 'refuse', 'localhost', false],
  ['require', 'accept', '127.0.0.1', true],
  ['verify-ca', 'accept', '127.0.0.1', true],
  ['verify-full', 'accept', 'localhost', true],
  ['verify-full', 'accept', '127.0.0.1', false],
])('sslmode %s works as documented with a server that %ss TLS at %s', async (sslMode, tls, host, works) => {
  const sslRootCert = sslMode.startsWith('verify') ? join(folder, 'ca.pem') : undefined;
  const connecting = connect({ tls }, { host, sslMode, sslRootCert });
  if (works) expect((await connecting).client.processId).toBe(7);
  else await expect(connecting).rejects.toMatchObject({ code: '08001' });
});

test('an untrusted certificate is rejected with verify-full', async () => {
  const connecting = connect({ tls: 'accept' }, { host: 'localhost', sslMode: 'verify-full' });
  await expect(connecting).rejects.toMatchObject({ code: '08001' });
});

test('a client certificate is sent, unless other users can read its key', async () => {
  const sslKey = join(folder, 'key.pem');
  const sslCert = join(folder, 'ca.pem');
  await writeFile(sslKey, TEST_KEY, { mode: 0o600 });
  const target = { sslMode: 'require', sslCert, sslKey } as const;
  expect((await connect({ tls: 'accept' }, { sslMode: 'require' })).certificates).toEqual([]);
  expect((await connect({ tls: 'accept' }, target)).certificates).toEqual(['localhost']);
  await chmod(sslKey, 0o640);
  const connecting = connect({ tls: 'accept' }, target);
  // If root owns the key file, the file's group may have read access.
  if (process.getuid?.() === 0) {
    expect((await connecting).certificates).toEqual(['localhost']);
    await chmod(sslKey, 0o644);
    await expect(connect({ tls: 'accept' }, target)).rejects.toThrow(/chmod 600/);
  } else await expect(connecting).rejects.toThrow(/chmod 600/);
});

test.each(['sslRootCert', 'sslCert'])(
  'a missing %s causes an error instead of ending the process',
  async (file) => {
    const target = { sslMode: 'require', [file]: join(folder, 'none.pem') } as const;
    await expect(connect({ tls: 'accept' }, target)).rejects.toMatchObject({
      name: 'ConnectionError',
      code: '08001',
    });
  },
);

describe('a password file', () => {
  const cleartext = Buffer.from([0, 0, 0, 3]);
  test('is read if a password is required but not given', async () => {
    const passwordFile = join(folder, 'pgpass');
    await writeFile(passwordFile, '127.0.0.1:*:other:me:no\n127.0.0.1:*:app:me:from:file\n', { mode: 0o600 });
    const none = { password: undefined, passwordFile };
    expect((await connect({ asks: cleartext }, none)).passwords).toEqual(['from:file']);
    expect((await connect({ asks: cleartext }, { passwordFile })).passwords).toEqual(['sécret']);
    const other = connect({ asks: cleartext }, { ...none, user: 'you' });
    await expect(other).rejects.toThrow(/password of you, but no password was specified, and .*pgpass/);
    await chmod(passwordFile, 0o644);
    await expect(connect({ asks: cleartext }, none)).rejects.toThrow(/chmod 600/);
    expect((await connect({}, none)).client.processId).toBe(7);
  });
});

describe('several hosts', () => {
  /** Starts all servers, and returns the index of the server to which the client has connected, or the error. */
  async function choose(servers: readonly StubOptions[], more: Partial<ConnectionOptions> = {}) {
    const started = await Promise.all(servers.map((options) => startStub(options)));
    stubs.push(...started);
    const [first, ...others] = started.map(({ port }) => ({ host: '127.0.0.1', port }));
    try {
      const client = await Client.connect({
        ...(first as { host: string; port: number }),
        otherHosts: others,
        user: 'me',
        password: 'x',
        database: 'app',
        sslMode: 'disable',
        ...more,
      });
      client.connection.destroy();
      return started.findIndex(({ port }) => port === client.connection.options.port);
    } catch (error) {
      return (error as { code: string }).code;
    }
  }
  const primary = { reports: { in_hot_standby: 'off', default_transaction_read_only: 'off' } };
  const standby = { reports: { in_hot_standby: 'on', default_transaction_read_only: 'off' } };
  const readOnly = { reports: { in_hot_standby: 'off', default_transaction_read_only: 'on' } };

  test('are tried in order while they are unreachable or starting', async () => {
    expect(await choose([{}, {}])).toBe(0);
    expect(await choose([{ refuses: '57P03' }, {}])).toBe(1);
    const gone = await startStub({});
    await gone.close();
    const closed = { host: '127.0.0.1', port: gone.port };
    expect(await choose([{}], { ...closed, otherHosts: [closed] })).toBe('08001');
    const { port } = await startStub({}).then((stub) => {
      stubs.push(stub);
      return stub;
    });
    const client = await Client.connect({
      ...closed,
      otherHosts: [closed, { host: '127.0.0.1', port }],
      user: 'me',
      database: 'app',
      sslMode: 'disable',
    });
    expect(client.connection.options.port).toBe(port);
    client.connection.destroy();
  });

  test('aren’t tried after the first one that rejects the login', async () => {
    expect(await choose([{ refuses: '28P01' }, {}])).toBe('28P01');
  });

  test('are listed in the error, each with its reason', async () => {
    const servers = [{ refuses: '57P03' }, standby];
    const started = await Promise.all(servers.map((options) => startStub(options)));
    stubs.push(...started);
    const [one, two] = started.map(({ port }) => ({ host: '127.0.0.1', port }));
    const connecting = Client.connect({
      ...(one as { host: string; port: number }),
      otherHosts: [two as { host: string; port: number }],
      sessionKind: 'primary',
      user: 'me',
      database: 'app',
      sslMode: 'disable',
    });
    await expect(connecting).rejects.toThrow(`no; The session at 127.0.0.1:${two?.port} isn't primary`);
  });

  test.each<[SessionKind, readonly StubOptions[], number | string]>([
    ['any', [standby, primary], 0],
    ['primary', [standby, readOnly], 1],
    ['read-write', [standby, readOnly, primary], 2],
    ['read-only', [primary, readOnly], 1],
    ['standby', [primary, readOnly, standby], 2],
    ['prefer-standby', [primary, standby], 1],
    ['prefer-standby', [primary, readOnly], 0],
    ['standby', [primary], '08001'],
  ])('are selected by the session type %s', async (sessionKind, servers, expected) => {
    expect(await choose(servers, { sessionKind })).toBe(expected);
  });
});

test('SCRAM works with PostgreSQL and a non-ASCII password', async () => {
  const admin = db.database.pool('supabase_admin');
  const role = sql.id(db.name);
  await admin.query(sql`create role ${role} login password 'pässwörd ①'`);
  try {
    const target = {
      ...parseConnectionString(db.database.info.url),
      sslMode: 'prefer' as const,
      user: db.name,
    };
    const client = await Client.connect({ ...target, password: 'pässwörd ①' });
    expect(await client.query(sql`select current_user as me`)).toEqual([{ me: db.name }]);
    await client.connection.close();
    const wrong = Client.connect({ ...target, password: 'wrong' });
    await expect(wrong).rejects.toMatchObject({ name: 'ConnectionError', code: '28P01' });
  } finally {
    await admin.query(sql`drop role ${role}`);
  }
});

test("a server that doesn't respond is abandoned", async () => {
  const mute = await startStub({ asks: Buffer.alloc(0) });
  stubs.push(mute);
  const target = { host: '127.0.0.1', port: mute.port, user: 'me', database: 'app', connectTimeoutMs: 50 };
  await expect(Client.connect({ ...target, sslMode: 'disable' })).rejects.toMatchObject({ code: '08001' });
});
