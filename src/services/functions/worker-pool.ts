/**
 * The workers of all functions. Assigns slots, ends idle and outdated workers, and periodically checks the limits of
 * all workers.
 */
import type { Clock } from '../../base/kernel/clock.ts';
import type { Limits } from './core/limits.ts';
import type { Worker } from './deno/worker.ts';

export interface WorkerPoolOptions {
  readonly limits: Limits;
  /** A monotonic clock. */
  readonly clock: Clock;
  /** Called when a slot might have become available. */
  readonly onFree: () => void;
  /**
   * Called with a description of the limit that a worker exceeded. The callback also receives the request's ID if the
   * worker was processing only one request.
   */
  readonly onLimit: (slug: string, reason: string, requestId: string | undefined) => void;
}

const limitCheckMs = 100;
const idleCheckMs = 1000;

export class WorkerPool {
  /** The worker to which new requests are sent, by function. */
  readonly current = new Map<string, Worker>();
  readonly #options: WorkerPoolOptions;
  readonly #alive = new Set<Worker>();
  /** Workers that were started before their source code changed. */
  readonly #outdated = new WeakSet<Worker>();
  /** The number of slots that are reserved for workers that are starting. */
  #reserved = 0;
  #timer: NodeJS.Timeout | undefined;
  #sinceIdleCheckMs = 0;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  get all(): readonly Worker[] {
    return [...this.#alive];
  }

  of(slug: string): Worker[] {
    return this.all.filter((worker) => worker.slug === slug);
  }

  add(worker: Worker): void {
    this.#alive.add(worker);
    this.#timer ??= setInterval(() => this.#checkAll(), limitCheckMs).unref();
  }

  remove(worker: Worker): void {
    this.#alive.delete(worker);
    if (this.current.get(worker.slug) === worker) this.current.delete(worker.slug);
    if (this.#alive.size === 0) this.stopChecks();
    this.#options.onFree();
  }

  /**
   * Reserves a slot for a worker that is about to start. Returns a function that releases the slot, or undefined if all
   * slots are in use.
   */
  reserve(slug: string): (() => void) | undefined {
    if (!this.#freeSlot(slug)) return undefined;
    this.#reserved += 1;
    let isReserved = true;
    return () => {
      if (isReserved) this.#reserved -= 1;
      isReserved = false;
    };
  }

  /** Stops sending requests to a worker. The worker exits after its pending requests have finished. */
  retire(worker: Worker): void {
    if (this.current.get(worker.slug) === worker) this.current.delete(worker.slug);
    worker.retire();
  }

  markOutdated(isChanged: (slug: string) => boolean): void {
    for (const worker of this.#alive) if (isChanged(worker.slug)) this.#outdated.add(worker);
  }

  async endAll(slug: string): Promise<void> {
    const leaving = this.of(slug);
    for (const worker of leaving) worker.kill('retired');
    await Promise.all(leaving.map((worker) => worker.exited));
  }

  stopChecks(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /**
   * Whether another worker can start. If all slots are in use, ends the worker that has been idle for the longest time,
   * or a worker whose source code is outdated.
   */
  #freeSlot(slug: string): boolean {
    const { maxWorkersPerFunction, maxWorkers } = this.#options.limits;
    const staying = this.all.filter(
      (worker) => worker.ended === undefined && (!worker.retired || worker.pending > 0),
    );
    const own = staying.filter((worker) => worker.slug === slug);
    if (own.length >= maxWorkersPerFunction) return this.#endOutdated(own);
    // Workers that are starting are excluded, because their slots are counted in `#reserved`.
    const served = staying.filter((worker) => worker.bootMs !== undefined);
    if (served.length + this.#reserved < maxWorkers) return true;
    const [oldest] = [...this.current.values()]
      .filter((worker) => worker.pending === 0 && worker.bootMs !== undefined)
      .sort((a, b) => a.idleSince - b.idleSince);
    if (oldest === undefined) return this.#endOutdated(served);
    this.retire(oldest);
    return true;
  }

  /**
   * Ends the oldest worker whose source code is outdated. Streams and sockets that were opened before the source code
   * changed can stay open for a long time, but the slot is needed.
   */
  #endOutdated(workers: readonly Worker[]): boolean {
    const oldest = workers.find((worker) => this.#outdated.has(worker));
    oldest?.kill('retired');
    return oldest !== undefined;
  }

  #checkAll(): void {
    this.#sinceIdleCheckMs += limitCheckMs;
    const checksIdle = this.#sinceIdleCheckMs >= idleCheckMs;
    if (checksIdle) this.#sinceIdleCheckMs = 0;
    for (const worker of this.#alive) {
      if (worker.pending === 0 && !worker.isBusy && worker.bootMs !== undefined && !checksIdle) continue;
      this.#check(worker);
    }
  }

  #check(worker: Worker): void {
    const { limits, clock, onLimit } = this.#options;
    const { slug, onlyRequest } = worker;
    const reason = worker.checkLimits();
    if (reason !== undefined) onLimit(slug, reason, onlyRequest);
    else if (worker.retired || worker.bootMs === undefined) return;
    else if (worker.pending === 0 && clock.now() - worker.idleSince > limits.idleMs) this.retire(worker);
    // If no other worker of the function can start, a worker that has used many resources continues to receive
    // requests. In this case, a slow response is better than an error.
    else if (worker.isSpent && this.of(slug).length < limits.maxWorkersPerFunction) this.retire(worker);
  }
}
