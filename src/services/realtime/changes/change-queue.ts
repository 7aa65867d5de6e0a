/** Queues changes from the stream and delivers them to subscribers in batches, in commit order. */
import type { Logger } from '../../../base/kernel/log.ts';
import type { Pool } from '../../../platform/database/types.ts';
import type { Change } from '../core/change.ts';
import type { Relation } from '../core/pgoutput.ts';
import type { StreamPlace } from '../core/progress.ts';
import { isServerResponse } from '../errors.ts';
import type { Taps } from '../taps.ts';
import type { Audience } from './audience.ts';
import type { Catalog } from './catalog.ts';
import { untilOver } from './checks.ts';
import { ConditionTests } from './condition-tests.ts';
import { deliverBatch } from './deliver.ts';
import type { MissedChange } from './missed.ts';
import type { Registry } from './registry.ts';
import type { Stream } from './stream.ts';

/**
 * The maximum number of changes and commits per batch. The cost of a check is proportional to the number of rows times
 * the number of claim sets, so larger batches wouldn't be cheaper.
 */
const maxBatch = 200;
const firstRetryMs = 50;
const lastRetryMs = 2_000;
const now = (): number => performance.now();

interface ChangeQueueOptions {
  readonly pool: () => Pool;
  readonly log: Logger;
  readonly taps: Taps;
  readonly catalog: Catalog;
  readonly registry: Registry;
  readonly stream: Pick<Stream, 'acknowledge' | 'pause' | 'resume'>;
  /**
   * When the queue reaches this size, the stream is paused until half of the queue has been processed. While the stream
   * is paused, PostgreSQL retains later changes.
   */
  readonly maxWaitingBytes: () => number;
}

interface QueuedChange {
  readonly kind: 'change';
  readonly relation: Relation;
  readonly change: Change;
  /** The lower 32 bits of the transaction id. */
  readonly xid: number;
  readonly place: StreamPlace;
}

type Item = QueuedChange | { readonly kind: 'commit'; readonly lsn: bigint; readonly place: StreamPlace };

export class ChangeQueue {
  readonly #options: ChangeQueueOptions;
  readonly #conditions: ConditionTests;
  readonly #items: Item[] = [];
  #waitingBytes = 0;
  #isProcessing = false;
  #stopped = false;
  #delivered: StreamPlace = { lsn: 0n, row: 0 };

  constructor(options: ChangeQueueOptions) {
    this.#options = options;
    this.#conditions = new ConditionTests(options.log, now);
  }

