/**
 * postgres_changes and database broadcasts for channels: subscribes, reports when the subscription is active, and
 * unsubscribes. Processes changes in batches, in commit order.
 */
import type { Database } from '../../database/types.ts';
import type { Logger } from '../../kernel/log.ts';
import { isAnswer } from '../core/answered.ts';
import { type Change, newRow, oldRow, unchangedIdentity } from '../core/change.ts';
import { type ChangeRequest, parseChangeRequest } from '../core/filter.ts';
import type { Broadcast, Frame, Version } from '../core/frame.ts';
import { waitAfter } from '../core/pace.ts';
import type { Relation, ReplicationEvent } from '../core/pgoutput.ts';
import type { Caller } from '../core/token.ts';
import type { StreamReport } from '../types.ts';
import type { Subscriber } from './audience.ts';
import { createCatalog } from './catalog.ts';
import { type ClaimSet, untilOver } from './checks.ts';
import { deliverBatch } from './deliver.ts';
import { createMessages } from './messages.ts';
import { createRegistry } from './registry.ts';
import { createStream } from './stream.ts';

export interface SubscribeOptions {
  readonly topic: string;
  readonly version: Version;
  /** Whether the payload is only the record, with the action as its event (clients without `config`). */
  readonly bare: boolean;
  readonly caller: Caller;
  readonly bindings: readonly { readonly id: number; readonly entry: Readonly<Record<string, unknown>> }[];
  readonly send: (frame: Frame) => void;
  /** Called with `ok` when every change committed from now on will be delivered. */
  readonly status: (status: 'ok' | 'error', message: string) => void;
}

export interface Subscription {
  replaceCaller(caller: Caller): void;
  close(): void;
}

export interface Feed {
  subscribe(options: SubscribeOptions): Subscription;
  /** After this resolves, no database broadcast is missed. */
  watchMessages(): Promise<void>;
  /** Calls `callback` when the stream is live. Returns a function that cancels it. */
  onceLive(callback: () => void): () => void;
  readonly trouble: string | undefined;
  readonly report: StreamReport;
  checkSlots(): Promise<void>;
  stop(): Promise<void>;
}

export interface FeedOptions {
  readonly database: Database;
  readonly log: Logger;
  readonly maxPayloadBytes: number;
  /**
   * The stream is paused at this size until half of the queue is processed. PostgreSQL retains the following changes.
   */
  readonly maxWaitingBytes: number;
  readonly maxSlotWalBytes: number;
  readonly publish: (subTopic: string, isPrivate: boolean, broadcast: Broadcast) => void;
}

const subscribedText = 'Subscribed to PostgreSQL';
/**
 * The maximum number of changes and commits per batch. The cost of a check grows with rows times claim sets, so larger
 * batches save nothing.
 */
const maxBatch = 200;
const publicationWatchMs = 10_000;
const retrySubscribeMs = 5_000;
const firstAskAgainMs = 50;
const lastAskAgainMs = 2_000;

type Item =
  | { readonly kind: 'change'; readonly relation: Relation; readonly change: Change; readonly xid: number }
  | { readonly kind: 'commit'; readonly lsn: bigint };

