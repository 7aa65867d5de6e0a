/** Puts a new text in place of a file: whoever reads meanwhile finds all of the old or all of the new. */
import { randomUUID } from 'node:crypto';
import { chownSync, closeSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';

/**
 * Written beside it, synced, and renamed. Mode and owner of the file before stay: the server must still be able to read
 * what an administrator changes.
 */
export function replaceFile(path: string, text: string, newFileMode = 0o600): void {
  const before = statSync(path, { throwIfNoEntry: false });
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const handle = openSync(temporary, 'wx', before === undefined ? newFileMode : before.mode & 0o777);
    try {
      writeSync(handle, text);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    if (before !== undefined && process.getuid?.() === 0) chownSync(temporary, before.uid, before.gid);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Changes when the file does; undefined when it is not there. */
export function fileStamp(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found && `${found.ino} ${found.mtimeNs} ${found.size}`;
}
