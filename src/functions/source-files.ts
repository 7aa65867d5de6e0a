/** When the source of a function changed last. */
import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Files looked at; beyond them a folder is more than one function's source. */
const mostFiles = 500;
const skipped = new Set(['node_modules', 'vendor']);

/** Milliseconds since the epoch: of the newest file in the entrypoint's folder and below. */
export function lastChangeOf(entrypoint: string): number {
  let newest = timeOf(entrypoint);
  let left = mostFiles;
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

/** 0 for what is gone by now. */
const timeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
