/** The command line as people run it: a process of its own, and the bundle that `npm start` runs. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const bin = fileURLToPath(new URL('../../bin/plinth-built.mjs', import.meta.url));

export interface Result {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Options {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

/** Runs to its end. */
export function plinth(args: readonly string[], options: Options): Promise<Result> {
  const child = spawnPlinth(args, options);
  return new Promise((resolve, reject) => {
    let stdout = '';
    let stderr = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
    });
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk;
    });
    child.on('error', reject);
    // Not `close`: a detached server keeps no pipe of ours, and the test shows it.
    child.on('close', (status) => resolve({ status, stdout, stderr }));
  });
}

/** Stays; ended with the test. */
export function spawnPlinth(args: readonly string[], { cwd, env = {}, stdin = '' }: Options): ChildProcess {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd,
    env: { ...withoutSettings(), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin?.end(stdin);
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

/** Variables of this machine that would be settings of the project. */
function withoutSettings(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(([name]) => !/^(SUPABASE|PLINTH)_/.test(name));
  return Object.fromEntries(entries);
}
