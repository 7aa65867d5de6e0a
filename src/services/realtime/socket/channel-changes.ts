/** Sends events from the database to a channel: postgres_changes, and the notification that the stream is live. */
import type { Subscription } from '../changes/subscription.ts';
import { bindingId, type JoinRequest } from '../core/join.ts';
import type { Caller } from '../core/token.ts';
import { systemErrors } from '../errors.ts';
import type { Resumed } from '../handover/queries.ts';
import type { Membership } from './membership.ts';

const replicationPatienceMs = 60_000;

/** The `postgres_changes` entries of a join, with the IDs that identify the entries in changes. */
export type Bindings = readonly { readonly id: number; readonly entry: Readonly<Record<string, unknown>> }[];

export function bindingsOf(request: JoinRequest): Bindings {
  return request.postgresChanges.map((entry) => ({ id: bindingId(entry), entry }));
}

interface ChangesToSubscribe {
  readonly bindings: Bindings;
  readonly request: JoinRequest;
  readonly caller: Caller;
  /** What identifies the channel if its client joins again. Undefined if the client doesn't number its messages. */
  readonly identity: Buffer | undefined;
  readonly ref: number;
  readonly resumed: Resumed | undefined;
}

export class ChannelChanges {
  readonly #channel: Membership;
  #subscription: Subscription | undefined;
  #abandonWait: (() => void) | undefined;
  #unrecord: (() => void) | undefined;

  constructor(channel: Membership) {
    this.#channel = channel;
  }

  subscribe({ bindings, request, caller, identity, ref, resumed }: ChangesToSubscribe): void {
    if (bindings.length === 0) return;
    const { context: ctx, topic, version, sender } = this.#channel;
    if (identity !== undefined) this.#unrecord = ctx.feed.records?.add(identity, ref);
    this.#subscription = ctx.feed.subscribe({
      topic,
      version,
      bare: !request.hasConfig,
      caller,
      bindings,
      resumed,
      send: (frame) => this.#channel.send(frame),
      status: (status, text) => sender.system('postgres_changes', status, text),
    });
  }

  replaceCaller(caller: Caller): void {
    this.#subscription?.replaceCaller(caller);
  }

  /**
   * Implements `replication_ready`: notifies the client once the stream is live, or closes the channel after a timeout.
   */
  awaitReplication(): void {
    const { context: ctx, sender } = this.#channel;
    const timer = setTimeout(
      () => this.#channel.shutDown(systemErrors.replicationLate),
      replicationPatienceMs,
    );
    const undo = ctx.feed.onceLive(() => {
      clearTimeout(timer);
      sender.system('system', 'ok', 'Replication connection established');
    });
    this.#abandonWait = () => {
      clearTimeout(timer);
      undo();
    };
  }

  close(): void {
    this.#abandonWait?.();
    this.#subscription?.close();
    this.#unrecord?.();
  }
}
