/**
 * Turns the user's `supabase/` folder into a database: vault secrets, roles, migrations, seeds and buckets. The first
 * start and a reset run everything, and later starts run nothing. After an interruption, the first start continues
 * where it stopped.
 */
import { join } from 'node:path';
import { missingExtensions } from '../database/index.ts';
import type { Database, MigrationSet } from '../database/types.ts';
import type { Logger } from '../kernel/log.ts';
import { type BucketDeps, seedBuckets } from './buckets.ts';
import { describeFailures, type LeftOut, summaryOf } from './core/failures.ts';
import { readMigrationFolder, readSources } from './files.ts';
import { firstStart, withUserSession } from './first-start.ts';
import { createKeepGoing } from './keep-going.ts';
import {
  applyMigrations,
  compareMigrations,
  type MigrationState,
  pendingMigrations,
  readForHistory,
} from './migrations.ts';
import { reportingPlaceholders } from './missing-extensions.ts';
import { disableUserEventTriggers } from './privileged.ts';
import {
  deleteApplied,
  deleteFailures,
  ensureHistory,
  insertApplied,
  insertStep,
  selectApplied,
  selectFailures,
  selectSteps,
} from './queries.ts';
import type { ProjectDeps } from './types.ts';

export { type Baseline, type EmptyDatabase, makeBaseline } from './baseline.ts';
export { seedBuckets } from './buckets.ts';
export { atLevel, hasLevel, type LintLevel, type LintResult, lintLevels } from './core/lint.ts';
export { type TestDatabaseOptions, testDatabase } from './database-tests/index.ts';
export { ProjectError, type ProjectErrorCode } from './errors.ts';
export { findProjectDir, type MigrationFile, readMigrationFolder } from './files.ts';
export { lint } from './lint.ts';
export type { MigrationState } from './migrations.ts';
export { type PushOptions, type PushPlan, planPush, push } from './push.ts';
export type { ProjectDeps } from './types.ts';
export { type WrittenMigration, writeMigration } from './written-migration.ts';

export const migrations: MigrationSet = { room: 'project', dir: new URL('./sql/', import.meta.url) };

export interface Project {
  /**
   * Runs before the services start, at the first start only: vault, roles, migrations and seeds. Does nothing in an
   * existing database of the hosted service.
   *
   * @throws {ProjectError} with file, statement and line. Nothing of that file stays applied.
   */
  prepareDatabase(options?: PrepareOptions): Promise<void>;
  /**
   * Runs once the services listen, at the first start only: buckets and their files. Without `fetch`, storage is
   * skipped.
   */
  prepareBuckets(fetch: BucketDeps['fetch'] | undefined): Promise<void>;
}

export interface PrepareOptions {
  /** Skips migrations newer than this version (`db reset --version`). */
  readonly upToVersion?: string;
  /** Skips statements that fail, and lists them. */
  readonly keepGoing?: boolean;
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
      if (!isFirstStart || done.has('database')) return await announcePartialSchema(deps);
      const { upToVersion } = options;
      const keepGoing = options.keepGoing === true ? createKeepGoing() : undefined;
      const chosen = {
        ...(upToVersion === undefined ? {} : { upToVersion }),
        ...(keepGoing === undefined ? {} : { keepGoing }),
      };
      await withUserSession(deps, (session, privileged) =>
        firstStart(deps, chosen, { session, privileged, done }),
      );
      const lines = describeFailures(keepGoing?.failures ?? []);
      if (lines.length > 0) note(deps, lines.join('\n'));
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

/** Every start reports this until a reset has created the database from files without failures. */
async function announcePartialSchema(deps: ProjectDeps): Promise<void> {
  const failures = await listFailures(deps.database);
  if (failures.length === 0) return;
  note(deps, `${summaryOf(failures)} Run "plinth db reset" to apply the files again.`);
}

/** Returns the statements that --keep-going skipped. Empty for a database that Plinth doesn't manage. */
export async function listFailures(database: Database): Promise<readonly LeftOut[]> {
  return database.info.ownsSchemas ? await selectFailures(database.pool('postgres')) : [];
}

function note({ log, onProgress }: ProjectDeps, message: string): void {
  log.warn({ service: 'project' }, message);
  onProgress(message);
}

async function silenceEventTriggers(database: Database, log: Logger): Promise<void> {
  for (const trigger of await disableUserEventTriggers(database.pool('supabase_admin'))) {
    log.warn(
      { service: 'project', trigger },
      'disabled an event trigger; user-defined event triggers run only under "plinth start"',
    );
  }
}

/** Returns files and applied versions for `migration list`. */
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

/** Applies pending migrations and returns the names of their files. @throws {ProjectError} */
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

/** Marks versions as applied or not applied without running anything. @throws {ProjectError} `migration_not_found` */
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
      for (const { version, shownPath } of files)
        if (versions.includes(version)) await deleteFailures(tx, shownPath);
      return;
    }
    for (const version of versions) await insertApplied(tx, readForHistory(files, version));
  });
}
