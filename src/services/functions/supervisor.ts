/**
 * Manages the workers of all functions. The first request to a function starts a worker, which all requests to this
 * function share. With the policy `oneshot`, each request starts a separate worker. Idle workers are stopped, and a
 * worker is replaced when its source code changes. The total number of workers is limited. If the limit is reached,
 * requests wait until a worker becomes available.
 */

import type { QueueLoad } from '../../base/kernel/service.ts';
import { isCountedAddress, networkOf } from '../../base/shared/network/network-of.ts';
import type { FunctionSource } from './catalog.ts';
import { maxRequestsPerClient } from './core/limits.ts';
import type { RequestUsage, Worker } from './deno/worker.ts';
import { errors, FunctionError } from './errors.ts';
import { ClientShares, WaitingRequests } from './waiting-requests.ts';
import { WorkerPool } from './worker-pool.ts';
import { note, type StarterOptions, WorkerStarter } from './worker-starter.ts';

export interface SupervisorOptions extends StarterOptions {
  readonly policy: () => 'per_worker' | 'oneshot';
  /**
   * Returns the current source of a function. Returns undefined if the function was removed. The source can change
   * while a request waits for a worker, because a new version may be deployed.
   */
  readonly newest: (source: FunctionSource) => FunctionSource | undefined;
}

/**
 * The state of a function. The state is `running` if a worker serves the function, `failed` if its last start failed,
 * and `idle` otherwise.
 */
export type FunctionState = 'running' | 'failed' | 'idle';

export interface Lease {
  readonly worker: Worker;
  /**
   * The time, in milliseconds, that the request waited until a worker had started. The time is undefined if a worker
   * was already running.
   */
  readonly bootMs: number | undefined;
  /** Ends the request and returns the resources that it used. Later calls return the same values. */
  release(): RequestUsage;
}

