/**
 * Assigns requests to connections. Fast requests share a small number of connections, with several requests in flight
 * on each. Each other request gets a separate connection. A timer finds slow and abandoned requests, so a request
 * needs neither a timer nor a listener.
 */
import { PoolEndedError, PoolTimeoutError } from '../pool/errors.ts';
import type { PathRequest, PathResult, RequestPath } from '../types.ts';
import { ConnectionError, type ConnectionOptions, PostgresError } from '../wire/index.ts';
import { Group } from './group.ts';
import type { Job, Lane } from './lane.ts';
import { resetSession } from './reset.ts';
import { type Outcome, send } from './send.ts';
import { SettingsStatements } from './settings.ts';

export interface RequestPathOptions {
  readonly connectOptions: () => ConnectionOptions;
  /** The number of connections for fast requests. Defaults to 4. */
  readonly sharedConnections?: number | undefined;
  /** The number of connections for requests that need one exclusively. Defaults to 6. */
  readonly aloneConnections?: number | undefined;
  /** Whether a request that needs its own connection can use an idle shared connection if all others are in use. */
  readonly lendsShared?: boolean | undefined;
  /** The maximum number of requests in flight on one connection. Defaults to 8. */
  readonly depth?: number | undefined;
  /** No request is queued behind a request that has been running for longer. Defaults to 20 ms. */
  readonly slowMs?: number | undefined;
  readonly acquireTimeoutMs?: number | undefined;
  readonly idleTimeoutMs?: number | undefined;
  /** Connections opened before this `performance.now()` time are replaced. If undefined, connections don't expire. */
  readonly retireBefore?: (() => number) | undefined;
  /** The number of prepared statements kept per connection. Defaults to 100. */
  readonly statementLimit?: number | undefined;
}

const WATCH_MS = 25;
/** An additional shared connection is opened when the least busy one has this many requests in flight. */
const GROW_AT = 2;

/** A server restart ends all connections, and a request may encounter each of them in turn. */
const MAX_RESENDS = 10;

/** The current load of the connections. */
export interface PathLoad {
  readonly open: number;
  readonly busy: number;
  /** Requests that wait for a connection. */
  readonly waiting: number;
}

export function createRequestPath(
  options: RequestPathOptions,
): RequestPath & { readonly load: () => PathLoad } {
  return new Path(options);
}

class Path implements RequestPath {
  readonly #depth: number;
  readonly #slowMs: number;
  readonly #acquireTimeoutMs: number;
  readonly #idleTimeoutMs: number;
  readonly #retireBefore: (() => number) | undefined;
  readonly #lendsShared: boolean;
  readonly #settings = new SettingsStatements();
  readonly #shared: Group;
  readonly #alone: Group;
  #watcher: NodeJS.Timeout | undefined;
  #watchesClosely = false;
  /** The number of requests whose promise isn't settled. */
  #pending = 0;
  #stopped: PromiseWithResolvers<void> | undefined;

  constructor(options: RequestPathOptions) {
    this.#depth = options.depth ?? 8;
    this.#slowMs = options.slowMs ?? 20;
    this.#acquireTimeoutMs = options.acquireTimeoutMs ?? 10_000;
    this.#idleTimeoutMs = options.idleTimeoutMs ?? 30_000;
    this.#retireBefore = options.retireBefore;
    this.#lendsShared = options.lendsShared ?? false;
    const group = (limit: number) =>
      new Group({
        connectOptions: options.connectOptions,
        limit,
        statementLimit: options.statementLimit ?? 100,
        onChange: (changed) => this.#serve(changed),
      });
    this.#shared = group(options.sharedConnections ?? 4);
    this.#alone = group(options.aloneConnections ?? 6);
  }

