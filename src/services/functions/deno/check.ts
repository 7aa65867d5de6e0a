/**
 * Checks the types of functions in the background, because Deno runs TypeScript without checking types. A check takes
 * about a second of CPU time, so only one check runs at a time, with low priority. Each check uses the latest version
 * of the files, and the function that was saved last is checked first.
 */
import { type ChildProcess, execFile } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { FunctionSource } from '../catalog.ts';
import { importArguments, importEnvironment } from './arguments.ts';

/** The declarations of the globals that the adapter adds. */
const globals = fileURLToPath(new URL('./globals.d.ts', import.meta.url));
const timeoutMs = 60_000;
/** The delay before a check starts, so that the check doesn't slow down the start of the function. */
const delayMs = 500;
const maxOutputBytes = 4 * 1024 * 1024;

interface TypeChecker {
  check(source: FunctionSource): void;
  stop(): void;
}

export function createTypeChecker(options: {
  readonly deno: string;
  readonly cacheDir: string;
  readonly denyNet: () => readonly string[];
  readonly environment: (source: FunctionSource) => Readonly<Record<string, string>>;
  readonly onError: (slug: string, line: string) => void;
}): TypeChecker {
  const queue = new Map<string, FunctionSource>();
  let running: ChildProcess | undefined;
  let isStopped = false;
  let delay: NodeJS.Timeout | undefined;

  function next(): void {
    const source = [...queue.values()].at(-1);
    if (source === undefined || running !== undefined || isStopped) return;
    queue.delete(source.slug);
    const args = [
      'check',
      '--quiet',
      ...importArguments(source, options.denyNet()),
      globals,
      source.entrypoint,
    ];
    const env = { ...options.environment(source), ...importEnvironment(source, options.cacheDir) };
    const limits = { timeout: timeoutMs, maxBuffer: maxOutputBytes };
    running = execFile(options.deno, args, { env, ...limits }, (error, _stdout, stderr) => {
      running = undefined;
      // If a file of the function changed during the check, another check is already queued, so the errors of this
      // check are outdated.
      if (error !== null && !isStopped && !queue.has(source.slug))
        for (const line of typeErrors(stderr)) options.onError(source.slug, line);
      next();
    });
    try {
      if (running.pid !== undefined) setPriority(running.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    } catch {
      // The priority can't be set because the process has already exited.
    }
  }

  return {
    check(source) {
      queue.delete(source.slug);
      queue.set(source.slug, source);
      clearTimeout(delay);
      delay = setTimeout(next, delayMs);
    },
    stop() {
      isStopped = true;
      clearTimeout(delay);
      running?.kill('SIGKILL');
    },
  };
}

const maxErrors = 20;
const begin = /^(TS\d+) \[ERROR\]: (.*)$/;
const locationPattern = /^\s+at (file:\/\/\/\S+:\d+:\d+)$/;

/**
 * Converts the output of `deno check` to one line per error, which contains the error's location and message. The number
 * of errors is limited, because later errors are usually consequences of earlier errors.
 * @example
 * typeErrors("TS2322 [ERROR]: Type 'string' is not …\n    at file:///app/index.ts:1:7"); // ['/app/index.ts:1:7 TS2322: Type …']
 */
export function typeErrors(stderr: string): string[] {
  const found: string[] = [];
  let message: string | undefined;
  for (const line of stderr.split('\n')) {
    const [, code, text] = begin.exec(line) ?? [];
    if (code !== undefined) message = `${code}: ${text}`;
    const at = locationPattern.exec(line)?.[1];
    if (at === undefined || message === undefined) continue;
    found.push(`${decodeURI(at.slice('file://'.length))} ${message}`);
    message = undefined;
    if (found.length === maxErrors) break;
  }
  return found;
}
