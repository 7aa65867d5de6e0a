/** Lets only one process at a time change a file that contains keys. */
import { closeSync, openSync, unlinkSync } from 'node:fs';
import { KeyRejection } from './rotation.ts';

/**
 * Calls `work` while this process holds a lock file, which is created before the call and removed afterward.
 * @throws {KeyRejection} if another change is in progress
 */
export function whileLocked<T>(path: string, work: () => T): T {
  const lock = `${path}.lock`;
  try {
    closeSync(openSync(lock, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new KeyRejection(
      'Another command is changing the keys.',
      `If no such command is running, an earlier one was interrupted. Remove ${lock} and try again.`,
    );
  }
  try {
    return work();
  } finally {
    unlinkSync(lock);
  }
}
