/**
 * The names of log files. `plinth.log` is the current file. Full files are named after the time at which they were
 * renamed, which is when their last line was written.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export const currentName = 'plinth.log';
const fullName = /^plinth-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z)\.log(\.zst)?$/;
/** The names of full files before version 0.2.0 was complete. */
const formerName = /^plinth\.log\.[1-8]$/;

export interface FullFile {
  readonly path: string;
  /** When the last line was written, in milliseconds since the epoch. */
  readonly endedAt: number;
  readonly isCompressed: boolean;
}

export const currentPath = (dir: string): string => join(dir, currentName);

/** @example fullPath('/logs', 0) // '/logs/plinth-1970-01-01T00-00-00-000Z.log' */
export const fullPath = (dir: string, endedAt: number): string =>
  join(dir, `plinth-${new Date(endedAt).toISOString().replaceAll(/[:.]/g, '-')}.log`);

export const compressedPath = (path: string): string => `${path}.zst`;

/** Returns a name for a file that is full now. */
export function freePath(dir: string, now: number): string {
  for (let at = now; ; at++) {
    const path = fullPath(dir, at);
    if (!existsSync(path) && !existsSync(compressedPath(path))) return path;
  }
}

/** Returns the full files, oldest first. A file can exist in both forms until its original is deleted. */
export function fullFiles(dir: string): FullFile[] {
  return namesIn(dir)
    .flatMap((name) => {
      const [, time, suffix] = fullName.exec(name) ?? [];
      if (time === undefined) return [];
      const [date, clock = ''] = time.split('T');
      const [hours, minutes, seconds, millis] = clock.split('-');
      const endedAt = Date.parse(`${date}T${hours}:${minutes}:${seconds}.${millis}`);
      if (Number.isNaN(endedAt)) return [];
      return { path: join(dir, name), endedAt, isCompressed: suffix !== undefined };
    })
    .sort((one, other) => one.endedAt - other.endedAt);
}

/** Returns the paths of files with names of earlier versions. */
export const formerFiles = (dir: string): string[] =>
  namesIn(dir)
    .filter((name) => formerName.test(name))
    .map((name) => join(dir, name));

/** Returns the paths of files that weren't finished before a crash. */
export const unfinishedFiles = (dir: string): string[] =>
  namesIn(dir)
    .filter((name) => name.endsWith('.zst.tmp'))
    .map((name) => join(dir, name));

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
