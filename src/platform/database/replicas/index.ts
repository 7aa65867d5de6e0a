/**
 * A request path that sends reads to replicas. A read uses only a replica that has replayed the client's latest write.
 * If no replica is suitable or the replica fails, the read uses the primary.
 */
import type { Logger } from '../../../base/kernel/log.ts';
import { sql } from '../../../base/kernel/sql.ts';
import { createRequestPath, type RequestPathLimits } from '../path/index.ts';
import type { PathRequest, PathResult, Pool, ReplicaState, RequestPath } from '../types.ts';
import { ConnectionError, type ConnectionOptions, PostgresError } from '../wire/index.ts';
import { LagClock } from './lag-clock.ts';
import { printLsn, readLsn } from './lsn.ts';
import { RecentWrites } from './recent-writes.ts';
import { clusterIdentifier, Replica } from './replica.ts';

export { replicaFindings } from './findings.ts';

export interface ReplicaSetOptions {
  readonly primary: RequestPath;
  /** The pool for observing the primary. */
  readonly pool: Pool;
  /** Returns the connection options of each replica. */
  readonly targets: readonly (() => ConnectionOptions)[];
  /** The limits of each replica's request path. */
  readonly path: RequestPathLimits;
  /** Reads don't use a replica with a longer lag. */
  readonly maxLagMs: number;
  readonly log: Logger;
}

export interface ReplicaSet extends RequestPath {
  states(): readonly ReplicaState[];
}

/** The interval at which replicas are observed while clients wait until their writes have been replayed. */
const BUSY_INTERVAL_MS = 100;
const IDLE_INTERVAL_MS = 1000;

export function openReplicas(options: ReplicaSetOptions): ReplicaSet {
  return new Router(options);
}

class Router implements ReplicaSet {
  readonly hasReplicas = true;
  readonly #options: ReplicaSetOptions;
  readonly #replicas: readonly Replica[];
  readonly #writes = new RecentWrites();
  readonly #clock = new LagClock();
  #cluster: string | undefined;
  #next = 0;
  #timer: NodeJS.Timeout | undefined;
  #sampling: Promise<void> | undefined;
  #stopped = false;
  #wroteAt = Number.NEGATIVE_INFINITY;

  constructor(options: ReplicaSetOptions) {
    this.#options = options;
    this.#replicas = options.targets.map(
      (target) =>
        new Replica({
          connectOptions: target,
          openPath: (onOpenFailed) =>
            createRequestPath({ connectOptions: target, onOpenFailed, ...options.path }),
          cluster: () => this.#clusterOfPrimary(),
          lagMs: (replayed) => this.#clock.lagMs(replayed, performance.now()),
          maxLagMs: options.maxLagMs,
          intervalMs: () =>
            performance.now() - this.#wroteAt < IDLE_INTERVAL_MS ? BUSY_INTERVAL_MS : IDLE_INTERVAL_MS,
          onChange: (replica) => this.#changed(replica),
        }),
    );
    this.#sampling = this.#sample();
    for (const replica of this.#replicas) replica.start();
  }

  execute(request: PathRequest): Promise<PathResult> {
    if (request.access === 'read write') return this.#write(request);
    const { replica: wish } = request;
    if (wish === undefined) return this.#options.primary.execute(request);
    const required = this.#writes.requiredBy(request.client?.key);
    if (required === undefined) return this.#options.primary.execute(request);
    const after = readLsn(wish.after ?? '') ?? 0n;
    const replica = this.#choose(after > required ? after : required);
    return replica === undefined ? this.#options.primary.execute(request) : this.#read(replica, request);
  }

  states(): readonly ReplicaState[] {
    return this.#replicas.map((replica) => replica.state());
  }

