/**
 * A Deno process that serves one function behind a Unix socket. The module starts the process, tracks its requests,
 * enforces its limits and reports its exit.
 *
 * Unlike an isolate in a shared process, a separate process can always be killed and has its own memory and
 * environment. If the process crashes, other functions aren't affected. See docs/decisions/0002-functions.md.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../base/kernel/clock.ts';
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
import { errors, FunctionError } from '../errors.ts';
import { type InspectMode, runArguments, runEnvironment } from './arguments.ts';
import { createLineReader, openUsage, type UsageReader, waitForSocket } from './process.ts';

export interface WorkerOptions {
  readonly deno: string;
  readonly source: FunctionSource;
  readonly env: Readonly<Record<string, string>>;
  /** Variables in `env` that are hidden from the function. */
  readonly hiddenEnv: readonly string[];
  /**
   * The worker's private folder, which has the mode 0700 and a short path. The folder is removed when the worker exits.
   */
  readonly runDir: string;
  readonly cacheDir: string;
  /** The project files that the function can read. */
  readonly readable: readonly string[];
  /** Whether paths below `/tmp` are redirected in `node:fs` too. */
  readonly redirectsNodeFiles: boolean;
  /** Addresses, CIDR blocks and hosts to which the function can't connect. */
  readonly denyNet: readonly string[];
  readonly limits: Limits;
  /** Whether responses to uncaught errors include the stack trace. */
  readonly showsErrors: boolean;
  readonly inspect: { readonly mode: InspectMode; readonly port: number } | undefined;
  readonly clock: Clock;
  readonly onLine: (level: LogLevel, line: string, requestId: string | undefined) => void;
  /** Called once when the process has exited. */
  readonly onExit: (worker: Worker) => void;
}

/** The reason why a worker ended. This reason determines the error with which pending requests end. */
export type Ending = 'limit' | 'crash' | 'retired';

/**
 * The resources that one request used: the CPU time of the process's first thread during the request, and the memory of
 * the process when the request ended. The values are undefined if /proc isn't available.
 */
export interface RequestUsage {
  readonly cpuMs: number | undefined;
  readonly memoryBytes: number | undefined;
}

export interface Worker {
  readonly socketPath: string;
  readonly slug: string;
  /**
   * Resolves when the worker accepts connections.
   * @throws {FunctionError} boot, if the worker exits before it is ready
   */
  readonly ready: Promise<void>;
  /** The time from the start of the process until `ready` resolved, in milliseconds. Undefined before that. */
  readonly bootMs: number | undefined;
  /** The number of pending requests. */
  readonly pending: number;
  /**
   * The time when the last request ended, in milliseconds since the epoch. Before the first request, the value is the
   * time when the worker started.
   */
  readonly idleSince: number;
  /** Whether the worker no longer receives new requests. */
  readonly retired: boolean;
  readonly ended: Ending | undefined;
  /** Whether the process ended because it ran out of memory. */
  readonly outOfMemory: boolean;
  /** The last lines of standard error. Deno and V8 write fatal errors to standard error. */
  readonly lastErrors: readonly string[];
  /**
   * The ID of the current or last request. The ID is undefined if the worker has processed several requests
   * concurrently since it was last idle.
   */
  readonly onlyRequest: string | undefined;
  /** Registers a request. Returns a function that ends the request and returns the resources that the request used. */
  begin(requestId: string): () => RequestUsage;
  /**
   * Stops sending requests to the worker. The worker exits when no request is pending and all `waitUntil` promises have
   * settled.
   */
  retire(): void;
  /**
   * Checks the limits. If the process exceeds a limit, kills the process and returns a description of the limit. The
   * supervisor calls this method periodically.
   */
  checkLimits(): string | undefined;
  /**
   * Whether the worker had used so many resources at the last check that new requests should be sent to a new worker.
   */
  readonly isSpent: boolean;
  /** Whether the worker used CPU time between the last two checks although no request was pending. */
  readonly isBusy: boolean;
  kill(ending: Ending): void;
  readonly exited: Promise<void>;
}

/**
 * The value of `ulimit -d` in KiB. With this limit, allocations outside the heap fail before the process exceeds the
 * memory limit and is killed. Deno requires at least 550 MiB to start.
 */
const dataSegmentKiB = 786_432;
/**
 * The value of `ulimit -t` in seconds. This limit is far above all other limits and ends workers that keep running
 * after Plinth has exited.
 */
