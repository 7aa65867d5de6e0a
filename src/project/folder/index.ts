/**
 * Creates a database from the user's `supabase/` folder: vault secrets, roles, migrations, seeds and buckets. The first
 * start and a reset run all of these steps, and later starts run none. If the first start is interrupted, the next
 * start continues after the last completed step.
 */
import { join } from 'node:path';
import type { Logger } from '../../base/kernel/log.ts';
import type { Database, MigrationSet } from '../../platform/database/types.ts';
import { announcing } from './announcing.ts';
import { type BucketDeps, seedBuckets } from './buckets.ts';
import { describeFailures, type SkippedStatement, securityConsequences, summaryOf } from './core/failures.ts';
import { extensionOptions } from './external-extensions.ts';
import { readMigrationFolder, readSources } from './files.ts';
import { firstStart, withUserSession } from './first-start.ts';
import { type HistoryRepair, ranFiles, readHistory, repairHistory } from './history.ts';
import { retrySkipped } from './keep-going.ts';
import { applyMigrations, type MigrationState, pendingMigrations } from './migrations.ts';
import { reportingPlaceholders } from './missing-extensions.ts';
import { disableUserEventTriggers } from './privileged.ts';
import { deleteFailures, insertStep, selectFailures, selectOpenTables, selectSteps } from './queries.ts';
import { findSchemaTool } from './schema-tools.ts';
import type { ProjectDeps } from './types.ts';

export { announcing } from './announcing.ts';
export { type BucketFile, bucketFiles, bucketSettings, seedBuckets } from './buckets.ts';
export { type DataStatement, dataStatements } from './core/data-statements.ts';
export { atLevel, hasLevel, type LintLevel, type LintResult, lintLevels } from './core/lint-levels.ts';
export {
  identifier,
  isCreatedBy,
  mentions,
  missingExtension,
  partsOf,
  type SqlText,
  serviceSchemas,
  withoutComments,
} from './core/missing.ts';
export { type Failure, type Observation, observe } from './core/observe.ts';
export { splitStatements } from './core/split.ts';
export type { FileOutcome, SentTest, TestDatabaseOptions } from './database-tests/index.ts';
export { revertMigration } from './down.ts';
export { markPosition, ProjectError, type ProjectErrorCode } from './errors.ts';
export {
  baselineFileOf,
  type MigrationFile,
  type NewFile,
  readMigrationFolder,
  readSources,
} from './files.ts';
export { firstStart, withUserSession } from './first-start.ts';
export {
  changeHistory,
  type HistoryChange,
  type HistoryRepair,
  type RecordedMigration,
  readHistory,
  recordedFile,
  recordedMigrations,
  repairHistory,
  squashHistory,
} from './history.ts';
export { compareMigrations, type MigrationState } from './migrations.ts';
export { createFunction, FunctionExists, type WrittenMigration, writeMigration } from './new-files.ts';
export {
  applyNewMigration,
  type NewMigration,
  type RecordedNew,
  recordNewMigration,
} from './new-migration.ts';
export {
  type AppliedFiles,
  appliedFiles,
  type PushOptions,
  type PushPlan,
  planPush,
  push,
  type VaultSecret,
} from './push.ts';
export { type AppliedMigration, selectApplied, selectHistory, selectSeeds } from './queries.ts';
export {
  type DryRun,
  migrationText,
  type ReviewedMigration,
  reviewMigrations,
  tryMigrations,
} from './review.ts';
export type { KeepGoing, StatementFailure } from './run-file.ts';
export { applyProjectMigrations, applySchemaFiles, readSchemaFiles, runAsMigration } from './schema.ts';
export type { SeedOutcome, SentFile, SentMigration } from './sent-files.ts';
export { squashFiles } from './squash-files.ts';
export type { ProjectDeps } from './types.ts';

type Tests = typeof import('./database-tests/index.ts');
type SentFiles = typeof import('./sent-files.ts');
type FunctionFiles = typeof import('./function-files.ts');

// These modules are loaded on first use, because a server's start doesn't need them.
const tests = (): Promise<Tests> => import('./database-tests/index.ts');
const sentFiles = (): Promise<SentFiles> => import('./sent-files.ts');
const functionFiles = (): Promise<FunctionFiles> => import('./function-files.ts');

