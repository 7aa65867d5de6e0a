/** Creates folders, servers and processes for the database tests. All of them are removed after the test. */
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { processesIn } from '../../src/platform/database/embedded/lock.ts';

/** Creates a temporary folder that other users can reach. `remove` deletes it. */
export function temporaryFolder(): { path: string; remove: () => void } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'plinth-db-')));
  chmodSync(path, 0o755);
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/**
 * Simulates an outage. Kills all processes whose working directory is in `folder` or whose command line contains
 * `folder`.
 */
export function killEverything(folder: string): void {
  const listed = execFileSync('ps', ['-axo', 'pid=,command='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(folder))
    .map((line) => Number.parseInt(line, 10));
  for (const pid of [...listed, ...processesIn(join(folder, 'postgres'))]) {
    if (pid === process.pid || !(pid > 0)) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has already exited.
    }
  }
}

export interface Writer {
  /** Resolves with the first line that has this prefix, or with undefined if the process ends first. */
  line(prefix: string): Promise<string | undefined>;
  /** Returns the highest row number that the database has acknowledged to the process. */
  readonly acknowledged: () => number;
  readonly ended: Promise<void>;
  readonly pid: number;
}

/** Runs `fixtures/writer.ts` on a data folder. */
export function startWriter(dataDir: string): Writer {
  const script = fileURLToPath(new URL('./fixtures/writer.ts', import.meta.url));
  const child = spawn(process.execPath, [script, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  const seen: string[] = [];
  let highest = 0;
  let wake = Promise.withResolvers<void>();
  let over = false;
  const tell = () => {
    wake.resolve();
    wake = Promise.withResolvers<void>();
  };
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.startsWith('acknowledged ')) highest = Number(line.slice(13));
    else seen.push(line);
    tell();
  });
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => {
      over = true;
      tell();
      resolve();
    });
  });
  return {
    async line(prefix) {
      for (;;) {
        const found = seen.find((line) => line.startsWith(prefix));
        if (found !== undefined || over) return found;
        await wake.promise;
      }
    },
    acknowledged: () => highest,
    ended,
    pid: child.pid as number,
  };
}
