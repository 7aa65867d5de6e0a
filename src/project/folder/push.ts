/**
 * Implements `db push`. Determines the files to push, and applies them to a database that Plinth doesn't manage. If
 * requested, also applies roles and seeds. A linked Plinth server applies the files itself (`sent-files.ts`).
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
  readonly config: Pick<Config, 'db'>;
  readonly projectDir: string;
  readonly onProgress: (message: string) => void;
}

/** The files that have been applied to the database. */
export interface AppliedFiles {
  /** The option with which commands select the database, such as `--linked`. */
  readonly target: string;
  /** Returns the versions of the applied migrations. */
  versions(): Promise<readonly string[]>;
  /** Returns the hashes of the applied seeds, by path. */
  seeds(): Promise<ReadonlyMap<string, string>>;
}

export const appliedFiles = (pool: Pool, target: string): AppliedFiles => ({
  target,
  versions: async () => (await selectApplied(pool)).map(({ version }) => version),
  seeds: () => selectSeeds(pool),
});

export interface PushOptions {
  /** Whether to also apply files that are older than the latest applied file. */
  readonly includeAll: boolean;
  readonly includeRoles: boolean;
  readonly includeSeed: boolean;
  readonly skipVault: boolean;
}

export interface VaultSecret {
  readonly name: string;
  readonly value: string;
}

/** The changes that a push will make. */
export interface PushPlan {
  /** The text of roles.sql, if the file should run. */
  readonly roles: string | undefined;
  /** The secrets in [db.vault], which migrations can read. Empty if no migrations are pending. */
  readonly vault: readonly VaultSecret[];
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
export async function planPush(
  applied: AppliedFiles,
  { config, projectDir, onProgress }: PushDeps,
  options: PushOptions,
): Promise<PushPlan> {
  const supabaseDir = join(projectDir, 'supabase');
  const roles = options.includeRoles ? readRolesFile(supabaseDir) : undefined;
  let migrations: readonly MigrationFile[] = [];
  if (config.db.migrations.enabled) {
    const folder = readMigrationFolder(supabaseDir);
    folder.notes.forEach(onProgress);
    migrations = pendingMigrations(
      compareMigrations(folder.files, await applied.versions()),
      options.includeAll,
      applied.target,
    );
  } else onProgress('Skipping migrations because they are disabled in config.toml.');
  const vault = migrations.length === 0 || options.skipVault ? [] : secretsOf(config);
  let seeds: readonly PendingSeed[] = [];
  if (options.includeSeed && config.db.seed.enabled)
    seeds = pendingSeeds(config, supabaseDir, await applied.seeds());
  else if (options.includeSeed) onProgress('Skipping seeds because they are disabled in config.toml.');
  return { roles, vault, migrations, seeds };
}

const secretsOf = ({ db }: Pick<Config, 'db'>): VaultSecret[] =>
  Object.entries(db.vault).flatMap(([name, value]) => (value === undefined ? [] : { name, value }));

function pendingSeeds(
  config: Pick<Config, 'db'>,
  supabaseDir: string,
  known: ReadonlyMap<string, string>,
): PendingSeed[] {
  return readSeedFiles(supabaseDir, config.db.seed.sql_paths)
    .files.filter(({ shownPath, hash }) => known.get(shownPath) !== hash)
    .map((file) => ({ ...file, isChanged: known.has(file.shownPath) }));
}

/**
 * Makes the changes.
 * @throws {ProjectError} for the first file that fails. The changes of earlier files remain applied.
 */
export async function push(
  pool: Pool,
  deps: Pick<PushDeps, 'projectDir' | 'onProgress'>,
  plan: PushPlan,
): Promise<void> {
  const session = await pool.connect();
  try {
    await pushPlan(deps, plan, session);
  } finally {
    // Closing the connection discards all state that the files have left in it.
    session.destroy();
  }
}

async function pushPlan(
  { projectDir, onProgress }: Pick<PushDeps, 'projectDir' | 'onProgress'>,
  { roles, vault, migrations, seeds }: PushPlan,
  session: Session,
): Promise<void> {
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
  if (vault.length > 0) onProgress('Updating vault secrets...');
  for (const { name, value } of vault) await session.transaction((tx) => upsertVaultSecret(tx, name, value));
  await applyMigrations(migrations, shared);
  await applySeeds(seeds, shared);
}

/** Plinth isn't a superuser in this database, so statements that require a superuser are sent unchanged. */
const asWritten: PrivilegedRunner = {
  prepare: async () => {},
  run: (tx, { text }) => tx.exec(text),
  cleanUp: async () => {},
};
