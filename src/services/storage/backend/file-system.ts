/** Implements file system operations that Node doesn't provide, and classifies file system errors. */
import { constants } from 'node:fs';
import { copyFile, type FileHandle, link, open, rename, rm, unlink } from 'node:fs/promises';
import { acquireChunk, type ByteStream, chunkBytes, releaseChunk } from '../byte-stream.ts';
import type { ByteRange } from '../core/range.ts';

/** Syncs a folder. After the sync, changes to the folder's entries survive a power failure. */
export async function syncDirectory(path: string): Promise<void> {
  // Windows can't open a folder to sync it, but NTFS records renames in its journal.
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
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

/**
 * Returns the chunks of a byte range. The file handle is closed after the last chunk, when the iteration ends early, or
 * when `destroy` is called.
 */
export function fileStream(handle: FileHandle, range: ByteRange): ByteStream {
  return {
    [Symbol.asyncIterator]: () => readChunks(handle, range),
    release: releaseChunk,
    destroy: () => void handle.close(),
  };
}

/**
 * Reads a byte range in chunks.
 * @throws {Error} if the file ends before the end of the requested range
 */
export async function* readChunks(handle: FileHandle, { start, end }: ByteRange): AsyncGenerator<Buffer> {
  try {
    for (let position = start; position <= end; ) {
      const chunk = acquireChunk();
      const requested = Math.min(chunkBytes, end + 1 - position);
      const { bytesRead } = await handle.read(chunk, 0, requested, position);
      if (bytesRead === 0) throw new Error('The file became shorter after it was opened');
      position += bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}
