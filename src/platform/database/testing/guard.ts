/** Ensures that a test cluster stops when the process that started it exits for any reason. */
import { spawn } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { clearLeftovers } from '../embedded/leftovers.ts';
import { isHeld, readLock } from '../embedded/lock.ts';

/**
 * The guard's script: waits until the pipe closes, then stops the server and removes its folder. The pipe closes when
 * the test process exits, because no other process has it open.
 */
const script = `read -r line
kill -QUIT "$1" 2>/dev/null
tries=0
while kill -0 "$1" 2>/dev/null && [ $tries -lt 50 ]; do sleep 0.1; tries=$((tries + 1)); done
rm -rf -- "$2"`;

export function guardCluster(pid: number, folder: string): void {
  if (process.platform === 'win32') return;
  const guard = spawn('/bin/sh', ['-c', script, 'guard', String(pid), folder], {
    detached: true,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.unref();
  (guard.stdin as unknown as Socket).unref();
}

/** Removes the folders of ended test processes that had no guard, or whose guard was also killed. */
export async function sweepDeadClusters(root: string): Promise<void> {
  for (const name of readdirSync(root)) {
    const pid = Number(/^run-(\d+)-/.exec(name)?.[1]);
    if (!Number.isInteger(pid)) continue;
    const folder = join(root, name);
    const lock = readLock(folder) ?? { pid, startedAt: '', port: null };
    if (isHeld(lock)) continue;
    await clearLeftovers(join(folder, 'postgres'));
    rmSync(folder, { recursive: true, force: true });
  }
}
