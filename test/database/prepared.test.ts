/**
 * Tests new data folders that are copies of a prepared cluster. Different copies don't share an identity or a secret.
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { silentLogger } from '../../src/base/kernel/log.ts';
import { sql } from '../../src/base/kernel/sql.ts';
import { readSystemIdentifier } from '../../src/platform/database/embedded/copy-cluster.ts';
import { createDatabase, makeSpare } from '../../src/platform/database/index.ts';
import { derivedLogins } from '../../src/platform/database/logins.ts';
import type { Database } from '../../src/platform/database/types.ts';
import { Client } from '../../src/platform/database/wire/index.ts';
import { prepareCluster } from '../../src/server/backend/prepared-cluster.ts';
import { createSpareCopy } from '../../src/server/backend/spare-copy.ts';
import { missingPack } from '../support/packs.ts';
import { temporaryFolder } from './helpers.ts';

const folder = temporaryFolder();
const prepared = join(folder.path, 'prepared');

beforeAll(() => prepareCluster(prepared), 120_000);
afterAll(() => folder.remove());

async function open(
  name: string,
  source: string | undefined = prepared,
  durable = false,
  extensionFolders: readonly string[] = [],
): Promise<Database> {
  const database = await createDatabase({
    dataDir: join(folder.path, name),
    port: 0,
    durable,
    extensionFolders,
    prepared: async () => source,
  });
  onTestFinished(() => database.stop());
  return database;
}

const identifierOf = async (database: Database): Promise<string> => {
  const [row] = await database
    .pool('supabase_admin')
    .query<{ id: string }>(sql`select system_identifier::text as id from pg_catalog.pg_control_system()`);
  return row?.id ?? '';
};

const withoutPack = await missingPack('vector');

/** Creates extensions of a pack and of a folder, neither of which the prepared cluster contains. */
async function useExtensions(database: Database): Promise<void> {
  const postgres = database.pool('postgres');
  await postgres.exec(`create extension rum with schema extensions;
    create extension vector with schema extensions;
    create table public.items (id int primary key, embedding extensions.vector(2));
    insert into public.items select n, array[n, 1]::extensions.vector from generate_series(1, 50) n;
    create index on public.items using hnsw (embedding extensions.vector_l2_ops)`);
  expect(
    await postgres.query(sql`select id, extensions.from_folder() as n from public.items
      order by embedding operator(extensions.<->) '[20,1]' limit 1`),
  ).toEqual([{ id: 20, n: 7 }]);
}

function makeNamedFolder(): string {
  const named = join(folder.path, 'named');
  for (const part of ['extension', 'lib']) mkdirSync(join(named, part), { recursive: true, mode: 0o755 });
  writeFileSync(join(named, 'extension', 'rum.control'), "default_version = '1'\ntrusted = true\n");
  writeFileSync(
    join(named, 'extension', 'rum--1.sql'),
    'create function from_folder() returns int return 7;',
  );
  return named;
}

describe('a copy of a prepared cluster', () => {
  it.skipIf(withoutPack)('can use extensions of packs and of folders', async () => {
    await useExtensions(await open('extensions', prepared, false, [makeNamedFolder()]));
  });

  it('has every table of the services, and works after a restart', async () => {
    const first = await open('tables');
    const [row] = await first
      .pool('postgres')
      .query<{ users: string; buckets: string }>(
        sql`select to_regclass('auth.users')::text as users, to_regclass('storage.buckets')::text as buckets`,
      );
    expect(row).toEqual({ users: 'auth.users', buckets: 'storage.buckets' });
    await first
      .pool('postgres')
      .exec('create table public.kept (id int); insert into public.kept values (7)');
    await first.stop();
    const again = await open('tables', undefined);
    expect(await again.pool('postgres').query(sql`select id from public.kept`)).toEqual([{ id: 7 }]);
  });

  it('starts in a folder that only its owner can enter, even if another user prepared the original', async () => {
    // If the test runs as root, the server runs as a user who doesn't own the prepared cluster.
    chmodSync(folder.path, 0o711);
    const home = join(folder.path, 'private');
    mkdirSync(home, { mode: 0o700 });
    const database = await open('private/data');
    expect(await database.pool('postgres').query(sql`select 1 as one`)).toEqual([{ one: 1 }]);
  });

  it('has its own system identifier, vault key and login secret', async () => {
    const databases = await Promise.all([open('one'), open('two')]);
    const identifiers = await Promise.all(databases.map(identifierOf));
    const original = readFileSync(join(prepared, 'postgres', 'global', 'pg_control')).readBigUInt64LE(0);
    expect(new Set([...identifiers, String(original)]).size).toBe(3);
    for (const file of ['postgres/plinth_vault.key', 'database-logins.key']) {
      const texts = [prepared, join(folder.path, 'one'), join(folder.path, 'two')].map((path) =>
        readFileSync(join(path, file), 'utf8'),
      );
      expect(new Set(texts).size, file).toBe(3);
    }
  });

  it("doesn't accept the passwords of the original", async () => {
    const database = await open('passwords');
    const { hostname, port } = new URL(database.info.url);
    const secret = Buffer.from(readFileSync(join(prepared, 'database-logins.key'), 'utf8').trim(), 'hex');
    for (const role of ['authenticator', 'supabase_storage_admin']) {
      const signIn = Client.connect({
        host: hostname,
        port: Number(port),
        user: role,
        password: derivedLogins(secret).password(role),
        database: 'postgres',
        sslMode: 'disable',
      });
      await expect(signIn, role).rejects.toMatchObject({ code: '28P01' });
    }
  });

  it('is replaced with a new cluster if the original has an unknown format', async () => {
    const damaged = join(folder.path, 'damaged');
    cpSync(prepared, damaged, { recursive: true });
    const control = join(damaged, 'postgres', 'global', 'pg_control');
    const bytes = readFileSync(control);
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    writeFileSync(control, bytes);
    const database = await open('fresh', damaged);
    expect(await identifierOf(database)).toMatch(/^\d+$/);
  });
});