  execute(request: PathRequest): Promise<PathResult> {
    return new Promise((resolve, reject) => {
      if (this.#stopped !== undefined) throw new PoolEndedError('The request path is closed.');
      if (request.signal?.aborted === true) throw request.signal.reason;
      this.#pending++;
      const queuedAt = performance.now();
      const job: Job = {
        request,
        resolve: (result) => {
          resolve(result);
          this.#settled();
        },
        reject: (error) => {
          reject(error);
          this.#settled();
        },
        queuedAt,
        exclusive: request.lane === 'alone' || request.explicit !== undefined || request.resetAfter === true,
        resent: 0,
        reprepared: false,
      };
      this.#place(job, queuedAt);
    });
  }

  load(): PathLoad {
    const lanes = [...this.#shared.lanes, ...this.#alone.lanes];
    return {
      open: lanes.length,
      busy: lanes.filter((lane) => !lane.empty).length,
      waiting: this.#shared.queue.length + this.#alone.queue.length,
    };
  }

  stop(): Promise<void> {
    this.#stopped ??= Promise.withResolvers<void>();
    this.#finishStop();
    return this.#stopped.promise;
  }

  /** Sends the job immediately, or queues it if it has to wait. */
  #place(job: Job, now: number): void {
    this.#watch();
    this.#retire();
    if (!job.exclusive) {
      const lane = this.#shared.leastBusy(this.#depth, this.#slowMs, now);
      if (lane === undefined || lane.jobs.length >= GROW_AT) this.#grow(this.#shared, 1);
      if (lane !== undefined) {
        this.#run(lane, job);
        return;
      }
      if (!this.#sharedAreStuck(now)) {
        this.#shared.queue.push(job);
        return;
      }
    }
    const lane = this.#alone.free();
    if (lane !== undefined) {
      this.#run(lane, job);
      return;
    }
    this.#alone.queue.push(job);
    this.#grow(this.#alone, this.#alone.queue.length);
    if (!this.#alone.canGrow) this.#lend();
  }

  /** Lends idle shared connections to jobs that need their own, if this is enabled. */
  #lend(): void {
    if (!this.#lendsShared || this.#alone.canGrow || this.#alone.opening > 0) return;
    while (this.#alone.queue.length > 0) {
      const lane = this.#shared.free();
      if (lane === undefined) {
        this.#grow(this.#shared, this.#alone.queue.length);
        return;
      }
      this.#run(lane, this.#alone.queue.shift() as Job);
    }
  }

  #retire(): void {
    const before = this.#retireBefore?.();
    if (before === undefined) return;
    this.#shared.retire(before);
    this.#alone.retire(before);
  }

  #grow(group: Group, wanted: number): void {
    if (group.canGrow && group.opening < wanted) group.open();
  }

  /** Whether slow requests block every shared connection, as opposed to many fast requests. */
  #sharedAreStuck(now: number): boolean {
    const { lanes, canGrow, opening } = this.#shared;
    if (canGrow || opening > 0) return false;
    for (const lane of lanes) if (lane.accepts(Number.POSITIVE_INFINITY, this.#slowMs, now)) return false;
    return true;
  }

  #run(lane: Lane, job: Job): void {
    if (job.exclusive || this.#alone.lanes.has(lane)) lane.exclusive = true;
    if (lane.jobs.push(job) === 1) lane.since = performance.now();
    try {
      send(lane, job.request, this.#settings.of(job.request), job.reprepared, (outcome) => {
        this.#ended(lane, job, outcome);
      });
    } catch (error) {
      // Nothing was written because the request itself can't be encoded.
      lane.jobs.splice(lane.jobs.indexOf(job), 1);
      job.reject(error);
      this.#release(lane);
    }
  }

  #ended(lane: Lane, job: Job, outcome: Outcome): void {
    lane.jobs.shift();
    lane.since = performance.now();
    if ('result' in outcome) {
      job.resolve(outcome.result);
    } else if (outcome.again === 'here' && !job.reprepared) {
      job.reprepared = true;
      this.#run(lane, job);
      return;
    } else if (outcome.again === 'elsewhere' && job.resent < resendLimit(outcome.error)) {
      job.resent++;
      this.#shared.dropIdle();
      this.#alone.dropIdle();
      this.#place(job, lane.since);
    } else {
      job.reject(this.#reasonOf(job, outcome.error));
    }
    if (job.exclusive || lane.canceling !== undefined) void this.#clear(lane, job);
    else this.#release(lane);
  }

