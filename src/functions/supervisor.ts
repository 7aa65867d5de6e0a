/**
 * Manages workers: starts one per function (or one per request under `oneshot`) at its first request, shares it between
 * requests, ends it when idle and replaces it when its source changes. The number of workers is limited, and further
 * requests wait.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../kernel/clock.ts';
import type { FunctionSource } from './catalog.ts';
import { bootHint } from './core/boot-hint.ts';
import type { Limits } from './core/limits.ts';
import type { ModuleGraph } from './core/module-graph.ts';
import type { InspectMode } from './deno/arguments.ts';
import type { Graphs } from './deno/graph.ts';
import { type RequestUsage, startWorker, type Worker } from './deno/worker.ts';
import { errors, FunctionError } from './errors.ts';
import type { NewLogLine } from './logs.ts';
import { makeRunFolder } from './run-folder.ts';

export interface WorkerEnvironment {
  readonly env: Readonly<Record<string, string>>;
  /** Variables that Deno reads but the function can't. */
  readonly hidden: readonly string[];
}

export interface SupervisorOptions {
  readonly deno: string | undefined;
  readonly graphs: Graphs | undefined;
  readonly policy: 'per_worker' | 'oneshot';
  readonly limits: Limits;
  readonly cacheDir: string;
  /** Returns the project files that a function can read. */
  readonly readable: (source: FunctionSource, graph: ModuleGraph | undefined) => readonly string[];
  readonly denyNet: readonly string[];
  readonly environment: (source: FunctionSource) => WorkerEnvironment;
  /** Whether responses to uncaught errors include the stack. */
  readonly showsErrors: boolean;
  /** Returns the debugger's mode and port for a function. Called at each start. */
  readonly inspect: (slug: string) => { readonly mode: InspectMode; readonly port: number } | undefined;
  readonly onWorkerExit: (worker: Worker) => void;
  /** Called with a function's output and with notes about its worker. */
  readonly onLine: (line: NewLogLine) => void;
  readonly clock: Clock;
}

/** `running`: a worker serves the function. `failed`: its last start failed. `idle`: neither. */
export type FunctionState = 'running' | 'failed' | 'idle';

export interface Lease {
  readonly worker: Worker;
  /** Milliseconds that this request waited for a process to start. Undefined if one was already running. */
  readonly bootMs: number | undefined;
  /** Ends the request. Later calls return the same usage. */
  release(): RequestUsage;
}

export interface Supervisor {
  /**
   * Returns a ready worker for one request. @throws {FunctionError} boot, noDeno; limit, if no worker becomes available
   * in time.
   */
  acquire(source: FunctionSource, requestId: string): Promise<Lease>;
  stateOf(slug: string): { readonly state: FunctionState; readonly pending: number };
  /**
   * Replaces the workers of the changed functions (undefined: all) at their next request. Returns the functions that
   * were running.
   */
  reload(slugs: readonly string[] | undefined): string[];
  /** Starts a worker before the next request needs it. */
  warm(source: FunctionSource): void;
  stop(): Promise<void>;
}

const limitCheckMs = 100;
const idleCheckMs = 1000;
/** Delays the next attempt after a failed boot, so that a broken function doesn't keep a core busy. */
const bootBackoffMs = 250;

interface Failure {
  readonly at: number;
  readonly error: FunctionError;
}

