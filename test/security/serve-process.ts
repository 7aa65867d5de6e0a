/**
 * Runs `plinth serve` as a separate process with a test's project folder, and returns the data about the process that
 * other users of the machine can read.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnPlinth } from '../cli/run-plinth.ts';
import { makeProject } from '../config/project-folder.ts';

export interface ServeProcess {
  readonly dataDir: string;
  readonly pid: number;
  readonly apiUrl: string;
  /** Returns everything that was printed so far on both streams. */
  printed(): string;
  stop(): Promise<void>;
}

/** The time limit for stopping a server, which is longer than the time that a server needs. */
const stopMs = 60_000;

/** Starts a server, which is stopped at the latest when the calling test ends. */
export async function startServe(
  files: Readonly<Record<string, string>>,
  args: readonly string[] = [],
  prepare: (projectDir: string) => void = () => undefined,
): Promise<ServeProcess> {
  const projectDir = makeProject({
    'supabase/config.toml': '[auth.email.smtp]\nenabled = false\n',
    ...files,
  });
  prepare(projectDir);
  const child = spawnPlinth(['serve', '--port', '0', ...args], { cwd: projectDir });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk;
    });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const addressOf = (): string | undefined => /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0];
  while (addressOf() === undefined && child.exitCode === null) await sleep(20);
  const apiUrl = addressOf();
  if (apiUrl === undefined) throw new Error(`plinth serve did not start: ${printed}`);
  return {
    dataDir: join(projectDir, '.plinth'),
    pid: child.pid ?? 0,
    apiUrl,
    printed: () => printed,
    async stop() {
      child.kill('SIGTERM');
      const isLate = await Promise.race([ended, sleep(stopMs, 'late', { ref: false })]);
      if (isLate === undefined) return;
      child.kill('SIGKILL');
      throw new Error(`plinth serve did not stop: ${printed}`);
    },
  };
}

export interface SeenProcess {
  readonly name: string;
  readonly args: string;
  readonly environment: string;
}

/** Returns the data in `/proc` about a process and its descendants. */
export function processTree(root: number): SeenProcess[] {
  const parents = new Map<number, number>();
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const status = read(`/proc/${entry}/stat`);
    // The name in parentheses can contain any characters.
    parents.set(Number(entry), Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[1]));
  }
  const isBelow = (pid: number | undefined): boolean =>
    pid !== undefined && pid > 1 && (pid === root || isBelow(parents.get(pid)));
  return [...parents.keys()].filter(isBelow).map((pid) => ({
    name: read(`/proc/${pid}/comm`).trim(),
    args: read(`/proc/${pid}/cmdline`),
    environment: read(`/proc/${pid}/environ`),
  }));
}

/** Returns a file's content, or an empty string if the process has exited. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