  /** Cleans up after a job that used the connection exclusively or was canceled. */
  async #clear(lane: Lane, job: Job): Promise<void> {
    try {
      await lane.canceling;
      lane.canceling = undefined;
      // Behind a pooler in transaction mode, the session that was used no longer belongs to this connection.
      const isOurs = !lane.connection.ended && lane.connection.options.namedStatements !== false;
      if (job.request.resetAfter === true && isOurs) await resetSession(lane);
    } catch (error) {
      lane.connection.destroy(error as Error);
    }
    this.#release(lane);
  }

  #release(lane: Lane): void {
    const group = this.#alone.lanes.has(lane) ? this.#alone : this.#shared;
    if (lane.jobs.length === 0) lane.exclusive = false;
    if (group.queue.length > 0 || (this.#lendsShared && this.#alone.queue.length > 0)) this.#serve(group);
    if (this.#stopped !== undefined) this.#finishStop();
  }

  /** Assigns free connections to waiting jobs. */
  #serve(group: Group): void {
    const now = performance.now();
    while (group.queue.length > 0) {
      const lane = group === this.#alone ? group.free() : group.leastBusy(this.#depth, this.#slowMs, now);
      if (lane === undefined) break;
      const job = group.queue.shift() as Job;
      if (job.request.signal?.aborted === true) job.reject(job.request.signal.reason);
      else this.#run(lane, job);
    }
    if (group.queue.length > 0) this.#grow(group, group === this.#alone ? group.queue.length : 1);
    if (this.#alone.queue.length > 0) this.#lend();
    if (this.#stopped !== undefined) this.#finishStop();
  }

  #reasonOf(job: Job, error: unknown): unknown {
    const { signal } = job.request;
    const canceled = error instanceof PostgresError && error.code === '57014';
    return canceled && signal?.aborted === true ? signal.reason : error;
  }

  #settled(): void {
    this.#pending--;
    if (this.#stopped !== undefined) this.#finishStop();
  }

  #finishStop(): void {
    if (this.#stopped === undefined || this.#pending > 0) return;
    clearTimeout(this.#watcher);
    Promise.all([this.#shared.close(), this.#alone.close()]).then(() => this.#stopped?.resolve());
  }

  /** Checks frequently while there is work, and again when connections have expired. */
  #watch(): void {
    if (this.#watchesClosely) return;
    clearTimeout(this.#watcher);
    this.#watchesClosely = true;
    this.#watcher = setTimeout(() => this.#look(), WATCH_MS).unref();
  }

  #look(): void {
    const now = performance.now();
    this.#retire();
    for (const group of [this.#shared, this.#alone]) {
      for (const lane of group.lanes) lane.cancelAbandoned(now);
      group.expire(now - this.#acquireTimeoutMs, () => this.#timeout());
      if (group.queue.length > 0) this.#serve(group);
    }
    if (this.#sharedAreStuck(now)) for (const job of this.#shared.queue.splice(0)) this.#place(job, now);
    this.#shared.closeIdle(now - this.#idleTimeoutMs);
    this.#alone.closeIdle(now - this.#idleTimeoutMs);
    this.#watchesClosely = this.#pending > 0;
    if (!this.#watchesClosely && this.#shared.lanes.size + this.#alone.lanes.size === 0) return;
    const delayMs = this.#watchesClosely ? WATCH_MS : Math.max(this.#idleTimeoutMs / 2, WATCH_MS);
    this.#watcher = setTimeout(() => this.#look(), delayMs).unref();
  }

  #timeout(): Error {
    return new PoolTimeoutError(`No database connection became free in ${this.#acquireTimeoutMs} ms.`);
  }
}

/**
 * A request that the server hasn't started can be resent until the server starts it. A read that was interrupted is
 * retried only once.
 */
function resendLimit(error: unknown): number {
  return error instanceof ConnectionError && error.untouched ? MAX_RESENDS : 1;
}
