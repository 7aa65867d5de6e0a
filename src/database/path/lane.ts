/** One connection of the request path and the requests in flight on it. */
import type { PathRequest, PathResult } from '../types.ts';
import { type Connection, StatementCache } from '../wire/index.ts';

/** A request, its caller, and what has happened to it so far. */
export interface Job {
  readonly request: PathRequest;
  readonly resolve: (result: PathResult) => void;
  readonly reject: (error: unknown) => void;
  readonly queuedAt: number;
  /** True: nobody else may be on the connection. */
  readonly exclusive: boolean;
  /** How often it was sent to a connection that turned out to be dead. */
  resent: number;
  /** True once a prepared statement of it turned out to be stale: now all of them are prepared anew. */
  reprepared: boolean;
}

const CANCEL_AGAIN_MS = 250;

export class Lane {
  readonly connection: Connection;
  readonly statements: StatementCache;
  /** In the order of the answers. */
  readonly jobs: Job[] = [];
  /** Since when the first of `jobs` runs, or since when there is none. */
  since = performance.now();
  /** A job that wants the connection for itself is on it, its resetting included. */
  exclusive = false;
  /** A cancel request is under way: until it has arrived it could hit anything sent here. */
  cancelling: Promise<void> | undefined;
  /** Grown too old: it finishes what is in flight and takes nothing more. */
  retiring = false;
  readonly openedAt = performance.now();
  #cancelAgainAt = 0;

  constructor(connection: Connection, statementLimit: number) {
    this.connection = connection;
    this.statements = new StatementCache(connection.options.namedStatements === false ? 0 : statementLimit);
  }

  get #usable(): boolean {
    return !this.retiring && !this.exclusive && this.cancelling === undefined && !this.connection.ended;
  }

  get free(): boolean {
    return this.jobs.length === 0 && this.#usable;
  }

  /** Nothing is in flight on it, its resetting and cancelling included. */
  get empty(): boolean {
    return this.jobs.length === 0 && !this.exclusive && this.cancelling === undefined;
  }

  /** Whether one more quick request may be put behind those in flight. */
  accepts(depth: number, slowMs: number, now: number): boolean {
    if (!this.#usable || this.jobs.length >= depth) return false;
    const [head] = this.jobs;
    return head === undefined || (now - this.since <= slowMs && head.request.signal?.aborted !== true);
  }

  /** Cancels the only job in flight when its client has gone; again after a while, for a request may come too early. */
  cancelAbandoned(now: number): void {
    const [head, second] = this.jobs;
    if (second !== undefined || head?.request.signal?.aborted !== true) return;
    if (this.cancelling !== undefined || now < this.#cancelAgainAt) return;
    this.#cancelAgainAt = now + CANCEL_AGAIN_MS;
    this.#cancel(head);
  }

  /**
   * Cancels the only job in flight, whose rows nobody takes any more. Nothing is read until the request has been passed
   * on, so that it arrives before the server is through.
   */
  refuse(): void {
    const [head, second] = this.jobs;
    if (head === undefined || second !== undefined || this.cancelling !== undefined) return;
    this.connection.pause();
    this.#cancel(head).then(() => this.connection.resume());
  }

  #cancel(head: Job): Promise<void> {
    const passedOn = this.connection.cancel().catch(() => {});
    this.cancelling = passedOn.then(() => {
      if (this.jobs[0] === head) this.cancelling = undefined;
    });
    return passedOn;
  }
}
