/** Replaces files so that concurrent readers see either the old or the new content, even after a power failure. */
import { randomUUID } from 'node:crypto';
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Writes a temporary file beside the original, syncs it, renames it and syncs the folder. Preserves the original's mode
 * and, if the process runs as root, its owner. With a different mode or owner, the server might be unable to read a
 * file that an administrator has changed.
 */
export function replaceFile(path: string, text: string | Uint8Array, newFileMode = 0o600): void {
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

/** Flushes the folder, so that earlier creations, renames and removals in it survive a power failure. */
export function syncFolder(path: string): void {
  // On Windows, a process can't flush a folder, but NTFS journals renames.
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Whether the folder or one of its parent folders is a Git repository. */
export const isInGit = (folder: string): boolean =>
  existsSync(join(folder, '.git')) || (dirname(folder) !== folder && isInGit(dirname(folder)));

/** Adds the names to the folder's `.gitignore`, except names that this file already contains. */
export function ignoreFiles(folder: string, names: readonly string[]): void {
  const path = join(folder, '.gitignore');
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const missing = names.filter((name) => !before.split(/\r?\n/).includes(name));
  if (missing.length === 0) return;
  const separator = before === '' || before.endsWith('\n') ? '' : '\n';
  replaceFile(path, `${before}${separator}${missing.join('\n')}\n`, 0o644);
}
