/**
 * Determines how many files and sockets this process can open. Node raises its soft limit to the hard limit at startup.
 */
import { readFileSync } from 'node:fs';

/** The number of files that are reserved for database connections, logs, functions and the process's own data. */
const ownFiles = 200;
/**
 * The average number of file descriptors per connection. A connection needs a second descriptor while it transfers a
 * stored file or is connected to a function.
 */
const filesPerConnection = 1.25;
/**
 * The minimum share of the open-file limit that is available to connections, even if too few files can then be
 * reserved.
 */
const smallestShare = 0.5;

/** Returns the soft limit from the text of `/proc/self/limits`. Returns undefined if the number is unlimited. */
export function parseOpenFiles(text: string): number | undefined {
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(text)?.[1];
  return soft === undefined || soft === 'unlimited' ? undefined : Number(soft);
}

/**
 * Returns the limit of this process. Returns undefined if the number of open files isn't limited or the limit is
 * unknown.
 */
export function openFileLimit(): number | undefined {
  try {
    return parseOpenFiles(readFileSync('/proc/self/limits', 'latin1'));
  } catch {
    return undefined;
  }
}

/** Returns how many connections are possible with this limit on open files. */
export function connectionsForFiles(limit: number | undefined): number {
  if (limit === undefined) return Number.POSITIVE_INFINITY;
  const left = Math.max(limit - ownFiles, limit * smallestShare);
  return Math.max(1, Math.floor(left / filesPerConnection));
}
