/**
 * One Deno process that serves one function behind a unix socket: start, readiness, pending requests, limits, end.
 *
 * The operating system gives what isolates inside one process could not: a kill that always works, memory and
 * environment of its own, a crash that harms nobody else. Why processes: docs/decisions/0002-functions.md.
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
  /** Names among them that the function can't read. */
  readonly hiddenEnv: readonly string[];
  /** A folder of this worker's own (mode 0700, short path); removed when it ends. */
  readonly runDir: string;
  readonly cacheDir: string;
  /** What it may read of the project. */
  readonly readable: readonly string[];
  /** Addresses, blocks and hosts that it may not reach. */
  readonly denyNet: readonly string[];
  readonly limits: Limits;
  /** Answers to a thrown error show its stack. */
  readonly showsErrors: boolean;
  readonly inspect: { readonly mode: InspectMode; readonly port: number } | undefined;
  readonly clock: Clock;
  readonly onLine: (level: LogLevel, line: string, requestId: string | undefined) => void;
  /** Called once, when the process is gone. */
  readonly onExit: (worker: Worker) => void;
}

/** Why a worker ended, as far as its pending requests are concerned. */
export type Ending = 'limit' | 'crash' | 'retired';

/** What one request took. CPU and memory are the process's while it was under way; undefined where /proc is not. */
export interface RequestUsage {
  readonly cpuMs: number | undefined;
  readonly memoryBytes: number | undefined;
}

export interface Worker {
  readonly socketPath: string;
  readonly slug: string;
  /** Resolves when it listens. @throws {FunctionError} boot, when it ends before. */
  readonly ready: Promise<void>;
  /** From the start to `ready`; undefined before. */
  readonly bootMs: number | undefined;
  /** Requests under way. */
  readonly pending: number;
  /** Milliseconds since the epoch at which the last request ended (or the start). */
  readonly idleSince: number;
  /** Takes no new requests any more. */
  readonly retired: boolean;
  readonly ended: Ending | undefined;
  /** Its end was a kill by the system for what it allocated. */
  readonly outOfMemory: boolean;
  /** The last lines of its standard error: what Deno and V8 say about an end. */
  readonly lastErrors: readonly string[];
  /** The request that is, or was last, the only one since the worker was idle; undefined while several share it. */
  readonly onlyRequest: string | undefined;
  /** Counts a request; the function returned ends it. */
  begin(requestId: string): () => RequestUsage;
  /** No new requests; ends when nothing is pending and `waitUntil` is done. */
  retire(): void;
  /** Called by the supervisor's timer: kills the process when it is past a limit. Returns what was exceeded. */
  checkLimits(): string | undefined;
  /** It used so much that what comes next shall go to a fresh one; as of the last check. */
  readonly isSpent: boolean;
  /** It computes although no request is pending; as of the last check. */
  readonly isBusy: boolean;
  kill(ending: Ending): void;
  readonly exited: Promise<void>;
}

/** `ulimit -d` in KiB: makes allocations outside the heap throw before the memory limit has to kill. Below ~550 MiB Deno does not start. */
const dataSegmentKiB = 786_432;
/** `ulimit -t`: what ends a worker that spins when we are no longer there to end it. Far above any limit of ours. */
const lifetimeCpuSeconds = 1800;
const keptErrors = 40;
/** CPU time between two looks at an idle worker above which it is not idle. */
const busyCpuMs = 30;
/** V8 ends a process that is out of memory by a trap (or abort, on some builds). */
const outOfMemorySignals = new Set<NodeJS.Signals | null>(['SIGTRAP', 'SIGABRT', 'SIGILL']);
const orders: Readonly<Record<LimitName, string>> = { cpu: 'c', memory: 'm', wall_clock: 'w' };
const orderToLeave = 'e';

interface Pending {
  readonly requestId: string;
  /** CPU time of the process when it began. */
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
  /** CPU time of the process when a request ended last: whoever goes on from then is past its own request. */
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
    // Deno announces its socket; that is the platform's business, not the function's log.
    if (line.endsWith(`Listening on ${socketPath}`)) return;
    lastErrors.push(line);
    if (lastErrors.length > keptErrors) lastErrors.shift();
    options.onLine('error', line, onlyRequest);
  });
  // An order to a process that is gone already.
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
      // What it took to load its modules is nobody's request.
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
  // Nobody may be waiting for it when a boot fails while the server stops.
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
  // Standard input stays open as long as we live: the adapter ends the worker with us, even when we are killed. A
  // session of its own, because Ctrl-C in a terminal goes to a whole group, and what is pending shall be finished.
  const spawnOptions = {
    cwd,
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'] as ['pipe', 'pipe', 'pipe'],
  };
  if (process.platform !== 'linux') return spawn(options.deno, args, spawnOptions);
  // The shell only sets the limits and becomes Deno, so the pid stays the same. What the worker leaves is nobody else's to
  // read; a core file would hold the secrets in its environment, so there is none.
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
