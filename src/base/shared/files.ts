/** Reads files and folders, and the version of the installed files. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Reads a text file that a person has written. Editors and shells on Windows can save UTF-16, which is recognized by
 * its byte order mark. The mark is part of the returned text.
 */
export function readTextFile(path: string): string {
  const content = readFileSync(path);
  return content.toString(content[0] === 0xff && content[1] === 0xfe ? 'utf16le' : 'utf8');
}

/**
 * Returns the paths of all regular files in a folder and its subfolders, sorted. Symbolic links aren't followed. A
 * recursive `readdir` would follow symbolic links, and repeat files if a link leads back to a parent folder.
 */
export function filesBelow(folder: string): string[] {
  const files: string[] = [];
  const folders = [folder];
  for (let current = folders.pop(); current !== undefined; current = folders.pop())
    for (const entry of readdirSync(current, { withFileTypes: true })) {
      const path = join(current, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile()) files.push(path);
    }
  return files.sort();
}

/**
 * Reads the version of the installed files. After an update, this version differs from the version of a process that is
 * still running.
 */
export function installedVersion(): string {
  const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
