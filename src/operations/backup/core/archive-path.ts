/** Validates the names in a tar archive. */

/**
 * Splits a relative path into its segments.
 * @throws {Error} if the path is absolute or could lead out of the folder into which the archive is extracted
 */
export function archivePath(name: string): readonly string[] {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  const isSafe = !name.startsWith('/') && !/[\\\0:]/.test(name) && !parts.includes('..') && parts.length > 0;
  if (!isSafe) throw new Error(`The archive contains an unsafe name: ${JSON.stringify(name)}`);
  return parts;
}