  loads() {
    return [
      ...this.#options.primary.loads(),
      ...this.#replicas.flatMap(({ path }, index) =>
        path.loads().map((load) => ({ ...load, name: `replica${index + 1}_${load.name}` })),
      ),
    ];
  }

  /** A response of a replica doesn't prove that the primary works. */
  answeredAt(): number {
    return this.#options.primary.answeredAt();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await Promise.all([this.#options.primary.stop(), ...this.#replicas.map((replica) => replica.stop())]);
    await this.#sampling;
  }

  /** Returns the suitable replica with the fewest reads in progress, which takes both its load and its speed into account. */
  #choose(required: bigint): Replica | undefined {
    let best: Replica | undefined;
    const { length } = this.#replicas;
    this.#next = (this.#next + 1) % length;
    for (let step = 0; step < length; step++) {
      const replica = this.#replicas[(this.#next + step) % length] as Replica;
      if (!replica.canServe(required)) continue;
      if (best === undefined || replica.pending.size < best.pending.size) best = replica;
    }
    return best;
  }

  #read(replica: Replica, request: PathRequest): Promise<PathResult> {
    return new Promise((resolve, reject) => {
      const { primary } = this.#options;
      const toPrimary = () => {
        replica.pending.delete(toPrimary);
        if (request.signal?.aborted === true) reject(request.signal.reason);
        else primary.execute(request).then(resolve, reject);
      };
      replica.pending.add(toPrimary);
      replica.path.execute(request).then(
        (result) => {
          if (replica.pending.delete(toPrimary)) resolve(result);
          else result.stored?.free();
        },
        (error) => {
          if (!replica.pending.has(toPrimary)) return;
          if (isFinal(error)) {
            replica.pending.delete(toPrimary);
            reject(error);
          } else toPrimary();
        },
      );
    });
  }

  async #write(request: PathRequest): Promise<PathResult> {
    const client = request.client?.key;
    try {
      const result = await this.#options.primary.execute({ ...request, reportsLsn: true });
      const lsn = readLsn(result.lsn ?? '');
      if (lsn === undefined) this.#writes.recordUnknown(client);
      else this.#writes.record(client, lsn);
      return result;
    } catch (error) {
      // If the server hasn't started the statement, nothing was committed.
      if (error instanceof ConnectionError && !error.untouched) this.#writes.recordUnknown(client);
      throw error;
    } finally {
      this.#wroteAt = performance.now();
      for (const replica of this.#replicas) if (replica.isReady) replica.observeWithin(BUSY_INTERVAL_MS);
    }
  }

  async #clusterOfPrimary(): Promise<string> {
    if (this.#cluster === undefined) {
      const [row] = await this.#options.pool.query<{ id: string }>(clusterIdentifier);
      this.#cluster = row?.id;
    }
    return this.#cluster ?? '';
  }

  async #sample(): Promise<void> {
    const known = this.#writes.beforeSample();
    const at = performance.now();
    try {
      const [row] = await this.#options.pool.query<{ flushed: string; inserted: string }>(sql`
        select pg_catalog.pg_current_wal_flush_lsn()::text as flushed,
          pg_catalog.pg_current_wal_insert_lsn()::text as inserted`);
      const [flushed, inserted] = [readLsn(row?.flushed ?? ''), readLsn(row?.inserted ?? '')];
      // Replicas receive only what was flushed, but a commit with synchronous_commit = off may not have been flushed.
      if (flushed !== undefined) this.#clock.record(flushed, at);
      if (inserted !== undefined) known(inserted);
    } catch (error) {
      this.#options.log.debug({ service: 'database', error }, "The primary's position couldn't be read");
    }
    this.#forget();
    if (!this.#stopped) {
      this.#timer = setTimeout(() => {
        this.#sampling = this.#sample();
      }, IDLE_INTERVAL_MS).unref();
    }
  }

  #forget(): void {
    let least: bigint | undefined;
    for (const { isReady, replayed } of this.#replicas) {
      if (isReady && (least === undefined || replayed < least)) least = replayed;
    }
    if (least !== undefined) this.#writes.forget(least);
  }

  #changed(replica: Replica): void {
    const { log } = this.#options;
    const fields = { service: 'database', replica: replica.name };
    if (replica.isReady) log.info({ ...fields, lsn: printLsn(replica.replayed) }, 'Reads use the replica');
    else log.warn({ ...fields, ...replica.state() }, "Reads don't use the replica");
  }
}

/**
 * Whether the primary would respond with the same error. Other errors are caused by the replica: it is being stopped, a
 * read conflicts with the log that is replayed, something isn't possible on a standby, or the schema isn't up to date.
 */
function isFinal(error: unknown): boolean {
  if (!(error instanceof PostgresError)) return false;
  const { code } = error;
  return code === QUERY_CANCELED || FINAL_CLASSES.has(code.slice(0, 2));
}

const QUERY_CANCELED = '57014';
/** Errors in data, and errors that functions raise. */
const FINAL_CLASSES: ReadonlySet<string> = new Set(['21', '22', '23', 'P0', 'PT', 'PG']);
