/** A bounded queue in which clients take turns, so that a client with many waiting items delays only itself. */
export interface Waiter {
  /** The user or address that the item counts toward. */
  readonly client: string;
}

/** Whether an item can start. `skip client` means that none of the client's items can start. */
export type Verdict = 'start' | 'skip' | 'skip client';

export class FairQueue<T extends Waiter> {
  /** The waiting items of each client. The clients are in the order in which they take turns. */
  readonly #clients = new Map<string, Set<T>>();
  readonly #limit: number;
  #size = 0;

  constructor(limit = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Adds an item. If the queue is full, removes and returns the newest item of the client with the most items, or
   * rejects and returns `item` if its own client would have at least as many items.
   */
  push(item: T): T | undefined {
    if (this.#size < this.#limit) {
      this.#add(item);
      return undefined;
    }
    const last = this.last();
    if (last === undefined || this.#countOf(item.client) + 1 >= this.#countOf(last.client)) return item;
    this.remove(last);
    this.#add(item);
    return last;
  }

  /** Returns the newest item of the client with the most items, which is the item that a full queue removes first. */
  last(): T | undefined {
    let longest: Set<T> | undefined;
    for (const items of this.#clients.values())
      if (longest === undefined || items.size > longest.size) longest = items;
    return longest === undefined ? undefined : [...longest].at(-1);
  }

  /** Returns the next item that can start, without removing it. */
  next(judge: (item: T) => Verdict = () => 'start'): T | undefined {
    for (const items of this.#clients.values()) {
      for (const item of items) {
        const verdict = judge(item);
        if (verdict === 'start') return item;
        if (verdict === 'skip client') break;
      }
    }
    return undefined;
  }

  /**
   * Removes an item because it starts. The next turn of the item's client comes after the turns of all other clients.
   */
  start(item: T): void {
    const items = this.#clients.get(item.client);
    this.remove(item);
    if (items === undefined || items.size === 0) return;
    this.#clients.delete(item.client);
    this.#clients.set(item.client, items);
  }

  remove(item: T): boolean {
    const items = this.#clients.get(item.client);
    if (items?.delete(item) !== true) return false;
    this.#size--;
    if (items.size === 0) this.#clients.delete(item.client);
    return true;
  }

  /**
   * Returns the number of items that start before a new item from this client if all clients take turns. With `judge`,
   * only items that can start are counted, and the call takes time proportional to the length of the queue.
   */
  ahead(client: string, judge?: (item: T) => Verdict): number {
    const turns = this.#countOf(client) + 1;
    if (judge === undefined) return Math.min(this.#size, turns * this.#clients.size);
    let sum = 0;
    for (const items of this.#clients.values()) sum += Math.min(turns, countStartable(items, judge));
    return sum;
  }

  /** Removes and returns all items. */
  clear(): T[] {
    const items = [...this];
    this.#clients.clear();
    this.#size = 0;
    return items;
  }

  *[Symbol.iterator](): Generator<T> {
    for (const items of this.#clients.values()) yield* items;
  }

  #countOf(client: string): number {
    return this.#clients.get(client)?.size ?? 0;
  }

  #add(item: T): void {
    const items = this.#clients.get(item.client);
    if (items === undefined) this.#clients.set(item.client, new Set([item]));
    else items.add(item);
    this.#size++;
  }
}

function countStartable<T>(items: Iterable<T>, judge: (item: T) => Verdict): number {
  let count = 0;
  for (const item of items) {
    const verdict = judge(item);
    if (verdict === 'skip client') break;
    if (verdict === 'start') count++;
  }
  return count;
}

/** The weight of the newest duration in the average. */
const weight = 0.1;

/**
 * The time, in milliseconds, after which a duration of a pipelined request counts half. During this time, all connections
 * return several groups of results.
 */
const halfLifeMs = 500;

/** Estimates how long a request will wait, based on the durations of earlier requests. */
export class WaitEstimate {
  readonly #assumedMs: number;
  #meanMs = 0;
  #pipelinedMs = 0;
  #pipelined = 0;
  #recordedAt = 0;

  /** @param assumedMs The duration that is assumed until one has been measured. */
  constructor(assumedMs = 0) {
    this.#assumedMs = assumedMs;
  }

  /**
   * Records the time between the results of two pipelined requests. The results arrive in groups: a long time precedes
   * the first result of a group, and the others follow immediately. An average in which the most recent times have the
   * largest weights would therefore be too low after each group, so these times are weighted by their age.
   */
  recordPipelined(durationMs: number, now: number): void {
    const decay = 2 ** ((this.#recordedAt - now) / halfLifeMs);
    this.#recordedAt = now;
    this.#pipelinedMs = this.#pipelinedMs * decay + durationMs;
    this.#pipelined = this.#pipelined * decay + 1;
    this.#meanMs = this.#pipelinedMs / this.#pipelined;
  }

  record(durationMs: number): void {
    this.#meanMs += (durationMs - this.#meanMs) * (this.#meanMs === 0 ? 1 : weight);
  }

  /**
   * Returns the estimated wait.
   *
   * @param ahead The number of requests that will start before this request.
   * @param runningMs How long the unfinished requests have been running, on average. With this value, slow requests
   * affect the estimate before any of them has finished.
   */
  waitMs(ahead: number, connections: number, runningMs = 0): number {
    return (ahead * Math.max(this.#meanMs || this.#assumedMs, runningMs)) / connections;
  }
}
