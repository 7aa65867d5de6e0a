/** What the file system says when it cannot. */

export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

export function isFullDisk(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOSPC' || code === 'EDQUOT';
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
