/**
 * Manages workers. Starts one per function (or one per request under `oneshot`) at the function's first request, shares
 * it between requests, ends it when it is idle and replaces it when its source changes. The number of workers is
 * limited. Requests beyond the limit wait.
 */
import type { FunctionSource } from './catalog.ts';
import type { RequestUsage, Worker } from './deno/worker.ts';
import { errors, FunctionError } from './errors.ts';
import { WaitingRequests } from './waiting-requests.ts';
import { WorkerPool } from './worker-pool.ts';
import { note, type StarterOptions, WorkerStarter } from './worker-starter.ts';

export interface SupervisorOptions extends StarterOptions {
  readonly policy: 'per_worker' | 'oneshot';
}

/** `running`: a worker serves the function. `failed`: the function's last start failed. `idle`: neither applies. */
export type FunctionState = 'running' | 'failed' | 'idle';

export interface Lease {
  readonly worker: Worker;
  /** Milliseconds that this request waited for a process to start. Undefined if a process was already running. */
  readonly bootMs: number | undefined;
  /** Ends the request. Later calls return the same usage. */
  release(): RequestUsage;
}

export interface Supervisor {
  /**
   * Returns a ready worker for one request.
   * @throws {FunctionError} boot, noDeno, or limit if no worker becomes available in time
   */
  acquire(source: FunctionSource, requestId: string): Promise<Lease>;
  stateOf(slug: string): { readonly state: FunctionState; readonly pending: number };
  /**
   * Replaces the workers of the changed functions, or of all functions if undefined, at their next request. Returns the
   * functions that were running.
   */
  reload(slugs: readonly string[] | undefined): string[];
  /** Starts a worker before the next request needs it. */
  warm(source: FunctionSource): void;
  stop(): Promise<void>;
}

const stopGraceMs = 2000;

export const createSupervisor = (options: SupervisorOptions): Supervisor => new WorkerSupervisor(options);

class WorkerSupervisor implements Supervisor {
  readonly #options: SupervisorOptions;
  readonly #isShared: boolean;
  readonly #waiting = new WaitingRequests();
  readonly #pool: WorkerPool;
  readonly #starter: WorkerStarter;
  /** Pending starts of shared workers, by function. */
  readonly #starting = new Map<string, Promise<Worker>>();
  #stopping = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#isShared = options.policy === 'per_worker';
    this.#pool = new WorkerPool({
      limits: options.limits,
      clock: options.clock,
      onFree: () => this.#waiting.wakeAll(),
      onLimit: (slug, reason, requestId) => note(options, slug, `worker ended: ${reason}`, requestId),
    });
    this.#starter = new WorkerStarter(options, this.#pool);
  }

  async acquire(source: FunctionSource, requestId: string): Promise<Lease> {
    const { clock, limits } = this.#options;
    const until = clock.now() + limits.waitMs;
    for (;;) {
      if (this.#stopping) throw new FunctionError(errors.boot);
      const ready = this.#readyWorker(source.slug);
      if (ready !== undefined) return this.#lease(ready, requestId, undefined);
      const begun = clock.now();
      const started = this.#isShared ? this.#startShared(source, requestId) : this.#start(source, requestId);
      if (started === undefined) {
        await this.#waiting.wait(until - begun, () => this.#timeout(source.slug, requestId));
        continue;
      }
      const worker = await started;
      if (worker.ended === undefined && worker.pending < limits.maxRequests)
        return this.#lease(worker, requestId, clock.now() - begun);
      if (clock.now() > until) throw new FunctionError(errors.worker);
    }
  }

  stateOf(slug: string): { readonly state: FunctionState; readonly pending: number } {
    const workers = this.#pool.of(slug).filter((worker) => worker.ended === undefined);
    const pending = workers.reduce((sum, worker) => sum + worker.pending, 0);
    if (this.#starter.failed.has(slug)) return { state: 'failed', pending };
    return { state: workers.length > 0 ? 'running' : 'idle', pending };
  }

  reload(slugs: readonly string[] | undefined): string[] {
    const { current } = this.#pool;
    const isChanged = (slug: string): boolean => slugs === undefined || slugs.includes(slug);
    const known = [...current.keys(), ...this.#starting.keys(), ...this.#starter.failed.keys()];
    const changed = known.filter(isChanged);
    for (const slug of changed) {
      this.#starter.forgetFailure(slug);
      this.#starting.delete(slug);
      const worker = current.get(slug);
      if (worker !== undefined) this.#pool.retire(worker);
    }
    this.#pool.markOutdated(isChanged);
    return [...new Set(changed)];
  }

  warm(source: FunctionSource): void {
    if (!this.#stopping && this.#isShared) this.#startShared(source)?.catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#starter.stop();
    this.#pool.stopChecks();
    this.#waiting.wakeAll();
    const leaving = this.#pool.all;
    for (const worker of leaving) worker.retire();
    // Requests that are still pending after the gateway's grace period are aborted.
    const cut = setTimeout(() => {
      for (const worker of leaving) worker.kill('retired');
    }, stopGraceMs);
    await Promise.all(leaving.map((worker) => worker.exited));
    clearTimeout(cut);
    this.#starter.removeRunFolder();
  }

  #readyWorker(slug: string): Worker | undefined {
    const worker = this.#isShared ? this.#pool.current.get(slug) : undefined;
    const isReady =
      worker !== undefined && !worker.retired && worker.pending < this.#options.limits.maxRequests;
    return isReady ? worker : undefined;
  }

  #lease(worker: Worker, requestId: string, bootMs: number | undefined): Lease {
    const end = worker.begin(requestId);
    return {
      worker,
      bootMs,
      release: () => {
        const usage = end();
        if (!this.#isShared) worker.retire();
        this.#waiting.wakeAll();
        return usage;
      },
    };
  }

  /**
   * Returns the pending start of a function with a shared worker, or starts a worker. Returns undefined if no slot is
   * free.
   */
  #startShared(source: FunctionSource, requestId?: string): Promise<Worker> | undefined {
    const { slug } = source;
    const known = this.#starting.get(slug);
    if (known !== undefined) return known;
    const promise = this.#start(source, requestId)?.then((worker) => {
      // The source changed during startup, so this worker only serves the requests that were waiting for it.
      if (this.#starting.get(slug) === promise) this.#pool.current.set(slug, worker);
      else setImmediate(() => worker.retire());
      return worker;
    });
    if (promise === undefined) return undefined;
    this.#starting.set(slug, promise);
    const done = (): void => {
      if (this.#starting.get(slug) === promise) this.#starting.delete(slug);
    };
    promise.then(done, done);
    return promise;
  }

  /** Starts a worker. Returns undefined if no slot is free. */
  #start(source: FunctionSource, requestId?: string): Promise<Worker> | undefined {
    const release = this.#pool.reserve(source.slug);
    if (release === undefined) return undefined;
    const promise = this.#starter.start(source, requestId);
    promise.then(release, release);
    promise.catch(() => this.#waiting.wakeAll());
    return promise;
  }

  #timeout(slug: string, requestId: string): FunctionError {
    note(this.#options, slug, `no worker became free within ${this.#options.limits.waitMs} ms`, requestId);
    return new FunctionError(errors.limit);
  }
}
