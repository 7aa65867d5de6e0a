/** Ensures that only one process at a time performs a task. Other processes wait until the task is done. */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const pollMs = 100;
/**
 * The age at which a claim is stale. The holder of a claim touches its file while it works, so the holder of a stale
 * claim was killed.
 */
const staleMs = 15_000;
const touchMs = 3000;

interface Waiting {
  /** Called once if another process holds the claim. */
  readonly onWait?: () => void;
  /** Ends the wait when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs `work` while this process holds the claim `file`. If another process holds the claim, waits until `isDone`
 * returns true or the claim is released. A suspended process loses its claim, so the result of `work` must be valid
 * even if two processes run `work` at the same time.
 */
export async function claim(
  file: string,
  isDone: () => boolean,
  work: () => Promise<void>,
  { onWait, signal }: Waiting = {},
): Promise<void> {
  mkdirSync(dirname(file), { recursive: true });
  for (let waited = false; !isDone(); waited = true) {
    if (take(file)) {
      const touching = setInterval(() => write(file, 'w'), touchMs).unref();
      try {
        if (!isDone()) await work();
      } finally {
        clearInterval(touching);
        rmSync(file, { force: true });
      }
      return;
    }
    if (!waited) onWait?.();
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
    signal?.throwIfAborted();
  }
}

function take(file: string): boolean {
  if (isStale(file)) rmSync(file, { force: true });
  return write(file, 'wx');
}

function write(file: string, flag: 'w' | 'wx'): boolean {
  try {
    writeFileSync(file, `${process.pid}\n`, { flag, mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function isStale(file: string): boolean {
  try {
    return Date.now() - statSync(file).mtimeMs > staleMs || !isAlive(Number(readFileSync(file, 'utf8')));
  } catch {
    return false;
  }
}

/**
 * Whether the holder is alive. A holder without a process ID counts as alive because it may not have written the ID
 * yet.
 */
function isAlive(pid: number): boolean {
  if (!(pid > 0)) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
