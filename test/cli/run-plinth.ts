/** Runs the command line as users do, in a separate process and with the bundle that `npm start` uses. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** The command line's file. */
export const bin = fileURLToPath(new URL('../../bin/plinth-built.mjs', import.meta.url));

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

/** Runs a command until the process exits, and returns its output. */
export const plinth = (args: readonly string[], options: Options): Promise<Result> =>
  resultOf(spawnPlinth(args, options));

/** Runs a command in a hook. Unlike a process that a test starts, this process isn't stopped automatically. */
export const plinthInHook = (args: readonly string[], options: Options): Promise<Result> =>
  resultOf(spawnInHook(args, options));

function resultOf(child: ChildProcess): Promise<Result> {
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
    // The function waits for `close` rather than `exit`, to prove that a detached server doesn't keep this process's
    // pipes open.
    child.on('close', (status) => resolve({ status, stdout, stderr }));
  });
}

/** Starts a process that keeps running until the test ends. */
export function spawnPlinth(args: readonly string[], options: Options): ChildProcess {
  const child = spawnInHook(args, options);
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

function spawnInHook(args: readonly string[], { cwd, env = {}, stdin = '' }: Options): ChildProcess {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd,
    env: { ...withoutSettings(), XDG_STATE_HOME: stateHome, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin?.end(stdin);
  return child;
}

/** Test servers must not be in the user's list of running projects, because "stop --all" would stop them. */
const stateHome = mkdtempSync(join(tmpdir(), 'plinth-test-state-'));
process.on('exit', () => rmSync(stateHome, { recursive: true, force: true }));

/** Returns the environment without variables that would override the project's settings. */
function withoutSettings(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(([name]) => !/^(SUPABASE|PLINTH)_/.test(name));
  return Object.fromEntries(entries);
}
