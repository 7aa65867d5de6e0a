/** Restricts access to the data folder, regardless of the umask or the version that created its content. */
import { chmodSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * PostgreSQL's folders. PostgreSQL may run as a different user and keeps its data private itself. The other folders
 * don't contain secrets.
 */
const ofPostgres = new Set(['postgres', 'bin', 'extensions', 'run']);

/**
 * Creates the folder if it is missing. Files in the folder get mode 0600 and folders 0700. The folder modes protect
 * everything below. Log files are also protected individually because they are often copied elsewhere.
 */
export function closeDataFolder(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (process.platform === 'win32') return;
  // PostgreSQL's user must be able to traverse the folder to reach its own folder.
  chmodSync(dataDir, process.getuid?.() === 0 ? 0o711 : 0o700);
  closeEntries(dataDir, (name) => !ofPostgres.has(name));
  closeEntries(join(dataDir, 'logs'), () => true);
}

function closeEntries(dir: string, isOurs: (name: string) => boolean): void {
  if (lstatSync(dir, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  for (const name of readdirSync(dir).filter(isOurs)) {
    const path = join(dir, name);
    const facts = lstatSync(path, { throwIfNoEntry: false });
    // A symlink was created by the user, and its mode has no effect.
    if (facts === undefined || facts.isSymbolicLink() || (facts.mode & 0o077) === 0) continue;
    chmodSync(path, facts.isDirectory() ? 0o700 : facts.mode & 0o700);
  }
}
