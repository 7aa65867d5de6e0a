/**
 * A Deno process that serves one function behind a Unix socket: startup, readiness, pending requests, limits and exit.
 *
 * A process provides guarantees that an isolate in a shared process can't. A process can always be killed, its memory
 * and environment are separate, and a crash doesn't affect other functions. See docs/decisions/0002-functions.md.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../kernel/clock.ts';
import type { FunctionSource } from '../catalog.ts';
import {
  exceeded,
  isSpent,
  type LimitName,
  type Limits,
  nearlyExceeded,
  type Usage,
} from '../core/limits.ts';
import { type LogLevel, parseFrame } from '../core/log-frames.ts';
import { type InspectMode, runArguments, runEnvironment } from './arguments.ts';
import { createLineReader } from './lines.ts';
import { openUsage } from './process-usage.ts';
import { waitForSocket } from './ready.ts';

export interface WorkerOptions {
  readonly deno: string;
  readonly source: FunctionSource;
  readonly env: Readonly<Record<string, string>>;
  /** Variables in `env` that the function can't read. */
  readonly hiddenEnv: readonly string[];
  /** The worker's private folder (mode 0700, short path). It is removed when the worker exits. */
  readonly runDir: string;
  readonly cacheDir: string;
  /** Project files that the function can read. */
  readonly readable: readonly string[];
  /** Addresses, CIDR blocks and hosts that the function can't connect to. */
  readonly denyNet: readonly string[];
  readonly limits: Limits;
  /** Whether responses to uncaught errors include the stack trace. */
  readonly showsErrors: boolean;
  readonly inspect: { readonly mode: InspectMode; readonly port: number } | undefined;
  readonly clock: Clock;
  readonly onLine: (level: LogLevel, line: string, requestId: string | undefined) => void;
  /** Called once, when the process has exited. */
  readonly onExit: (worker: Worker) => void;
}

/** The reason why a worker ended, as reported to its pending requests. */
export type Ending = 'limit' | 'crash' | 'retired';

/**
 * The resource usage of one request. CPU and memory are those of the process during the request, or undefined if /proc
 * isn't available.
 */
export interface RequestUsage {
  readonly cpuMs: number | undefined;
  readonly memoryBytes: number | undefined;
}

export interface Worker {
  readonly socketPath: string;
  readonly slug: string;
  /**
   * Resolves when the worker listens.
   * @throws {FunctionError} boot, if the worker exits first
   */
  readonly ready: Promise<void>;
  /** Milliseconds from the start of the process to `ready`. Undefined until `ready` resolves. */
  readonly bootMs: number | undefined;
  /** The number of requests in progress. */
  readonly pending: number;
  /** When the last request ended, or the worker started if it has had no request, in milliseconds since the epoch. */
  readonly idleSince: number;
  /** Whether the worker no longer accepts requests. */
  readonly retired: boolean;
  readonly ended: Ending | undefined;
  /** Whether the system killed the process because of its memory use. */
  readonly outOfMemory: boolean;
  /** The last lines of standard error, in which Deno and V8 report fatal errors. */
  readonly lastErrors: readonly string[];
  /**
   * The current or last request, if the worker has had no other request since it was idle. Undefined while several
   * requests share the worker.
   */
  readonly onlyRequest: string | undefined;
  /** Counts a request. The returned function ends the request. */
  begin(requestId: string): () => RequestUsage;
  /**
   * Stops accepting requests. The worker exits when no request is pending and every `waitUntil` promise has settled.
   */
  retire(): void;
  /**
   * Called periodically by the supervisor. Kills the process if it exceeds a limit and returns a description of that
   * limit.
   */
  checkLimits(): string | undefined;
  /** Whether resource usage was high enough at the last check that new requests should be sent to a new worker. */
  readonly isSpent: boolean;
  /** Whether the worker was using CPU time at the last check although no request was pending. */
  readonly isBusy: boolean;
  kill(ending: Ending): void;
  readonly exited: Promise<void>;
}

