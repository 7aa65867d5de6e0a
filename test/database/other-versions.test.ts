/**
 * Tests that a database with migrations from a newer or an unreleased version of Plinth is rejected before anything is
 * changed.
 */
import { describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createDatabase, type DatabaseOptions } from '../../src/platform/database/index.ts';
import { Client, parseConnectionString } from '../../src/platform/database/wire/index.ts';
import { availableServers, startExternalServer } from './external-server.ts';
import { temporaryFolder } from './helpers.ts';

// The timeout is long, because each test creates an external server and starts Plinth on it several times.
const more = { module: 'more', dir: new URL('./fixtures/migrations/', import.meta.url) };
const knownMigrations = async () => [more];

const future =
  "insert into _plinth.migrations (room, version, name, hash) values ('more', '0099', 'next', '')";

/** The ledger of an unreleased version: other files have the same numbers, and there are more of them. */
const past = `update _plinth.migrations set hash = 'other' where room = 'database';
  insert into _plinth.migrations (room, version, name, hash) values ('database', '0031', 'next', 'other')`;

/** Returns hashes of all catalogs that a start could change. */
const fingerprint = (client: Client) =>
  client.query(sql`
    select (select md5(string_agg(c::text, ';' order by oid)) from pg_class c) as classes,
      (select md5(string_agg(p::text, ';' order by oid)) from pg_proc p) as functions,
      (select md5(string_agg(a::text, ';' order by oid)) from pg_authid a) as roles,
      (select md5(string_agg(s::text, ';' order by setdatabase, setrole)) from pg_db_role_setting s) as settings,
      (select md5(string_agg(m::text, ';' order by room, version)) from _plinth.migrations m) as ledger`);

async function start(options: DatabaseOptions): Promise<void> {
  await (await createDatabase({ knownMigrations, ...options })).stop();
}

describe.each(availableServers())('on an external PostgreSQL $version', ({ bin }) => {
  test.each([
    ['newer', future, { code: 'schema_newer', message: expect.stringContaining('more/0099') }],
    ['unreleased', past, { code: 'schema_unreleased', message: expect.stringContaining('plinth db dump') }],
  ])('a database is rejected if its version is %s', async (_version, change, error) => {
    const folder = temporaryFolder();
    const server = await startExternalServer(bin, folder.path);
    try {
      const databaseUrl = server.url('admin');
      const database = await createDatabase({ dataDir: '/nowhere', databaseUrl, knownMigrations });
      await database.migrate([more]);
      await database.stop();
      await start({ dataDir: '/nowhere', databaseUrl });
      const client = await Client.connect(parseConnectionString(databaseUrl));
      // A start restores the role's attributes, so the comparison fails if the start is rejected too late.
      await client.exec(`${change}; alter role supabase_admin nocreatedb nosuperuser`);
      const before = await fingerprint(client);
      await expect(start({ dataDir: '/nowhere', databaseUrl })).rejects.toMatchObject(error);
      expect(await fingerprint(client)).toEqual(before);
      await client.connection.close();
    } finally {
      await server.stop();
      folder.remove();
    }
  });
});

test.each([
  ['newer', future, 'schema_newer'],
  ['unreleased', past, 'schema_unreleased'],
])('a data folder is rejected if its version is %s', async (_version, change, code) => {
  const folder = temporaryFolder();
  const dataDir = folder.path;
  try {
    const database = await createDatabase({ dataDir, knownMigrations });
    await database.migrate([more]);
    const admin = database.pool('supabase_admin');
    await admin.exec(change);
    await database.stop();
    await expect(start({ dataDir })).rejects.toMatchObject({ code });
    // The rejected start doesn't leave the data folder locked, so the version that created it can start.
    const again = await createDatabase({ dataDir });
    await again.stop();
  } finally {
    folder.remove();
  }
});
