/**
 * The user's `supabase/` folder as a database: vault secrets, roles, migrations, seeds and buckets. The first start
 * and a reset run everything, later starts run nothing; what an interrupted first start has done is not done again.
 */
import { join } from 'node:path';
import type { Config } from '../config/index.ts';
import { missingExtensions, setAutoExposeNewTables } from '../database/index.ts';
import type { Database, MigrationSet, Session } from '../database/types.ts';
import type { Logger } from '../kernel/log.ts';
import { sql } from '../kernel/sql.ts';
import type { Keys } from '../keys/types.ts';
import { type BucketDeps, seedBuckets } from './buckets.ts';
import { readMigrationFolder, readRolesFile, readSeedFiles, readSources } from './files.ts';
import {
  applyMigrations,
  compareMigrations,
  type MigrationState,
  pendingMigrations,
  readForHistory,
} from './migrations.ts';
import { reportingPlaceholders } from './missing-extensions.ts';
import {
  createPrivilegedRunner,
  disableUserEventTriggers,
  dropLeftovers,
  type PrivilegedRunner,
} from './privileged.ts';
import {
  deleteApplied,
  ensureHistory,
  insertApplied,
  insertStep,
  selectApplied,
  selectSteps,
  upsertVaultSecret,
} from './queries.ts';
import { runFile } from './run-file.ts';
import { applySeeds } from './seeds.ts';

export { seedBuckets } from './buckets.ts';
export { atLevel, hasLevel, type LintLevel, type LintResult, lintLevels } from './core/lint.ts';
export { type TestDatabaseOptions, testDatabase } from './database-tests/index.ts';
export { ProjectError, type ProjectErrorCode } from './errors.ts';
export { findProjectDir, type MigrationFile, readMigrationFolder } from './files.ts';
export { lint } from './lint.ts';
export type { MigrationState } from './migrations.ts';
export { type PushOptions, type PushPlan, planPush, push } from './push.ts';
export { type WrittenMigration, writeMigration } from './written-migration.ts';

export const migrations: MigrationSet = { room: 'project', dir: new URL('./sql/', import.meta.url) };

export interface ProjectDeps {
  readonly database: Database;
  readonly config: Config;
  readonly keys: Pick<Keys, 'serviceRoleKey'>;
  /** The folder that holds `supabase/`. */
  readonly projectDir: string;
  readonly mode: 'development' | 'production';
  readonly log: Logger;
  readonly onProgress: (message: string) => void;
}

export interface Project {
  /**
   * Before the services start: vault, roles, migrations and seeds, at the first start only. Does nothing in somebody
   * else's database of the hosted service.
   *
   * @throws {ProjectError} naming file, statement and line; nothing of that file stays applied.
   */
  prepareDatabase(options?: PrepareOptions): Promise<void>;
  /** After the services listen: buckets and their files, at the first start only. Without `fetch`: storage is left out. */
  prepareBuckets(fetch: BucketDeps['fetch'] | undefined): Promise<void>;
}

export interface PrepareOptions {
  /** Migrations newer than this version are left out (`db reset --version`). */
  readonly upToVersion?: string;
}

/**
 * @example
 * const project = createProject({ database, config, keys, projectDir, mode, log, onProgress });
 * await project.prepareDatabase();
 * // … services start, the gateway listens …
 * await project.prepareBuckets(internalFetch);
 */
export function createProject(deps: ProjectDeps): Project {
  const { database, config, keys, mode, log, onProgress } = deps;
  const { ownsSchemas } = database.info;
  let isFirstStart = false;
  return {
    async prepareDatabase(options = {}) {
      if (!ownsSchemas) return;
      if (mode === 'production') await silenceEventTriggers(database, log);
      const done = await selectSteps(database.pool('postgres'));
      isFirstStart = !done.has('complete');
      if (!isFirstStart || done.has('database')) return;
      await withUserSession(deps, (session, privileged) =>
        firstStart(deps, options, { session, privileged, done }),
      );
    },
    async prepareBuckets(fetch) {
      if (!isFirstStart) return;
      const { serviceRoleKey } = keys;
      if (fetch !== undefined && config.storage.enabled) {
        await seedBuckets({ config, fetch, serviceRoleKey, onProgress });
      }
      await insertStep(database.pool('postgres'), 'complete');
    },
  };
}

async function silenceEventTriggers(database: Database, log: Logger): Promise<void> {
  for (const trigger of await disableUserEventTriggers(database.pool('supabase_admin'))) {
    log.warn(
      { service: 'project', trigger },
      'event trigger switched off: those of the user run under start only',
    );
  }
}

interface FirstStart {
  readonly session: Session;
  readonly privileged: PrivilegedRunner;
  readonly done: ReadonlySet<string>;
}

