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
