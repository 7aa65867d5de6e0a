/**
 * Ensures that only one process at a time uses a data folder. The file `lock` identifies the process that uses the
 * folder. A lock whose process no longer exists is ignored, so this module also determines whether other processes are
 * running, when they started, and in which working directories.
 */
import { execFileSync } from 'node:child_process';
import {
  linkSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseError } from '../errors.ts';

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

const linux = process.platform === 'linux';

/** Whether the process is running. A zombie doesn't count as running, although signals can still be sent to it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  if (!linux) return true;
  const stat = readStat(pid);
  return stat !== undefined && stat.state !== 'Z' && stat.state !== 'X';
}

/**
 * Returns text that distinguishes the process from earlier and later processes with the same ID. The text contains the
 * process's start time and, on Linux, the boot ID. Returns undefined if the system doesn't provide this information.
 */
export function startMark(pid: number): string | undefined {
  if (linux) {
    const stat = readStat(pid);
    if (stat === undefined) return undefined;
    return `${readText('/proc/sys/kernel/random/boot_id')?.trim() ?? ''}:${stat.startTicks}`;
  }
  if (process.platform === 'win32') return undefined;
  try {
    return (
      execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' }).trim() ||
      undefined
    );
  } catch {
    return undefined;
  }
}

/**
 * Returns the PostgreSQL processes whose working directory is `dir`, including the postmaster and all its child
 * processes. Returns an empty list on platforms other than Linux, where only PostgreSQL's shared memory check prevents
 * two servers from using the same folder.
 */
export function processesIn(dir: string): number[] {
  if (!linux) return [];
  const found: number[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    try {
      if (readlinkSync(`/proc/${pid}/cwd`) !== dir || !isAlive(pid)) continue;
      if (readText(`/proc/${pid}/comm`)?.startsWith('postgres')) found.push(pid);
    } catch {
      // The process has exited or belongs to another user, so it is skipped.
    }
  }
  return found;
}

/**
 * Returns whether `pid` is the postmaster of the data folder `dir`. On Windows, returns true for every running process,
 * because the working directory can't be determined.
 */
export function isPostmasterOf(pid: number, dir: string): boolean {
  if (!isAlive(pid)) return false;
  if (linux) {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === dir;
    } catch (error) {
      // Other users' processes can't be inspected. Another user's process can be Plinth's server only if Plinth started
      // the server as that user.
      return (
        (error as NodeJS.ErrnoException).code === 'EACCES' &&
        /postgres/.test(readText(`/proc/${pid}/comm`) ?? '')
      );
    }
  }
  if (process.platform === 'win32') return true;
  try {
    const command = execFileSync('ps', ['-o', 'command=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
    return command.includes(dir);
  } catch {
    return false;
  }
}

function readStat(pid: number): { state: string; startTicks: string } | undefined {
  const text = readText(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // In /proc/PID/stat, the second field is the program name in parentheses, which may contain spaces, so fields are
  // counted from the closing parenthesis. According to proc(5), `state` is field 3 and `starttime` is field 22.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', startTicks: fields[19] ?? '' };
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
