/**
 * Tests that an upgrade from PostgreSQL 15 moves an extension from a folder of the machine, which has another version
 * there than in the installation of PostgreSQL 15. The extension has a library in C, as PostGIS has. It's a copy of the
 * library of `hstore`, which both versions of PostgreSQL include.
 */
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { findBinaries } from '../../src/platform/database/embedded/binaries.ts';
import { createDatabase, migrateNewCluster } from '../../src/platform/database/index.ts';
import { superuserSettings } from '../../src/platform/database/superuser.ts';
import { Client } from '../../src/platform/database/wire/index.ts';
import { loadModules, migrationSets } from '../../src/server/backend/modules.ts';
import { plinth } from '../cli/run-plinth.ts';
import { copyOldPrograms, missingOldVersion, startOldCluster } from './old-cluster.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const name = 'plpgsql_check';
const objects = `
  create type tags;
  create function tags_in(cstring) returns tags language c immutable strict as 'MODULE_PATHNAME', 'hstore_in';
  create function tags_out(tags) returns cstring language c immutable strict as 'MODULE_PATHNAME', 'hstore_out';
  create type tags (input = tags_in, output = tags_out, storage = extended);
  create function tag(tags, text) returns text language c immutable strict as 'MODULE_PATHNAME', 'hstore_fetchval';
  create function compare(tags, tags) returns int language c immutable strict as 'MODULE_PATHNAME', 'hstore_cmp';
  create function equal(tags, tags) returns bool language c immutable strict as 'MODULE_PATHNAME', 'hstore_eq';
  create operator = (leftarg = tags, rightarg = tags, function = equal, commutator = =);
  create operator class tags_ops default for type tags using btree as operator 3 =, function 1 compare(tags, tags);
  create type reading as (value int, unit text);
  create function doubled(reading) returns int language sql immutable as 'select $1.value * 2';
  create table units (unit text primary key);
  select pg_extension_config_dump('units', '');`;

/** Writes an extension that projects may create. */
function writeExtension(folder: string, version: string, library: string, text: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  writeFileSync(
    join(folder, `${name}.control`),
    `default_version = '${version}'\ntrusted = true\nmodule_pathname = '${library}'\n`,
  );
  writeFileSync(join(folder, `${name}--${version}.sql`), text);
}

describe.skipIf(missingOldVersion !== undefined)(
  `an upgrade from PostgreSQL 15 with an extension folder${missingOldVersion === undefined ? '' : `: ${missingOldVersion}`}`,
  () => {
    let folder: string;
    let project: string;
    let bin: string;
    const dataDir = () => join(project, '.plinth');
    const named = () => join(folder, 'named');

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'plinth-upgrade-'));
      chmodSync(folder, 0o711);
      project = join(folder, 'project');
      mkdirSync(join(project, 'supabase'), { recursive: true });
      mkdirSync(dataDir());
      bin = copyOldPrograms(folder);
      const oldLibrary = join(folder, 'hstore.so');
      copyFileSync('/usr/lib/postgresql/15/lib/hstore.so', oldLibrary);
      writeExtension(join(folder, 'usr/share/postgresql/15/extension'), '1.0', oldLibrary, objects);
      writeExtension(
        join(named(), 'extension'),
        '2.0',
        `$libdir/${name}`,
        `${objects} create function tripled(reading) returns int language sql immutable as 'select $1.value * 3';`,
      );
      mkdirSync(join(named(), 'lib'));
      const newLibrary = join(findBinaries().native, 'lib/postgresql/hstore.so');
      copyFileSync(newLibrary, join(named(), 'lib', `${name}.so`));
      const old = await startOldCluster(bin, folder, join(dataDir(), 'postgres'));
      try {
        const asPlinth = { ...old.target('postgres'), parameters: superuserSettings(150_000) };
        await migrateNewCluster(asPlinth, 18, migrationSets(await loadModules()));
        const client = await Client.connect(old.target('postgres'));
        await client.exec(`
          set role postgres;
          create extension ${name} with schema extensions;
          insert into extensions.units values ('lux');
          create table public.readings (id int primary key, r extensions.reading, t extensions.tags unique);
          insert into public.readings select n, row(n, 'lux')::extensions.reading, format('n=>%s', n)::extensions.tags
            from generate_series(1, 500) n;
          create index by_double on public.readings (extensions.doubled(r))`);
        await client.connection.close();
      } finally {
        await old.stop();
      }
    });
    afterAll(() => folder && rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

    test('without the folder, nothing is changed, and the message names the extension and the setting', async () => {
      const { status, stderr } = await plinth(['upgrade', '--old-bindir', bin], { cwd: project });
      expect(status).toBe(1);
      expect(stderr).toContain(name);
      expect(stderr).toContain('extension_folders');
      expect(stderr).toContain('Nothing was changed');
    });

    test('with the folder, the extension has its version, and rows, indexes and its table are moved', async () => {
      writeFileSync(
        join(project, 'supabase/plinth.toml'),
        `[database]\nextension_folders = [${JSON.stringify(named())}]\n`,
      );
      const { status, stderr } = await plinth(['upgrade', '--old-bindir', bin], { cwd: project });
      expect({ status, stderr }).toMatchObject({ status: 0 });
      const database = await createDatabase({ dataDir: dataDir(), extensionFolders: [named()] });
      try {
        const [row] = await database.pool('postgres').query(sql`
          select (select extversion from pg_extension where extname = ${name}) as version,
            (select rolname::text from pg_extension join pg_roles r on r.oid = extowner where extname = ${name}) as owner,
            (select array_agg(unit) from extensions.units) as units,
            (select count(*)::int from public.readings where extensions.doubled(r) = 14) as found,
            (select extensions.tripled(r) from public.readings where id = 5) as tripled,
            (select array_agg(extensions.tag(t, 'n')) from public.readings where t operator(extensions.=) 'n=>7') as tags,
            (select indisvalid from pg_index where indexrelid = 'public.by_double'::regclass) as valid`);
        expect(row).toEqual({
          version: '2.0',
          owner: 'postgres',
          units: ['lux'],
          found: 1,
          tripled: 15,
          tags: ['7'],
          valid: true,
        });
      } finally {
        await database.stop();
      }
    });
  },
);
