/**
 * Manages the connections of a pool. Opens connections on demand, keeps idle connections for a while and replaces
 * broken connections. Callers wait in a queue in which clients take turns.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { FairQueue, type Verdict, WaitEstimate, type Waiter } from '../../../base/shared/fair-queue.ts';
import { cancelAgainMs } from '../abort.ts';
import type { PoolLoad, RequestClient } from '../types.ts';
import type { Client } from '../wire/index.ts';
import { Occupancy, PoolEndedError, PoolFullError, PoolTimeoutError } from './occupancy.ts';

export interface ConnectionsOptions {
  /** Opens a connection. `onEnd` must be called when the connection closes for any reason. */
  readonly open: (onEnd: () => void) => Promise<Client>;
  readonly max: number;
  /** Connections that have been idle for longer than this duration are closed. */
  readonly idleTimeoutMs: number;
  /**
   * The maximum time that a caller waits for a connection. A caller is rejected immediately if its estimated wait
   * exceeds this limit.
   */
  readonly acquireTimeoutMs: number;
  /** The maximum number of waiting callers. */
  readonly maxWaiting: number;
  /** Called if a connection can't be opened. */
  readonly onOpenFailed?: (() => void) | undefined;
}

interface Waiting extends Waiter {
  readonly caller: RequestClient | undefined;
  readonly since: number;
  readonly resolve: (client: Client) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

interface Loan {
  readonly caller: RequestClient | undefined;
  readonly since: number;
  readonly isExempt?: boolean;
}

interface Idle {
  readonly client: Client;
  readonly since: number;
}

export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #open = new Set<Client>();
  /**
   * The idle connections, as a stack. The most recently returned connection is used first, so that unneeded connections
   * remain idle and are closed.
   */
  readonly #idle: Idle[] = [];
  readonly #waiting: FairQueue<Waiting>;
  readonly #lent = new Map<Client, Loan>();
  readonly #occupancy: Occupancy;
  readonly #estimate = new WaitEstimate();
  #rejected = 0;
  #timeouts = 0;
  #waited = 0;
  #waitedMs = 0;
  #opening = 0;
  #sweeper: NodeJS.Timeout | undefined;
  #ended: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#waiting = new FairQueue(options.maxWaiting);
    const allButOne = Math.max(1, options.max - 1);
    const unlimited = Number.POSITIVE_INFINITY;
    this.#occupancy = new Occupancy({
      perShape: unlimited,
      perClient: allButOne,
      anonymous: allButOne,
      total: unlimited,
    });
  }

  load(): Omit<PoolLoad, 'name'> {
    return {
      limit: this.#options.max,
      open: this.#open.size,
      busy: this.#lent.size,
      waiting: this.#waiting.size,
      rejected: this.#rejected,
      timeouts: this.#timeouts,
      waitedMs: this.#waitedMs,
      waited: this.#waited,
    };
  }

  /** The time at which a connection that is still open was last used. */
  answeredAt(): number {
    return this.#idle.at(-1)?.since ?? Number.NEGATIVE_INFINITY;
  }

  /** @param caller If undefined, the caller isn't subject to the limit per client. */
  acquire(caller?: RequestClient): Promise<Client> {
    if (this.#ended !== undefined) return Promise.reject(new PoolEndedError('The database pool is closed.'));
    const canStart = this.#verdict(caller) === 'start';
    const idle = canStart ? this.#idle.pop() : undefined;
    if (idle !== undefined) {
      this.#lendTo(idle.client, caller);
      return Promise.resolve(idle.client);
    }
    return new Promise((resolve, reject) => {
      const { acquireTimeoutMs, max } = this.#options;
      const client = caller?.key ?? '';
      let waitMs = this.#estimate.waitMs(this.#waiting.ahead(client), max);
      // If the occupancy limits allow a caller to start, it doesn't wait for queued callers that exceed a limit.
      if (waitMs > acquireTimeoutMs && canStart)
        waitMs = this.#estimate.waitMs(this.#waiting.ahead(client, this.#verdictOf), max);
      if (waitMs > acquireTimeoutMs) {
        this.#rejected++;
        reject(new PoolFullError(waitMs));
        return;
      }
      const timer = setTimeout(() => {
        this.#waiting.remove(waiting);
        this.#timeouts++;
        reject(new PoolTimeoutError(`No database connection became free in ${acquireTimeoutMs} ms.`));
      }, acquireTimeoutMs);
      const waiting: Waiting = { client, caller, since: performance.now(), resolve, reject, timer };
      const displaced = this.#waiting.push(waiting);
      if (displaced !== undefined) {
        this.#rejected++;
        clearTimeout(displaced.timer);
        displaced.reject(new PoolFullError(waitMs));
      }
      this.#grow();
    });
  }

  /** Returns a connection to the pool. Discards the connection if it has closed or is still in a transaction. */
  release(client: Client): void {
    if (client.connection.ended || !client.connection.idle) this.discard(client);
    else {
      this.#takeBack(client);
      this.#idle.push({ client, since: performance.now() });
      this.#serve();
    }
  }

  discard(client: Client): void {
    this.#takeBack(client);
    client.connection.destroy();
    this.#remove(client);
  }

  discardIdle(): void {
    for (const { client } of [...this.#idle]) this.discard(client);
  }

  /** Leaves it to the caller to end statements on this connection, which {@link cancelStatements} doesn't cancel. */
  exempt(client: Client): void {
    const lent = this.#lent.get(client);
    if (lent !== undefined) this.#lent.set(client, { ...lent, isExempt: true });
  }

  /** Cancels the statements of the current callers until they have returned their connections. */
  async cancelStatements(): Promise<void> {
    let lent = [...this.#lent].filter(([, { isExempt }]) => isExempt !== true);
    while (lent.length > 0) {
      await Promise.all(lent.map(([{ connection }]) => connection.cancel().catch(() => undefined)));
      await sleep(cancelAgainMs);
      lent = lent.filter(([client, loan]) => this.#lent.get(client) === loan);
    }
  }

  /** Rejects new callers. Resolves when every connection has been returned and closed. */
  end(): Promise<void> {
    if (this.#ended === undefined) {
      this.#ended = Promise.withResolvers<void>();
      clearInterval(this.#sweeper);
      for (const { client } of this.#idle.splice(0)) this.#close(client);
      this.#finishEnd();
    }
    return this.#ended.promise;
  }

  /** Lends idle connections to waiting callers. */
  #serve(): void {
    while (this.#idle.length > 0) {
      const waiting = this.#waiting.next(this.#verdictOf);
      if (waiting === undefined) break;
      const { client } = this.#idle.pop() as Idle;
      this.#waiting.start(waiting);
      clearTimeout(waiting.timer);
      this.#waited++;
      this.#waitedMs += performance.now() - waiting.since;
      this.#lendTo(client, waiting.caller);
      waiting.resolve(client);
    }
    if (this.#ended !== undefined) for (const { client } of this.#idle.splice(0)) this.#close(client);
    else if (this.#idle.length > 0) this.#sweeper ??= this.#sweep();
  }

  readonly #verdictOf = ({ caller }: Waiting): Verdict => this.#verdict(caller);

  #verdict(caller: RequestClient | undefined): Verdict {
    if (caller === undefined) return 'start';
    return this.#occupancy.verdict({ client: caller.key, isAnonymous: caller.isAnonymous });
  }

  #lendTo(client: Client, caller: RequestClient | undefined): void {
    this.#lent.set(client, { caller, since: performance.now() });
    if (caller !== undefined) this.#occupancy.enter({ client: caller.key, isAnonymous: caller.isAnonymous });
  }

  #takeBack(client: Client): void {
    const lent = this.#lent.get(client);
    if (lent === undefined) return;
    this.#lent.delete(client);
    this.#estimate.record(performance.now() - lent.since);
    const { caller } = lent;
    if (caller !== undefined) this.#occupancy.leave({ client: caller.key, isAnonymous: caller.isAnonymous });
  }

  #grow(): void {
    const expected = this.#waiting.size - this.#opening;
    if (expected <= 0 || this.#open.size + this.#opening >= this.#options.max) return;
    this.#opening++;
    void this.#openOne();
  }

  async #openOne(): Promise<void> {
    const holder: { client?: Client } = {};
    try {
      const client = await this.#options.open(() => holder.client && this.#remove(holder.client));
      holder.client = client;
      this.#opening--;
      this.#open.add(client);
      this.release(client);
    } catch (error) {
      this.#opening--;
      this.#options.onOpenFailed?.();
      // If no connection is open, all waiting callers are rejected with this error, because no connection will be
      // returned to the pool.
      for (let waiting = this.#waiting.next(); waiting !== undefined; waiting = this.#waiting.next()) {
        this.#waiting.remove(waiting);
        clearTimeout(waiting.timer);
        waiting.reject(error as Error);
        if (this.#open.size > 0) break;
      }
      this.#finishEnd();
    }
  }

  #close(client: Client): void {
    client.connection.close().then(
      () => this.#remove(client),
      () => this.#remove(client),
    );
  }

  #remove(client: Client): void {
    if (!this.#open.delete(client)) return;
    this.#takeBack(client);
    const index = this.#idle.findIndex((idle) => idle.client === client);
    if (index >= 0) this.#idle.splice(index, 1);
    if (this.#waiting.size > 0) this.#grow();
    this.#finishEnd();
  }

  #finishEnd(): void {
    if (this.#ended === undefined || this.#open.size + this.#opening + this.#waiting.size > 0) return;
    this.#ended.resolve();
  }

  #sweep(): NodeJS.Timeout {
    const { idleTimeoutMs } = this.#options;
    return setInterval(
      () => {
        const oldest = performance.now() - idleTimeoutMs;
        while (this.#idle[0] !== undefined && this.#idle[0].since < oldest) {
          this.#close((this.#idle.shift() as Idle).client);
        }
        if (this.#open.size === 0) {
          clearInterval(this.#sweeper);
          this.#sweeper = undefined;
        }
      },
      Math.max(idleTimeoutMs / 2, 10),
    ).unref();
  }
}
