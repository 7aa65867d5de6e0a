/**
 * Decides when requests start, and which requests are rejected if more requests arrive than one CPU core can handle. A
 * request that doesn't start uses almost no CPU time, because it isn't routed, parsed or logged.
 *
 * Requests start immediately until the current turn of the event loop has used up a slice of time. The remaining
 * requests wait in a queue in which clients take turns, and in each turn of the event loop, requests start for one
 * slice of time. Each turn is therefore short enough that requests can be rejected without delay. A request is rejected
 * if it would wait for longer than `maxWaitMs` (docs/decisions/0048-overload.md).
 *
 * Upgrade requests wait in a separate queue, which alternates with the queue of other requests. Upgrades open
 * long-lived connections, so after a restart, all clients with such connections reconnect at the same time, and
 * rejected clients would retry. Upgrade requests are therefore rejected only if their queue is full.
 */
import type { QueueLoad } from '../../base/kernel/service.ts';
import { FairQueue, type Waiter } from '../../base/shared/fair-queue.ts';

export interface DispatchLimits {
  /** A request is rejected if its estimated wait exceeds this duration. */
  readonly maxWaitMs: number;
  /** The maximum number of waiting requests, and of waiting upgrades. */
  readonly maxWaiting: number;
}

/** An incoming request that can't start immediately, so it waits or is rejected. */
export interface Arrival extends Waiter {
  /** Whether the request is an upgrade request. Such a request waits in the queue for upgrades. */
  readonly isUpgrade: boolean;
  /** Whether the client has disconnected. In this case, the request doesn't need to start. */
  readonly isGone: () => boolean;
  readonly start: () => void;
  /** Rejects the request. `retryAfterMs` is the time after which the client can retry. */
  readonly reject: (retryAfterMs: number) => void;
}

/** The environment of a dispatcher. Tests replace it. */
export interface DispatchClock {
  /** Returns the current time in milliseconds. */
  readonly now: () => number;
  /** Runs the function in the next turn of the event loop, after all pending events. */
  readonly nextTurn: (run: () => void) => void;
  /** Runs the function in the current turn of the event loop, after all work that doesn't depend on further events. */
  readonly afterWork: (run: () => void) => void;
}

export interface DispatchLoad extends QueueLoad {
  /** The expected wait of a new client's request, in milliseconds. */
  readonly expectedWaitMs: number;
}

interface Waiting extends Waiter {
  readonly arrival: Arrival;
  readonly since: number;
}

/** Once a turn of the event loop has taken this long, no more requests start in that turn. */
const sliceMs = 10;
/**
 * The maximum time for which no requests start because connections are being accepted. libuv accepts one connection per
 * turn of the event loop. Without such pauses, new connections would wait in the kernel's queue during a burst.
 */
const maxRestMs = 60;
/**
 * The ratio of the time for accepting connections to the time for requests during a burst of connections. Accepting
 * connections gets more time, because a request can be rejected early only if its connection has been accepted. After
 * `burstMs`, connections and requests get half of the time each. If the ratio didn't change, clients that open a
 * connection per request wouldn't be served.
 */
const burstShare = 3;
const burstMs = 500;
/**
 * The maximum recorded time per request. A longer time counts as this value. Longer times mean that the process was
 * paused, for example by garbage collection, by loading code for the first time or by other load on the machine. The
 * duration of such a pause doesn't predict how long other requests will wait.
 */
const maxMsPerRequest = 25;
/** The weight of the most recent turn in the average time per request. */
const weight = 0.2;

const realClock: DispatchClock = {
  now: () => performance.now(),
  nextTurn: setImmediate,
  // Most of a request's work runs in promise callbacks, which are called before the `nextTick` callback.
  afterWork: (run) => queueMicrotask(() => process.nextTick(run)),
};

export class Dispatcher {
  readonly #limits: DispatchLimits;
  readonly #clock: DispatchClock;
  readonly #requests: FairQueue<Waiting>;
  readonly #upgrades: FairQueue<Waiting>;
  /** Whether the queued request that started most recently was an upgrade. */
  #lastWasUpgrade = false;
  /** The time at which the first request in this turn of the event loop arrived or started. */
  #turnStartedAt: number | undefined;
  #turnIsScheduled = false;
  #startedInTurn = 0;
  /** Whether the server has accepted a connection in this turn. */
  #hasAccepted = false;
  /**
   * The time at which the current burst of connections began. The value is undefined if no connection was accepted in
   * the last turn.
   */
  #acceptingSince: number | undefined;
  /** The time until which no requests start while the server is accepting connections. */
  #restUntil = 0;
  #isResting = false;
  /**
   * The time at which the last turn that started requests ended. The value is undefined if no requests were waiting at
   * that time.
   */
  #measuredFrom: number | undefined;
  #msPerRequest = 0;
  #waited = 0;
  #waitedMs = 0;
  #rejected = 0;

  constructor(limits: DispatchLimits, clock: DispatchClock = realClock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#requests = new FairQueue(limits.maxWaiting);
    this.#upgrades = new FairQueue(limits.maxWaiting);
  }

