/** Counts the connections in a group that each client uses, and limits the number of connections per client. */
import type { Verdict } from '../../../base/shared/fair-queue.ts';

export interface OccupancyLimits {
  readonly perShape: number;
  readonly perClient: number;
  /** The maximum number of connections for all anonymous clients together. */
  readonly anonymous: number;
  readonly total: number;
}

export interface Claim {
  readonly client: string;
  readonly isAnonymous: boolean;
  /** The object that represents the query shape. Shapes are compared by object identity. */
  readonly shape?: object | undefined;
}

export class Occupancy {
  readonly #limits: OccupancyLimits;
  readonly #counts = new Map<string | object, number>();
  #total = 0;
  #anonymous = 0;

  constructor(limits: OccupancyLimits) {
    this.#limits = limits;
  }

  verdict({ client, isAnonymous, shape }: Claim): Verdict {
    const { perShape, perClient, anonymous, total } = this.#limits;
    if (this.#of(client) >= perClient) return 'skip client';
    if (this.#total >= total || (isAnonymous && this.#anonymous >= anonymous)) return 'skip';
    return shape !== undefined && this.#of(shape) >= perShape ? 'skip' : 'start';
  }

  /** Returns the total number of the `connections` that jobs with the same kind of claim can use. */
  available({ isAnonymous }: Claim, connections: number): number {
    const { anonymous, total } = this.#limits;
    return Math.min(connections, total, isAnonymous ? anonymous : Number.POSITIVE_INFINITY);
  }

  enter(claim: Claim): void {
    this.#add(claim, 1);
  }

  leave(claim: Claim): void {
    this.#add(claim, -1);
  }

  #of(key: string | object): number {
    return this.#counts.get(key) ?? 0;
  }

  #add({ client, isAnonymous, shape }: Claim, change: 1 | -1): void {
    this.#total += change;
    if (isAnonymous) this.#anonymous += change;
    for (const key of [client, shape]) {
      if (key === undefined) continue;
      const count = this.#of(key) + change;
      if (count > 0) this.#counts.set(key, count);
      else this.#counts.delete(key);
    }
  }
}

/**
 * Thrown if a connection doesn't become available in time. Services map `code` to their own error, such as PGRST003 in
 * the REST service.
 */
export class PoolTimeoutError extends Error {
  override name = 'PoolTimeoutError';
  readonly code = 'pool_timeout';
}

/** Thrown if too many requests are waiting for a connection. Services map `code` to their own error with status 503. */
export class PoolFullError extends Error {
  override name = 'PoolFullError';
  readonly code = 'pool_full';
  readonly retryAfterSeconds: number;

  constructor(waitMs: number) {
    super('Too many requests are waiting for a database connection.');
    this.retryAfterSeconds = Math.min(maxRetryAfterSeconds, Math.max(1, Math.ceil(waitMs / 1000)));
  }
}

const maxRetryAfterSeconds = 60;

/** Thrown if the pool has ended because the server is stopping. */
export class PoolEndedError extends Error {
  override name = 'PoolEndedError';
  readonly code = 'pool_ended';
}