export const saveFunctionFiles = async (...given: Parameters<FunctionFiles['saveFunctionFiles']>) =>
  (await functionFiles()).saveFunctionFiles(...given);
export const readFunctionFiles = async (...given: Parameters<FunctionFiles['readFunctionFiles']>) =>
  (await functionFiles()).readFunctionFiles(...given);

export const testDatabase: Tests['testDatabase'] = async (...given) => (await tests()).testDatabase(...given);
export const testElsewhere: Tests['testElsewhere'] = async (...given) =>
  (await tests()).testElsewhere(...given);
export const runSentTest: Tests['runSentTest'] = async (...given) => (await tests()).runSentTest(...given);
export const lint: typeof import('./lint.ts')['lint'] = async (...given) =>
  (await import('./lint.ts')).lint(...given);
export const applySentMigration: SentFiles['applySentMigration'] = async (...given) =>
  (await sentFiles()).applySentMigration(...given);
export const applySentSeed: SentFiles['applySentSeed'] = async (...given) =>
  (await sentFiles()).applySentSeed(...given);
export const runSentFile: SentFiles['runSentFile'] = async (...given) =>
  (await sentFiles()).runSentFile(...given);
export const storeVaultSecrets: SentFiles['storeVaultSecrets'] = async (...given) =>
  (await sentFiles()).storeVaultSecrets(...given);

export const migrations: MigrationSet = { module: 'project', dir: new URL('./sql/', import.meta.url) };

export interface Project {
  /**
   * Runs before the services start, and only when the server first starts. Applies vault secrets, roles, migrations and
   * seeds. Does nothing in an existing database of the hosted service.
   *
   * Returns whether the database was changed.
   *
   * @throws {ProjectError} with the failed statement, its file and its line. If the file runs in a single transaction,
   * that transaction is rolled back.
   */
  prepareDatabase(options?: PrepareOptions): Promise<boolean>;
  /**
   * Runs once, when the server first starts, as soon as the services accept connections. Creates buckets and uploads
   * their files. Does nothing if `fetch` is undefined.
   */
  prepareBuckets(fetch: BucketDeps['fetch'] | undefined): Promise<void>;
}

export interface PrepareOptions {
  /** If set, migrations with a version later than this version are skipped (`db reset --version`). */
  readonly upToVersion?: string;
  /** Whether statements that fail are skipped and listed. */
  readonly keepGoing?: boolean;
}

/**
 * Returns the object that prepares a project's database and buckets.
 *
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
      if (!ownsSchemas) return false;
      if (mode === 'production') await silenceEventTriggers(database, log);
      const done = await selectSteps(database.pool('postgres'));
      isFirstStart = !done.has('complete');
      if (!isFirstStart || done.has('database')) {
        await announcePartialSchema(deps);
        if (mode === 'development') await announcePending(deps);
        return false;
      }
      const { upToVersion } = options;
      const chosen = {
        ...(upToVersion === undefined ? {} : { upToVersion }),
        keepsGoing: options.keepGoing === true,
      };
      await withUserSession(deps, (session, privileged) =>
        firstStart(deps, chosen, { session, privileged, done }),
      );
      await reportFailures(deps);
      return true;
    },
    async prepareBuckets(fetch) {
      if (!isFirstStart) return;
      if (fetch !== undefined && config.storage.enabled) {
        await seedBuckets({ config, fetch, secretKey: keys.secretKey, onProgress });
      }
      await insertStep(database.pool('postgres'), 'complete');
    },
  };
}

/**
 * Whether the first start hasn't completed the database, and migrations are still missing in it. The database of such a
 * project is empty or incomplete. `migration up` can also complete a database that was never started.
 */
export async function lacksFirstStart({
  database,
  config,
  projectDir,
}: Pick<ProjectDeps, 'database' | 'config' | 'projectDir'>): Promise<boolean> {
  if (!database.info.ownsSchemas || !config.db.migrations.enabled) return false;
  const pool = database.pool('postgres');
  if ((await selectSteps(pool)).has('database')) return false;
  return (await readHistory(pool, projectDir)).some(({ applied }) => !applied);
}

