/**
 * Provides postgres_changes and database broadcasts to channels: subscribes, reports when a subscription is active, and
 * unsubscribes.
 */

import type { Logger } from '../../../base/kernel/log.ts';
import type { Database } from '../../../platform/database/types.ts';
import { changeOf } from '../core/change.ts';
import type { Broadcast } from '../core/frame.ts';
import type { Relation, ReplicationEvent } from '../core/pgoutput.ts';
import { isAfter, type StreamPlace } from '../core/progress.ts';
import type { Delivered } from '../handover/queries.ts';
import { createRecords, type Records } from '../handover/records.ts';
import type { Limits } from '../settings.ts';
import type { Taps } from '../taps.ts';
import type { StreamReport } from '../types.ts';
import { type Catalog, createCatalog } from './catalog.ts';
import { ChangeQueue } from './change-queue.ts';
import { createSharedStream, type GroupOptions } from './choose-stream.ts';
import { createMessages, type Messages } from './messages.ts';
import { createRegistry, type Registry } from './registry.ts';
import { Replays } from './replays.ts';
import { createStream } from './replication-stream.ts';
import type { Stream, StreamOptions } from './stream.ts';
import { ChangeSubscription, ClaimSets, type SubscribeOptions, type Subscription } from './subscription.ts';

export interface Feed {
  subscribe(options: SubscribeOptions): Subscription;
  /**
   * Resolves once delivery of all later database broadcasts is guaranteed, with a function that ends the guarantee. While
   * nothing is watched, the stream is closed.
   */
  watchMessages(): Promise<() => void>;
  /** Resolves with whether PostgreSQL has the capacity for the stream, as far as this is known within a second. */
  hasCapacity(): Promise<boolean>;
  /** Calls `callback` when the stream is live. Returns a function that cancels the callback. */
  onceLive(callback: () => void): () => void;
  readonly trouble: string | undefined;
  readonly shortage: string | undefined;
  readonly report: StreamReport;
  /** The records of the channels that other processes can continue. Undefined if the database doesn't have the tables. */
  readonly records: Records | undefined;
  checkSlots(): Promise<void>;
  /** Stops delivering changes and records the position for other processes. The sockets must be closed afterwards. */
  handOver(): Promise<void>;
  stop(): Promise<void>;
}

export interface FeedOptions {
  readonly database: Database;
  readonly log: Logger;
  readonly limits: () => Pick<Limits, 'maxPayloadBytes' | 'maxWaitingChangeBytes' | 'maxSlotWalBytes'>;
  readonly publish: (subTopic: string, isPrivate: boolean, broadcast: Broadcast) => void;
  readonly taps: Taps;
  /** The log and the secret of the group, if its processes share one stream. */
  readonly group?: Pick<GroupOptions, 'changeLog' | 'secret'> | undefined;
  /** How long the stream stays open after the last channel was left, in milliseconds. */
  readonly idleMs?: number | undefined;
}

const publicationCheckMs = 10_000;
/**
 * The time after which an unneeded stream is closed. Clients that reload a page or retry a rejected join return within
 * this time.
 */
const defaultIdleMs = 10_000;

const isMessages = ({ schema, table }: Relation): boolean => schema === 'realtime' && table === 'messages';

export const createFeed = (options: FeedOptions): Feed => new DatabaseFeed(options);

