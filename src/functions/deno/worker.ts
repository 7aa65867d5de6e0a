/**
 * One Deno process that serves one function behind a unix socket: start, readiness, pending requests, limits, end.
 *
 * The operating system gives what isolates inside one process could not: a kill that always works, memory and
 * environment of its own, a crash that harms nobody else. Why processes: docs/decisions/0002-functions.md.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../kernel/clock.ts';
import type { FunctionSource } from '../catalog.ts';
import { exceeded, type Limits } from '../core/limits.ts';
import { errors, FunctionError } from '../errors.ts';
import { createLineReader } from './lines.ts';
import { readUsage } from './process-usage.ts';

export interface WorkerOptions {
  readonly deno: string;
  readonly source: FunctionSource;
  readonly env: Readonly<Record<string, string>>;
  /** A folder of this worker's own (mode 0700, short path); removed when it ends. */
  readonly runDir: string;
  readonly cacheDir: string;
  /** Besides the function's own static files. */
  readonly readable: readonly string[];
  /** Among them, what it may not read after all. */
  readonly unreadable: readonly string[];
  readonly limits: Limits;
  readonly clock: Clock;
  readonly onLine: (stream: 'stdout' | 'stderr', line: string) => void;
  /** Called once, when the process is gone. */
  readonly onExit: (worker: Worker) => void;
}

/** Why a worker ended, as far as its pending requests are concerned. */
export type Ending = 'limit' | 'crash' | 'retired';

export interface Worker {
  readonly socketPath: string;
  readonly slug: string;
  /** Resolves when it listens. @throws {FunctionError} boot, when it ends before. */
  readonly ready: Promise<void>;
  /** Requests under way. */
  readonly pending: number;
  /** Milliseconds since the epoch at which the last request ended (or the start). */
  readonly idleSince: number;
  /** Takes no new requests any more. */
  readonly retired: boolean;
  readonly ended: Ending | undefined;
  /** The request that is, or was last, the only one since the worker was idle; undefined while several share it. */
  readonly onlyRequest: string | undefined;
  /** Counts a request; the function returned ends it. */
  begin(requestId: string): () => void;
  /** No new requests; ends when nothing is pending and `waitUntil` is done. */
  retire(): void;
  /** Called by the supervisor's timer: kills the process when it is past a limit. Returns what was exceeded. */
  checkLimits(): string | undefined;
  kill(ending: Ending): void;
  readonly exited: Promise<void>;
}

const adapter = fileURLToPath(new URL('./adapter.js', import.meta.url));
const heapMegabytes = 256;
/** `ulimit -d` in KiB: makes allocations outside the heap throw before the memory limit has to kill. Below ~550 MiB Deno does not start. */
const dataSegmentKiB = 786_432;
/** `ulimit -t`: what ends a worker that spins when we are no longer there to end it. Far above any limit of ours. */
const lifetimeCpuSeconds = 1800;
const bootTimeoutMs = 60_000;
const socketPollMs = 4;

export function startWorker(options: WorkerOptions): Worker {
  const { source, limits, clock, runDir } = options;
  const socketPath = join(runDir, 's');
  const temp = join(runDir, 'tmp');
  mkdirSync(temp, { recursive: true, mode: 0o700 });
  const startedAt = clock.now();
  const child = launch(options, socketPath, temp);
  let pending = 0;
  let cpuBase = 0;
  let ended: Ending | undefined;
  let retired = false;
  let idleSince = startedAt;
  let onlyRequest: string | undefined;

  createLineReader(child.stdout, (line) => options.onLine('stdout', line));
  createLineReader(child.stderr, (line) => {
    // Deno announces its socket; that is the platform's business, not the function's log.
    if (!line.endsWith(`Listening on ${socketPath}`)) options.onLine('stderr', line);
  });
  const exited = new Promise<void>((resolve) => {
    const gone = (): void => {
      ended ??= retired ? 'retired' : 'crash';
      rmSync(runDir, { recursive: true, force: true });
      resolve();
    };
    child.once('exit', gone);
    child.once('error', gone);
  });

  const worker: Worker = {
    slug: source.slug,
    socketPath,
    ready: waitForSocket(child, socketPath),
    exited,
    get pending() {
      return pending;
    },
    get idleSince() {
      return idleSince;
    },
    get retired() {
      return retired || ended !== undefined;
    },
    get ended() {
      return ended;
    },
    get onlyRequest() {
      return onlyRequest;
    },
    begin(requestId) {
      onlyRequest = pending === 0 ? requestId : undefined;
      if (pending === 0) cpuBase = (child.pid && readUsage(child.pid)?.cpuMs) || 0;
      pending += 1;
      let open = true;
      return () => {
        if (!open) return;
        open = false;
        pending -= 1;
        idleSince = clock.now();
        if (pending === 0 && retired) child.kill('SIGTERM');
      };
    },
    retire() {
      if (retired) return;
      retired = true;
      if (pending === 0) child.kill('SIGTERM');
    },
    checkLimits() {
      if (child.pid === undefined || ended !== undefined) return undefined;
      const ageMs = clock.now() - startedAt;
      const usage = pending > 0 ? readUsage(child.pid) : undefined;
      const reason = exceeded(
        { cpuMs: usage ? usage.cpuMs - cpuBase : 0, memoryBytes: usage?.memoryBytes ?? 0, ageMs },
        limits,
      );
      if (reason !== undefined) worker.kill('limit');
      else if (ageMs > limits.wallClockMs / 2) worker.retire();
      return reason;
    },
    kill(ending) {
      ended ??= ending;
      child.kill('SIGKILL');
    },
  };
  // Nobody may be waiting for it when a boot fails while the server stops.
  worker.ready.catch(() => undefined);
  void exited.then(() => options.onExit(worker));
  return worker;
}

