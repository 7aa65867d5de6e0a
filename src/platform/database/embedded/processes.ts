/** Determines whether other processes are running, when they started, and in which working directories. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

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