const lifetimeCpuSeconds = 1800;
const maxErrors = 40;
/** A worker without requests that uses more CPU time than this value between two checks counts as busy. */
const busyCpuMs = 30;
/** The signals with which the process ends when V8 runs out of memory: a trap or, in some builds, `abort`. */
const outOfMemorySignals = new Set<NodeJS.Signals | null>(['SIGTRAP', 'SIGABRT', 'SIGILL']);
const orders: Readonly<Record<LimitName, string>> = { cpu: 'c', memory: 'm', wall_clock: 'w' };
const orderToLeave = 'e';

interface Pending {
  readonly requestId: string;
  /** The CPU time of the process at the start of the request. */
  readonly cpuMs: number;
  readonly threadMs: number | undefined;
}

/** Starts a worker. @throws {FunctionError} overloaded, if all file descriptors are in use */
export function startWorker(options: WorkerOptions): Worker {
  const worker = create(options);
  // Without this handler, the rejection is unhandled if the worker can't start while the server stops.
  worker.ready.catch(() => undefined);
  void worker.exited.then(() => options.onExit(worker));
  return worker;
}

function create(options: WorkerOptions): DenoWorker {
  try {
    return new DenoWorker(options);
  } catch (error) {
    rmSync(options.runDir, { recursive: true, force: true });
    throw error;
  }
}

class DenoWorker implements Worker {
  readonly slug: string;
  readonly socketPath: string;
  readonly ready: Promise<void>;
  readonly exited: Promise<void>;
  readonly lastErrors: string[] = [];
  readonly #options: WorkerOptions;
  readonly #startedAt: number;
  readonly #child: WorkerProcess;
  readonly #usage: UsageReader;
  readonly #pending = new Map<symbol, Pending>();
  readonly #announced = new Set<LimitName>();
  #ended: Ending | undefined;
  #outOfMemory = false;
  #retired = false;
  #idleSince: number;
  #bootMs: number | undefined;
  /**
   * The CPU time of the process when the last request ended. CPU time that the process uses after that isn't caused by
   * a request.
   */
  #cpuAtLastEnd = 0;
  #cpuAtLastCheck = 0;
  #spent = false;
  #busy = false;
  #onlyRequest: string | undefined;

