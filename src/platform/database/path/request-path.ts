/**
 * Assigns requests to connections. Fast requests share a small number of connections, with several requests in flight
 * on each connection. Each slower request gets a separate connection. Requests that turn out to be slow are moved to a
 * separate group of connections, so that they can't delay other requests (docs/decisions/0048-overload.md). A single
 * timer detects slow and abandoned requests, so individual requests don't need timers or listeners.
 */
import { type OccupancyLimits, PoolEndedError, PoolTimeoutError } from '../pool/occupancy.ts';
import type { PathRequest, PathResult, PoolLoad, RequestPath, Setting } from '../types.ts';
import { ConnectionError, type ConnectionOptions, PostgresError } from '../wire/index.ts';
import { Group, type GroupOptions } from './group.ts';
import { type Job, type Lane, type LaneGroup, resetSession } from './lane.ts';
import { type Outcome, send } from './send.ts';
import { SettingsStatements } from './settings.ts';

export interface RequestPathOptions {
  readonly connectOptions: () => ConnectionOptions;
  /** The number of connections for fast requests. Defaults to 4. */
  readonly sharedConnections?: number | undefined;
  /** The number of connections for requests that need a separate connection. Defaults to 6. */
  readonly aloneConnections?: number | undefined;
  /**
   * The number of connections for slow requests. If the number is 0, which is the default, slow requests aren't
   * separated and concurrent requests of unknown speed aren't limited.
   */
  readonly slowConnections?: number | undefined;
  /** A request that runs for longer than this duration counts as slow. Defaults to 250 ms. */
  readonly slowAfterMs?: number | undefined;
  /** The limits of the queues for requests that aren't slow. By default, queues are unlimited. */
  readonly queue?: QueueLimits | undefined;
  readonly slowQueue?: QueueLimits | undefined;
  /**
   * Whether a request that needs a separate connection can use an idle shared connection if all separate connections
   * are in use.
   */
  readonly lendsShared?: boolean | undefined;
  /** The maximum number of requests in flight on one connection. Defaults to 8. */
  readonly depth?: number | undefined;
  /**
   * Once a request has been running for longer than this duration, no other request is queued behind it. Defaults to 20
   * ms.
   */
  readonly slowMs?: number | undefined;
  readonly acquireTimeoutMs?: number | undefined;
  readonly idleTimeoutMs?: number | undefined;
  /**
   * Returns a point in time on the clock of `performance.now()`. Connections that were opened before this time are
   * replaced. If this function isn't set or returns undefined, connections don't expire.
   */
  readonly retireBefore?: (() => number) | undefined;
  /** The number of prepared statements that are kept per connection. Defaults to 100. */
  readonly statementLimit?: number | undefined;
  /**
   * The `request.…` settings that are set for every request, because other processes that use the same sessions through
   * a pooler may set them.
   */
  readonly contextSettings?: readonly string[] | undefined;
  /** Called if a connection can't be opened. */
  readonly onOpenFailed?: (() => void) | undefined;
}

/** The options that the project's settings determine. */
export type RequestPathLimits = Pick<
  RequestPathOptions,
  | 'sharedConnections'
  | 'aloneConnections'
  | 'slowConnections'
  | 'slowAfterMs'
  | 'queue'
  | 'slowQueue'
  | 'acquireTimeoutMs'
>;

export interface QueueLimits {
  readonly maxWaiting: number;
  /** A request is rejected if its estimated wait exceeds this duration. */
  readonly maxWaitMs: number;
}

const UNLIMITED: QueueLimits = {
  maxWaiting: Number.POSITIVE_INFINITY,
  maxWaitMs: Number.POSITIVE_INFINITY,
};
/** The maximum number of concurrent calls of a query shape whose speed is unknown. */
const UNKNOWN_PER_SHAPE = 2;
/**
 * If too many calls wait for a call of the same shape whose speed is unknown, that call counts as slow above this
 * duration.
 */
const SLOW_FOR_MANY_MS = 100;
/**
 * The assumed duration of a slow call until a slow call's duration has been measured, as a multiple of `slowAfterMs`.
 */
const ASSUMED_SLOW = 4;

const WATCH_MS = 25;
/**
 * Another shared connection is opened when even the least busy shared connection has this number of requests in flight.
 */
