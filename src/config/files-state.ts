/** Detects whether the files that the configuration is read from have changed. */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';

/** The contents of the files at one point in time. */
export interface FilesState {
  /** A hash that is equal for equal contents. */
  readonly hash: string;
  /** The time of the newest change, in milliseconds since the epoch. 0 if no file exists. */
  readonly changedAtMs: number;
}

/** Reads the files. Files that don't exist or can't be read are also part of the state. */
export function readFilesState(paths: readonly string[]): FilesState {
  const hash = createHash('sha256');
  let changedAtMs = 0;
  for (const path of paths) {
    hash.update(`\0${path}\0`);
    try {
      changedAtMs = Math.max(changedAtMs, statSync(path).mtimeMs);
      hash.update(readFileSync(path));
    } catch (error) {
      hash.update(`\0${(error as NodeJS.ErrnoException).code}`);
    }
  }
  return { hash: hash.digest('base64'), changedAtMs };
}
