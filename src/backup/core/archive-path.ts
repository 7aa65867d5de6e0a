/** Validates the names in a tar archive. */

/**
 * Returns the segments of a relative path that can't escape the folder where it is extracted. @throws {Error} if the
 * name isn't such a path
 */
export function archivePath(name: string): readonly string[] {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  const isSafe = !name.startsWith('/') && !/[\\\0:]/.test(name) && !parts.includes('..') && parts.length > 0;
  if (!isSafe) throw new Error(`The archive contains an unsafe name: ${JSON.stringify(name)}`);
  return parts;
}
