/** One process a data folder: the file `lock` says who, and a dead holder's lock is nobody's. */
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseError } from '../errors.ts';
import { isAlive, startMark } from './processes.ts';

export interface LockInfo {
  readonly pid: number;
  /** ISO time. */
  readonly startedAt: string;
  /** PostgreSQL's TCP port; null without one, 0 while it is not yet known. */
  readonly port: number | null;
  /** Tells a process from a later one with the same id. */
  readonly mark?: string;
}

export interface Lock {
  /** Writes the port once it is known. */
  update(port: number | null): void;
  release(): void;
}

/**
 * Takes the lock of `dataDir` or throws `locked`, which says who holds it.
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
  // Written beside and linked into place, so nobody ever reads half a lock.
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

/** The lock file's content, whoever wrote it; undefined without one. */
export function readLock(dataDir: string): LockInfo | undefined {
  try {
    const info = JSON.parse(readFileSync(join(dataDir, 'lock'), 'utf8')) as LockInfo;
    return typeof info.pid === 'number' ? info : undefined;
  } catch {
    return undefined;
  }
}

/** True while the process that wrote the lock lives. */
export function isHeld(info: LockInfo): boolean {
  if (!isAlive(info.pid)) return false;
  const mark = startMark(info.pid);
  return info.mark === undefined || mark === undefined || mark === info.mark;
}

/** Moves the stale lock away; what was moved is looked at again, since a third process may have been quicker. */
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
    // Unreadable: not a lock of a living process.
  }
  rmSync(aside, { force: true });
}