  load(): DispatchLoad {
    return {
      waiting: this.#size,
      waited: this.#waited,
      waitedMs: this.#waitedMs,
      rejected: this.#rejected,
      expectedWaitMs: this.#waitMs(this.#requests, '', this.#clock.now()),
    };
  }

  /** Called for each connection that the server accepts. */
  accepted(): void {
    this.#hasAccepted = true;
  }

  /**
   * Whether a request that has just arrived can start immediately. If it returns true, the request counts as started.
   * If it returns false, the request must be passed to {@link wait}.
   */
  startsNow(): boolean {
    const now = this.#clock.now();
    this.#turnStartedAt ??= now;
    this.#schedule();
    if (this.#size > 0 || this.#isResting || now - this.#turnStartedAt >= sliceMs) return false;
    this.#startedInTurn++;
    return true;
  }

  /** Queues the request. If it would wait too long or the queue is full, rejects this request or a queued request. */
  wait(arrival: Arrival): void {
    const now = this.#clock.now();
    const queue = arrival.isUpgrade ? this.#upgrades : this.#requests;
    const waitMs = this.#waitMs(queue, arrival.client, now);
    const waiting = { client: arrival.client, arrival, since: now };
    const isTooLong = !arrival.isUpgrade && waitMs > this.#limits.maxWaitMs;
    const rejected = isTooLong ? waiting : queue.push(waiting);
    if (rejected === undefined) return;
    this.#rejected++;
    rejected.arrival.reject(waitMs);
  }

  /**
   * Estimates the wait of the client's next request. Before the first measurement, the estimate is based on the time
   * that this turn's requests have already used.
   */
  #waitMs(queue: FairQueue<Waiting>, client: string, now: number): number {
    const usedMs = now - (this.#turnStartedAt ?? now);
    const msPerRequest = this.#msPerRequest || perRequest(usedMs, this.#startedInTurn);
    const ahead = queue.ahead(client);
    const other = queue === this.#upgrades ? this.#requests : this.#upgrades;
    return (ahead + Math.min(other.size, ahead + 1)) * msPerRequest;
  }

  get #size(): number {
    return this.#requests.size + this.#upgrades.size;
  }

  #schedule(): void {
    if (this.#turnIsScheduled) return;
    this.#turnIsScheduled = true;
    this.#clock.nextTurn(this.#turn);
  }

  readonly #turn = (): void => {
    this.#turnIsScheduled = false;
    const now = this.#clock.now();
    if (this.#startedInTurn > 0) {
      this.#restUntil =
        now + Math.min(maxRestMs, this.#acceptShare(now) * (now - (this.#turnStartedAt ?? now)));
      this.#measure(now);
    }
    this.#isResting = this.#hasAccepted && now < this.#restUntil;
    this.#acceptingSince = this.#hasAccepted ? (this.#acceptingSince ?? now) : undefined;
    this.#hasAccepted = false;
    this.#startedInTurn = 0;
    if (this.#size === 0) {
      this.#turnStartedAt = undefined;
      this.#measuredFrom = undefined;
      if (this.#isResting) this.#schedule();
      else this.#acceptingSince = undefined;
      return;
    }
    this.#turnStartedAt = now;
    this.#measuredFrom ??= now;
    if (this.#isResting) this.#schedule();
    else this.#startNext();
  };

  #acceptShare(now: number): number {
    return now - (this.#acceptingSince ?? now) < burstMs ? burstShare : 1;
  }

  readonly #startNext = (): void => {
    if (this.#size === 0) return;
    this.#schedule();
    const now = this.#clock.now();
    this.#turnStartedAt ??= now;
    if (now - this.#turnStartedAt >= sliceMs) return;
    const waiting = this.#take();
    if (waiting === undefined) return;
    this.#clock.afterWork(this.#startNext);
    if (waiting.arrival.isGone()) return;
    this.#startedInTurn++;
    this.#waited++;
    this.#waitedMs += now - waiting.since;
    waiting.arrival.start();
  };

  /** Removes and returns the next request. The two queues alternate. */
  #take(): Waiting | undefined {
    const isUpgrade = this.#upgrades.size > 0 && (this.#requests.size === 0 || !this.#lastWasUpgrade);
    this.#lastWasUpgrade = isUpgrade;
    const queue = isUpgrade ? this.#upgrades : this.#requests;
    const waiting = queue.next();
    if (waiting !== undefined) queue.start(waiting);
    return waiting;
  }

  /**
   * Measures the rate at which requests start while other requests wait. The measured time includes the event loop's
   * other work, such as reading results and writing responses.
   */
  #measure(now: number): void {
    if (this.#measuredFrom !== undefined) {
      const newest = perRequest(now - this.#measuredFrom, this.#startedInTurn);
      this.#msPerRequest += (newest - this.#msPerRequest) * (this.#msPerRequest === 0 ? 1 : weight);
    }
    this.#measuredFrom = now;
  }
}

const perRequest = (ms: number, requests: number): number =>
  Math.min(ms / Math.max(1, requests), maxMsPerRequest);
