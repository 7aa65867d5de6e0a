/** What the file system says when it cannot. */

export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

export function isFullDisk(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOSPC' || code === 'EDQUOT';
}

/** A file was expected where a folder is: EISDIR on Linux, EPERM on macOS and Windows. */
export function isDirectoryError(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'EISDIR' || code === 'EPERM';
}

/** The file system has no hard links (FAT, some network shares), or allows no more of them to this file. */
export function cannotLink(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'EPERM' || code === 'ENOTSUP' || code === 'ENOSYS' || code === 'EMLINK';
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
