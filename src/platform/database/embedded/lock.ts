/**
 * Ensures that only one process at a time uses a data folder. The file `lock` identifies the process that uses the
 * folder. A lock whose process no longer exists is ignored.
 */
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseError } from '../errors.ts';
import { isAlive, startMark } from './processes.ts';

export interface LockInfo {
  readonly pid: number;
  /** The time at which the process acquired the lock, as an ISO 8601 timestamp. */
  readonly startedAt: string;
  /** PostgreSQL's TCP port. The value is null if TCP is disabled, and 0 while the port is unknown. */
  readonly port: number | null;
  /** Text that distinguishes the process from a later process with the same ID. */
  readonly mark?: string;
}

export interface Lock {
  /** Writes PostgreSQL's port to the lock file. */
  update(port: number | null): void;
  release(): void;
}

/**
 * Acquires the lock for `dataDir`. If another process holds the lock, throws `locked`, and the error describes that
 * process.
 *
 * @example
 * const lock = acquireLock('/project/.plinth', 54322);
 */
export function acquireLock(dataDir: string, port: number | null): Lock {
  const path = join(dataDir, 'lock');
  const own: LockInfo = {
    pid: process.pid,
    startedAt: new Date().toISOString(),
    port,
    mark: startMark(process.pid),
  };
  // Writes the lock under a temporary name and then links it, so that an incomplete lock can't be read.
  const draft = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  try {
    writeFileSync(draft, `${JSON.stringify(own)}\n`, { mode: 0o600 });
    for (let attempt = 0; ; attempt++) {
      try {
        linkSync(draft, path);
        break;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
        const holder = readLock(dataDir);
        if (holder !== undefined && (isHeld(holder) || attempt > 5)) {
          throw new DatabaseError('locked', {
            dir: dataDir,
            pid: holder.pid,
            startedAt: holder.startedAt,
            port: holder.port ?? undefined,
          });
        }
        removeStale(path, holder);
      }
    }
  } finally {
    rmSync(draft, { force: true });
  }
  return {
    update(newPort) {
      const next = `${path}.${process.pid}`;
      writeFileSync(next, `${JSON.stringify({ ...own, port: newPort })}\n`, { mode: 0o600 });
      renameSync(next, path);
    },
    release() {
      if (readLock(dataDir)?.pid === process.pid) rmSync(path, { force: true });
    },
  };
}

/** Returns the content of the lock file, or undefined if the file doesn't exist or is invalid. */
export function readLock(dataDir: string): LockInfo | undefined {
  try {
    const info = JSON.parse(readFileSync(join(dataDir, 'lock'), 'utf8')) as LockInfo;
    return typeof info.pid === 'number' ? info : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the process that wrote the lock is still running. */
export function isHeld(info: LockInfo): boolean {
  if (!isAlive(info.pid)) return false;
  const mark = startMark(info.pid);
  return info.mark === undefined || mark === undefined || mark === info.mark;
}

/**
 * Removes a stale lock. First renames the lock file and checks its content again, because another process may have
 * replaced the file.
 */
function removeStale(path: string, seen: LockInfo | undefined): void {
  const aside = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  try {
    const moved = JSON.parse(readFileSync(aside, 'utf8')) as LockInfo;
    if (moved.pid !== seen?.pid || moved.mark !== seen?.mark) linkSync(aside, path);
  } catch {
    // An unreadable lock file can't belong to a running process.
  }
  rmSync(aside, { force: true });
}
