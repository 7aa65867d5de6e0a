/**
 * Terminates PostgreSQL processes that continue to run after Plinth has been killed. The caller holds the lock of the
 * data folder, so any PostgreSQL process that uses the folder is orphaned. While such processes exist after a kill -9,
 * PostgreSQL doesn't start, because a zombie process still responds to signals and remaining child processes still use
 * the shared memory.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError } from '../errors.ts';
import { isAlive, isPostmasterOf, processesIn } from './lock.ts';

/** The prefix in the name of a data folder until initdb has finished. */
export const unfinishedPrefix = 'initializing-';

export async function clearLeftovers(pgdata: string): Promise<void> {
  const pidFile = join(pgdata, 'postmaster.pid');
  const pid = readPid(pidFile);
  if (pid !== undefined && isPostmasterOf(pid, pgdata)) {
    // Stops a server that continues to run although its parent process has died. First, a fast shutdown is tried, then
    // an immediate shutdown, and finally SIGKILL.
    const ended =
      (await endWith(pid, 'SIGINT', 10_000)) ||
      (await endWith(pid, 'SIGQUIT', 5_000)) ||
      (await endWith(pid, 'SIGKILL', 2_000));
    if (!ended) throw new DatabaseError('still_running', { pid, dir: pgdata });
  }
  for (const child of processesIn(pgdata)) {
    const ended =
      (await waitForEnd(child, 1_000)) ||
      (await endWith(child, 'SIGQUIT', 3_000)) ||
      (await endWith(child, 'SIGKILL', 2_000));
    if (!ended) throw new DatabaseError('still_running', { pid: child, dir: pgdata });
  }
  rmSync(pidFile, { force: true });
}

/** Removes data folders that remain from an interrupted initdb. */
export function removeUnfinished(pgdata: string): void {
  const parent = dirname(pgdata);
  for (const name of readdirSync(parent)) {
    if (name.startsWith(unfinishedPrefix)) {
      rmSync(join(parent, name), { recursive: true, force: true, maxRetries: 5 });
    }
  }
}

async function endWith(pid: number, signal: NodeJS.Signals, timeoutMs: number): Promise<boolean> {
  try {
    process.kill(pid, signal);
  } catch {
    return !isAlive(pid);
  }
  return waitForEnd(pid, timeoutMs);
}

async function waitForEnd(pid: number, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (isAlive(pid)) {
    if (performance.now() > deadline) return false;
    await sleep(5);
  }
  return true;
}

function readPid(file: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}
