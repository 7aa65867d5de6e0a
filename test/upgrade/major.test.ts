/** Tests that an operator can use the command line to upgrade a project from PostgreSQL 15. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { silentLogger } from '../../src/base/kernel/log.ts';
import { sql } from '../../src/base/kernel/sql.ts';
import { type ClusterOptions, startCluster } from '../../src/platform/database/embedded/cluster.ts';
import { clusterTarget } from '../../src/platform/database/embedded/sign-ins.ts';
import { createDatabase, migrateNewCluster } from '../../src/platform/database/index.ts';
import { superuserSettings } from '../../src/platform/database/superuser.ts';
import type { Database } from '../../src/platform/database/types.ts';
import { Client } from '../../src/platform/database/wire/index.ts';
import { loadModules, migrationSets } from '../../src/server/backend/modules.ts';
import { plinth } from '../cli/run-plinth.ts';
import { everyKind } from '../dump/helpers.ts';
import { copyOldPrograms, missingOldVersion, type OldCluster, startOldCluster } from './old-cluster.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const seed = readFileSync(new URL('./seed.sql', import.meta.url), 'utf8');

let folder: string;
let project: string;
let dataDir: string;
let bin: string;

/** Creates the project with the old PostgreSQL version. */
async function createProject(): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), 'plinth-upgrade-'));
  chmodSync(folder, 0o711);
  project = join(folder, 'project');
  dataDir = join(project, '.plinth');
  mkdirSync(join(project, 'supabase'), { recursive: true });
  mkdirSync(dataDir);
  bin = copyOldPrograms(folder);
  const old: OldCluster = await startOldCluster(bin, folder, join(dataDir, 'postgres'));
  try {
    const asPlinth = { ...old.target('postgres'), parameters: superuserSettings(150_000) };
    await migrateNewCluster(asPlinth, 18, migrationSets(await loadModules()));
    const run = async (database: string, text: string): Promise<void> => {
      const client = await Client.connect(old.target(database));
      for (const statement of [text]) await client.exec(statement);
      await client.connection.close();
    };
    const [inTransaction, created] = seed.split(/(?=^select pg_create_logical)/m) as [string, string];
    await run('postgres', inTransaction);
    for (const statement of created.trim().split(/;\n?/).filter(Boolean)) await run('postgres', statement);
    await run('other', everyKind(15));
  } finally {
    await old.stop();
  }
}