function launch(
  options: WorkerOptions,
  socketPath: string,
  temp: string,
): ChildProcess & { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream } {
  const { deno, source, cacheDir } = options;
  const readable = pathList([
    adapter,
    ...options.readable,
    ...source.staticFiles.map(globRoot),
    cacheDir,
    options.runDir,
  ]);
  const args = [
    'run',
    '--no-prompt',
    '--no-lock',
    ...source.importFlags,
    `--preload=${adapter}`,
    `--v8-flags=--max-old-space-size=${heapMegabytes}`,
    '--allow-net',
    '--allow-env',
    '--allow-import',
    `--allow-read=${readable}`,
    ...(options.unreadable.length > 0 ? [`--deny-read=${pathList(options.unreadable)}`] : []),
    `--allow-write=${pathList([socketPath, temp])}`,
    '--allow-sys=hostname',
    source.entrypoint,
  ];
  const env = {
    ...options.env,
    DENO_DIR: cacheDir,
    DENO_SERVE_ADDRESS: `unix:${socketPath}`,
    DENO_AUTO_SERVE: '1',
    DENO_NO_UPDATE_CHECK: '1',
    NO_COLOR: '1',
    TMPDIR: temp,
    ...(source.packageJson ? {} : { DENO_NO_PACKAGE_JSON: '1' }),
  };
  // Standard input stays open as long as we live: the adapter ends the worker with us, even when we are killed.
  const spawnOptions = { cwd: temp, env, stdio: ['pipe', 'pipe', 'pipe'] as ['pipe', 'pipe', 'pipe'] };
  if (process.platform !== 'linux') return spawn(deno, args, spawnOptions);
  // The shell only sets the limit and becomes Deno, so the pid stays the same.
  return spawn(
    '/bin/sh',
    ['-c', `ulimit -d ${dataSegmentKiB}; ulimit -t ${lifetimeCpuSeconds}; exec "$0" "$@"`, deno, ...args],
    spawnOptions,
  );
}

/** Deno reads a doubled comma as one that belongs to the path. */
function pathList(paths: readonly string[]): string {
  return paths.map((path) => path.replaceAll(',', ',,')).join(',');
}

/** The folder of a glob that holds no wildcard: what Deno is allowed to read. */
function globRoot(glob: string): string {
  const wild = glob.search(/[*?[{]/);
  return wild === -1 ? glob : glob.slice(0, glob.lastIndexOf('/', wild) + 1);
}

function waitForSocket(child: ChildProcess, socketPath: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let settled = false;
    const settle = (error?: Error): void => {
      if (settled) return;
      settled = true;
      clearInterval(poll);
      clearTimeout(timeout);
      if (error) reject(error);
      else resolve();
    };
    const probe = (): void => {
      const socket = connect(socketPath);
      socket.once('connect', () => {
        socket.destroy();
        settle();
      });
      // The file is there a moment before somebody listens on it: the next tick of the poll tries again.
      socket.once('error', () => socket.destroy());
    };
    const poll = setInterval(() => {
      if (existsSync(socketPath)) probe();
    }, socketPollMs);
    const timeout = setTimeout(() => {
      child.kill('SIGKILL');
      settle(new FunctionError(errors.boot));
    }, bootTimeoutMs);
    child.once('exit', () => settle(new FunctionError(errors.boot)));
    child.once('error', (cause) => settle(new FunctionError(errors.boot, { cause })));
  });
}
