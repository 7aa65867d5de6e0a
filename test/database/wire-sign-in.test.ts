/** Ways of signing in: passwords and TLS against a stub, SCRAM against PostgreSQL itself. */
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../src/database/testing.ts';
import {
  Client,
  type ConnectionOptions,
  parseConnectionString,
  type SslMode,
} from '../../src/database/wire/index.ts';
import { sql } from '../../src/kernel/sql.ts';
import { type Stub, type StubOptions, startStub, TEST_CERTIFICATE } from './wire-stub.ts';

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

test('trust, and what the startup message says', async () => {
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

test('cleartext', async () => {
  expect((await connect({ asks: Buffer.from([0, 0, 0, 3]) })).passwords).toEqual(['sécret']);
});

test('md5', async () => {
  const md5 = (text: string | Buffer) => createHash('md5').update(text).digest('hex');
  const { passwords } = await connect({ asks: Buffer.from([0, 0, 0, 5, 9, 8, 7, 6]) });
  expect(passwords).toEqual([
    `md5${md5(Buffer.concat([Buffer.from(md5('sécretme')), Buffer.from([9, 8, 7, 6])]))}`,
  ]);
});

test('a method that is not known, and a password that is not given', async () => {
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
])('sslmode %s where TLS is %sed, as %s', async (sslMode, tls, host, works) => {
  const sslRootCert = sslMode.startsWith('verify') ? join(folder, 'ca.pem') : undefined;
  const connecting = connect({ tls }, { host, sslMode, sslRootCert });
  if (works) expect((await connecting).client.processId).toBe(7);
  else await expect(connecting).rejects.toMatchObject({ code: '08001' });
});

test('a certificate that nobody vouches for is refused under verify-full', async () => {
  const connecting = connect({ tls: 'accept' }, { host: 'localhost', sslMode: 'verify-full' });
  await expect(connecting).rejects.toMatchObject({ code: '08001' });
});

test('SCRAM against PostgreSQL, with a password beyond ASCII', async () => {
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

test('a server that says nothing is given up on', async () => {
  const mute = await startStub({ asks: Buffer.alloc(0) });
  stubs.push(mute);
  const target = { host: '127.0.0.1', port: mute.port, user: 'me', database: 'app', connectTimeoutMs: 50 };
  await expect(Client.connect({ ...target, sslMode: 'disable' })).rejects.toMatchObject({ code: '08001' });
});
