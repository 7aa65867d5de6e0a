/**
 * Lends connections. Opens connections on demand, keeps idle connections for a while, replaces broken connections, and
 * queues callers.
 */
import type { Client } from '../wire/index.ts';
import { PoolEndedError, PoolTimeoutError } from './errors.ts';

export interface ConnectionsOptions {
  /** `onEnd` must be called when the connection ends for any reason. */
  readonly open: (onEnd: () => void) => Promise<Client>;
  readonly max: number;
  /** A connection that has been idle for longer is closed. */
  readonly idleTimeoutMs: number;
  /** The time limit for a caller that waits for a connection. */
  readonly acquireTimeoutMs: number;
}

interface Waiting {
  readonly resolve: (client: Client) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

interface Idle {
  readonly client: Client;
  readonly since: number;
}

export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #open = new Set<Client>();
  /** A stack. The last returned connection is lent first, so the other connections become idle and are closed. */
  readonly #idle: Idle[] = [];
  readonly #waiting: Waiting[] = [];
  #opening = 0;
  #sweeper: NodeJS.Timeout | undefined;
  #ended: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  acquire(): Promise<Client> {
    if (this.#ended !== undefined) return Promise.reject(new PoolEndedError('The database pool is closed.'));
    const idle = this.#idle.pop();
    if (idle !== undefined) return Promise.resolve(idle.client);
    return new Promise((resolve, reject) => {
      const { acquireTimeoutMs } = this.#options;
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(new PoolTimeoutError(`No database connection became free in ${acquireTimeoutMs} ms.`));
      }, acquireTimeoutMs);
      const waiting: Waiting = { resolve, reject, timer };
      this.#waiting.push(waiting);
      this.#grow();
    });
  }

  /** Returns a connection to the pool. A connection that has ended or is still in a transaction isn't lent again. */
  release(client: Client): void {
    if (client.connection.ended || !client.connection.idle) this.discard(client);
    else this.#lend(client);
  }

  discard(client: Client): void {
    client.connection.destroy();
    this.#remove(client);
  }

  discardIdle(): void {
    for (const { client } of [...this.#idle]) this.discard(client);
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

  #lend(client: Client): void {
    const waiting = this.#waiting.shift();
    if (waiting !== undefined) {
      clearTimeout(waiting.timer);
      waiting.resolve(client);
    } else if (this.#ended !== undefined) {
      this.#close(client);
    } else {
      this.#idle.push({ client, since: performance.now() });
      this.#sweeper ??= this.#sweep();
    }
  }

  #grow(): void {
    const wanted = this.#waiting.length - this.#opening;
    if (wanted <= 0 || this.#open.size + this.#opening >= this.#options.max) return;
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
      // If no connection is open, all waiting callers fail with the reason, because no connection will be returned.
      const failed = this.#open.size === 0 ? this.#waiting.splice(0) : this.#waiting.splice(0, 1);
      for (const { reject, timer } of failed) {
        clearTimeout(timer);
        reject(error as Error);
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
    const index = this.#idle.findIndex((idle) => idle.client === client);
    if (index >= 0) this.#idle.splice(index, 1);
    if (this.#waiting.length > 0) this.#grow();
    this.#finishEnd();
  }

  #finishEnd(): void {
    if (this.#ended === undefined || this.#open.size + this.#opening + this.#waiting.length > 0) return;
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
