/** The lanes of one kind: opened when needed, closed when idle, with the jobs that wait for one of them. */
import { Connection, type ConnectionOptions } from '../wire/index.ts';
import { type Job, Lane } from './lane.ts';

export interface GroupOptions {
  readonly connectOptions: () => ConnectionOptions;
  readonly limit: number;
  readonly statementLimit: number;
  /** A lane has opened, or has ended: those who wait may have to be looked at. */
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
   * A lane that takes another quick request: one that is about to be written to, since what leaves in the same write
   * costs both sides less; else the one with the fewest in flight.
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
        // Nobody else will serve those who wait; with other lanes open they still have a chance.
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

  /** Closes every lane, those that are being opened included. */
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

  /** Closes lanes without work: those idle since before `since`. */
  closeIdle(since: number): void {
    for (const lane of this.lanes) {
      if (!lane.free || lane.since >= since) continue;
      this.lanes.delete(lane);
      void lane.connection.close();
    }
  }

  /** Closes lanes opened before `openedBefore`, each once nothing is in flight on it. */
  retire(openedBefore: number): void {
    for (const lane of this.lanes) {
      if (lane.openedAt >= openedBefore) continue;
      lane.retiring = true;
      if (!lane.empty) continue;
      this.lanes.delete(lane);
      void lane.connection.close();
    }
  }

  /** Drops lanes without work at once: what killed one has probably killed the others. */
  dropIdle(): void {
    for (const lane of this.lanes) {
      if (!lane.free) continue;
      this.lanes.delete(lane);
      lane.connection.destroy();
    }
  }

  /** Turns away those who have waited since before `since`, and those whose client has gone. */
  expire(since: number, timeout: () => Error): void {
    for (const job of [...this.queue]) {
      const gone = job.request.signal?.aborted === true;
      if (!gone && job.queuedAt >= since) continue;
      this.queue.splice(this.queue.indexOf(job), 1);
      job.reject(gone ? job.request.signal?.reason : timeout());
    }
  }
}