export function createFeed(options: FeedOptions): Feed {
  const { database, log, maxPayloadBytes, maxWaitingBytes, publish } = options;
  const pool = () => database.pool('supabase_realtime_admin');
  const catalog = createCatalog(pool);
  const registry = createRegistry(catalog, pool);
  const messages = createMessages({ pool, log, maxPayloadBytes, publish });
  const live = new Set<() => void>();
  const sessions = new Set<Session>();
  const claimSets = new Map<string, { readonly claimSet: ClaimSet; users: number }>();
  const queue: Item[] = [];
  let waitingBytes = 0;
  let committedAt = 0;
  let xid = 0;
  let working = false;
  let stopped = false;
  let publicationState: string | undefined;
  let watch: NodeJS.Timeout | undefined;

  const isMessages = ({ schema, table }: Relation): boolean => schema === 'realtime' && table === 'messages';

  const stream = createStream({
    database,
    log,
    maxSlotWalBytes: options.maxSlotWalBytes,
    wanted: (relation) => isMessages(relation) || registry.isWanted(relation),
    onEvent,
    onSnapshot: (command) => messages.catchUp(command),
    onLive(seamless) {
      if (!seamless) {
        // Table metadata may have changed during the gap.
        catalog.forgetAll();
        registry.forgetAudiences();
      }
      for (const callback of [...live]) callback();
      for (const session of sessions) session.announce(!seamless);
    },
  });

  function onEvent(event: ReplicationEvent): void {
    switch (event.kind) {
      case 'begin':
        committedAt = Number(event.commitMicros / 1000n);
        xid = event.xid;
        return;
      case 'relation':
        registry.forgetTable(event.relation.oid);
        return;
      case 'commit':
        if (queue.length === 0 && !working) stream.acknowledge(event.endLsn);
        else queue.push({ kind: 'commit', lsn: event.endLsn });
        return;
      default: {
        const change = changeOf(event, committedAt);
        if (isMessages(event.relation) && event.kind === 'insert')
          messages.inserted(change.row as Map<string, string | null>);
        if (registry.isWanted(event.relation)) take(event.relation, change);
      }
    }
  }

  function take(relation: Relation, change: Change): void {
    waitingBytes += change.bytes;
    if (waitingBytes > maxWaitingBytes) {
      log.debug({ waitingBytes }, 'many changes wait to be delivered; the stream is not read meanwhile');
      stream.pause();
    }
    queue.push({ kind: 'change', relation, change, xid });
    if (!working) {
      working = true;
      void workOff();
    }
  }

  async function workOff(): Promise<void> {
    try {
      while (queue.length > 0 && !stopped) {
        // Batches everything from the same socket read.
        await new Promise(setImmediate);
        const items = queue.splice(0, maxBatch);
        const checkMs = await work(items);
        for (const item of items) {
          if (item.kind === 'commit') stream.acknowledge(item.lsn);
          else waitingBytes -= item.change.bytes;
        }
        if (waitingBytes <= maxWaitingBytes / 2) stream.resume();
        const waitMs = waitAfter(checkMs);
        const isBehind = queue.length >= maxBatch;
        if (waitMs > 0 && !isBehind) await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    } finally {
      working = false;
    }
  }

  /** While PostgreSQL is unreachable, the batch is retried because its delivery was promised. */
  async function work(items: readonly Item[]): Promise<number> {
    for (let delayMs = firstAskAgainMs; ; delayMs = Math.min(lastAskAgainMs, delayMs * 2)) {
      try {
        return await attempt(items);
      } catch (error) {
        if (stopped) return 0;
        if (isAnswer(error)) {
          log.error({ error, changes: items.length }, 'changes could not be delivered');
          return 0;
        }
        log.warn({ error, changes: items.length, delayMs }, 'changes wait until PostgreSQL can be asked');
        await new Promise((resolve) => setTimeout(resolve, delayMs));
      }
    }
  }

  /** Returns how long PostgreSQL was queried, in milliseconds. */
  async function attempt(items: readonly Item[]): Promise<number> {
    const rows = items.filter((item) => item.kind === 'change');
    // Queries run only after the changes are visible to other sessions.
    const asks = rows.some(({ relation }) => registry.knownAudience(relation)?.table.rowSecurity !== false);
    if (asks) await untilOver(pool(), new Set(rows.map((row) => row.xid)));
    const changes = [];
    for (const item of rows) {
      const audience = await registry.audienceOf(item.relation);
      if (audience !== undefined && audience.groups.size > 0) changes.push({ change: item.change, audience });
    }
    if (changes.length === 0) return 0;
    return deliverBatch({ pool, log, now: () => performance.now(), access: catalog.access }, changes);
  }

  const acquire = ({ role, sub, claimsJson }: Caller): ClaimSet => {
    const key = `${role}\0${claimsJson}`;
    const known = claimSets.get(key);
    if (known !== undefined) {
      known.users++;
      return known.claimSet;
    }
    const claimSet = { role, sub: sub ?? '', claimsJson };
    claimSets.set(key, { claimSet, users: 1 });
    return claimSet;
  };

  const release = ({ role, claimsJson }: ClaimSet): void => {
    const key = `${role}\0${claimsJson}`;
    const known = claimSets.get(key);
    if (known !== undefined && --known.users === 0) claimSets.delete(key);
  };

  /** A channel's subscription across retries, new tokens and lost streams. */
  class Session implements Subscription {
    readonly #options: SubscribeOptions;
    #subscriber: Subscriber | undefined;
    #attempt = 0;
    #closed = false;
    #admitted = false;
    #announced = false;
    #retry: NodeJS.Timeout | undefined;
    /** Whether a requested table isn't in the publication yet. */
    waitsForPublication = false;

    constructor(options: SubscribeOptions) {
      this.#options = options;
    }

    begin(caller: Caller): void {
      const { topic, version, bare, bindings, send, status } = this.#options;
      const requests: { id: number; request: ChangeRequest }[] = [];
      for (const { id, entry } of bindings) {
        const parsed = parseChangeRequest(entry);
        if (!parsed.ok) {
          status('error', parsed.message);
          return;
        }
        requests.push({ id, request: parsed.value });
      }
      this.#end();
      this.#subscriber = {
        topic,
        version,
        bare,
        requests,
        claimSet: acquire(caller),
        places: [],
        active: false,
        send,
      };
      this.enter();
    }

    /** Validates and registers the requests. Called again after changes. */
    enter(): void {
      const subscriber = this.#subscriber;
      if (subscriber === undefined) return;
      const attempt = ++this.#attempt;
      clearTimeout(this.#retry);
      this.waitsForPublication = false;
      this.#admitted = false;
      this.#announced = false;
      const isOver = (): boolean => this.#closed || attempt !== this.#attempt;
      stream.open();
      registry.remove(subscriber);
      registry.admit(subscriber).then(
        (admission) => {
          if (isOver()) {
            if (this.#closed || this.#subscriber !== subscriber) registry.remove(subscriber);
            return;
          }
          if (!admission.ok) {
            this.waitsForPublication = admission.later;
            this.#options.status('error', admission.message);
            return;
          }
          this.#admitted = true;
          if (stream.live) this.announce(true);
        },
        (error: unknown) => {
          if (isOver()) return;
          log.warn(
            { topic: subscriber.topic, error },
            'a subscription could not be checked and is tried again',
          );
          this.#options.status('error', 'Realtime was unable to connect to the project database');
          this.#retry = setTimeout(() => this.enter(), retrySubscribeMs);
        },
      );
    }

    /** Reported again after a lost stream because changes in between weren't delivered. */
    announce(again: boolean): void {
      if (!this.#admitted || (this.#announced && !again)) return;
      this.#announced = true;
      this.#options.status('ok', subscribedText);
    }

    replaceCaller(caller: Caller): void {
      if (!this.#closed) this.begin(caller);
    }

    #end(): void {
      clearTimeout(this.#retry);
      this.#attempt++;
      if (this.#subscriber === undefined) return;
      registry.remove(this.#subscriber);
      release(this.#subscriber.claimSet);
      this.#subscriber = undefined;
    }

    close(): void {
      this.#closed = true;
      this.#end();
      sessions.delete(this);
      if (sessions.size === 0) {
        clearInterval(watch);
        watch = undefined;
      }
    }
  }

  /**
   * Detects changes of the publication, after which wildcards can match more tables and rejected requests can succeed.
   */
  const lookAtPublication = async (): Promise<void> => {
    const state = JSON.stringify(await catalog.published());
    if (publicationState !== undefined && state !== publicationState) {
      registry.forgetAudiences();
      for (const session of sessions) if (session.waitsForPublication) session.enter();
    }
    publicationState = state;
  };

  return {
    subscribe(options) {
      const session = new Session(options);
      sessions.add(session);
      watch ??= setInterval(() => {
        lookAtPublication().catch((error: unknown) =>
          log.debug({ error }, 'the publication could not be looked at'),
        );
      }, publicationWatchMs).unref();
      session.begin(options.caller);
      return session;
    },
    async watchMessages() {
      if (stream.live || stopped) return;
      try {
        await messages.mark();
      } catch (error) {
        // Without a database there are no database broadcasts, but client broadcasts continue.
        log.debug({ error }, 'no mark for broadcasts from the database could be taken');
      }
      stream.open();
    },
    onceLive(callback) {
      if (stream.live) {
        queueMicrotask(callback);
        return () => {};
      }
      stream.open();
      const once = (): void => {
        live.delete(once);
        callback();
      };
      live.add(once);
      return () => live.delete(once);
    },
    get trouble() {
      return stream.trouble;
    },
    get report() {
      return stream.report;
    },
    checkSlots: () => stream.checkSlots(),
    async stop() {
      stopped = true;
      clearInterval(watch);
      await stream.stop();
    },
  };
}

function changeOf(
  event: ReplicationEvent & { kind: 'insert' | 'update' | 'delete' },
  committedAt: number,
): Change {
  const { relation, bytes } = event;
  switch (event.kind) {
    case 'insert':
      return {
        action: 'INSERT',
        relation,
        committedAt,
        bytes,
        row: newRow(relation, event.row, undefined),
        old: undefined,
      };
    case 'update': {
      const row = newRow(relation, event.row, event.old);
      const old =
        event.old === undefined ? unchangedIdentity(relation, row) : oldRow(relation, event.old.row);
      return { action: 'UPDATE', relation, committedAt, bytes, row, old };
    }
    case 'delete':
      return {
        action: 'DELETE',
        relation,
        committedAt,
        bytes,
        row: undefined,
        old: oldRow(relation, event.old.row),
      };
  }
}
