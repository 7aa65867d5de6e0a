/**
 * The hash by which a server and the command line recognize that a function's files are the same.
 */
import { createHash } from 'node:crypto';

/**
 * Returns the SHA-256 hash of the paths and contents, in hexadecimal. The order of the files doesn't matter.
 *
 * @example filesDigest([{ path: 'index.ts', content: Buffer.from('export {};') }]);
 */
export function filesDigest(files: readonly { readonly path: string; readonly content: Buffer }[]): string {
  const hash = createHash('sha256');
  for (const { path, content } of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const digest = createHash('sha256').update(content).digest('hex');
    hash.update(`${digest} ${path}\n`);
  }
  return hash.digest('hex');
}
