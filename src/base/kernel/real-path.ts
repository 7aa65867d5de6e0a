/** Checks where a path leads after resolving symbolic links. */
import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, parse, relative, resolve } from 'node:path';

const maxLinks = 40;

/** Resolves symbolic links in the part of the path that exists, including links whose target doesn't exist. */
export function realPathOf(path: string, links = 0): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    // The symbolic links form a loop, or the path's root was reached.
    if (above === path || links > maxLinks) return parse(path).root;
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
    if (isLink) return realPathOf(resolve(above, readlinkSync(path)), links + 1);
    return join(realPathOf(above, links), basename(path));
  }
}

/** Whether the path is the folder itself or a path inside it. Doesn't resolve links. */
export function isWithin(folder: string, path: string): boolean {
  const relativePath = relative(folder, path);
  return (
    relativePath === '' ||
    (!relativePath.startsWith('..') && !isAbsolute(relativePath)) ||
    /^\.\.[^/\\]/.test(relativePath)
  );
}

/** Thrown if a symbolic link leads out of the folders to which the server can write. */
export class OutsideFolders extends Error {
  override name = 'OutsideFolders';
}

/** Checks a path before a file is written to this path. @throws {OutsideFolders} */
export function requireWithin(folders: readonly string[], path: string): void {
  const real = realPathOf(path);
  if (!folders.some((folder) => isWithin(realPathOf(folder), real)))
    throw new OutsideFolders(`${path} leads to ${real}, which is outside the project folder.`);
}
