/** A lane: a connection of the request path and the requests in flight on it. */
import type { Waiter } from '../../../base/shared/fair-queue.ts';
import type { PathRequest, PathResult } from '../types.ts';
import { type Connection, runScript, StatementCache } from '../wire/index.ts';

/** A request with its caller's callbacks and its state. */
export interface Job extends Waiter {
  readonly request: PathRequest;
  readonly resolve: (result: PathResult) => void;
  readonly reject: (error: unknown) => void;
  readonly queuedAt: number;
  /** Whether the job needs a connection that no other job uses at the same time. */
  exclusive: boolean;
  /** The group whose limits the job counts toward. */
  occupied: LaneGroup | undefined;
  /**
   * The observed duration of the job's current run. This duration excludes time during which the event loop was
   * blocked, because the response may already have arrived without being read.
   */
  observedMs: number;
  /** Whether the job's current run has been recorded as blocking. */
  blocking: boolean;
  /** Whether the job was canceled on a shared connection. An evicted job runs again on a connection for slow calls. */
  evicted: boolean;
  /**
   * The number of times that the job was sent again, because its connection turned out to be closed or another job's
   * cancel request canceled it.
   */
  resent: number;
  /**
   * Whether one of the job's prepared statements was stale. After that, all statements of the job must be prepared
   * again.
   */
  reprepared: boolean;
}

/** The members of a group that lanes and jobs use. */
export interface LaneGroup {
  readonly lanes: Set<Lane>;
  /** Stops counting a job toward the group's limits. */
  leave(job: Job): void;
}

const CANCEL_AGAIN_MS = 250;

export class Lane {
  readonly connection: Connection;
  readonly statements: StatementCache;
  /** Whether the session must be reset together with the request's commit, because another client may use it next. */
  readonly isPooled: boolean;
  /** The jobs in flight, in the order in which their responses arrive. */
  readonly jobs: Job[] = [];
  /** The time at which the first job in `jobs` started to run, or at which the lane became idle. */
  since = performance.now();
  /** Whether a job, or the session reset after a job, uses the connection exclusively. */
  exclusive = false;
  /**
   * Resolves when the cancel request in progress is complete. Until the server has processed the cancel request, that
   * request could cancel any statement sent on this connection.
   */
  canceling: Promise<void> | undefined;
  /**
   * Whether a job on the lane was evicted (canceled and moved). The cancel request for an evicted job may instead
   * cancel the next job, which is then repeated. This flag is reset when the lane is empty.
   */
  evicting = false;
  /**
   * Whether the lane's connection is too old to accept new jobs. Such a lane finishes the jobs in flight and is then
   * closed.
   */
  retiring = false;
  readonly openedAt = performance.now();
  group: LaneGroup;
  #cancelAgainAt = 0;

  constructor(connection: Connection, statementLimit: number, group: LaneGroup) {
    this.connection = connection;
    this.group = group;
    this.statements = StatementCache.of(connection.options, statementLimit);
    this.isPooled = connection.options.isPooled === true;
  }

  get #usable(): boolean {
    return !this.retiring && !this.exclusive && this.canceling === undefined && !this.connection.ended;
  }

  get free(): boolean {
    return this.jobs.length === 0 && this.#usable;
  }

  /** Whether no request, session reset or cancel request is in progress on the lane. */
  get empty(): boolean {
    return this.jobs.length === 0 && !this.exclusive && this.canceling === undefined;
  }

  /** Whether another fast request can be queued behind the requests in flight. */
  accepts(depth: number, slowMs: number, now: number): boolean {
    if (!this.#usable || this.jobs.length >= depth) return false;
    const [head] = this.jobs;
    return head === undefined || (now - this.since <= slowMs && head.request.signal?.aborted !== true);
  }

  /**
   * Cancels the only job in flight if its client has disconnected. Repeats the cancel request after a while, because a
   * request that arrives before the statement has started has no effect.
   */
  cancelAbandoned(now: number): void {
    const [head, second] = this.jobs;
    if (second !== undefined || head?.request.signal?.aborted !== true) return;
    if (this.canceling !== undefined || now < this.#cancelAgainAt) return;
    this.#cancelAgainAt = now + CANCEL_AGAIN_MS;
    this.#cancel(head);
  }

  /**
   * Cancels the only job in flight because its rows were rejected. Stops reading from the connection until the cancel
   * request has been delivered, so that the request arrives before the server has sent all rows.
   */
  refuse(): void {
    const [head, second] = this.jobs;
    if (head === undefined || second !== undefined || this.canceling !== undefined) return;
    this.connection.pause();
    this.#cancel(head).then(() => this.connection.resume());
  }

  /** Cancels a job that has been running for too long, so that the jobs behind it can run. */
  evict(): void {
    const [head] = this.jobs;
    if (head === undefined || this.canceling !== undefined) return;
    head.evicted = true;
    this.evicting = true;
    void this.#cancel(head);
  }

  #cancel(head: Job): Promise<void> {
    const passedOn = this.connection.cancel().catch(() => {});
    this.canceling = passedOn.then(() => {
      if (this.jobs[0] === head) this.canceling = undefined;
    });
    return passedOn;
  }
}

/**
 * The statements that DISCARD ALL runs, except DEALLOCATE ALL, because preparing this process's statements again would
 * cost more than the request. If SQL in a function has prepared statements, all prepared statements are deallocated
 * afterward. The role and `search_path` are reset first, so that nothing that a function left behind can interfere with
 * the remaining statements.
 */
export const RESET = [
  'set session authorization default',
  'reset role',
  'reset all',
  'close all',
  'unlisten *',
  'discard temp',
  'discard sequences',
  `select pg_catalog.pg_advisory_unlock_all(),
     (select pg_catalog.count(*) from pg_catalog.pg_prepared_statements where from_sql)`,
].join('; ');

/** Resets a session to its initial state, except for the prepared statements of this process. */
export async function resetSession(lane: Lane): Promise<void> {
  const results = await runScript(lane.connection, RESET);
  const foreign = results.at(-1)?.rows[0]?.[1];
  if (foreign === '0') return;
  lane.statements.clear();
  await runScript(lane.connection, 'deallocate all');
}
