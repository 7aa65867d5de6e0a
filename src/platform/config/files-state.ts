/** Detects whether the files that contain the configuration have changed. */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';

/** A summary of the files' state at a point in time. */
export interface FilesState {
  /** A hash of the files' contents. */
  readonly hash: string;
  /** When any of the files last changed, in milliseconds since the epoch. 0 if none of the files exist. */
  readonly changedAtMs: number;
}

/** Reads the files. The hash also covers which files are missing or unreadable. */
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
