/** The data folder is its owner's alone, whatever the umask was when something in it was made, and by which version. */
import { chmodSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** PostgreSQL's, which may run as a user of its own: it keeps its data private itself, and the rest is no secret. */
const ofPostgres = new Set(['postgres', 'bin', 'extensions', 'run']);

/**
 * Makes the folder where it is missing. What is in it gets mode 0600, folders 0700; below them nobody else gets anyway, but
 * log files are closed too, since they are what is copied elsewhere.
 */
export function closeDataFolder(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (process.platform === 'win32') return;
  // PostgreSQL's user passes through on the way to its own folder.
  chmodSync(dataDir, process.getuid?.() === 0 ? 0o711 : 0o700);
  closeEntries(dataDir, (name) => !ofPostgres.has(name));
  closeEntries(join(dataDir, 'logs'), () => true);
}

function closeEntries(dir: string, isOurs: (name: string) => boolean): void {
  if (lstatSync(dir, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  for (const name of readdirSync(dir).filter(isOurs)) {
    const path = join(dir, name);
    const facts = lstatSync(path, { throwIfNoEntry: false });
    // A link is somebody's choice, and its mode means nothing.
    if (facts === undefined || facts.isSymbolicLink() || (facts.mode & 0o077) === 0) continue;
    chmodSync(path, facts.isDirectory() ? 0o700 : facts.mode & 0o700);
  }
}