const GROW_AT = 2;
/** The event loop counts as late after this number of consecutive late checks. A single late check has no effect. */
const LATE_CHECKS = 4;
/** The factor by which the limit on requests in flight is multiplied while the event loop is late. */
const LATE_DEPTH = 4;

/** The maximum number of changes that are sent together. */
const MAX_BATCHED = 4;
/**
 * Limits how long a change waits for a lock while others may wait behind it. After that, it is rolled back and sent again
 * on a separate connection. Changes are never canceled for this purpose, because a cancel request that arrives during the
 * commit ends the wait for a synchronous replica, and PostgreSQL then reports success.
 */
const BATCH_LOCK_TIMEOUT: Setting = ['lock_timeout', '50ms'];

/**
 * The maximum number of times that a request is sent again. A server restart ends all connections, and a request may be
 * sent on several of these connections before one works.
 */
const MAX_RESENDS = 10;

export function createRequestPath(options: RequestPathOptions): RequestPath {
  return new Path(options);
}

class Path implements RequestPath {
  readonly #depth: number;
  readonly #slowMs: number;
  readonly #slowAfterMs: number;
  readonly #acquireTimeoutMs: number;
  readonly #idleTimeoutMs: number;
  readonly #retireBefore: (() => number) | undefined;
  readonly #lendsShared: boolean;
  readonly #settings: SettingsStatements;
  readonly #shared: Group;
  readonly #alone: Group;
  readonly #slow: Group;
  readonly #groups: readonly Group[];
  #watcher: NodeJS.Timeout | undefined;
  #watchesClosely = false;
  #lookedAt = 0;
  #lookAt = 0;
  /** The delay of the event loop at the last check. */
  #latenessMs = 0;
  /** The number of consecutive checks that were late. */
  #lateChecks = 0;
  /** The number of requests that haven't ended. */
  #pending = 0;
  #stopped: PromiseWithResolvers<void> | undefined;

