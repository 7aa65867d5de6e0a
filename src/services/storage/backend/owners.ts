/**
 * Identifies the process that owns an intent, and checks whether this process is still running. Several processes can
 * use one folder, and a process must not settle another process's active intents. Processes on this machine are checked
 * by their PID. A process on another machine or in another container counts as running while it keeps renewing its
 * mark, which is a file in the folder.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isFullDisk, isMissing, removeIfThere } from './file-system.ts';

export interface Owners {
  /**
   * A text that identifies this process and its current use of the folder. The text consists of letters, digits and
   * `-`.
   */
  readonly own: string;
  isDead(owner: string): Promise<boolean>;
  /** Renews this process's mark. Must be called at intervals shorter than {@link markLifetimeMs}. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

const markLifetimeMs = 10 * 60 * 1000;

/** The folders that this process currently uses. */
const open = new Set<string>();

export function createOwners(directory: string): Owners {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const machine = machineName();
  const own = `${machine}-${process.pid}-${startOf(process.pid) ?? 0}-${randomUUID().slice(0, 8)}`;
  open.add(own);

  async function isDead(owner: string): Promise<boolean> {
    if (open.has(owner)) return false;
    const [itsMachine, pid, start] = owner.split('-');
    if (itsMachine === machine) {
      // This process created the intent but has since closed the folder.
      if (Number(pid) === process.pid && start === String(startOf(process.pid) ?? 0)) return true;
      return !runs(Number(pid), start ?? '');
    }
    const renewedAt = await markedAt(join(directory, owner));
    return renewedAt === undefined || Date.now() - renewedAt > markLifetimeMs;
  }

  return {
    own,
    isDead,
    async renew() {
      const path = join(directory, own);
      const now = new Date();
      await utimes(path, now, now).catch(async (error: unknown) => {
        if (!isMissing(error)) throw error;
        await writeFile(path, '', { mode: 0o600 }).catch((full: unknown) => {
          // A full disk must not prevent intents from being settled. The error can be ignored because the mark is only
          // read by other machines.
          if (!isFullDisk(full)) throw full;
        });
      });
      for (const name of await readdir(directory))
        if (name !== own && (await isDead(name))) await removeIfThere(join(directory, name));
    },
    async close() {
      open.delete(own);
      await removeIfThere(join(directory, own));
    },
  };
}

/**
 * Returns a name that is the same for all processes that can check each other's PIDs. Processes in different containers
 * have different names, even on the same machine.
 */
function machineName(): string {
  const namespace = attempt(() => readlinkSync('/proc/self/ns/pid')) ?? '';
  const boot = attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')) ?? '';
  return createHash('sha256').update(`${hostname()} ${namespace} ${boot}`).digest('hex').slice(0, 16);
}

/**
 * Returns when a process started, in ticks since boot. The start time is needed because PIDs are reused. Returns
 * undefined if the system doesn't provide the start time.
 */
function startOf(pid: number): string | undefined {
  const line = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The process name in parentheses can contain spaces, so fields are counted from the closing parenthesis. Field 22 is
  // the start time (proc_pid_stat(5)).
  return line?.slice(line.lastIndexOf(')') + 2).split(' ')[19];
}

function runs(pid: number, start: string): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const startedAt = startOf(pid);
  return startedAt === undefined || startedAt === start;
}

async function markedAt(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
