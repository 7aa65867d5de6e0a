/**
 * Whose an intent is, and whether that process still runs: several may work on one folder, and none may settle what
 * another is in the middle of. A process of this machine is asked for; one of another (or of another container) is
 * believed to live while it renews its mark.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readdir, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isFullDisk, isMissing } from './file-errors.ts';

export interface Owners {
  /** Names this process and this use of the folder. Of letters, digits and `-`. */
  readonly own: string;
  isDead(owner: string): Promise<boolean>;
  /** Says that this process lives; to be called more often than every {@link markLifetimeMs}. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

const markLifetimeMs = 10 * 60 * 1000;

/** Uses of folders by this very process. */
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
      // This process once more: whoever had the folder open has closed it.
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
          // Only another machine would look for it, and settling must go on.
          if (!isFullDisk(full)) throw full;
        });
      });
      for (const name of await readdir(directory))
        if (name !== own && (await isDead(name))) await removeMark(join(directory, name));
    },
    async close() {
      open.delete(own);
      await removeMark(join(directory, own));
    },
  };
}

/** Processes of one machine can ask for each other's ids; those of two containers cannot. */
function machineName(): string {
  const namespace = attempt(() => readlinkSync('/proc/self/ns/pid')) ?? '';
  const boot = attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')) ?? '';
  return createHash('sha256').update(`${hostname()} ${namespace} ${boot}`).digest('hex').slice(0, 16);
}

/** When a process began, in ticks since boot: its id may be another's later. Undefined where the system does not tell. */
function startOf(pid: number): string | undefined {
  const line = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The name in parentheses may hold spaces; field 22 is the start time (proc_pid_stat(5)).
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

async function removeMark(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
