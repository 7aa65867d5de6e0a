/** Tests extensions from folders that the operator names in `[database] extension_folders`. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestBackend, stopTestCluster } from '../../src/entry/testing.ts';
import { createDatabase, type Database, extensionSource } from '../../src/platform/database/index.ts';
import { copyTemplateFolder } from '../../src/platform/database/testing/template-folder.ts';
import { knownPack, packFolder } from '../../src/platform/packs/index.ts';
import { missingPack } from '../support/packs.ts';
import { killEverything, temporaryFolder } from './helpers.ts';

let folder: ReturnType<typeof temporaryFolder>;
let database: Database | undefined;

beforeEach(async () => {
  folder = temporaryFolder();
  await copyTemplateFolder(folder.path);
});
afterEach(async () => {
  await database?.stop();
  database = undefined;
  killEverything(folder.path);
  folder.remove();
});

const start = async (extensionFolders: readonly string[]): Promise<Database> => {
  database = await createDatabase({ dataDir: folder.path, durable: false, extensionFolders });
  return database;
};

/** Creates a folder with pgvector's library and a few extensions in SQL. */
function makeNamedFolder(): string {
  const named = join(folder.path, 'named');
  const pack = knownPack('vector');
  if (pack === undefined) throw new Error('vector is a known pack');
  for (const part of ['extension', 'lib'])
    cpSync(join(packFolder(pack), part), join(named, part), { recursive: true });
  const control = "default_version = '1'\ntrusted = true\n";
  for (const name of ['unlisted', 'plpgsql_check', 'pg_net']) {
    writeFileSync(join(named, 'extension', `${name}.control`), control);
    writeFileSync(
      join(named, 'extension', `${name}--1.sql`),
      'create function from_folder() returns int return 1;',
    );
  }
  return named;
}

describe.skipIf(await missingPack('vector'))('a folder with extension/ and lib/', () => {
  test('provides the extensions that projects may create', async () => {
    const named = makeNamedFolder();
    const { pool } = await start([named]);
    const postgres = pool('postgres');
    await postgres.exec('create extension vector; create extension plpgsql_check');
    expect(await postgres.query(sql`select '[1,2]'::vector::text as v, from_folder() as n`)).toEqual([
      { v: '[1,2]', n: 1 },
    ]);
    await expect(postgres.exec('create extension unlisted')).rejects.toThrow('is not available');
    expect(
      await postgres.query(sql`select extversion as v from pg_extension where extname = 'pg_net'`),
    ).not.toEqual([{ v: '1' }]);
    expect(extensionSource(folder.path, 'vector')).toBe(named);
    expect(extensionSource(folder.path, 'pg_net')).toBe('Plinth');
  });

  test('is also searched by test backends, but only by those whose settings name it', async () => {
    const named = makeNamedFolder();
    const text = 'create extension vector; create extension plpgsql_check';
    const backends = await Promise.all([
      createTestBackend({ config: { plinth: { database: { extension_folders: [named] } } }, sql: text }),
      createTestBackend({ sql: text }),
    ]);
    try {
      const results = backends.map(({ database: { pool } }) =>
        pool('postgres')
          .query(sql`select from_folder() as n`)
          .catch(({ message }: Error) => message),
      );
      expect(await Promise.all(results)).toEqual([[{ n: 1 }], expect.stringContaining('does not exist')]);
    } finally {
      await Promise.all(backends.map((each) => each.stop()));
      await stopTestCluster();
    }
  });
});

test.each([
  ['missing', "it doesn't exist"],
  ['empty', 'it contains neither extension/ and lib/ nor an installation of PostgreSQL 18'],
])('a folder that is %s is rejected', async (name, reason) => {
  mkdirSync(join(folder.path, 'empty'));
  const named = join(folder.path, name);
  await expect(start([named])).rejects.toThrow(`The extension folder ${named} can't be used: ${reason}.`);
  await expect(start(['relative'])).rejects.toThrow("the path isn't absolute");
});
