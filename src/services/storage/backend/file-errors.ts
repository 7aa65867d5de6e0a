/** Classifies file system errors. */
import { unlink } from 'node:fs/promises';

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
export function cannotLink(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'EPERM' || code === 'ENOTSUP' || code === 'ENOSYS' || code === 'EMLINK';
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