export interface Supervisor {
  /**
   * Returns a worker that is ready for one request.
   * @throws {FunctionError} boot, noDeno, or limit if no worker becomes available in time
   */
  acquire(source: FunctionSource, requestId: string, address: string): Promise<Lease>;
  /** Returns the load of the queue for workers. */
  queue(): QueueLoad;
  stateOf(slug: string): { readonly state: FunctionState; readonly pending: number };
  /** Returns the number of running workers and the number of requests that they are processing. */
  load(): { readonly workers: number; readonly pending: number };
  /**
   * Retires the workers of the changed functions, so that their next requests start new workers. If `slugs` is
   * undefined, all workers are retired. Returns the functions that were running.
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
  readonly #waiting: WaitingRequests;
  readonly #shares: ClientShares;
  readonly #pool: WorkerPool;
  readonly #starter: WorkerStarter;
  /** The shared workers that are starting, by function slug. */
  readonly #starting = new Map<string, Promise<Worker>>();
  #stopping = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#waiting = new WaitingRequests(
      options.limits.maxWaiting,
      () => new FunctionError(errors.overloaded),
    );
    this.#shares = new ClientShares(() => maxRequestsPerClient(options.limits, this.#isShared));
    this.#pool = new WorkerPool({
      limits: options.limits,
      clock: options.clock,
      onFree: () => this.#waiting.wakeAll(),
      onLimit: (slug, reason, requestId) => note(options, slug, `worker ended: ${reason}`, requestId),
    });
    this.#starter = new WorkerStarter(options, this.#pool);
  }

  get #isShared(): boolean {
    return this.#options.policy() === 'per_worker';
  }

  async acquire(source: FunctionSource, requestId: string, address: string): Promise<Lease> {
    const client = isCountedAddress(address) ? networkOf(address) : undefined;
    const { slug } = source;
    const { clock, limits } = this.#options;
    const arrivedAt = clock.now();
    let hasWaited = false;
    for (;;) {
      if (this.#shares.mayStart(slug, client)) {
        const lease = await this.#tryAcquire(source, requestId, client, arrivedAt + limits.waitMs);
        if (lease !== undefined) {
          if (hasWaited) this.#waiting.started(clock.now() - arrivedAt);
          return lease;
        }
      }
      hasWaited = true;
      await this.#waiting.wait(client ?? '', arrivedAt + limits.waitMs - clock.now(), () =>
        this.#timeout(slug, requestId),
      );
    }
  }

  queue(): QueueLoad {
    return this.#waiting.load();
  }

  /** Returns undefined if all slots are in use. */
  async #tryAcquire(
    source: FunctionSource,
    requestId: string,
    client: string | undefined,
    until: number,
  ): Promise<Lease | undefined> {
    const { slug } = source;
    const { clock, limits } = this.#options;
    this.#shares.enter(slug, client);
    let lease: Lease | undefined;
    try {
      while (lease === undefined) {
        if (this.#stopping) throw new FunctionError(errors.boot);
        const ready = this.#readyWorker(slug);
        if (ready !== undefined) {
          lease = this.#lease(ready, requestId, undefined, client);
          break;
        }
        const startedAt = clock.now();
        const started = this.#isShared
          ? this.#startShared(source, requestId)
          : this.#start(source, requestId);
        if (started === undefined) return undefined;
        const worker = await started;
        if (worker.ended === undefined && worker.pending < limits.maxRequests)
          lease = this.#lease(worker, requestId, clock.now() - startedAt, client);
        else if (clock.now() > until) throw new FunctionError(errors.worker);
      }
      return lease;
    } finally {
      if (lease === undefined) this.#shares.leave(slug, client);
    }
  }

  stateOf(slug: string): { readonly state: FunctionState; readonly pending: number } {
    const workers = this.#pool.of(slug).filter((worker) => worker.ended === undefined);
    const pending = workers.reduce((sum, worker) => sum + worker.pending, 0);
    if (this.#starter.failed.has(slug)) return { state: 'failed', pending };
    return { state: workers.length > 0 ? 'running' : 'idle', pending };
  }

  load(): { readonly workers: number; readonly pending: number } {
    const workers = this.#pool.all.filter((worker) => worker.ended === undefined);
    return { workers: workers.length, pending: workers.reduce((sum, { pending }) => sum + pending, 0) };
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

  #lease(worker: Worker, requestId: string, bootMs: number | undefined, client: string | undefined): Lease {
    let isHeld = true;
    const end = worker.begin(requestId);
    return {
      worker,
      bootMs,
      release: () => {
        const usage = end();
        if (!this.#isShared) worker.retire();
        if (isHeld) this.#shares.leave(worker.slug, client);
        isHeld = false;
        this.#waiting.wakeAll();
        return usage;
      },
    };
  }

  /**
   * Starts a shared worker. If a shared worker for the function is already starting, returns the promise of that
   * worker. Returns undefined if all slots are in use.
   */
  #startShared(source: FunctionSource, requestId?: string): Promise<Worker> | undefined {
    const { slug } = source;
    const known = this.#starting.get(slug);
    if (known !== undefined) return known;
    const promise = this.#start(source, requestId)?.then((worker) => {
      // If the function's source changed while the worker was starting, the worker serves only the requests that were
      // waiting for it.
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

  /** Starts a worker. Returns undefined if all slots are in use. */
  #start(source: FunctionSource, requestId?: string): Promise<Worker> | undefined {
    const release = this.#pool.reserve(source.slug);
    if (release === undefined) return undefined;
    const promise = this.#starter.start(this.#options.newest(source) ?? source, requestId);
    promise.then(release, release);
    promise.catch(() => this.#waiting.wakeAll());
    return promise;
  }

  #timeout(slug: string, requestId: string): FunctionError {
    note(
      this.#options,
      slug,
      `no worker became available within ${this.#options.limits.waitMs} ms`,
      requestId,
    );
    return new FunctionError(errors.limit);
  }
}
