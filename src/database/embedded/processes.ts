/** What can be known about other processes: alive or not, since when, working where. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const linux = process.platform === 'linux';

/** True for a process that exists and is not a zombie. A zombie still answers signals, but does nothing any more. */
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

/** A text that differs for another process with the same id (start time and boot); undefined when not known. */
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
 * PostgreSQL processes that work inside `dir`: the postmaster and all its children stand in their data folder.
 * Empty where the platform does not tell (then PostgreSQL's own shared memory check decides).
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
      // Ended meanwhile, or not ours to look at.
    }
  }
  return found;
}

/** True when `pid` is the postmaster of the data folder `dir`. Unsure means true: nobody is harmed by asking twice. */
export function isPostmasterOf(pid: number, dir: string): boolean {
  if (!isAlive(pid)) return false;
  if (linux) {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === dir;
    } catch (error) {
      // Another user's process cannot be looked at: then it is not the server we started, except from another account.
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
  // The second field is the name in parentheses and may hold spaces; proc(5) numbers state 3 and starttime 22.
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