  add(relation: Relation, change: Change, xid: number, place: StreamPlace): void {
    if (this.#stopped) return;
    const { log, stream, maxWaitingBytes } = this.#options;
    this.#waitingBytes += change.bytes;
    if (this.#waitingBytes > maxWaitingBytes()) {
      log.debug(
        { waitingBytes: this.#waitingBytes },
        'paused the change stream because many changes are waiting for delivery',
      );
      stream.pause();
    }
    this.#items.push({ kind: 'change', relation, change, xid, place });
    if (!this.#isProcessing) {
      this.#isProcessing = true;
      void this.#process();
    }
  }

  /** Acknowledges a commit after all changes before it have been delivered. */
  commit(lsn: bigint, place: StreamPlace): void {
    if (this.#stopped) return;
    if (this.#items.length === 0 && !this.#isProcessing) {
      this.#delivered = place;
      this.#options.stream.acknowledge(lsn);
    } else this.#items.push({ kind: 'commit', lsn, place });
  }

  /** The place up to which all changes have been delivered. */
  get delivered(): StreamPlace {
    return this.#delivered;
  }

  /** Sets the place at which a stream begins. */
  begin(place: StreamPlace): void {
    if (!this.#stopped && this.#delivered.lsn === 0n) this.#delivered = place;
  }

  stop(): void {
    this.#stopped = true;
  }

  async #process(): Promise<void> {
    const { stream, maxWaitingBytes } = this.#options;
    try {
      while (this.#items.length > 0 && !this.#stopped) {
        // Waits until all changes from the same socket read have arrived, so they form one batch.
        await new Promise(setImmediate);
        const items = this.#items.splice(0, maxBatch);
        const checkMs = await this.#deliver(items);
        if (this.#stopped) return;
        this.#onDelivered(items);
        for (const item of items) {
          if (item.kind === 'commit') stream.acknowledge(item.lsn);
          else this.#waitingBytes -= item.change.bytes;
        }
        if (this.#waitingBytes <= maxWaitingBytes() / 2) stream.resume();
        const waitMs = waitAfter(checkMs);
        const isBehind = this.#items.length >= maxBatch;
        if (waitMs > 0 && !isBehind) await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    } finally {
      this.#isProcessing = false;
    }
  }

  #onDelivered(items: readonly Item[]): void {
    if (!this.#stopped) this.#delivered = items.at(-1)?.place ?? this.#delivered;
  }

  /**
   * Delivers a batch and returns how long the queries took, in milliseconds. While PostgreSQL is unreachable, the batch
   * is retried because subscribers were guaranteed delivery.
   */
  async #deliver(items: readonly Item[]): Promise<number> {
    const { log } = this.#options;
    for (let delayMs = firstRetryMs; ; delayMs = Math.min(lastRetryMs, delayMs * 2)) {
      try {
        return await this.#tryToDeliver(
          items.filter((item) => item.kind === 'change'),
          () => this.#onDelivered(items),
        );
      } catch (error) {
        if (this.#stopped) return 0;
        if (isServerResponse(error)) {
          log.error({ error, changes: items.length }, 'failed to deliver changes');
          return 0;
        }
        log.warn(
          { error, changes: items.length, delayMs },
          'changes are waiting until PostgreSQL is reachable',
        );
        await new Promise((resolve) => setTimeout(resolve, delayMs));
      }
    }
  }

  /** Delivers missed changes to the audiences of the subscribers that missed them. */
  async deliverMissed(
    changes: readonly MissedChange[],
    audienceOf: (oid: number) => Promise<Audience | undefined>,
  ): Promise<void> {
    const { pool, log, taps, catalog } = this.#options;
    if (changes.length === 0) return;
    await untilOver(pool(), new Set(changes.map(({ xid }) => xid)));
    const missed = [];
    for (const { relation, change, place } of changes) {
      const audience = await audienceOf(relation.oid);
      if (audience !== undefined) missed.push({ change, audience, place });
    }
    await deliverBatch(
      {
        pool,
        log,
        taps,
        now,
        access: (oid, role) => catalog.access(oid, role),
        conditions: this.#conditions,
      },
      missed,
    );
  }

  async #tryToDeliver(rows: readonly QueuedChange[], onDelivered: () => void): Promise<number> {
    const { pool, log, taps, catalog, registry } = this.#options;
    // The queries below must wait until other sessions can see the changes.
    const queries = rows.some(
      ({ relation }) => registry.knownAudience(relation)?.table.rowSecurity !== false,
    );
    if (queries) await untilOver(pool(), new Set(rows.map((row) => row.xid)));
    const changes = [];
    for (const item of rows) {
      const audience = await registry.audienceOf(item.relation);
      if (audience !== undefined && audience.groups.size > 0)
        changes.push({ change: item.change, audience, place: item.place });
    }
    if (changes.length === 0) return 0;
    return deliverBatch(
      {
        pool,
        log,
        taps,
        now,
        access: (oid, role) => catalog.access(oid, role),
        conditions: this.#conditions,
        onDelivered,
      },
      changes,
    );
  }
}

interface PaceOptions {
  /** The wait is the last queries' duration times this factor, within the limits below. */
  readonly idleRatio: number;
  readonly minWaitMs: number;
  readonly maxWaitMs: number;
}

const defaultPace: PaceOptions = { idleRatio: 2, minWaitMs: 10, maxWaitMs: 50 };

/** A duration below this value means that the batch didn't need any query. */
const noQueryMs = 0.3;

/**
 * Returns how long to wait after a batch whose queries took `checkMs`, in milliseconds. The first change after a quiet
 * period is processed immediately. Subsequent changes are batched for a short time so that each query covers several
 * changes. After expensive queries, which occur with many claim sets, changes are batched for longer.
 */
export function waitAfter(checkMs: number, options: PaceOptions = defaultPace): number {
  if (checkMs < noQueryMs) return 0;
  return Math.min(options.maxWaitMs, Math.max(options.minWaitMs, checkMs * options.idleRatio));
}
