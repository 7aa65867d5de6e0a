/** A channel's subscription to changes, which is maintained across retries, new tokens and lost streams. */
import type { Logger } from '../../../base/kernel/log.ts';
import { type ChangeRequest, parseChangeRequest } from '../core/filter.ts';
import type { Frame, Version } from '../core/frame.ts';
import { isAfter, type Place } from '../core/progress.ts';
import type { Caller } from '../core/token.ts';
import type { Resumed } from '../handover/queries.ts';
import type { Subscriber } from './audience.ts';
import type { ClaimSet } from './checks.ts';
import type { Registry } from './registry.ts';
import type { Replays } from './replays.ts';
import type { Stream } from './stream.ts';

export interface SubscribeOptions {
  readonly topic: string;
  readonly version: Version;
  /**
   * True if the client doesn't send `config`. Such a client receives only the record as the payload, and the action as
   * the event name.
   */
  readonly bare: boolean;
  readonly caller: Caller;
  readonly bindings: readonly { readonly id: number; readonly entry: Readonly<Record<string, unknown>> }[];
  /** The record of the client's channel in a process that has ended, whose changes are delivered first. */
  readonly resumed?: Resumed | undefined;
  readonly send: (frame: Frame) => void;
  /** Called with `ok` once delivery of all later commits is guaranteed. */
  readonly status: (status: 'ok' | 'error', message: string) => void;
}

export interface Subscription {
  replaceCaller(caller: Caller): void;
  close(): void;
}

interface SubscriptionDeps {
  readonly log: Logger;
  readonly registry: Registry;
  readonly claimSets: ClaimSets;
  readonly stream: Pick<Stream, 'open' | 'live' | 'floor'>;
  readonly onClose: (subscription: ChangeSubscription) => void;
  readonly replays: Pick<Replays, 'add'>;
}

const subscribedText = 'Subscribed to PostgreSQL';
const unreachableText = 'Realtime was unable to connect to the project database';
const retryMs = 5_000;
/** The maximum number of changes that wait until missed changes have been delivered. */
const maxHeld = 20_000;
const missedText = (reason: string): string => `Changes may have been missed because ${reason}`;
const repeatedText = (since: string): string =>
  `Changes since ${since} were sent again because a server process ended`;

export class ChangeSubscription implements Subscription {
  readonly #deps: SubscriptionDeps;
  readonly #options: SubscribeOptions;
  #subscriber: Subscriber | undefined;
  #attempt = 0;
  #closed = false;
  #admitted = false;
  #announced = false;
  /** Whether the last notification to the client reported that changes can't be delivered. */
  #failed = false;
  #retry: NodeJS.Timeout | undefined;
  /** The record whose changes haven't been delivered yet, and the later changes that arrived in the meantime. */
  #resumed: Resumed | undefined;
  #isReplaying = false;
  /** The place of the last missed change that was sent, which isn't sent again if a new token interrupts the replay. */
  #replayedTo: Place | undefined;
  #held: { readonly frame: Frame; readonly place: Place | undefined }[] = [];
  #hasOverflowed = false;
  /**
   * The place up to which changes were replayed, or at which the subscription became active. Changes up to this place are
   * skipped. Undefined before the subscription first becomes active.
   */
  #fence: Place | undefined;
  /** Whether a requested table hasn't been added to the publication yet. */
  waitsForPublication = false;

  constructor(deps: SubscriptionDeps, options: SubscribeOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#resumed = options.resumed;
  }

  begin(caller: Caller): void {
    const { topic, version, bare, bindings, status } = this.#options;
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
    const claimSet = this.#deps.claimSets.acquire(caller);
    const send = (frame: Frame, place?: Place): void => this.#send(frame, place);
    this.#subscriber = { topic, version, bare, requests, claimSet, positions: [], active: false, send };
    this.enter();
  }