  constructor(options: WorkerOptions) {
    const { source, clock, runDir } = options;
    this.slug = source.slug;
    this.socketPath = join(runDir, 's');
    this.#options = options;
    const temp = join(runDir, 'tmp');
    mkdirSync(temp, { recursive: true, mode: 0o700 });
    this.#startedAt = clock.now();
    this.#idleSince = this.#startedAt;
    this.#child = launch(options, this.socketPath, temp);
    this.#usage = openUsage(this.#child.pid);
    this.#readOutput();
    this.exited = new Promise((resolve) => {
      const gone = (_code: unknown, signal: NodeJS.Signals | null = null): void => {
        this.#onExit(signal);
        resolve();
      };
      this.#child.once('exit', gone);
      this.#child.once('error', gone);
    });
    this.ready = waitForSocket(this.#child, this.socketPath, options.inspect === undefined).then(() => {
      this.#bootMs = clock.now() - this.#startedAt;
      // The CPU time for loading modules isn't counted toward any request.
      this.#cpuAtLastEnd = this.#usage.read()?.cpuMs ?? 0;
    });
  }

  get bootMs(): number | undefined {
    return this.#bootMs;
  }

  get pending(): number {
    return this.#pending.size;
  }

  get idleSince(): number {
    return this.#idleSince;
  }

  get retired(): boolean {
    return this.#retired || this.#ended !== undefined;
  }

  get ended(): Ending | undefined {
    return this.#ended;
  }

  get outOfMemory(): boolean {
    return this.#outOfMemory;
  }

  get onlyRequest(): string | undefined {
    return this.#onlyRequest;
  }

  get isSpent(): boolean {
    return this.#spent;
  }

  get isBusy(): boolean {
    return this.#busy;
  }

  begin(requestId: string): () => RequestUsage {
    this.#onlyRequest = this.#pending.size === 0 ? requestId : undefined;
    const key = Symbol(requestId);
    const usage = this.#usage;
    const before = { requestId, cpuMs: usage.read()?.cpuMs ?? 0, threadMs: usage.threadMs() };
    this.#pending.set(key, before);
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
      this.#pending.delete(key);
      this.#cpuAtLastEnd = after?.cpuMs ?? this.#cpuAtLastEnd;
      this.#idleSince = this.#options.clock.now();
      if (this.#pending.size === 0 && this.#retired) this.#order(orderToLeave);
      return used;
    };
  }

  retire(): void {
    if (this.#retired) return;
    this.#retired = true;
    if (this.#pending.size === 0) this.#order(orderToLeave);
  }

  checkLimits(): string | undefined {
    const { limits, inspect } = this.#options;
    if (this.#ended !== undefined || inspect !== undefined) return undefined;
    const now = this.#measure();
    const reason =
      this.#bootMs === undefined
        ? (exceeded({ ...now, cpuMs: 0 }, limits) ?? tooLongBoot(now, limits))
        : exceeded(now, limits);
    if (reason !== undefined) {
      this.kill('limit');
      return reason;
    }
    const near = nearlyExceeded(now, limits);
    if (near !== undefined && !this.#announced.has(near)) {
      this.#announced.add(near);
      this.#order(orders[near]);
    }
    this.#spent = isSpent(now, limits);
    return undefined;
  }

  kill(ending: Ending): void {
    this.#ended ??= ending;
    this.#child.kill('SIGKILL');
  }

  #readOutput(): void {
    const { onLine } = this.#options;
    const child = this.#child;
    createLineReader(child.stdout, (line) => {
      const { level, requestId, text } = parseFrame(line);
      onLine(level, text, requestId ?? this.#onlyRequest);
    });
    createLineReader(child.stderr, (line) => {
      // Deno's message about the socket isn't part of the function's log.
      if (line.endsWith(`Listening on ${this.socketPath}`)) return;
      this.lastErrors.push(line);
      if (this.lastErrors.length > maxErrors) this.lastErrors.shift();
      onLine('error', line, this.#onlyRequest);
    });
    // Writing to the process fails if it has already exited.
    child.stdin.on('error', () => undefined);
  }

  #onExit(signal: NodeJS.Signals | null): void {
    this.#outOfMemory = this.#ended === undefined && outOfMemorySignals.has(signal);
    this.#ended ??=
      this.#retired && this.#pending.size === 0 ? 'retired' : this.#outOfMemory ? 'limit' : 'crash';
    this.#usage.close();
    rmSync(this.#options.runDir, { recursive: true, force: true });
  }

  #order(letter: string): void {
    this.#child.stdin.write(letter);
  }

  #measure(): Usage {
    const { cpuMs, memoryBytes } = this.#usage.read() ?? { cpuMs: 0, memoryBytes: 0 };
    const oldest = this.#pending.values().next().value;
    const oldestCpuMs = Math.max(0, cpuMs - (oldest?.cpuMs ?? this.#cpuAtLastEnd));
    this.#busy = cpuMs - this.#cpuAtLastCheck > busyCpuMs;
    this.#cpuAtLastCheck = cpuMs;
    return {
      cpuMs: Math.min(oldestCpuMs, Math.max(0, cpuMs - this.#cpuAtLastEnd)),
      oldestCpuMs,
      memoryBytes,
      ageMs: this.#options.clock.now() - this.#startedAt,
    };
  }
}

const tooLongBoot = ({ oldestCpuMs }: Usage, { bootCpuMs }: Limits): string | undefined =>
  oldestCpuMs > bootCpuMs ? `CPU time to start: more than ${bootCpuMs} ms` : undefined;

type WorkerProcess = ChildProcess & {
  readonly stdin: NodeJS.WritableStream;
  readonly stdout: NodeJS.ReadableStream;
  readonly stderr: NodeJS.ReadableStream;
};

function launch(options: WorkerOptions, socketPath: string, temp: string): WorkerProcess {
  const run = { ...options, socketPath, temp };
  const { cwd, args } = runArguments(run);
  const env = { ...options.env, ...runEnvironment(run, options.showsErrors) };
  // Standard input remains open while Plinth runs. When standard input closes, the adapter exits, even if Plinth was
  // killed. Ctrl-C in a terminal signals the whole process group, so the worker runs in a separate session, in which it
  // can finish its pending requests.
  const spawnOptions = {
    cwd,
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'] as ['pipe', 'pipe', 'pipe'],
  };
  if (process.platform !== 'linux') return withPipes(spawn(options.deno, args, spawnOptions));
  // The shell sets the limits and then replaces itself with Deno, so the process ID doesn't change. The umask makes the
  // worker's files private. Core dumps are disabled, because they would contain the secrets in the worker's
  // environment.
  const limits = `umask 077; ulimit -c 0; ulimit -d ${dataSegmentKiB}; ulimit -t ${lifetimeCpuSeconds}`;
  return withPipes(
    spawn('/bin/sh', ['-c', `${limits}; exec "$0" "$@"`, options.deno, ...args], spawnOptions),
  );
}

/** If no file descriptor is free, `spawn` returns an object without pipes, for a process that doesn't exist. */
function withPipes(child: WorkerProcess): WorkerProcess {
  if (child.stdout !== undefined) return child;
  child.once('error', () => undefined);
  throw new FunctionError(errors.overloaded);
}
