/**
 * A group of lanes of the same kind. A lane is one of the request path's connections. The group opens lanes on demand,
 * closes idle lanes, and queues jobs that wait for a lane.
 */
import { FairQueue, type Verdict, WaitEstimate } from '../../../base/shared/fair-queue.ts';
import { type Claim, Occupancy, type OccupancyLimits, PoolFullError } from '../pool/occupancy.ts';
import type { PathRequest, PoolLoad } from '../types.ts';
import { Connection, type ConnectionOptions } from '../wire/index.ts';
import { type Job, Lane, type LaneGroup } from './lane.ts';

export interface GroupOptions {
  readonly name: string;
  readonly connectOptions: () => ConnectionOptions;
  readonly limit: number;
  /** The maximum number of waiting jobs. */
  readonly maxWaiting: number;
  /** A job is rejected if its estimated wait exceeds this duration. */
  readonly maxWaitMs: number;
  /** The limits on jobs for which `isLimited` returns true. */
  readonly occupancy: OccupancyLimits;
  readonly isLimited: (request: PathRequest) => boolean;
  /** Whether each lane can have several fast jobs in flight. */
  readonly isPipelined: boolean;
  /** The assumed duration of a job until a job's duration has been measured. */
  readonly assumedMs: number;
  readonly statementLimit: number;
  /** Called if a connection can't be opened. */
  readonly onOpenFailed?: (() => void) | undefined;
  /** Called when a lane of a group has opened or closed, so that waiting jobs can be assigned again. */
  readonly onChange: (change: { readonly group: LaneGroup }) => void;
}

export class Group implements LaneGroup {
  readonly lanes = new Set<Lane>();
  readonly queue: FairQueue<Job>;
  readonly #options: GroupOptions;
  readonly #occupancy: Occupancy;
  readonly #estimate: WaitEstimate;
  #opening = 0;
  #rejected = 0;
  #timeouts = 0;
  #waited = 0;
  #waitedMs = 0;
  #closed: PromiseWithResolvers<void> | undefined;

  constructor(options: GroupOptions) {
    this.#options = options;
    this.queue = new FairQueue(options.maxWaiting);
    this.#occupancy = new Occupancy(options.occupancy);
    this.#estimate = new WaitEstimate(options.assumedMs);
  }

  get limit(): number {
    return this.#options.limit;
  }

  get opening(): number {
    return this.#opening;
  }

  get canGrow(): boolean {
    return this.lanes.size + this.#opening < this.#options.limit;
  }

  load(): PoolLoad {
    return {
      name: this.#options.name,
      limit: this.limit,
      open: this.lanes.size,
      busy: [...this.lanes].filter((lane) => !lane.empty).length,
      waiting: this.queue.size,
      rejected: this.#rejected,
      timeouts: this.#timeouts,
      waitedMs: this.#waitedMs,
      waited: this.#waited,
    };
  }

  /** Whether the limits allow the job to start on a connection of this group now. */
  readonly verdict = (job: Job): Verdict => {
    const claim = this.#claimOf(job);
    return claim === undefined ? 'start' : this.#occupancy.verdict(claim);
  };

  /** Counts a job that runs on a connection of this group toward the group's limits. */
  enter(job: Job): void {
    const claim = this.#claimOf(job);
    if (claim === undefined) return;
    this.#occupancy.enter(claim);
    job.occupied = this;
  }

  leave(job: Job): void {
    const { client, speed } = job.request;
    if (client === undefined) return;
    this.#occupancy.leave({ client: client.key, isAnonymous: client.isAnonymous, shape: speed });
    job.occupied = undefined;
  }

  recordDuration(durationMs: number, now: number): void {
    if (this.#options.isPipelined) this.#estimate.recordPipelined(durationMs, now);
    else this.#estimate.record(durationMs);
  }

  /**
   * Queues a job. If too many jobs are waiting, rejects this job or another waiting job. The parameter `runningMs` is
   * the same as in {@link WaitEstimate.waitMs}.
   */
  enqueue(job: Job, runningMs: number): void {
    const waitMs = this.#waitMs(job, runningMs);
    const rejected = waitMs > this.#options.maxWaitMs ? job : this.queue.push(job);
    if (rejected === undefined) return;
    this.#rejected++;
    rejected.reject(new PoolFullError(waitMs));
  }

  /** If the occupancy limits allow a job to start, it doesn't wait for queued jobs that exceed a limit. */
  #waitMs(job: Job, runningMs: number): number {
    const connections = this.#availableTo(job);
    const sent = this.#behindOthers();
    const waitMs = this.#estimate.waitMs(sent + this.queue.ahead(job.client), connections, runningMs);
    if (waitMs <= this.#options.maxWaitMs || this.verdict(job) !== 'start') return waitMs;
    return this.#estimate.waitMs(sent + this.queue.ahead(job.client, this.verdict), connections, runningMs);
  }

  /** Returns the number of jobs that were sent to PostgreSQL behind other jobs, so that PostgreSQL hasn't started them. */
  #behindOthers(): number {
    let count = 0;
    for (const { jobs } of this.lanes) count += Math.max(0, jobs.length - 1);
    return count;
  }