  /**
   * Validates and registers the requests. Called again when the subscription is retried, and when the publication
   * changes.
   */
  enter(): void {
    const { registry, stream } = this.#deps;
    const subscriber = this.#subscriber;
    if (subscriber === undefined) return;
    const attempt = ++this.#attempt;
    clearTimeout(this.#retry);
    this.waitsForPublication = false;
    this.#admitted = false;
    this.#announced = false;
    this.#failed = false;
    stream.open();
    registry.remove(subscriber);
    registry.admit(subscriber).then(
      (admission) => {
        if (this.#isOver(attempt)) {
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
        if (this.#isOver(attempt)) return;
        this.#deps.log.warn({ topic: subscriber.topic, error }, 'failed to check a subscription; retrying');
        this.#options.status('error', unreachableText);
        this.#retry = setTimeout(() => this.enter(), retryMs);
      },
    );
  }

  /**
   * Reports that the subscription is active. If `again` is true, repeats an earlier report, because changes weren't
   * delivered while the stream was lost.
   */
  announce(again: boolean): void {
    if (!this.#admitted || (this.#announced && !again)) return;
    this.#announced = true;
    this.#failed = false;
    if (this.#resumed === undefined) this.#fence ??= this.#deps.stream.floor;
    this.#options.status('ok', subscribedText);
    this.#replay();
  }

  #send(frame: Frame, place: Place | undefined): void {
    if (this.#resumed !== undefined) {
      if (this.#held.length < maxHeld) this.#held.push({ frame, place });
      else this.#hasOverflowed = true;
    } else if (this.#fence !== undefined && (place === undefined || isAfter(place, this.#fence)))
      this.#options.send(frame);
  }

  /** Delivers the changes that the client has missed, and then the changes that arrived in the meantime. */
  #replay(): void {
    const [resumed, subscriber] = [this.#resumed, this.#subscriber];
    if (resumed === undefined || subscriber === undefined || this.#isReplaying) return;
    this.#isReplaying = true;
    const sent = this.#replayedTo;
    this.#deps.replays.add({
      resumed,
      subscriber: {
        ...subscriber,
        positions: [],
        get active() {
          return subscriber.active;
        },
        send: (frame, place) => {
          if (place === undefined || (sent !== undefined && !isAfter(place, sent))) return;
          this.#replayedTo = place;
          this.#options.send(frame);
        },
      },
      done: (fence, gap) => {
        this.#isReplaying = false;
        if (this.#closed) return;
        // A new token has replaced the subscriber, which hasn't received all of the changes.
        if (this.#subscriber !== subscriber) {
          this.#replay();
          return;
        }
        this.#resumed = undefined;
        this.#fence = fence;
        const held = this.#held;
        this.#held = [];
        for (const { frame, place } of held) this.#send(frame, place);
        const missing = this.#hasOverflowed ? 'too many arrived at the same time' : gap;
        if (missing !== undefined) this.#options.status('error', missedText(missing));
        else if (!resumed.planned) this.#options.status('ok', repeatedText(resumed.since));
      },
    });
  }

  /**
   * Reports once that changes can't be delivered. When changes can be delivered again, the subscription is reported as
   * active again.
   */
  fail(): void {
    if (!this.#admitted || this.#failed) return;
    this.#failed = true;
    this.#announced = false;
    this.#options.status('error', unreachableText);
  }

  replaceCaller(caller: Caller): void {
    if (!this.#closed) this.begin(caller);
  }

  close(): void {
    this.#closed = true;
    this.#end();
    this.#deps.onClose(this);
  }

  #isOver(attempt: number): boolean {
    return this.#closed || attempt !== this.#attempt;
  }

  #end(): void {
    clearTimeout(this.#retry);
    this.#attempt++;
    if (this.#subscriber === undefined) return;
    this.#deps.registry.remove(this.#subscriber);
    this.#deps.claimSets.release(this.#subscriber.claimSet);
    this.#subscriber = undefined;
  }
}

/** Stores the claim sets in use. Subscribers with the same role and claims share one claim set. */
export class ClaimSets {
  readonly #byKey = new Map<string, { readonly claimSet: ClaimSet; users: number }>();

  acquire({ role, sub, claimsJson }: Caller): ClaimSet {
    const key = keyOf(role, claimsJson);
    const known = this.#byKey.get(key);
    if (known !== undefined) {
      known.users++;
      return known.claimSet;
    }
    const claimSet = { role, sub: sub ?? '', claimsJson };
    this.#byKey.set(key, { claimSet, users: 1 });
    return claimSet;
  }

  release({ role, claimsJson }: ClaimSet): void {
    const key = keyOf(role, claimsJson);
    const known = this.#byKey.get(key);
    if (known !== undefined && --known.users === 0) this.#byKey.delete(key);
  }
}

const keyOf = (role: string, claimsJson: string): string => `${role}\0${claimsJson}`;
