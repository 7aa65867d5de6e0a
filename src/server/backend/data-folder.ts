/**
 * Restricts access to the data folder, regardless of the umask and of the Plinth version that created the folder's
 * contents.
 */
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { restoreMarker } from '../../base/shared/restore-markers.ts';
import { DatabaseError } from '../../platform/database/index.ts';

/**
 * The folders whose modes aren't changed. PostgreSQL may run as a different user than Plinth, and protects its own data
 * folder. The other folders in this list don't contain secrets.
 */
const ofPostgres = new Set(['postgres', 'bin', 'extensions', 'run', 'branches']);

/**
 * Creates the folder if necessary. Removes other users' permissions from the files and folders directly in it, which
 * also protects all nested files. Also removes these permissions from each log file, because log files are often copied
 * elsewhere.
 */
export function closeDataFolder(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (process.platform === 'win32') return;
  // PostgreSQL's user must be able to traverse the data folder to reach PostgreSQL's folder.
  chmodSync(dataDir, process.getuid?.() === 0 ? 0o711 : 0o700);
  closeEntries(dataDir, (name) => !ofPostgres.has(name));
  closeEntries(join(dataDir, 'logs'), () => true);
}

function closeEntries(dir: string, isOurs: (name: string) => boolean): void {
  if (lstatSync(dir, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  for (const name of readdirSync(dir).filter(isOurs)) {
    const path = join(dir, name);
    const facts = lstatSync(path, { throwIfNoEntry: false });
    // Skips symbolic links, because the user created them and a link's mode has no effect.
    if (facts === undefined || facts.isSymbolicLink() || (facts.mode & 0o077) === 0) continue;
    chmodSync(path, facts.isDirectory() ? 0o700 : facts.mode & 0o700);
  }
}

/** Checks that no restore was interrupted. @throws {DatabaseError} restore_unfinished */
export function rejectUnfinishedRestore(dataDir: string): void {
  if (existsSync(join(dataDir, restoreMarker)))
    throw new DatabaseError('restore_unfinished', { dir: dataDir });
}