  /** Returns the number of connections that jobs of the same kind as `job` can use. */
  #availableTo(job: Job): number {
    const claim = this.#claimOf(job);
    return claim === undefined ? this.limit : this.#occupancy.available(claim, this.limit);
  }

  #claimOf({ request }: Job): Claim | undefined {
    const { client, speed } = request;
    if (client === undefined || !this.#options.isLimited(request)) return undefined;
    return { client: client.key, isAnonymous: client.isAnonymous, shape: speed };
  }

  /**
   * Whether waiting jobs of the same query shape would wait too long if each of them took as long as the given job has
   * already run.
   */
  delaysShape(job: Job, runningMs: number): boolean {
    let waiting = 0;
    for (const { request } of this.queue) if (request.speed === job.request.speed) waiting++;
    return (waiting * runningMs) / this.#options.occupancy.perShape > this.#options.maxWaitMs;
  }

  /**
   * Rejects the jobs whose estimated wait exceeds the time limit. While a lane is being opened, rejects no jobs,
   * because a waiting job may start soon.
   */
  shed(runningMs: number): void {
    while (this.#opening === 0) {
      const last = this.queue.last();
      if (last === undefined) return;
      const waitMs = this.#estimate.waitMs(this.queue.size, this.#availableTo(last), runningMs);
      if (waitMs <= this.#options.maxWaitMs) return;
      this.queue.remove(last);
      this.#rejected++;
      last.reject(new PoolFullError(waitMs));
    }
  }

  /** Removes a waiting job that starts now. */
  dequeue(job: Job, now: number): void {
    this.queue.start(job);
    this.#waited++;
    this.#waitedMs += now - job.queuedAt;
  }

  /** Takes over a lane of another group. */
  adopt(lane: Lane): void {
    lane.group.lanes.delete(lane);
    this.lanes.add(lane);
    lane.group = this;
  }

  /** Returns the average time for which the jobs in progress have been running. */
  runningMs(now: number): number {
    let [count, sumMs] = [0, 0];
    for (const { jobs, since } of this.lanes) {
      if (jobs.length === 0) continue;
      count++;
      sumMs += now - since;
    }
    return count === 0 ? 0 : sumMs / count;
  }

  /** The time of the last response on a lane that is idle now. */
  answeredAt(): number {
    let latest = Number.NEGATIVE_INFINITY;
    for (const lane of this.lanes) if (lane.jobs.length === 0) latest = Math.max(latest, lane.since);
    return latest;
  }

  free(): Lane | undefined {
    for (const lane of this.lanes) if (lane.free) return lane;
    return undefined;
  }

  /**
   * Returns a lane that can accept another fast request. Prefers a lane that has unsent messages, because requests that
   * are sent in one write cost the client and the server less. If no lane has unsent messages, prefers the lane with
   * the fewest requests in flight.
   */
  leastBusy(depth: number, slowMs: number, now: number): Lane | undefined {
    let best: Lane | undefined;
    for (const lane of this.lanes) {
      if (!lane.accepts(depth, slowMs, now)) continue;
      if (lane.connection.flushPending) return lane;
      if (best === undefined || lane.jobs.length < best.jobs.length) best = lane;
    }
    return best;
  }

  open(): void {
    this.#opening++;
    this.#open().then(
      (lane) => {
        this.#opening--;
        if (!lane.connection.ended) this.lanes.add(lane);
        if (this.#closed !== undefined) this.#finishClose();
        this.#options.onChange({ group: this });
      },
      (error) => {
        this.#opening--;
        this.#options.onOpenFailed?.();
        // If no lane is open or being opened, the waiting jobs can't be served and are rejected. If other lanes are
        // open or being opened, they serve the waiting jobs.
        if (this.lanes.size === 0 && this.#opening === 0)
          for (const job of this.queue.clear()) job.reject(error);
        this.#options.onChange({ group: this });
      },
    );
  }

  async #open(): Promise<Lane> {
    let lane: Lane | undefined;
    const connection = await Connection.open({
      ...this.#options.connectOptions(),
      onEnd: () => {
        if (lane?.group.lanes.delete(lane)) this.#options.onChange(lane);
      },
    });
    lane = new Lane(connection, this.#options.statementLimit, this);
    return lane;
  }

  /** Closes every lane, including those that are being opened. */
  close(): Promise<void> {
    this.#closed ??= Promise.withResolvers<void>();
    this.#finishClose();
    return this.#closed.promise;
  }

  #finishClose(): void {
    if (this.#opening > 0) return;
    const closing = [...this.lanes].map(({ connection }) => connection.close());
    Promise.all(closing).then(() => this.#closed?.resolve());
  }

  /** Closes the lanes that became idle before `since`. */
  closeIdle(since: number): void {
    for (const lane of this.lanes) {
      if (!lane.free || lane.since >= since) continue;
      this.lanes.delete(lane);
      void lane.connection.close();
    }
  }

  /**
   * Closes the lanes that were opened before `openedBefore`. A lane that has requests in flight is closed when these
   * requests have finished.
   */
  retire(openedBefore: number): void {
    for (const lane of this.lanes) {
      if (lane.openedAt >= openedBefore) continue;
      lane.retiring = true;
      if (!lane.empty) continue;
      this.lanes.delete(lane);
      void lane.connection.close();
    }
  }

  /**
   * Closes all idle lanes immediately, because the event that ended one lane has probably ended the other lanes too.
   */
  dropIdle(): void {
    for (const lane of this.lanes) {
      if (!lane.free) continue;
      this.lanes.delete(lane);
      lane.connection.destroy();
    }
  }

  /** Rejects queued jobs whose client has disconnected, and those that were queued before `since`. */
  expire(since: number, timeout: () => Error): void {
    for (const job of [...this.queue]) {
      const gone = job.request.signal?.aborted === true;
      if (!gone && job.queuedAt >= since) continue;
      this.queue.remove(job);
      if (!gone) this.#timeouts++;
      job.reject(gone ? job.request.signal?.reason : timeout());
    }
  }
}