describe('the spare copy of a prepared cluster', () => {
  const spare = join(prepared, 'spare');
  const keyOf = (path: string): string => readFileSync(join(path, 'postgres', 'plinth_vault.key'), 'utf8');

  /** Creates the spare copy, as a server that has used the prepared cluster does. */
  async function makeSpareCopy(database: Database, name: string): Promise<void> {
    const copy = createSpareCopy({
      dataDir: join(folder.path, name),
      prepared: async () => prepared,
      isWanted: true,
      log: silentLogger,
    });
    await copy.prepared();
    copy.start();
    await copy.stop();
    // `stop` waits for the copy only for a limited time, which may not be enough on a busy machine.
    await expect.poll(() => existsSync(spare), { timeout: 60_000 }).toBe(true);
    expect(database.info.existed).toBe(false);
  }

  it('is used once, by the next new project', async () => {
    await makeSpareCopy(await open('before-spare'), 'before-spare');
    const key = keyOf(spare);
    const identifier = String(readSystemIdentifier(join(spare, 'postgres')));
    const next = await open('takes-spare', prepared, true);
    expect(keyOf(join(folder.path, 'takes-spare'))).toBe(key);
    expect(await identifierOf(next)).toBe(identifier);
    expect(existsSync(join(folder.path, 'takes-spare', 'extensions', 'stamp'))).toBe(true);
    expect(existsSync(spare)).toBe(false);
    const other = await open('without-spare', prepared, true);
    expect(await identifierOf(other)).not.toBe(identifier);
    expect(readdirSync(prepared).filter((name) => name.startsWith('spare'))).toEqual([]);
  });

  it.skipIf(withoutPack)('can use extensions of packs and of folders', async () => {
    await makeSpareCopy(await open('before-extensions'), 'before-extensions');
    const key = keyOf(spare);
    await useExtensions(await open('spare-extensions', prepared, true, [makeNamedFolder()]));
    expect(keyOf(join(folder.path, 'spare-extensions'))).toBe(key);
  });

  it('can be created by two processes at the same time', async () => {
    rmSync(spare, { recursive: true, force: true });
    await open('for-two');
    const pgdata = join(folder.path, 'for-two', 'postgres');
    await Promise.all([makeSpare(prepared, pgdata), makeSpare(prepared, pgdata)]);
    expect(readdirSync(prepared).filter((name) => name.startsWith('spare'))).toEqual(['spare']);
    rmSync(spare, { recursive: true });
  });

  it('is discarded if the start that took it was killed before the data folder was complete', async () => {
    await makeSpareCopy(await open('before-kill'), 'before-kill');
    const key = keyOf(spare);
    const home = join(folder.path, 'killed');
    mkdirSync(home, { mode: 0o711 });
    renameSync(spare, join(home, 'initializing-killed'));
    await open('killed', prepared, true);
    expect(keyOf(home)).not.toBe(key);
    expect(readdirSync(home).filter((name) => name.startsWith('initializing-'))).toEqual([]);
  });

  it("isn't created if the process used no prepared cluster", async () => {
    const copy = createSpareCopy({
      dataDir: join(folder.path, 'tables'),
      prepared: async () => prepared,
      isWanted: true,
      log: silentLogger,
    });
    copy.start();
    await copy.stop();
    expect(existsSync(spare)).toBe(false);
  });
});