describe.skipIf(missingOldVersion !== undefined)(
  `an upgrade from PostgreSQL 15${missingOldVersion === undefined ? '' : `: ${missingOldVersion}`}`,
  () => {
    beforeAll(createProject);
    afterAll(() => folder && rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

    test('the server rejects the old data folder and suggests the command', async () => {
      await expect(createDatabase({ dataDir })).rejects.toMatchObject({
        code: 'wrong_version',
        message: expect.stringContaining('run "plinth upgrade" first'),
      });
      expect(readFileSync(join(dataDir, 'postgres', 'PG_VERSION'), 'utf8')).toBe('15\n');
    });

    test('without the old version’s programs, the error contains the solution', async () => {
      const { status, stderr } = await plinth(['upgrade', '--old-bindir', '/usr/bin', '--check'], {
        cwd: project,
      });
      expect(status).toBe(1);
      expect(stderr).toMatch(/\/usr\/bin\/postgres can't be run[\s\S]*--old-bindir/);
    });

    test('--check creates all objects without changing anything', async () => {
      const before = readdirSync(dataDir).filter((name) => name !== 'logs');
      const { status, stdout, stderr } = await plinth(['upgrade', '--check', '--old-bindir', bin], {
        cwd: project,
      });
      expect(stderr).toContain('is free.');
      expect({ status, stdout }).toMatchObject({
        status: 0,
        stdout: expect.stringContaining('The upgrade from PostgreSQL 15 to 18 is possible'),
      });
      const after = readdirSync(dataDir).filter((name) => name !== 'logs');
      expect(after.filter((name) => !before.includes(name) && name !== 'run')).toEqual([]);
    });

    test('everything is migrated, and the old cluster is kept', async () => {
      const { status, stdout, stderr } = await plinth(['upgrade', '--old-bindir', bin], { cwd: project });
      expect({ status, stderr }).toMatchObject({ status: 0 });
      expect(stdout).toMatch(
        /Upgraded from PostgreSQL 15 to 18 and verified that the data is unchanged: \d+ tables in 3 databases, \d{4,} rows/,
      );
      expect(stdout).toContain('Recreated the replication slots app_slot.');
      expect(stdout).toContain(`rm -rf ${join(dataDir, 'postgres.old-15')}`);
      expect(readFileSync(join(dataDir, 'postgres', 'PG_VERSION'), 'utf8')).toBe('18\n');
      expect(readFileSync(join(dataDir, 'postgres.old-15', 'PG_VERSION'), 'utf8')).toBe('15\n');
      expect(existsSync(join(dataDir, 'upgrade.json'))).toBe(false);
      await withDatabase(checkProject);
      await checkRoles();
    });

    test('a second upgrade doesn’t do anything', async () => {
      const { status, stdout } = await plinth(['upgrade', '--check'], { cwd: project });
      expect({ status, stdout }).toEqual({
        status: 0,
        stdout: 'The data folder already has PostgreSQL 18.\n',
      });
    });
  },
);

async function withDatabase(work: (database: Database) => Promise<void>): Promise<void> {
  const database = await createDatabase({ dataDir });
  try {
    await work(database);
  } finally {
    await database.stop();
  }
}

async function checkProject(database: Database): Promise<void> {
  const [row] = await database.pool('postgres').query(sql`
    select (select count(*)::int from app.notes) as notes, (select max(length) from app.notes) as length,
      (select array_agg(email::text) from auth.users) as emails,
      (select array_agg(decrypted_secret) from vault.decrypted_secrets) as secrets,
      (select array_agg(jobname || schedule) from cron.job) as jobs,
      (select array_agg(name) from storage.objects) as objects,
      (select array_agg(tablename::text) from pg_publication_tables where pubname = 'supabase_realtime') as published,
      current_setting('app.settings.environment') as environment,
      (select rolsuper from pg_roles where rolname = 'attacker') as attacker,
      (select count(*)::int from app.trap) as trap,
      (select array_agg(extname::text order by 1) from pg_extension e join pg_roles r on r.oid = extowner where rolname = 'postgres') as extensions,
      nextval('app.notes_id_seq')::int as next,
      (select min(default_version) from pg_available_extensions where name = 'hypopg') as placeholder`);
  expect(row).toMatchObject({
    notes: 5000,
    length: 80,
    emails: ['a@example.com'],
    secrets: ['the secret'],
    jobs: ['nightly0 3 * * *'],
    objects: ['a.txt'],
    published: ['notes'],
    environment: "it's production",
    attacker: false,
    trap: 1,
    next: 5001,
    // The lists of extensions don't contain placeholders.
    placeholder: null,
  });
  expect(row?.extensions).toEqual(expect.arrayContaining(['pg_cron', 'pg_graphql', 'supabase_vault']));
  // The guard still protects Plinth's tables even though their OIDs have changed.
  await expect(database.pool('postgres').exec('alter table auth.users drop column email')).rejects.toThrow(
    'must be owner of table users',
  );
  const [slot] = await database
    .pool('supabase_admin')
    .query(sql`select plugin::text, database::text from pg_replication_slots where slot_name = 'app_slot'`);
  expect(slot).toEqual({ plugin: 'pgoutput', database: 'postgres' });
}

/** Checks that roles can sign in with their own passwords and keep their settings. */
async function checkRoles(): Promise<void> {
  const options: ClusterOptions = {
    dataDir,
    port: null,
    durable: false,
    settings: {},
    password: 'postgres',
    sharedPassword: false,
    log: silentLogger,
    onProgress: () => {},
  };
  const cluster = await startCluster(options);
  try {
    const client = await Client.connect({
      ...clusterTarget(cluster, 'app_reader', 'postgres'),
      password: 'reader secret',
    });
    const [row] = await client.query(sql`
      select current_setting('search_path') as path, current_setting('work_mem') as memory, count(*)::int as notes,
        pg_has_role('app_group', 'member with admin option') as admin,
        has_column_privilege('app_group', 'app.notes', 'body', 'update') as update,
        (select rolconnlimit from pg_roles where rolname = current_user) as "limit"
      from app.notes`);
    expect(row).toEqual({
      path: 'app, "Odd, name"',
      memory: '7MB',
      // Row-level security still applies, so the role can't read any rows.
      notes: 0,
      admin: true,
      update: true,
      limit: 3,
    });
    await client.connection.close();
    const other = await Client.connect(clusterTarget(cluster, 'supabase_admin', 'other'));
    const [content] = await other.query(sql`
      select (select count(*)::int from kinds.items) as items, length(lo_get(90003)) as bytes,
        (select datconnlimit from pg_database where datname = 'other') as "limit",
        (select pg_get_userbyid(datdba)::text from pg_database where datname = 'other') as owner`);
    expect(content).toEqual({ items: 60, bytes: 300_000, limit: 5, owner: 'postgres' });
    await other.connection.close();
  } finally {
    await cluster.stop();
  }
}
