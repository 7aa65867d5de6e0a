/** One connection of the request path and the requests in flight on it. */
import type { PathRequest, PathResult } from '../types.ts';
import { type Connection, StatementCache } from '../wire/index.ts';

/** A request, its caller, and its state. */
export interface Job {
  readonly request: PathRequest;
  readonly resolve: (result: PathResult) => void;
  readonly reject: (error: unknown) => void;
  readonly queuedAt: number;
  /** Whether the job needs a separate connection. */
  readonly exclusive: boolean;
  /** The number of times it was sent to a connection that turned out to be dead. */
  resent: number;
  /** Whether one of its prepared statements was stale, so that all of them are prepared again. */
  reprepared: boolean;
}

const CANCEL_AGAIN_MS = 250;

export class Lane {
  readonly connection: Connection;
  readonly statements: StatementCache;
  /** Jobs in the order of the responses. */
  readonly jobs: Job[] = [];
  /** When the first of `jobs` started to run, or when the lane became idle. */
  since = performance.now();
  /** Whether a job is using the connection exclusively, including the reset that follows. */
  exclusive = false;
  /**
   * Pending while a cancel request is in progress. Until it has arrived, it could cancel any statement sent on this
   * connection.
   */
  canceling: Promise<void> | undefined;
  /** Whether the lane is too old. A retiring lane finishes the jobs in flight and doesn't accept new jobs. */
  retiring = false;
  readonly openedAt = performance.now();
  #cancelAgainAt = 0;

  constructor(connection: Connection, statementLimit: number) {
    this.connection = connection;
    this.statements = new StatementCache(connection.options.namedStatements === false ? 0 : statementLimit);
  }

  get #usable(): boolean {
    return !this.retiring && !this.exclusive && this.canceling === undefined && !this.connection.ended;
  }

  get free(): boolean {
    return this.jobs.length === 0 && this.#usable;
  }

  /** Whether nothing is in flight on the lane, including a reset or a cancel request. */
  get empty(): boolean {
    return this.jobs.length === 0 && !this.exclusive && this.canceling === undefined;
  }

  /** Whether one more fast request can be queued behind those in flight. */
  accepts(depth: number, slowMs: number, now: number): boolean {
    if (!this.#usable || this.jobs.length >= depth) return false;
    const [head] = this.jobs;
    return head === undefined || (now - this.since <= slowMs && head.request.signal?.aborted !== true);
  }

  /**
   * Cancels the only job in flight if its client has disconnected. Cancels again after a while because a cancel request
   * can arrive too early.
   */
  cancelAbandoned(now: number): void {
    const [head, second] = this.jobs;
    if (second !== undefined || head?.request.signal?.aborted !== true) return;
    if (this.canceling !== undefined || now < this.#cancelAgainAt) return;
    this.#cancelAgainAt = now + CANCEL_AGAIN_MS;
    this.#cancel(head);
  }

  /**
   * Cancels the only job in flight because its rows are rejected. Reading pauses until the cancel request has been
   * delivered, so that it arrives before the server has finished.
   */
  refuse(): void {
    const [head, second] = this.jobs;
    if (head === undefined || second !== undefined || this.canceling !== undefined) return;
    this.connection.pause();
    this.#cancel(head).then(() => this.connection.resume());
  }

  #cancel(head: Job): Promise<void> {
    const passedOn = this.connection.cancel().catch(() => {});
    this.canceling = passedOn.then(() => {
      if (this.jobs[0] === head) this.canceling = undefined;
    });
    return passedOn;
  }
}
