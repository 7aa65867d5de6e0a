/** Classifies file system errors. */

export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

export function isFullDisk(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOSPC' || code === 'EDQUOT';
}

/** Whether a file was expected but the path is a folder: EISDIR on Linux, EPERM on macOS and Windows. */
export function isDirectoryError(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'EISDIR' || code === 'EPERM';
}

/**
 * Whether the file system doesn't support hard links (FAT, some network shares) or the file's link limit is reached.
 */
export function cannotLink(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'EPERM' || code === 'ENOTSUP' || code === 'ENOSYS' || code === 'EMLINK';
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
