/** Replaces the content of a file atomically. Concurrent readers see either the old or the new content. */
import { randomUUID } from 'node:crypto';
import {
  chownSync,
  closeSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { syncFolder } from './sync-folder.ts';

/**
 * Writes a temporary file beside the original, syncs it, renames it and syncs the folder. Preserves the original's mode
 * and, if the process runs as root, its owner. With a different mode or owner, the server might be unable to read a
 * file that an administrator has changed.
 */
export function replaceFile(path: string, text: string, newFileMode = 0o600): void {
  const before = statSync(path, { throwIfNoEntry: false });
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const handle = openSync(temporary, 'wx', before === undefined ? newFileMode : before.mode & 0o777);
    try {
      // Writes the whole text or throws. A single call of `writeSync` writes only a part of the text if the disk fills
      // up.
      writeFileSync(handle, text);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    if (before !== undefined && process.getuid?.() === 0) chownSync(temporary, before.uid, before.gid);
    renameSync(temporary, path);
    syncFolder(dirname(path));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Returns a value that changes whenever the file is written. Returns undefined if the file doesn't exist. */
export function fileStamp(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found && `${found.ino} ${found.mtimeNs} ${found.size}`;
}
