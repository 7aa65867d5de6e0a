/**
 * Implements file system operations that Node doesn't provide, and classifies file system errors.
 *
 * In Node, a call that runs in the thread pool uses several times the CPU time of the system call itself, and a
 * FileHandle adds to that. Operations that are part of every upload therefore use file descriptors, and run only calls
 * that can wait for the disk in the thread pool.
 */
import { closeSync, constants, fsync, open as openCallback, openSync, write, writev } from 'node:fs';
import { copyFile, link, open, rename, rm, unlink } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Opens a file and resolves with its descriptor. */
export const openFile = promisify(openCallback);

/** Syncs an open file or folder. */
export const syncFile = promisify(fsync);

/** Writes buffers to the end of what has been written to the file so far. */
export async function writeAll(fd: number, chunks: readonly Uint8Array[]): Promise<void> {
  if (chunks.length === 0) return;
  // All calls write at the file's current position, because a call may write fewer bytes than requested.
  const written = await new Promise<number>((resolve, reject) => {
    writev(fd, chunks, (error, bytesWritten) => (error ? reject(error) : resolve(bytesWritten)));
  });
  const sizeBytes = chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0);
  if (written === sizeBytes) return;
  const all = Buffer.concat(chunks);
  for (let offset = written; offset < sizeBytes; ) {
    const { bytesWritten } = await writeBuffer(fd, all, offset);
    offset += bytesWritten;
  }
}

const writeBuffer = promisify(write<Buffer>);

/** Syncs a folder. After the sync, changes to the folder's entries survive a power failure. */
export async function syncDirectory(path: string): Promise<void> {
  // Windows can't open a folder to sync it, but NTFS records renames in its journal.
  if (process.platform === 'win32') return;
  // The folder has just been changed, so it is in memory and can be opened without waiting for the disk.
  const fd = openSync(path, 'r');
  try {
    await syncFile(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * Renames a file or folder. Returns false if the source doesn't exist, because other processes can move and remove
 * files too.
 */
export async function moved(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Removes a file, or a folder with its contents. Returns false if it doesn't exist. */
export async function removeTree(path: string): Promise<boolean> {
  try {
    await unlink(path);
  } catch (error) {
    if (isMissing(error)) return false;
    if (!isDirectoryError(error)) throw error;
    await rm(path, { recursive: true, force: true });
  }
  return true;
}

/** Creates a hard link to a synced file. If the file system doesn't support links, creates a synced copy. */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!cannotLink(error)) throw error;
    await copyFile(from, to, constants.COPYFILE_FICLONE);
    const handle = await open(to, 'r+');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}

export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

/** Deletes a file if it exists. */
export async function removeIfThere(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
}

export function isFullDisk(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOSPC' || code === 'EDQUOT';
}

/**
 * Whether the error means that the path is a folder instead of a file. The code is EISDIR on Linux, and EPERM on macOS
 * and Windows.
 */
export function isDirectoryError(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'EISDIR' || code === 'EPERM';
}

/**
 * Whether the error means that no hard link can be created. Either the file system doesn't support hard links (FAT,
 * some network shares), or the file already has the maximum number of links.
 */
function cannotLink(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'EPERM' || code === 'ENOTSUP' || code === 'ENOSYS' || code === 'EMLINK';
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
