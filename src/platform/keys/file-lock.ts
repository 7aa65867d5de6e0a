/** Lets only one process at a time change a file that contains keys. */
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { KeyRejection } from './rotation.ts';

/** A change takes milliseconds, so a lock file older than this limit was left behind by a killed process. */
const abandonedAfterMs = 60_000;

/**
 * Runs `work` while a lock file exists. Creates the file before the work and removes it afterward. Replaces a lock file
 * that a killed process left behind.
 * @throws {KeyRejection} if another change is in progress
 */
export function whileLocked<T>(path: string, work: () => T): T {
  const lock = `${path}.lock`;
  if (!create(lock)) {
    removeIfAbandoned(lock);
    if (!create(lock))
      throw new KeyRejection('Another command is changing the keys.', 'Try again in a minute.');
  }
  try {
    return work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** Returns whether the lock file was created. Returns false if the lock file already exists. */
function create(lock: string): boolean {
  try {
    closeSync(openSync(lock, 'wx', 0o600));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}

/**
 * The abandoned lock file is renamed first, so only one process removes it. If another process replaced the abandoned
 * file in the meantime, the new file is put back.
 */
function removeIfAbandoned(lock: string): void {
  const isAbandoned = (path: string): boolean => Date.now() - statSync(path).mtimeMs > abandonedAfterMs;
  const renamed = `${lock}.${randomUUID()}`;
  try {
    if (!isAbandoned(lock)) return;
    renameSync(lock, renamed);
    if (isAbandoned(renamed)) rmSync(renamed);
    else renameSync(renamed, lock);
  } catch (error) {
    // The other process has finished and removed its file.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