class DatabaseFeed implements Feed {
  readonly #log: Logger;
  readonly #catalog: Catalog;
  readonly #registry: Registry;
  readonly #messages: Messages;
  readonly #stream: Stream;
  readonly #queue: ChangeQueue;
  readonly #replays: Replays;
  readonly records: Records | undefined;
  #handingOver: Promise<boolean> | undefined;
  readonly #claimSets = new ClaimSets();
  readonly #subscriptions = new Set<ChangeSubscription>();
  readonly #liveCallbacks = new Set<() => void>();
  /** The commit time and ID of the stream's current transaction. */
  #committedAt = 0;
  #xid = 0;
  #stopped = false;
  #publicationState: string | undefined;
  #publicationCheck: NodeJS.Timeout | undefined;
  readonly #idleMs: number;
  /** The number of channels that need the stream. */
  #watching = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor({ database, log, limits, publish, taps, group, idleMs = defaultIdleMs }: FeedOptions) {
    this.#idleMs = idleMs;
    const pool = () => database.pool('supabase_realtime_admin');
    const catalog = createCatalog(pool);
    const registry = createRegistry(catalog, pool);
    this.#log = log;
    this.#catalog = catalog;
    this.#registry = registry;
    this.#messages = createMessages({ pool, log, maxPayloadBytes: () => limits().maxPayloadBytes, publish });
    const streamOptions: StreamOptions = {
      database,
      log,
      maxSlotWalBytes: () => limits().maxSlotWalBytes,
      isWanted: (relation) => isMessages(relation) || registry.isWanted(relation),
      onEvent: (event, place) => this.#onEvent(event, place),
      onSnapshot: (command) => this.#messages.catchUp(command),
      onLive: (seamless) => this.#onLive(seamless),
      onRejected: () => {
        for (const subscription of this.#subscriptions) subscription.fail();
      },
    };
    const stream =
      group === undefined
        ? createStream(streamOptions)
        : createSharedStream(streamOptions, {
            ...group,
            maxWaitingBytes: () => limits().maxWaitingChangeBytes,
          });
    this.#stream = stream;
    this.#replays = new Replays({
      log,
      read: (resumed, isWanted) => stream.readMissed(resumed, isWanted),
      isWantedBy: (subscribers) => registry.wantedBy(subscribers),
      audiences: (subscribers) => registry.audiencesOf(subscribers),
      deliver: (changes, audienceOf) => this.#queue.deliverMissed(changes, audienceOf),
    });
    this.records = database.info.ownsSchemas
      ? createRecords({
          pool,
          lockPool: () => database.pool('supabase_replication_admin'),
          log,
          delivered: () => this.#delivered,
        })
      : undefined;
    this.#queue = new ChangeQueue({
      taps,
      pool,
      log,
      catalog,
      registry,
      stream,
      maxWaitingBytes: () => limits().maxWaitingChangeBytes,
    });
  }

  subscribe(options: SubscribeOptions): Subscription {
    const subscription = new ChangeSubscription(
      {
        log: this.#log,
        registry: this.#registry,
        claimSets: this.#claimSets,
        stream: this.#stream,
        onClose: (closed) => this.#onClose(closed),
        replays: this.#replays,
      },
      options,
    );
    this.#subscriptions.add(subscription);
    this.#publicationCheck ??= setInterval(() => {
      this.#checkPublication().catch((error: unknown) =>
        this.#log.debug({ error }, 'failed to inspect the publication'),
      );
    }, publicationCheckMs).unref();
    subscription.begin(options.caller);
    return subscription;
  }

  async watchMessages(): Promise<() => void> {
    this.#watching++;
    clearTimeout(this.#idle);
    let isWatching = true;
    const unwatch = (): void => {
      if (!isWatching) return;
      isWatching = false;
      this.#watching--;
      if (this.#watching === 0 && !this.#stopped)
        this.#idle = setTimeout(() => this.#close(), this.#idleMs).unref();
    };
    if (this.#stream.live || this.#stopped) return unwatch;
    try {
      await this.#messages.mark();
    } catch (error) {
      // The error is only logged, because client broadcasts don't need a database.
      this.#log.debug({ error }, 'failed to record the position of database broadcasts');
    }
    this.#stream.open();
    return unwatch;
  }

  hasCapacity(): Promise<boolean> {
    return this.#stream.hasCapacity();
  }

  onceLive(callback: () => void): () => void {
    if (this.#stream.live) {
      queueMicrotask(callback);
      return () => {};
    }
    this.#stream.open();
    const once = (): void => {
      this.#liveCallbacks.delete(once);
      callback();
    };
    this.#liveCallbacks.add(once);
    return () => this.#liveCallbacks.delete(once);
  }

  get trouble(): string | undefined {
    return this.#stream.trouble;
  }

  get shortage(): string | undefined {
    return this.#stream.shortage;
  }

  get report(): StreamReport {
    return this.#stream.report;
  }

  async checkSlots(): Promise<void> {
    await this.#stream.checkSlots((await this.records?.keep()) ?? []);
  }

  async handOver(): Promise<void> {
    this.#handingOver ??= this.#end();
    await this.#handingOver;
  }

  get #delivered(): Delivered {
    return { slot: this.#stream.lastingSlot, place: this.#queue.delivered };
  }

  async #end(): Promise<boolean> {
    this.#queue.stop();
    this.#registry.mute();
    this.#stream.pause();
    const hasSlot = this.#stream.lastingSlot !== undefined;
    return ((await this.records?.end(this.#delivered)) ?? false) && hasSlot;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#idle);
    this.#queue.stop();
    clearInterval(this.#publicationCheck);
    const isHandedOver = (await this.#handingOver) ?? false;
    await this.#stream.stop(isHandedOver);
    await this.records?.stop();
  }

  #close(): void {
    if (this.#watching > 0) return;
    this.#log.debug({}, 'closed the change stream because no channel needs it');
    this.#stream.close();
    this.#messages.forget();
  }

  #onEvent(event: ReplicationEvent, place: StreamPlace): void {
    switch (event.kind) {
      case 'begin':
        this.#committedAt = Number(event.commitMicros / 1000n);
        this.#xid = event.xid;
        return;
      case 'relation':
        this.#registry.forgetTable(event.relation.oid);
        return;
      case 'commit':
        this.#queue.commit(event.endLsn, place);
        return;
      default: {
        const change = changeOf(event, this.#committedAt);
        // Older messages were fetched when the stream began.
        const isMessage = isMessages(event.relation) && event.kind === 'insert';
        if (isMessage && isAfter(place, this.#stream.floor))
          this.#messages.inserted(change.row as Map<string, string | null>);
        if (this.#registry.isWanted(event.relation))
          this.#queue.add(event.relation, change, this.#xid, place);
      }
    }
  }

  #onLive(seamless: boolean): void {
    this.#queue.begin(this.#stream.origin);
    if (!seamless) {
      // Discards the catalog cache, because tables may have changed while the stream was interrupted.
      this.#catalog.forgetAll();
      this.#registry.forgetAudiences();
    }
    for (const callback of [...this.#liveCallbacks]) callback();
    for (const subscription of this.#subscriptions) subscription.announce(!seamless);
  }

  #onClose(subscription: ChangeSubscription): void {
    this.#subscriptions.delete(subscription);
    if (this.#subscriptions.size > 0) return;
    clearInterval(this.#publicationCheck);
    this.#publicationCheck = undefined;
  }

  /**
   * Detects changes to the publication. After such a change, wildcards can match more tables, and requests that were
   * previously rejected can succeed.
   */
  async #checkPublication(): Promise<void> {
    const state = JSON.stringify(await this.#catalog.published());
    if (this.#publicationState !== undefined && state !== this.#publicationState) {
      this.#registry.forgetAudiences();
      for (const subscription of this.#subscriptions)
        if (subscription.waitsForPublication) subscription.enter();
    }
    this.#publicationState = state;
  }
}