/**
 * Prints that the schema is incomplete. Every start prints this message until a reset creates the database without
 * failures.
 */
async function announcePartialSchema(deps: ProjectDeps): Promise<void> {
  const failures = await listFailures(deps.database);
  if (failures.length === 0) return;
  note(deps, `${summaryOf(failures)} Run "plinth db reset" to apply the files again.`);
}

/** Prints the statements that remain skipped, and what their absence means for the security of the tables. */
async function reportFailures(deps: ProjectDeps): Promise<void> {
  const failures = await listFailures(deps.database);
  if (failures.length === 0) return;
  const open = await selectOpenTables(deps.database.pool('postgres'));
  note(deps, [...describeFailures(failures), ...securityConsequences(failures, open)].join('\n'));
}

/** Prints the number of migrations that only the first start or `migration up` applies. */
async function announcePending(deps: ProjectDeps): Promise<void> {
  const sentence = pendingSentence(await countPending(deps));
  if (sentence !== undefined) deps.onProgress(sentence);
}

/** Returns the sentence about pending migrations. Undefined if there are none. */
export function pendingSentence(count: number): string | undefined {
  if (count === 0) return undefined;
  return `${count} pending migration${count === 1 ? '' : 's'}. Run "plinth migration up" to apply ${count === 1 ? 'it' : 'them'}.`;
}

/** Returns the number of migration files that aren't applied to the database. */
export async function countPending({
  database,
  projectDir,
  config,
}: Pick<ProjectDeps, 'database' | 'projectDir' | 'config'>): Promise<number> {
  if (!config.db.migrations.enabled) return 0;
  return (await listMigrations({ database, projectDir })).filter(({ applied }) => !applied).length;
}

/**
 * Returns the statements that --keep-going has skipped. Returns an empty list for a database that Plinth doesn't
 * manage.
 */
export async function listFailures(database: Database): Promise<readonly SkippedStatement[]> {
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

/** Returns the migration files and the applied versions, for `migration list`. */
export async function listMigrations(
  deps: Pick<ProjectDeps, 'database' | 'projectDir'>,
): Promise<MigrationState[]> {
  return await readHistory(deps.database.pool('postgres'), deps.projectDir);
}

/** Applies pending migrations and returns their file names. @throws {ProjectError} */
export async function migrateUp(
  deps: ProjectDeps,
  options: { readonly includeAll: boolean },
): Promise<string[]> {
  const pending = pendingMigrations(await listMigrations(deps), options.includeAll);
  if (pending.length === 0) return [];
  const { database, projectDir, onProgress } = deps;
  const adapted = extensionOptions(database);
  const skipped = (await listFailures(database)).length;
  await announcing(database, onProgress, () =>
    withUserSession(deps, async (session, privileged) => {
      const files = () => readSources(join(projectDir, 'supabase'));
      await reportingPlaceholders({ database, files, report: onProgress }, () =>
        applyMigrations(pending, {
          session,
          privileged,
          quiet: false,
          ...adapted,
          readSources: files,
          findSchemaTool: () => findSchemaTool(projectDir),
          onProgress,
        }),
      );
      // The new migrations can create the objects that statements skipped by --keep-going need.
      if (skipped > 0)
        await retrySkipped({
          session,
          privileged,
          quiet: false,
          embedded: adapted.embedded,
          external: await adapted.readExtensions?.(session),
          ...(await ranFiles(deps, session)),
        });
    }),
  );
  if (skipped > 0) await reportFailures(deps);
  return pending.map(({ shownPath }) => shownPath);
}

/**
 * Marks versions as applied or as not applied, without running any statement.
 * @throws {ProjectError} `migration_not_found`
 */
export async function repairMigrations(
  { database, projectDir }: Pick<ProjectDeps, 'database' | 'projectDir'>,
  repair: HistoryRepair,
): Promise<void> {
  const pool = database.pool('postgres');
  await repairHistory(pool, projectDir, repair);
  if (repair.status !== 'reverted') return;
  const { files } = readMigrationFolder(join(projectDir, 'supabase'));
  for (const { version, shownPath } of files)
    if (repair.isWhole === true || repair.versions.includes(version)) await deleteFailures(pool, shownPath);
}
