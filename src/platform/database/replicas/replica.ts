/**
 * A read replica: its request path, and a connection that observes how far it has replayed the primary's log. A replica
 * that doesn't respond is tried again with increasing delays.
 */
import { sql } from '../../../base/kernel/sql.ts';
import type { ReplicaState, RequestPath } from '../types.ts';
import { Client, type ConnectionOptions } from '../wire/index.ts';
import { readLsn } from './lsn.ts';

export interface ReplicaOptions {
  readonly connectOptions: () => ConnectionOptions;
  readonly openPath: (onOpenFailed: () => void) => RequestPath;
  /** Returns the identifier of the primary's cluster. */
  readonly cluster: () => Promise<string>;
  /** Returns the lag in milliseconds of a replica that has replayed the log up to the given position. */
  readonly lagMs: (replayed: bigint) => number;
  readonly maxLagMs: number;
  /** Returns the delay until the replica is observed again. */
  readonly intervalMs: () => number;
  /** Called when the state has changed between usable and unusable. */
  readonly onChange: (replica: Replica) => void;
}

export const RESPONSE_TIMEOUT_MS = 2000;
const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 8000;

export const observation = sql`
  select pg_catalog.pg_is_in_recovery() as "isStandby", pg_catalog.pg_last_wal_replay_lsn()::text as lsn`;
export const clusterIdentifier = sql`select system_identifier::text as id from pg_catalog.pg_control_system()`;

export const otherCluster = 'The server belongs to another cluster than the primary.';

export class Replica {
  readonly name: string;
  readonly path: RequestPath;
  /** The reads in progress, as functions that send them to the primary instead. */
  readonly pending = new Set<() => void>();
  readonly #options: ReplicaOptions;
  #status: ReplicaState['status'] = 'unreachable';
  #error: string | undefined;
  /** The position up to which the replica has replayed the log. It is 0 while the replica isn't usable. */
  #replayed = 0n;
  #lagMs: number | undefined;
  #client: Client | undefined;
  #retryMs = FIRST_RETRY_MS;
  #sleep: { readonly until: number; readonly end: () => void; readonly timer: NodeJS.Timeout } | undefined;
  #wasUsable: boolean | undefined;
  #stopped = false;
  #ended: Promise<void> | undefined;

  constructor(options: ReplicaOptions) {
    this.#options = options;
    const { host, port } = options.connectOptions();
    this.name = `${host}:${port}`;
    this.path = options.openPath(() => this.observeWithin(0));
  }

  /** Whether reads that require the given position can use the replica. */
  canServe(required: bigint): boolean {
    return this.#status === 'ready' && this.#replayed >= required;
  }

  get replayed(): bigint {
    return this.#replayed;
  }

  get isReady(): boolean {
    return this.#status === 'ready';
  }

  state(): ReplicaState {
    return { name: this.name, status: this.#status, lagMs: this.#lagMs, error: this.#error };
  }

  start(): void {
    this.#ended ??= this.#observe();
  }

  /** Observes the replica within the given time, unless an observation is running. */
  observeWithin(delayMs: number): void {
    const sleep = this.#sleep;
    if (sleep === undefined || sleep.until <= performance.now() + delayMs) return;
    clearTimeout(sleep.timer);
    this.#schedule(delayMs, sleep.end);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.observeWithin(0);
    this.#client?.connection.destroy();
    await this.#ended;
    // A replica that doesn't respond must not delay the stop.
    await Promise.race([this.path.stop(), pause(RESPONSE_TIMEOUT_MS)]);
  }

  async #observe(): Promise<void> {
    while (!this.#stopped) {
      let delayMs: number;
      try {
        await this.#look();
        this.#retryMs = FIRST_RETRY_MS;
        delayMs = this.#options.intervalMs();
      } catch (error) {
        this.#client?.connection.destroy();
        this.#client = undefined;
        this.#fail(error);
        delayMs = this.#retryMs;
        this.#retryMs = Math.min(2 * delayMs, MAX_RETRY_MS);
      }
      if (this.#stopped) return;
      await new Promise<void>((resolve) => this.#schedule(delayMs, resolve));
      this.#sleep = undefined;
    }
  }

  #schedule(delayMs: number, end: () => void): void {
    const timer = setTimeout(end, delayMs).unref();
    this.#sleep = { until: performance.now() + delayMs, end, timer };
  }

  async #look(): Promise<void> {
    this.#client ??= await this.#connect();
    const [row] = await inTime(this.#client.query<{ isStandby: boolean; lsn: string | null }>(observation));
    const replayed = readLsn(row?.lsn ?? '');
    if (row?.isStandby !== true || replayed === undefined) {
      this.#set('not a standby');
      this.#replayed = 0n;
      return;
    }
    this.#replayed = replayed;
    this.#lagMs = this.#options.lagMs(replayed);
    this.#set(this.#lagMs > this.#options.maxLagMs ? 'lagging' : 'ready');
  }

  async #connect(): Promise<Client> {
    const client = await Client.connect({
      ...this.#options.connectOptions(),
      connectTimeoutMs: RESPONSE_TIMEOUT_MS,
      // A restarted replica can be behind the position that it had replayed before.
      onEnd: (error) => {
        if (this.#client !== client || this.#stopped) return;
        this.#client = undefined;
        this.#fail(error);
        this.observeWithin(0);
      },
    });
    try {
      const [row] = await inTime(client.query<{ id: string }>(clusterIdentifier));
      if (row?.id !== (await this.#options.cluster())) {
        throw new Error(otherCluster);
      }
      return client;
    } catch (error) {
      client.connection.destroy();
      throw error;
    }
  }

  #fail(error: unknown): void {
    this.#replayed = 0n;
    this.#lagMs = undefined;
    this.#set('unreachable', error);
    for (const abandon of [...this.pending]) abandon();
  }

  #set(status: ReplicaState['status'], error?: unknown): void {
    this.#status = status;
    this.#error = error === undefined ? undefined : (error as Error).message;
    const isUsable = status === 'ready';
    if (this.#wasUsable === isUsable || this.#stopped) return;
    this.#wasUsable = isUsable;
    this.#options.onChange(this);
  }
}

const pause = (delayMs: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, delayMs).unref();
  });

function inTime<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`The server didn't respond within ${RESPONSE_TIMEOUT_MS} ms.`)),
      RESPONSE_TIMEOUT_MS,
    ).unref();
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