  constructor(options: RequestPathOptions) {
    this.#depth = options.depth ?? 8;
    this.#slowMs = options.slowMs ?? 20;
    this.#slowAfterMs = options.slowAfterMs ?? 250;
    this.#acquireTimeoutMs = options.acquireTimeoutMs ?? 10_000;
    this.#idleTimeoutMs = options.idleTimeoutMs ?? 30_000;
    this.#retireBefore = options.retireBefore;
    this.#lendsShared = options.lendsShared ?? false;
    this.#settings = new SettingsStatements(options.contextSettings);
    const alone = options.aloneConnections ?? 6;
    const slow = options.slowConnections ?? 0;
    const group = (
      queue: QueueLimits | undefined,
      own: Pick<GroupOptions, 'name' | 'limit' | 'occupancy' | 'isLimited' | 'isPipelined' | 'assumedMs'>,
    ) =>
      new Group({
        ...own,
        ...(queue ?? UNLIMITED),
        connectOptions: options.connectOptions,
        onOpenFailed: options.onOpenFailed,
        statementLimit: options.statementLimit ?? 100,
        onChange: (change) => this.#serve(this.#groupOf(change)),
      });
    this.#shared = group(options.queue, {
      name: 'shared',
      limit: options.sharedConnections ?? 4,
      occupancy: unoccupied,
      isLimited: () => false,
      isPipelined: true,
      assumedMs: 0,
    });
    this.#alone = group(options.queue, {
      name: 'exclusive',
      limit: alone,
      occupancy: unknownLimits(alone),
      isLimited: ({ speed }) => slow > 0 && speed !== undefined && !speed.isBrief,
      isPipelined: false,
      assumedMs: 0,
    });
    this.#slow = group(options.slowQueue, {
      name: 'slow',
      limit: slow,
      occupancy: slowLimits(slow),
      isLimited: () => true,
      isPipelined: false,
      assumedMs: ASSUMED_SLOW * this.#slowAfterMs,
    });
    this.#groups = [this.#shared, this.#alone, this.#slow];
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
        client: request.client?.key ?? '',
        exclusive: request.lane !== 'shared' || request.explicit !== undefined || request.resetAfter === true,
        occupied: undefined,
        observedMs: 0,
        blocking: false,
        evicted: false,
        resent: 0,
        reprepared: false,
      };
      this.#place(job, queuedAt);
    });
  }

  loads(): PoolLoad[] {
    return this.#groups.map((group) => group.load());
  }

  answeredAt(): number {
    return Math.max(...this.#groups.map((group) => group.answeredAt()));
  }

  stop(): Promise<void> {
    this.#stopped ??= Promise.withResolvers<void>();
    this.#finishStop();
    return this.#stopped.promise;
  }

  /** Sends the job immediately if a connection is free. Otherwise, queues it. */
  #place(job: Job, now: number): void {
    this.#watch();
    this.#retire();
    if (!job.exclusive) {
      const lane = this.#shared.leastBusy(this.#currentDepth, this.#currentSlowMs, now);
      if (lane === undefined || lane.jobs.length >= GROW_AT) this.#grow(this.#shared, 1);
      if (lane !== undefined) {
        this.#run(lane, job);
        return;
      }
      if (!this.#canRelieve(now)) {
        this.#shared.enqueue(job, 0);
        return;
      }
    }
    const isSlow = this.#slow.limit > 0 && (job.evicted || job.request.speed?.isBlocking === true);
    this.#placeAlone(isSlow ? this.#slow : this.#alone, job, now);
  }

  #placeAlone(group: Group, job: Job, now: number): void {
    const canStart = group.verdict(job) === 'start';
    const lane = canStart ? group.free() : undefined;
    if (lane !== undefined) {
      this.#run(lane, job);
      return;
    }
    group.enqueue(job, this.#runningMs(group, now));
    if (canStart) this.#grow(group, group.queue.size);
    if (group === this.#alone && !group.canGrow) this.#lend();
  }

  /**
   * Returns 0 for all groups except the group for slow jobs, because the slow jobs of other groups are moved to that
   * group and don't affect the estimates of their original groups.
   */
  #runningMs(group: Group, now: number): number {
    return group === this.#slow ? group.runningMs(now) : 0;
  }

  /**
   * Assigns idle shared connections to jobs that need a separate connection, if the option `lendsShared` is enabled.
   */
  #lend(): void {
    if (!this.#lendsShared || this.#alone.canGrow || this.#alone.opening > 0) return;
    const { queue } = this.#alone;
    for (let job = queue.next(); job !== undefined; job = queue.next()) {
      const lane = this.#shared.free();
      if (lane === undefined) {
        this.#grow(this.#shared, queue.size);
        return;
      }
      this.#alone.dequeue(job, performance.now());
      this.#run(lane, job);
    }
  }

  #retire(): void {
    const before = this.#retireBefore?.();
    if (before === undefined) return;
    for (const group of this.#groups) group.retire(before);
  }

  #grow(group: Group, requested: number): void {
    if (group.canGrow && group.opening < requested) group.open();
  }

  /**
   * Whether slow requests block every shared connection. A connection that has many fast requests in flight doesn't
   * count as blocked.
   */
  #sharedAreStuck(now: number): boolean {
    const { lanes, canGrow, opening } = this.#shared;
    if (canGrow || opening > 0) return false;
    for (const lane of lanes)
      if (lane.accepts(Number.POSITIVE_INFINITY, this.#currentSlowMs, now)) return false;
    return true;
  }

  /**
   * Whether a fast request should use a separate connection, because slow requests block every shared connection. If a
   * fast request would have to wait for a separate connection, it waits for the shared connections instead. The shared
   * connections are faster, and usually become available soon, because a stall of the machine also blocks them.
   */
  #canRelieve(now: number): boolean {
    const { queue, canGrow, opening } = this.#alone;
    if (queue.size > 0) return false;
    return (this.#alone.free() !== undefined || (canGrow && opening === 0)) && this.#sharedAreStuck(now);
  }

  /** Moves waiting fast requests to separate connections while slow requests block every shared connection. */
  #relieve(now: number): void {
    const { queue } = this.#shared;
    for (let job = queue.next(); job !== undefined && this.#canRelieve(now); job = queue.next()) {
      queue.start(job);
      this.#placeAlone(this.#alone, job, now);
    }
  }

  #run(lane: Lane, job: Job): void {
    const group = this.#groupOf(lane);
    if (job.exclusive || group !== this.#shared) lane.exclusive = true;
    if (group !== this.#shared) group.enter(job);
    job.blocking = false;
    job.observedMs = 0;
    if (lane.jobs.push(job) === 1) lane.since = performance.now();
    try {
      const { request, reprepared: prepareAgain } = job;
      const settings = isBatched(job) ? [...request.settings, BATCH_LOCK_TIMEOUT] : request.settings;
      const { role, access } = request;
      const statement =
        lane.connection.options.passesSettingsOn === true
          ? this.#settings.localOf({ role, settings })
          : this.#settings.of({ role, access, settings });
      send({ lane, request, settings: statement, prepareAgain }, (outcome) => {
        this.#ended(lane, job, outcome);
      });
    } catch (error) {
      // The request couldn't be encoded, so nothing was sent.
      lane.jobs.splice(lane.jobs.indexOf(job), 1);
      job.occupied?.leave(job);
      job.reject(error);
      this.#release(lane);
    }
  }

  #ended(lane: Lane, job: Job, outcome: Outcome): void {
    lane.jobs.shift();
    const startedAt = lane.since;
    lane.since = performance.now();
    job.occupied?.leave(job);
    const isEvicted =
      (lane.evicting && isCanceled(outcome) && job.resent === 0) || (isBatched(job) && isLocked(outcome));
    if (!isEvicted) this.#record(lane, job, startedAt);
    if ('result' in outcome) {
      job.resolve(outcome.result);
    } else if (outcome.again === 'here' && !job.reprepared) {
      job.reprepared = true;
      this.#run(lane, job);
      return;
    } else if (isEvicted && job.request.signal?.aborted !== true) {
      job.resent++;
      job.exclusive ||= job.evicted;
      this.#place(job, lane.since);
    } else if (outcome.again === 'elsewhere' && job.resent < resendLimit(outcome.error)) {
      job.resent++;
      for (const group of this.#groups) group.dropIdle();
      this.#place(job, lane.since);
    } else {
      job.reject(this.#reasonOf(job, outcome.error));
    }
    if (job.request.resetAfter === true || lane.canceling !== undefined) void this.#clear(lane, job);
    else this.#release(lane);
  }

  /** Records the duration of a run that has ended. */
  #record(lane: Lane, job: Job, startedAt: number): void {
    const durationMs = lane.since - startedAt;
    const group = this.#groupOf(lane);
    // In other groups, the duration of a job is capped, because a slow job is moved to the group for slow jobs and
    // therefore doesn't delay the waiting jobs.
    group.recordDuration(
      group === this.#slow ? durationMs : Math.min(durationMs, this.#slowAfterMs),
      lane.since,
    );
    if (job.blocking) return;
    // In other groups, slow runs were recorded while they were in progress.
    if (group === this.#slow && durationMs > this.#slowAfterMs)
      job.request.speed?.recordBlocking(startedAt, lane.since);
    else job.request.speed?.record(startedAt, lane.since - this.#lateMs(startedAt, lane.since));
  }

  /** Resets the connection after a job that used it exclusively or was canceled. */
  async #clear(lane: Lane, job: Job): Promise<void> {
    try {
      await lane.canceling;
      lane.canceling = undefined;
      // Behind a pooler in transaction mode, the connection may already use a different server session. The session was
      // reset together with the commit.
      const isOurs =
        !lane.connection.ended && !lane.isPooled && lane.connection.options.namedStatements !== false;
      if (job.request.resetAfter === true && isOurs) await resetSession(lane);
    } catch (error) {
      lane.connection.destroy(error as Error);
    }
    this.#release(lane);
  }

  #release(lane: Lane): void {
    const group = this.#groupOf(lane);
    if (lane.jobs.length === 0) {
      lane.exclusive = false;
      lane.evicting = false;
    }
    const isAwaited = group.queue.size > 0 || (group === this.#alone && this.#shared.queue.size > 0);
    if (isAwaited || (this.#lendsShared && this.#alone.queue.size > 0)) this.#serve(group);
    if (this.#stopped !== undefined) this.#finishStop();
  }

  #groupOf({ group }: { readonly group: LaneGroup }): Group {
    if (group === this.#shared) return this.#shared;
    return group === this.#alone ? this.#alone : this.#slow;
  }

  /** Assigns free connections to waiting jobs. */
  #serve(group: Group): void {
    const now = performance.now();
    const { queue, verdict } = group;
    for (let job = queue.next(verdict); job !== undefined; job = queue.next(verdict)) {
      const lane =
        group === this.#shared ? group.leastBusy(this.#currentDepth, this.#currentSlowMs, now) : group.free();
      if (lane === undefined) {
        this.#grow(group, group === this.#shared ? 1 : queue.size);
        break;
      }
      group.dequeue(job, now);
      if (job.request.signal?.aborted === true) job.reject(job.request.signal.reason);
      else {
        this.#run(lane, job);
        if (group === this.#alone && isBatched(job)) this.#runBatch(lane, now);
      }
    }
    if (this.#alone.queue.size > 0) this.#lend();
    else if (group === this.#alone) this.#relieve(now);
    if (this.#stopped !== undefined) this.#finishStop();
  }

  /**
   * Sends more waiting changes on a lane on which a change was just sent, so that Plinth and PostgreSQL need fewer system
   * calls per change. The lane takes no more than its share of the waiting jobs, because the other lanes become free soon.
   */
  #runBatch(lane: Lane, now: number): void {
    const { queue, verdict, lanes, canGrow } = this.#alone;
    if (canGrow) return;
    for (let room = Math.min(MAX_BATCHED - 1, Math.ceil(queue.size / lanes.size)); room > 0; room--) {
      const job = queue.next(verdict);
      if (job === undefined || !isBatched(job)) return;
      this.#alone.dequeue(job, now);
      if (job.request.signal?.aborted === true) job.reject(job.request.signal.reason);
      else this.#run(lane, job);
    }
  }

  /** Moves jobs that have turned out to be slow to connections of the group for slow jobs. */
  #separateSlow(now: number): void {
    const passedMs = Math.min(now - this.#lookedAt, 2 * WATCH_MS);
    this.#lookedAt = now;
    if (this.#slow.limit === 0) return;
    let hasNew = false;
    for (const group of [this.#shared, this.#alone]) {
      for (const lane of group.lanes) {
        const [job] = lane.jobs;
        const speed = job?.request.speed;
        if (job === undefined || speed === undefined) continue;
        job.observedMs += Math.min(passedMs, now - lane.since);
        if (!job.blocking && this.#isSlow(group, job)) {
          job.blocking = true;
          speed.recordBlocking(lane.since, now);
          hasNew = true;
          if (group === this.#alone && job.occupied === undefined) group.enter(job);
        }
        if (group === this.#alone) {
          if (job.blocking && lane.jobs.length === 1) this.#moveToSlow(lane, job);
        } else if (lane.jobs.length > 1 && !job.exclusive && job.resent === 0) {
          if (job.blocking || (speed.isBlocking && job.observedMs > this.#slowMs)) lane.evict();
        }
      }
    }
    if (!hasNew) return;
    for (const group of [this.#shared, this.#alone]) {
      for (const job of [...group.queue]) {
        if (job.request.speed?.isBlocking !== true) continue;
        group.queue.remove(job);
        job.exclusive = true;
        this.#place(job, now);
      }
      this.#serve(group);
    }
  }

  #isSlow(group: Group, job: Job): boolean {
    if (job.observedMs > this.#slowAfterMs) return true;
    return job.observedMs > SLOW_FOR_MANY_MS && group.delaysShape(job, job.observedMs);
  }

  /** If the group for slow jobs is full, the job's lane is exchanged for an idle lane of that group. */
  #moveToSlow(lane: Lane, job: Job): void {
    const idle = this.#slow.canGrow ? undefined : this.#slow.free();
    if (!this.#slow.canGrow && idle === undefined) return;
    job.occupied?.leave(job);
    if (this.#slow.verdict(job) !== 'start') {
      this.#alone.enter(job);
      return;
    }
    if (idle !== undefined) this.#alone.adopt(idle);
    this.#slow.adopt(lane);
    this.#slow.enter(job);
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
    Promise.all(this.#groups.map((group) => group.close())).then(() => this.#stopped?.resolve());
  }

  /** Starts the timer. The timer checks frequently while there is work, and once more when connections have expired. */
  #watch(): void {
    if (this.#watchesClosely) return;
    clearTimeout(this.#watcher);
    this.#watchesClosely = true;
    this.#lookAt = performance.now() + WATCH_MS;
    this.#watcher = setTimeout(() => this.#look(), WATCH_MS).unref();
  }

  #look(): void {
    const now = performance.now();
    this.#latenessMs = now - this.#lookAt;
    this.#lateChecks = this.#latenessMs < WATCH_MS ? 0 : this.#lateChecks + 1;
    this.#retire();
    this.#separateSlow(now);
    this.#slow.shed(this.#slow.runningMs(now));
    for (const group of this.#groups) {
      for (const lane of group.lanes) lane.cancelAbandoned(now);
      group.expire(now - this.#acquireTimeoutMs, () => this.#timeout());
      if (group.queue.size > 0) this.#serve(group);
    }
    this.#relieve(now);
    for (const group of this.#groups) group.closeIdle(now - this.#idleTimeoutMs);
    this.#watchesClosely = this.#pending > 0;
    if (!this.#watchesClosely && this.#groups.every(({ lanes }) => lanes.size === 0)) return;
    const delayMs = this.#watchesClosely ? WATCH_MS : Math.max(this.#idleTimeoutMs / 2, WATCH_MS);
    this.#lookAt = now + delayMs;
    this.#watcher = setTimeout(() => this.#look(), delayMs).unref();
  }

  /**
   * While the event loop is late, PostgreSQL finishes the requests in flight before Plinth reads their responses, so a
   * higher limit on requests in flight applies.
   */
  get #currentDepth(): number {
    return this.#lateChecks < LATE_CHECKS ? this.#depth : LATE_DEPTH * this.#depth;
  }

  /**
   * While the event loop is late, Plinth reads responses late. A late response therefore doesn't mean that the
   * statement is slow.
   */
  get #currentSlowMs(): number {
    return this.#lateChecks < LATE_CHECKS ? this.#slowMs : this.#slowMs + 2 * this.#latenessMs;
  }

  /**
   * Returns the time between `startedAt` and `now` for which the event loop was late. During this time, PostgreSQL may
   * already have responded.
   */
  #lateMs(startedAt: number, now: number): number {
    const latenessMs = this.#lookedAt > startedAt ? this.#latenessMs : 0;
    return Math.min(now - startedAt, Math.max(0, latenessMs, now - this.#lookAt));
  }

  #timeout(): Error {
    return new PoolTimeoutError(`No database connection became free in ${this.#acquireTimeoutMs} ms.`);
  }
}

/**
 * Returns the number of times that a failed request can be resent. A request that the server hadn't started to process
 * can be resent several times. An interrupted read is resent only once.
 */
function resendLimit(error: unknown): number {
  return error instanceof ConnectionError && error.untouched ? MAX_RESENDS : 1;
}

const isBatched = ({ request, resent }: Job): boolean => request.lane === 'batched' && resent === 0;

const isCanceled = (outcome: Outcome): boolean => failedWith(outcome, '57014');
const isLocked = (outcome: Outcome): boolean => failedWith(outcome, '55P03');

function failedWith(outcome: Outcome, code: string): boolean {
  return 'error' in outcome && outcome.error instanceof PostgresError && outcome.error.code === code;
}

const unoccupied: OccupancyLimits = {
  perShape: Number.POSITIVE_INFINITY,
  perClient: Number.POSITIVE_INFINITY,
  anonymous: Number.POSITIVE_INFINITY,
  total: Number.POSITIVE_INFINITY,
};

/** Returns the limits on jobs that are slow or whose speed is unknown, on connections that other jobs also need. */
function unknownLimits(connections: number): OccupancyLimits {
  return {
    perShape: UNKNOWN_PER_SHAPE,
    perClient: Math.ceil(connections / 2),
    anonymous: Math.max(1, Math.floor((connections * 2) / 3)),
    total: Math.max(1, connections - 1),
  };
}

function slowLimits(connections: number): OccupancyLimits {
  const allButOne = Math.max(1, connections - 1);
  return { ...unoccupied, perClient: allButOne, anonymous: allButOne };
}