export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { limits, clock } = options;
  const isShared = options.policy === 'per_worker';
  const current = new Map<string, Worker>();
  const starting = new Map<string, Promise<Worker>>();
  const alive = new Set<Worker>();
  const failures = new Map<string, Failure>();
  /** Workers whose source has changed since they started. */
  const outdated = new WeakSet<Worker>();
  /** Requests that wait for a free slot. Each retries when one may be available. */
  const waiting = new Set<() => void>();
  let socketRoot: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let sinceIdleCheck = 0;
  let stopping = false;
  let placesTaken = 0;

  const note = (slug: string, line: string, requestId?: string): void =>
    options.onLine({ function: slug, level: 'warn', line, requestId });

  function wake(): void {
    for (const retry of [...waiting]) retry();
  }

  /**
   * Checks the imports, then starts a worker regardless of the number of running workers. @throws {FunctionError} boot,
   * noDeno
   */
  async function start(source: FunctionSource, requestId?: string): Promise<Worker> {
    const { deno, graphs } = options;
    if (deno === undefined || graphs === undefined) throw new FunctionError(errors.noDeno);
    const failure = failures.get(source.slug);
    if (failure !== undefined && clock.now() - failure.at < bootBackoffMs) throw failure.error;
    const graph = await graphs.of(source);
    if (stopping) throw new FunctionError(errors.boot);
    if (graph !== undefined && graph.refused.length > 0) {
      const lines = graph.refused.map((file) => `A function may not import ${file}`);
      for (const line of lines) note(source.slug, line, requestId);
      throw fail(source.slug, lines);
    }
    // Only one process can use a debugger port.
    if (options.inspect(source.slug) !== undefined) await endAll(source.slug);
    const worker = run(deno, source, graph);
    try {
      await worker.ready;
      failures.delete(source.slug);
      return worker;
    } catch {
      // Deno's error output may still be in the pipe.
      await worker.exited;
      await new Promise((resolve) => setImmediate(resolve));
      const hint = bootHint(worker.lastErrors);
      note(source.slug, hint, requestId);
      throw fail(source.slug, [...worker.lastErrors, hint]);
    }
  }

  function fail(slug: string, details: readonly string[]): FunctionError {
    const error = new FunctionError(errors.boot, { details });
    failures.set(slug, { at: clock.now(), error });
    return error;
  }

  function run(deno: string, source: FunctionSource, graph: ModuleGraph | undefined): Worker {
    socketRoot ??= makeRunFolder(options.cacheDir);
    const { slug } = source;
    const { env, hidden } = options.environment(source);
    const name = createHash('sha256').update(slug).digest('hex').slice(0, 6);
    const worker = startWorker({
      deno,
      source,
      env,
      hiddenEnv: hidden,
      runDir: mkdtempSync(join(socketRoot, `${name}-`)),
      cacheDir: options.cacheDir,
      readable: options.readable(source, graph),
      denyNet: options.denyNet,
      limits,
      showsErrors: options.showsErrors,
      inspect: options.inspect(slug),
      clock,
      onLine: (level, line, requestId) => options.onLine({ function: slug, level, line, requestId }),
      onExit: (ended) => {
        alive.delete(ended);
        options.onWorkerExit(ended);
        if (current.get(slug) === ended) current.delete(slug);
        if (ended.outOfMemory) note(slug, 'worker ended: out of memory');
        else if (ended.ended === 'crash' && ended.bootMs !== undefined)
          note(slug, 'the worker ended unexpectedly');
        if (alive.size === 0) stopTimer();
        wake();
      },
    });
    alive.add(worker);
    timer ??= startTimer();
    return worker;
  }

  const workersOf = (slug: string): Worker[] => [...alive].filter((worker) => worker.slug === slug);

  /**
   * Whether another worker can start. Ends a worker with an outdated source or the one that has been idle longest, if
   * necessary.
   */
  function makeRoom(slug: string): boolean {
    const staying = [...alive].filter(
      (worker) => worker.ended === undefined && (!worker.retired || worker.pending > 0),
    );
    const own = staying.filter((worker) => worker.slug === slug);
    if (own.length >= limits.maxWorkersPerFunction) return endOutdated(own);
    // Starting workers are already counted.
    const served = staying.filter((worker) => worker.bootMs !== undefined);
    if (served.length + placesTaken < limits.maxWorkers) return true;
    const [oldest] = [...current.values()]
      .filter((worker) => worker.pending === 0 && worker.bootMs !== undefined)
      .sort((a, b) => a.idleSince - b.idleSince);
    if (oldest === undefined) return endOutdated(served);
    drop(oldest);
    return true;
  }

  /**
   * Streams and sockets opened before a save may stay open for long, so the oldest outdated worker ends if its slot is
   * needed.
   */
  function endOutdated(workers: readonly Worker[]): boolean {
    const oldest = workers.find((worker) => outdated.has(worker));
    oldest?.kill('retired');
    return oldest !== undefined;
  }

  async function endAll(slug: string): Promise<void> {
    const leaving = workersOf(slug);
    for (const worker of leaving) worker.kill('retired');
    await Promise.all(leaving.map((worker) => worker.exited));
  }

  function drop(worker: Worker): void {
    if (current.get(worker.slug) === worker) current.delete(worker.slug);
    worker.retire();
  }

  /**
   * Returns the pending start of a function with a shared worker, or starts one. Returns undefined if no slot is free.
   */
  function startShared(source: FunctionSource, requestId?: string): Promise<Worker> | undefined {
    const known = starting.get(source.slug);
    if (known !== undefined) return known;
    const promise = startCounted(source, requestId)?.then((worker) => {
      // The source changed during the start, so this worker serves only the requests that were waiting for it.
      if (starting.get(source.slug) === promise) current.set(source.slug, worker);
      else setImmediate(() => worker.retire());
      return worker;
    });
    if (promise === undefined) return undefined;
    starting.set(source.slug, promise);
    const done = (): void => {
      if (starting.get(source.slug) === promise) starting.delete(source.slug);
    };
    promise.then(done, done);
    return promise;
  }

  function startCounted(source: FunctionSource, requestId?: string): Promise<Worker> | undefined {
    if (!makeRoom(source.slug)) return undefined;
    placesTaken += 1;
    let isCounted = true;
    const uncount = (): void => {
      if (isCounted) placesTaken -= 1;
      isCounted = false;
    };
    const promise = start(source, requestId);
    promise.then(uncount, uncount);
    promise.catch(wake);
    return promise;
  }

  function lease(worker: Worker, requestId: string, bootMs: number | undefined): Lease {
    const end = worker.begin(requestId);
    return {
      worker,
      bootMs,
      release() {
        const usage = end();
        if (!isShared) worker.retire();
        wake();
        return usage;
      },
    };
  }

  function readyWorker(slug: string): Worker | undefined {
    const worker = isShared ? current.get(slug) : undefined;
    return worker !== undefined && !worker.retired && worker.pending < limits.maxRequests
      ? worker
      : undefined;
  }

  /** Resolves when a slot may be free. @throws {FunctionError} limit */
  function turn(slug: string, until: number, requestId: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = setTimeout(
        () => {
          waiting.delete(retry);
          note(slug, `no worker became free within ${limits.waitMs} ms`, requestId);
          reject(new FunctionError(errors.limit));
        },
        Math.max(0, until - clock.now()),
      );
      const retry = (): void => {
        clearTimeout(end);
        waiting.delete(retry);
        resolve();
      };
      waiting.add(retry);
    });
  }

  function startTimer(): NodeJS.Timeout {
    const interval = setInterval(() => {
      sinceIdleCheck += limitCheckMs;
      const looksAtIdle = sinceIdleCheck >= idleCheckMs;
      if (looksAtIdle) sinceIdleCheck = 0;
      for (const worker of alive) {
        if (worker.pending === 0 && !worker.isBusy && worker.bootMs !== undefined && !looksAtIdle) continue;
        check(worker);
      }
    }, limitCheckMs);
    interval.unref();
    return interval;
  }

  function check(worker: Worker): void {
    const { slug, onlyRequest } = worker;
    const reason = worker.checkLimits();
    if (reason !== undefined) note(slug, `worker ended: ${reason}`, onlyRequest);
    else if (worker.retired || worker.bootMs === undefined) return;
    else if (worker.pending === 0 && clock.now() - worker.idleSince > limits.idleMs) drop(worker);
    // If no other worker can be started, this one continues: a slow response is better than an error.
    else if (worker.isSpent && workersOf(slug).length < limits.maxWorkersPerFunction) drop(worker);
  }

  function stopTimer(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return {
    async acquire(source, requestId) {
      const until = clock.now() + limits.waitMs;
      for (;;) {
        if (stopping) throw new FunctionError(errors.boot);
        const ready = readyWorker(source.slug);
        if (ready !== undefined) return lease(ready, requestId, undefined);
        const begun = clock.now();
        const started = isShared ? startShared(source, requestId) : startCounted(source, requestId);
        if (started === undefined) {
          await turn(source.slug, until, requestId);
          continue;
        }
        const worker = await started;
        if (worker.ended === undefined && worker.pending < limits.maxRequests)
          return lease(worker, requestId, clock.now() - begun);
        if (clock.now() > until) throw new FunctionError(errors.worker);
      }
    },
    stateOf(slug) {
      const workers = workersOf(slug).filter((worker) => worker.ended === undefined);
      const pending = workers.reduce((sum, worker) => sum + worker.pending, 0);
      if (failures.has(slug)) return { state: 'failed', pending };
      return { state: workers.length > 0 ? 'running' : 'idle', pending };
    },
    reload(slugs) {
      const isMeant = (slug: string): boolean => slugs === undefined || slugs.includes(slug);
      const touched = [...current.keys(), ...starting.keys(), ...failures.keys()].filter(isMeant);
      for (const slug of touched) {
        failures.delete(slug);
        starting.delete(slug);
        const worker = current.get(slug);
        if (worker !== undefined) drop(worker);
      }
      for (const worker of alive) if (isMeant(worker.slug)) outdated.add(worker);
      return [...new Set(touched)];
    },
    warm(source) {
      if (!stopping && isShared) startShared(source)?.catch(() => undefined);
    },
    async stop() {
      stopping = true;
      stopTimer();
      wake();
      const leaving = [...alive];
      for (const worker of leaving) worker.retire();
      // Requests that are still pending after the gateway's grace period are aborted.
      const cut = setTimeout(() => {
        for (const worker of leaving) worker.kill('retired');
      }, 2000);
      await Promise.all(leaving.map((worker) => worker.exited));
      clearTimeout(cut);
      if (socketRoot !== undefined) rmSync(socketRoot, { recursive: true, force: true });
    },
  };
}
