/**
 * Which workers run: one a function (one a request under `oneshot`), started at the first request, shared while it is
 * young, ended when idle, replaced when its source changes, at most `maxWorkers` at once.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../kernel/clock.ts';
import type { Catalog, FunctionSource } from './catalog.ts';
import type { Limits } from './core/limits.ts';
import { startWorker, type Worker } from './deno/worker.ts';
import { errors, FunctionError } from './errors.ts';
import type { FunctionLogLine } from './logs.ts';

export interface SupervisorOptions {
  readonly deno: string | undefined;
  readonly catalog: Catalog;
  readonly policy: 'per_worker' | 'oneshot';
  readonly limits: Limits;
  readonly cacheDir: string;
  readonly environment: (source: FunctionSource) => Record<string, string>;
  readonly onWorkerExit: (worker: Worker) => void;
  /** What a function printed, or what happened to its worker. */
  readonly onLine: (line: Omit<FunctionLogLine, 'id' | 'at'>) => void;
  readonly clock: Clock;
}

/** `running`: a worker has it; `failed`: its last start did; `idle`: neither. */
export type FunctionState = 'running' | 'failed' | 'idle';

export interface Lease {
  readonly worker: Worker;
  /** Ends the request; call it exactly once. */
  release(): void;
}

export interface Supervisor {
  /** A ready worker for one request. @throws {FunctionError} boot, noDeno. */
  acquire(source: FunctionSource, requestId: string): Promise<Lease>;
  stateOf(slug: string): { readonly state: FunctionState; readonly pending: number };
  /** The source of these functions changed (undefined: of all): their next request gets a new process. */
  reload(slugs: readonly string[] | undefined): void;
  stop(): Promise<void>;
}

const limitCheckMs = 100;
const idleCheckMs = 1000;
/** After a failed boot the next attempt waits, so that a broken function does not keep a core busy. */
const bootBackoffMs = 250;

export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { limits, clock, onLine } = options;
  const current = new Map<string, Worker>();
  const alive = new Set<Worker>();
  const failedAt = new Map<string, number>();
  let socketRoot: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let sinceIdleCheck = 0;
  let stopping = false;

  function start(source: FunctionSource): Worker {
    if (options.deno === undefined) throw new FunctionError(errors.noDeno);
    const failed = failedAt.get(source.slug);
    if (failed !== undefined && clock.now() - failed < bootBackoffMs) throw new FunctionError(errors.boot);
    makeRoom();
    socketRoot ??= mkdtempSync(join(tmpdir(), 'plinth-fn-'));
    const note = (line: string): void =>
      onLine({ function: source.slug, level: 'warn', line, requestId: worker.onlyRequest });
    const worker = startWorker({
      deno: options.deno,
      source,
      env: options.environment(source),
      runDir: mkdtempSync(
        join(socketRoot, `${createHash('sha256').update(source.slug).digest('hex').slice(0, 6)}-`),
      ),
      cacheDir: options.cacheDir,
      readable: [options.catalog.functionsDir],
      unreadable: options.catalog.envFiles(),
      limits,
      clock,
      onLine: (stream, line) =>
        onLine({
          function: source.slug,
          level: stream === 'stderr' ? 'error' : 'info',
          line,
          requestId: worker.onlyRequest,
        }),
      onExit: (ended) => {
        alive.delete(ended);
        options.onWorkerExit(ended);
        if (current.get(source.slug) === ended) current.delete(source.slug);
        if (ended.ended === 'crash') note('the worker ended unexpectedly');
        if (alive.size === 0) stopTimer();
      },
    });
    worker.ready.then(
      () => failedAt.delete(source.slug),
      () => failedAt.set(source.slug, clock.now()),
    );
    alive.add(worker);
    timer ??= startTimer();
    return worker;
  }

  /** Retires the longest idle worker when there are as many as may be. */
  function makeRoom(): void {
    if (current.size < limits.maxWorkers) return;
    const [oldest] = [...current.values()]
      .filter((worker) => worker.pending === 0)
      .sort((a, b) => a.idleSince - b.idleSince);
    if (oldest !== undefined) drop(oldest);
  }

  function drop(worker: Worker): void {
    if (current.get(worker.slug) === worker) current.delete(worker.slug);
    worker.retire();
  }

  function startTimer(): NodeJS.Timeout {
    const interval = setInterval(() => {
      for (const worker of alive) {
        if (worker.pending === 0) continue;
        const reason = worker.checkLimits();
        if (reason === undefined) continue;
        onLine({
          function: worker.slug,
          level: 'warn',
          line: `worker ended: ${reason}`,
          requestId: worker.onlyRequest,
        });
      }
      sinceIdleCheck += limitCheckMs;
      if (sinceIdleCheck < idleCheckMs) return;
      sinceIdleCheck = 0;
      for (const worker of alive) {
        if (worker.pending === 0 && !worker.retired && clock.now() - worker.idleSince > limits.idleMs)
          drop(worker);
        else if (worker.pending === 0) worker.checkLimits();
      }
    }, limitCheckMs);
    interval.unref();
    return interval;
  }

  function stopTimer(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return {
    async acquire(source, requestId) {
      if (stopping) throw new FunctionError(errors.boot);
      const shared = options.policy === 'per_worker';
      const existing = shared ? current.get(source.slug) : undefined;
      const worker = existing !== undefined && !existing.retired ? existing : start(source);
      if (shared) current.set(source.slug, worker);
      const end = worker.begin(requestId);
      const release = (): void => {
        end();
        if (!shared) worker.retire();
      };
      try {
        await worker.ready;
      } catch (error) {
        release();
        throw error;
      }
      return { worker, release };
    },
    stateOf(slug) {
      const workers = [...alive].filter((worker) => worker.slug === slug && worker.ended === undefined);
      const pending = workers.reduce((sum, worker) => sum + worker.pending, 0);
      if (failedAt.has(slug)) return { state: 'failed', pending };
      return { state: workers.length > 0 ? 'running' : 'idle', pending };
    },
    reload(slugs) {
      failedAt.clear();
      for (const worker of [...current.values()]) {
        if (slugs === undefined || slugs.includes(worker.slug)) drop(worker);
      }
    },
    async stop() {
      stopping = true;
      stopTimer();
      const leaving = [...alive];
      for (const worker of leaving) worker.retire();
      // What is still pending after the gateway's own grace is cut.
      const cut = setTimeout(() => {
        for (const worker of leaving) worker.kill('retired');
      }, 2000);
      await Promise.all(leaving.map((worker) => worker.exited));
      clearTimeout(cut);
      if (socketRoot !== undefined) rmSync(socketRoot, { recursive: true, force: true });
    },
  };
}
