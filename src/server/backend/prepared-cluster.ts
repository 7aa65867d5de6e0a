/**
 * Prepares a cluster in the user's cache once per Plinth build. New projects copy this cluster, which is faster than
 * running initdb and all migrations.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { silentLogger } from '../../base/kernel/log.ts';
import { type Config, createLiveConfig } from '../../platform/config/index.ts';
import { createDatabase } from '../../platform/database/index.ts';
import type { Database } from '../../platform/database/types.ts';
import { createKeys } from '../../platform/keys/index.ts';
import { bundleHash, claim, packageManifest, userCache } from '../../platform/packages/index.ts';
import { loadModules, migrationSets } from './modules.ts';

/** Applies the migrations of Plinth's services, which are the same for every project. */
export async function migrateServices(database: Database): Promise<void> {
  await database.migrate(migrationSets(await loadModules()));
}

/**
 * Makes all database changes that are needed before the server accepts requests. Test databases are cloned from
 * templates that were prepared by this function.
 */
export async function prepareDatabase(database: Database, config: Config, projectDir: string): Promise<void> {
  await migrateServices(database);
  const modules = await loadModules();
  const keys = createKeys({
    mode: 'development',
    config,
    supabaseDir: join(projectDir, 'supabase'),
    dataDir: projectDir,
  });
  const project = modules.project.createProject({
    database,
    config,
    keys,
    projectDir,
    mode: 'development',
    log: silentLogger,
    onProgress: () => undefined,
  });
  const jobs = modules.jobs.createJobs({
    database,
    config: createLiveConfig(config),
    mode: 'development',
    apiUrl: () => `http://127.0.0.1:${config.api.port}`,
    // A template is complete before a server uses its copies.
    localUrl: new Promise(() => undefined),
    handlers: { graphql: modules.graphql.createAnswers(config) },
    log: silentLogger,
  });
  await jobs.answerQuestions();
  try {
    await project.prepareDatabase();
  } finally {
    await jobs.stop?.();
  }
}

/**
 * Returns the data folder that new projects copy, and creates the folder if necessary. Returns undefined if the folder
 * can't be created or read, or if Plinth runs from its source code, which changes during development. Without this
 * folder, a new project runs initdb and all migrations itself.
 */
export async function preparedCluster(
  onProgress: (message: string) => void,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const folder = preparedFolder();
  if (folder === undefined) return undefined;
  try {
    await claim(
      `${folder}.claim`,
      () => existsSync(folder),
      async () => {
        onProgress('Preparing a database that new projects copy (once for all projects)');
        await prepareCluster(folder, signal);
      },
      { signal },
    );
  } catch (error) {
    signal?.throwIfAborted();
    onProgress(`The database that new projects copy couldn't be prepared: ${(error as Error).message}`);
    return undefined;
  }
  return isUsable(folder) ? folder : undefined;
}

/**
 * Returns the cache folder, which is in the user's cache for the npm package, and in the clone itself for a bundle
 * built in a clone.
 */
function preparedFolder(): string | undefined {
  const build = packageManifest()?.build;
  if (build !== undefined) return join(userCache(), 'prepared', build);
  const sources = bundleHash();
  if (sources === undefined) return undefined;
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  // The hash includes the SQL files, because the bundle reads them from the source folder, where they can change
  // without a new bundle.
  const hash = createHash('sha256').update(sources);
  const src = join(root, 'src');
  for (const name of globSync('**/*.sql', { cwd: src }).sort()) hash.update(readFileSync(join(src, name)));
  return join(root, 'node_modules', '.cache', 'plinth-prepared', hash.digest('hex').slice(0, 24));
}

/**
 * Marks the folder as used. Returns false if the folder belongs to another user, for example in a CI image, because
 * this process then can't read the secrets in it.
 */
function isUsable(folder: string): boolean {
  try {
    const now = new Date();
    utimesSync(folder, now, now);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EPERM' || code === 'EACCES' || code === 'EROFS') return false;
    throw error;
  }
}

/**
 * Creates a cluster with all of Plinth's own migrations in `folder`. Renames the folder to its final name only when the
 * cluster is complete.
 */
export async function prepareCluster(folder: string, signal?: AbortSignal): Promise<void> {
  const parent = join(folder, '..');
  mkdirSync(parent, { recursive: true, mode: 0o711 });
  removeUnused(parent);
  const work = `${folder}.${process.pid}.part`;
  rmSync(work, { recursive: true, force: true });
  try {
    const database = await createDatabase({ dataDir: work, durable: false, signal });
    try {
      await database.migrate(migrationSets(await loadModules()));
    } finally {
      await database.stop();
    }
    renameSync(work, folder);
  } catch (error) {
    rmSync(work, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}

const dayMs = 24 * 3600 * 1000;

/**
 * Removes clusters that haven't been copied for a month, such as the clusters of earlier versions. In a clone of the
 * repository, removes such clusters after a day, because the source code changes often.
 */
function removeUnused(parent: string): void {
  const unusedMs = bundleHash() === undefined ? 30 * dayMs : dayMs;
  for (const name of readdirSync(parent)) {
    const path = join(parent, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat !== undefined && Date.now() - stat.mtimeMs > unusedMs)
      rmSync(path, { recursive: true, force: true });
  }
}