async function firstStart(deps: ProjectDeps, options: PrepareOptions, start: FirstStart): Promise<void> {
  const { database, config, projectDir, onProgress, log } = deps;
  const supabaseDir = join(projectDir, 'supabase');
  const { session, privileged, done } = start;
  // Our own cluster, and nothing listens yet.
  const quiet = database.info.embedded;
  const shared = {
    session,
    privileged,
    embedded: database.info.embedded ? { missing: missingExtensions } : undefined,
    readSources: () => readSources(supabaseDir),
  };
  const note = (message: string) => {
    log.warn({ service: 'project' }, message);
    onProgress(message);
  };

  await setAutoExposeNewTables(database, config.api.auto_expose_new_tables ?? true);
  await writeVault(deps, session);

  const roles = readRolesFile(supabaseDir);
  if (roles !== undefined && !done.has('roles')) {
    onProgress('Creating roles from supabase/roles.sql...');
    const file = { shownPath: 'supabase/roles.sql', text: roles };
    await runFile(file, { ...shared, quiet, record: (tx) => insertStep(tx, 'roles') });
  }
  if (config.db.migrations.enabled) {
    const folder = readMigrationFolder(supabaseDir);
    folder.notes.forEach(note);
    const applied = new Set((await selectApplied(session)).map(({ version }) => version));
    const wanted = folder.files.filter(
      ({ version }) => !applied.has(version) && version <= (options.upToVersion ?? version),
    );
    await reportingPlaceholders({ database, files: shared.readSources, report: note }, () =>
      applyMigrations(wanted, { ...shared, quiet, onProgress }),
    );
  }
  if (config.db.seed.enabled) {
    const seeds = readSeedFiles(supabaseDir, config.db.seed.sql_paths);
    const isDefault = config.db.seed.sql_paths.join() === './seed.sql';
    if (!isDefault) seeds.notes.forEach(note);
    await applySeeds(seeds.files, { ...shared, onProgress });
  }
  await insertStep(session, 'database');
}

async function writeVault({ config, onProgress }: ProjectDeps, session: Session): Promise<void> {
  const secrets = Object.entries(config.db.vault);
  if (secrets.length === 0) return;
  onProgress('Updating vault secrets...');
  for (const [name, value] of secrets) {
    if (value !== undefined) await session.transaction((tx) => upsertVaultSecret(tx, name, value));
  }
}

/** `plinth` and `proj` in ASCII: one process at a time changes the user's part of a database. */
const lockKey = 0x70726f6a;

/** A connection as `postgres` that is thrown away afterwards: whatever the user's SQL left in it goes with it. */
async function withUserSession<T>(
  { database, mode }: ProjectDeps,
  work: (session: Session, privileged: PrivilegedRunner) => Promise<T>,
): Promise<T> {
  const admin = await database.pool('supabase_admin').connect();
  const session = await database.pool('postgres').connect();
  try {
    await admin.query(sql`select pg_advisory_lock(${lockKey})`);
    await dropLeftovers(admin);
    const [who] = await session.query<{ role: string }>(sql`select session_user::text as role`);
    const privileged = createPrivilegedRunner(database, { role: who?.role ?? 'postgres', mode });
    return await work(session, privileged);
  } finally {
    session.destroy();
    admin.destroy();
  }
}

/** Files and applied versions, for `migration list`. */
export async function listMigrations(
  deps: Pick<ProjectDeps, 'database' | 'projectDir'>,
): Promise<MigrationState[]> {
  const applied = await selectApplied(deps.database.pool('postgres'));
  const { files } = readMigrationFolder(join(deps.projectDir, 'supabase'));
  return compareMigrations(
    files,
    applied.map(({ version }) => version),
  );
}

/** Applies what is pending; the names of the applied files. @throws {ProjectError} */
export async function migrateUp(
  deps: ProjectDeps,
  options: { readonly includeAll: boolean },
): Promise<string[]> {
  const pending = pendingMigrations(await listMigrations(deps), options.includeAll);
  if (pending.length === 0) return [];
  await withUserSession(deps, async (session, privileged) => {
    const { database, projectDir, onProgress } = deps;
    const files = () => readSources(join(projectDir, 'supabase'));
    await reportingPlaceholders({ database, files, report: onProgress }, () =>
      applyMigrations(pending, {
        session,
        privileged,
        quiet: false,
        embedded: database.info.embedded ? { missing: missingExtensions } : undefined,
        readSources: files,
        onProgress,
      }),
    );
  });
  return pending.map(({ shownPath }) => shownPath);
}

/** Marks versions as applied or not, without running anything. @throws {ProjectError} `migration_not_found` */
export async function repairMigrations(
  { database, projectDir }: Pick<ProjectDeps, 'database' | 'projectDir'>,
  versions: readonly string[],
  status: 'applied' | 'reverted',
): Promise<void> {
  const { files } = readMigrationFolder(join(projectDir, 'supabase'));
  await database.pool('postgres').transaction(async (tx) => {
    await ensureHistory(tx);
    if (status === 'reverted') {
      await deleteApplied(tx, versions);
      return;
    }
    for (const version of versions) await insertApplied(tx, readForHistory(files, version));
  });
}
