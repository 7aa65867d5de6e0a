import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The maximum number of files that are checked. A folder with more files isn't the source code of a single function.
 */
const maxFiles = 500;
const skipped = new Set(['node_modules', 'vendor']);

/**
 * Returns the modification time of the newest file in the entrypoint's folder or below it, in milliseconds since the
 * epoch.
 */
export function lastChangeOf(entrypoint: string): number {
  let newest = timeOf(entrypoint);
  let left = maxFiles;
  const folders = [dirname(entrypoint)];
  for (let folder = folders.pop(); folder !== undefined && left > 0; folder = folders.pop()) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      left -= 1;
      if (left < 0) break;
      if (entry.name.startsWith('.') || skipped.has(entry.name)) continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else newest = Math.max(newest, timeOf(path));
    }
  }
  return newest;
}

/** Returns the modification time of a file, or 0 if it doesn't exist. */
const timeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
