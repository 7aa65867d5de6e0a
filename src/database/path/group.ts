/**
 * A group of lanes of the same kind. Opens lanes on demand, closes idle lanes, and queues the jobs that wait for a
 * lane.
 */
import { Connection, type ConnectionOptions } from '../wire/index.ts';
import { type Job, Lane } from './lane.ts';

export interface GroupOptions {
  readonly connectOptions: () => ConnectionOptions;
  readonly limit: number;
  readonly statementLimit: number;
  /** Called when a lane has opened or ended, because waiting jobs may be affected. */
  readonly onChange: (group: Group) => void;
}

export class Group {
  readonly lanes = new Set<Lane>();
  readonly queue: Job[] = [];
  readonly #options: GroupOptions;
  #opening = 0;
  #closed: PromiseWithResolvers<void> | undefined;

  constructor(options: GroupOptions) {
    this.#options = options;
  }

  get opening(): number {
    return this.#opening;
  }

  get canGrow(): boolean {
    return this.lanes.size + this.#opening < this.#options.limit;
  }

  free(): Lane | undefined {
    for (const lane of this.lanes) if (lane.free) return lane;
    return undefined;
  }

  /**
   * Returns a lane that can accept another fast request. Prefers a lane with pending writes, because requests in the
   * same write cost both sides less, and otherwise the lane with the fewest requests in flight.
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
        this.#options.onChange(this);
      },
      (error) => {
        this.#opening--;
        // No lane is left to serve the waiting jobs. As long as other lanes are open, the jobs can still be served.
        if (this.lanes.size === 0 && this.#opening === 0)
          for (const job of this.queue.splice(0)) job.reject(error);
        this.#options.onChange(this);
      },
    );
  }

  async #open(): Promise<Lane> {
    let lane: Lane | undefined;
    const connection = await Connection.open({
      ...this.#options.connectOptions(),
      onEnd: () => {
        if (lane !== undefined && this.lanes.delete(lane)) this.#options.onChange(this);
      },
    });
    lane = new Lane(connection, this.#options.statementLimit);
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

  /** Closes lanes that have been idle since before `since`. */
  closeIdle(since: number): void {
    for (const lane of this.lanes) {
      if (!lane.free || lane.since >= since) continue;
      this.lanes.delete(lane);
      void lane.connection.close();
    }
  }

  /** Closes lanes opened before `openedBefore`, each once it has nothing in flight. */
  retire(openedBefore: number): void {
    for (const lane of this.lanes) {
      if (lane.openedAt >= openedBefore) continue;
      lane.retiring = true;
      if (!lane.empty) continue;
      this.lanes.delete(lane);
      void lane.connection.close();
    }
  }

  /** Closes idle lanes immediately, because the event that ended one lane probably ended the others, too. */
  dropIdle(): void {
    for (const lane of this.lanes) {
      if (!lane.free) continue;
      this.lanes.delete(lane);
      lane.connection.destroy();
    }
  }

  /** Rejects jobs that have waited since before `since`, and jobs whose client has disconnected. */
  expire(since: number, timeout: () => Error): void {
    for (const job of [...this.queue]) {
      const gone = job.request.signal?.aborted === true;
      if (!gone && job.queuedAt >= since) continue;
      this.queue.splice(this.queue.indexOf(job), 1);
      job.reject(gone ? job.request.signal?.reason : timeout());
    }
  }
}
