/**
 * Prepares a cluster in the user's cache once per build of Plinth. New projects copy it, which is faster than running
 * initdb and all migrations again.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { createDatabase } from '../database/index.ts';
import { claim, packageManifest, userCache } from '../packages/index.ts';
import { loadModules, migrationSets } from './modules.ts';

/**
 * Returns the data folder to copy, and creates it if necessary. Returns undefined in a clone of Plinth's repository,
 * because migrations change there during development.
 */
export async function preparedCluster(onProgress: (message: string) => void): Promise<string | undefined> {
  const build = packageManifest()?.build;
  if (build === undefined) return undefined;
  const folder = join(userCache(), 'prepared', build);
  await claim(
    `${folder}.claim`,
    () => existsSync(folder),
    async () => {
      onProgress('Preparing a database that new projects copy (once for all projects)');
      await prepareCluster(folder);
    },
  );
  return isUsable(folder) ? folder : undefined;
}

/**
 * Marks the folder as used. Returns false if the folder belongs to another user, as it can in a CI image, because its
 * secrets can't be read.
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

/** Creates a cluster with all of Plinth's own migrations in `folder`, which gets its name only once it is complete. */
export async function prepareCluster(folder: string): Promise<void> {
  const parent = join(folder, '..');
  mkdirSync(parent, { recursive: true, mode: 0o711 });
  removeUnused(parent);
  const work = `${folder}.${process.pid}.part`;
  rmSync(work, { recursive: true, force: true });
  try {
    const database = await createDatabase({ dataDir: work, durable: false });
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

const monthMs = 30 * 24 * 3600 * 1000;

/** Removes clusters that haven't been copied for a month, such as those of earlier versions. */
function removeUnused(parent: string): void {
  for (const name of readdirSync(parent)) {
    const path = join(parent, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat !== undefined && Date.now() - stat.mtimeMs > monthMs)
      rmSync(path, { recursive: true, force: true });
  }
}
