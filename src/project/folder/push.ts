/**
 * Implements `db push`. Applies the project's migrations to a database that Plinth doesn't manage. If requested, also
 * applies roles and seeds.
 */
import { join } from 'node:path';
import type { Config } from '../../platform/config/index.ts';
import type { Pool, Queryable, Session } from '../../platform/database/types.ts';
import { readServerExtensions, reportSkipped } from './external-extensions.ts';
import {
  type MigrationFile,
  readMigrationFolder,
  readRolesFile,
  readSeedFiles,
  readSources,
  type SeedFile,
} from './files.ts';
import { applyMigrations, compareMigrations, pendingMigrations } from './migrations.ts';
import type { PrivilegedRunner } from './privileged.ts';
import { selectApplied, selectSeeds, upsertVaultSecret } from './queries.ts';
import { runFile } from './run-file.ts';
import { applySeeds } from './seeds.ts';

export interface PushDeps {
  readonly pool: Pool;
  readonly config: Pick<Config, 'db'>;
  readonly projectDir: string;
  readonly onProgress: (message: string) => void;
}

export interface PushOptions {
  /** Whether to also apply files that are older than the latest applied file. */
  readonly includeAll: boolean;
  readonly includeRoles: boolean;
  readonly includeSeed: boolean;
}

/** The changes that a push will make. */
export interface PushPlan {
  /** The text of roles.sql, if the file should run. */
  readonly roles: string | undefined;
  readonly migrations: readonly MigrationFile[];
  readonly seeds: readonly PendingSeed[];
}

export interface PendingSeed extends SeedFile {
  /** Whether an earlier version of the file has run. If true, only the recorded hash is updated. */
  readonly isChanged: boolean;
}

/**
 * Determines the changes that a push will make, without making them.
 * @throws {ProjectError} `remote_missing`; `local_older` unless `includeAll` is set
 */
export async function planPush(deps: PushDeps, options: PushOptions): Promise<PushPlan> {
  const { pool, config, projectDir, onProgress } = deps;
  const supabaseDir = join(projectDir, 'supabase');
  const roles = options.includeRoles ? readRolesFile(supabaseDir) : undefined;
  let migrations: readonly MigrationFile[] = [];
  if (config.db.migrations.enabled) {
    const folder = readMigrationFolder(supabaseDir);
    folder.notes.forEach(onProgress);
    const applied = (await selectApplied(pool)).map(({ version }) => version);
    migrations = pendingMigrations(compareMigrations(folder.files, applied), options.includeAll);
  } else onProgress('Skipping migrations because they are disabled in config.toml.');
  return { roles, migrations, seeds: options.includeSeed ? await pendingSeeds(deps, supabaseDir) : [] };
}

async function pendingSeeds(
  { pool, config, onProgress }: PushDeps,
  supabaseDir: string,
): Promise<PendingSeed[]> {
  if (!config.db.seed.enabled) {
    onProgress('Skipping seeds because they are disabled in config.toml.');
    return [];
  }
  const known = await selectSeeds(pool);
  return readSeedFiles(supabaseDir, config.db.seed.sql_paths)
    .files.filter(({ shownPath, hash }) => known.get(shownPath) !== hash)
    .map((file) => ({ ...file, isChanged: known.has(file.shownPath) }));
}

/**
 * Makes the changes.
 * @throws {ProjectError} for the first file that fails. The changes of earlier files remain applied.
 */
export async function push(deps: PushDeps, plan: PushPlan): Promise<void> {
  const session = await deps.pool.connect();
  try {
    await pushPlan(deps, plan, session);
  } finally {
    // Closing the connection discards all state that the files have left in it.
    session.destroy();
  }
}

async function pushPlan(
  deps: PushDeps,
  { roles, migrations, seeds }: PushPlan,
  session: Session,
): Promise<void> {
  const { config, projectDir, onProgress } = deps;
  reportSkipped(session, onProgress);
  const shared = {
    session,
    privileged: asWritten,
    quiet: false,
    embedded: undefined,
    readExtensions: (db: Queryable) => readServerExtensions(db, false),
    readSources: () => readSources(join(projectDir, 'supabase')),
    onProgress,
  };
  if (roles !== undefined) {
    onProgress('Creating roles from supabase/roles.sql...');
    await runFile({ shownPath: 'supabase/roles.sql', text: roles }, { ...shared, record: async () => {} });
  }
  const secrets = Object.entries(config.db.vault);
  if (migrations.length > 0 && secrets.length > 0) {
    onProgress('Updating vault secrets...');
    for (const [name, value] of secrets)
      if (value !== undefined) await session.transaction((tx) => upsertVaultSecret(tx, name, value));
  }
  await applyMigrations(migrations, shared);
  await applySeeds(seeds, shared);
}

/** Plinth isn't a superuser in this database, so statements that require a superuser are sent unchanged. */
const asWritten: PrivilegedRunner = {
  prepare: async () => {},
  run: (tx, { text }) => tx.exec(text),
  cleanUp: async () => {},
};