/**
 * `ulimit -d` in KiB. Makes allocations outside the heap throw before the memory limit kills the process. Deno requires
 * at least 550 MiB to start.
 */
const dataSegmentKiB = 786_432;
/** `ulimit -t` in seconds. Ends a busy worker after Plinth itself has exited. Far above all other limits. */
const lifetimeCpuSeconds = 1800;
const keptErrors = 40;
/** The CPU time between two checks above which an idle worker counts as busy. */
const busyCpuMs = 30;
/** V8 ends a process that is out of memory with a trap or, in some builds, with abort. */
const outOfMemorySignals = new Set<NodeJS.Signals | null>(['SIGTRAP', 'SIGABRT', 'SIGILL']);
const orders: Readonly<Record<LimitName, string>> = { cpu: 'c', memory: 'm', wall_clock: 'w' };
const orderToLeave = 'e';

interface Pending {
  readonly requestId: string;
  /** The CPU time of the process when the request began. */
  readonly cpuMs: number;
  readonly threadMs: number | undefined;
}

export function startWorker(options: WorkerOptions): Worker {
  const { source, limits, clock, runDir } = options;
  const socketPath = join(runDir, 's');
  const temp = join(runDir, 'tmp');
  mkdirSync(temp, { recursive: true, mode: 0o700 });
  const startedAt = clock.now();
  const child = launch(options, socketPath, temp);
  const usage = openUsage(child.pid);
  const pending = new Map<symbol, Pending>();
  const lastErrors: string[] = [];
  const told = new Set<LimitName>();
  let ended: Ending | undefined;
  let outOfMemory = false;
  let retired = false;
  let idleSince = startedAt;
  let bootMs: number | undefined;
  /** The CPU time of the process when the last request ended. Any use after that isn't caused by that request. */
  let cpuAtLastEnd = 0;
  let cpuAtLastCheck = 0;
  let spent = false;
  let busy = false;
  let onlyRequest: string | undefined;

  createLineReader(child.stdout, (line) => {
    const { level, requestId, text } = parseFrame(line);
    options.onLine(level, text, requestId ?? onlyRequest);
  });
  createLineReader(child.stderr, (line) => {
    // Deno prints the address of its socket. This line isn't part of the function's log.
    if (line.endsWith(`Listening on ${socketPath}`)) return;
    lastErrors.push(line);
    if (lastErrors.length > keptErrors) lastErrors.shift();
    options.onLine('error', line, onlyRequest);
  });
  // Ignores writes to a process that has already exited.
  child.stdin.on('error', () => undefined);
  const exited = new Promise<void>((resolve) => {
    const gone = (_code: unknown, signal: NodeJS.Signals | null = null): void => {
      outOfMemory = ended === undefined && outOfMemorySignals.has(signal);
      ended ??= retired && pending.size === 0 ? 'retired' : outOfMemory ? 'limit' : 'crash';
      usage.close();
      rmSync(runDir, { recursive: true, force: true });
      resolve();
    };
    child.once('exit', gone);
    child.once('error', gone);
  });
  const order = (letter: string): void => void child.stdin.write(letter);
  const oldest = (): Pending | undefined => pending.values().next().value;

  function measure(): Usage {
    const { cpuMs, memoryBytes } = usage.read() ?? { cpuMs: 0, memoryBytes: 0 };
    const oldestCpuMs = Math.max(0, cpuMs - (oldest()?.cpuMs ?? cpuAtLastEnd));
    busy = cpuMs - cpuAtLastCheck > busyCpuMs;
    cpuAtLastCheck = cpuMs;
    return {
      cpuMs: Math.min(oldestCpuMs, Math.max(0, cpuMs - cpuAtLastEnd)),
      oldestCpuMs,
      memoryBytes,
      ageMs: clock.now() - startedAt,
    };
  }

  const tooLongBoot = ({ oldestCpuMs }: Usage): string | undefined =>
    oldestCpuMs > limits.bootCpuMs ? `CPU time to start: more than ${limits.bootCpuMs} ms` : undefined;

  const worker: Worker = {
    slug: source.slug,
    socketPath,
    ready: waitForSocket(child, socketPath, options.inspect === undefined).then(() => {
      bootMs = clock.now() - startedAt;
      // The CPU time for loading modules isn't attributed to any request.
      cpuAtLastEnd = usage.read()?.cpuMs ?? 0;
    }),
    exited,
    lastErrors,
    get bootMs() {
      return bootMs;
    },
    get pending() {
      return pending.size;
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
    get outOfMemory() {
      return outOfMemory;
    },
    get onlyRequest() {
      return onlyRequest;
    },
    get isSpent() {
      return spent;
    },
    get isBusy() {
      return busy;
    },
    begin(requestId) {
      onlyRequest = pending.size === 0 ? requestId : undefined;
      const key = Symbol(requestId);
      const before = { requestId, cpuMs: usage.read()?.cpuMs ?? 0, threadMs: usage.threadMs() };
      pending.set(key, before);
      let used: RequestUsage | undefined;
      return () => {
        if (used !== undefined) return used;
        const after = usage.read();
        const threadMs = usage.threadMs();
        used = {
          cpuMs:
            threadMs === undefined || before.threadMs === undefined ? undefined : threadMs - before.threadMs,
          memoryBytes: after?.memoryBytes,
        };
        pending.delete(key);
        cpuAtLastEnd = after?.cpuMs ?? cpuAtLastEnd;
        idleSince = clock.now();
        if (pending.size === 0 && retired) order(orderToLeave);
        return used;
      };
    },
    retire() {
      if (retired) return;
      retired = true;
      if (pending.size === 0) order(orderToLeave);
    },
    checkLimits() {
      if (ended !== undefined || options.inspect !== undefined) return undefined;
      const now = measure();
      const reason =
        bootMs === undefined
          ? (exceeded({ ...now, cpuMs: 0 }, limits) ?? tooLongBoot(now))
          : exceeded(now, limits);
      if (reason !== undefined) {
        worker.kill('limit');
        return reason;
      }
      const near = nearlyExceeded(now, limits);
      if (near !== undefined && !told.has(near)) {
        told.add(near);
        order(orders[near]);
      }
      spent = isSpent(now, limits);
      return undefined;
    },
    kill(ending) {
      ended ??= ending;
      child.kill('SIGKILL');
    },
  };
  // Prevents an unhandled rejection if startup fails while the server stops.
  worker.ready.catch(() => undefined);
  void exited.then(() => options.onExit(worker));
  return worker;
}

type WorkerProcess = ChildProcess & {
  readonly stdin: NodeJS.WritableStream;
  readonly stdout: NodeJS.ReadableStream;
  readonly stderr: NodeJS.ReadableStream;
};

function launch(options: WorkerOptions, socketPath: string, temp: string): WorkerProcess {
  const run = { ...options, socketPath, temp };
  const { cwd, args } = runArguments(run);
  const env = { ...options.env, ...runEnvironment(run, options.showsErrors) };
  // Standard input stays open as long as Plinth runs. The adapter exits when standard input closes, even if Plinth was
  // killed. The worker runs in a separate session because Ctrl-C in a terminal signals the whole process group, but
  // pending requests must finish.
  const spawnOptions = {
    cwd,
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'] as ['pipe', 'pipe', 'pipe'],
  };
  if (process.platform !== 'linux') return spawn(options.deno, args, spawnOptions);
  // The shell sets the limits and is then replaced by Deno, so the pid doesn't change. The umask keeps the worker's
  // files private. Core dumps are disabled because they would contain the secrets in the worker's environment.
  return spawn(
    '/bin/sh',
    [
      '-c',
      `umask 077; ulimit -c 0; ulimit -d ${dataSegmentKiB}; ulimit -t ${lifetimeCpuSeconds}; exec "$0" "$@"`,
      options.deno,
      ...args,
    ],
    spawnOptions,
  );
}
