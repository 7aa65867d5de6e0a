/** A channel's presence, with its key, rate limits and state. */

import { isRecord } from '../../../base/shared/json.ts';
import type { ClientMessage } from '../core/frame.ts';
import { CallWindow } from '../core/rate.ts';
import { weightOf } from '../core/socket-limits.ts';
import { systemErrors } from '../errors.ts';
import type { Membership } from './membership.ts';

export class ChannelPresence {
  readonly #channel: Membership;
  readonly #calls = new CallWindow();
  #key = '';
  #enabled = false;
  /** The estimated memory that the tracked payload uses. */
  #weight = 0;

  constructor(channel: Membership) {
    this.#channel = channel;
  }

  /** Whether presence was enabled by the join or by the first `track`. */
  get enabled(): boolean {
    return this.#enabled;
  }

  begin(enabled: boolean, key: string): void {
    this.#enabled = enabled;
    this.#key = key;
  }

  sendState(): void {
    const { joinedTopic, readsPresence, context: ctx, sender } = this.#channel;
    if (readsPresence && joinedTopic !== undefined) sender.presenceState(ctx.hub.presenceState(joinedTopic));
  }

  /** Handles a presence call from the client. Returns a promise if permissions must be queried first. */
  receive({ payload, ref }: ClientMessage): Promise<void> | undefined {
    const channel = this.#channel;
    const { context: ctx, sender, permissions } = channel;
    const call = payload.kind === 'json' ? payload.value : undefined;
    if (!isRecord(call) || typeof call.event !== 'string') {
      sender.reply(ref, 'ok', {});
      return undefined;
    }
    const { maxCalls, windowMs } = ctx.limits.clientPresence;
    if (!this.#calls.take(ctx.uptime(), maxCalls, windowMs)) {
      channel.shutDown(systemErrors.clientPresence);
      return undefined;
    }
    switch (call.event.toLowerCase()) {
      case 'track':
        // A broadcast queries the write permissions, but not the read permission for presence.
        if (
          permissions.current.readPresence !== undefined &&
          permissions.current.writePresence !== undefined
        ) {
          this.#track(call, ref);
          return undefined;
        }
        return permissions.queryPresence().then((asked) => {
          if (channel.isClosed) return;
          if (asked) this.#track(call, ref);
          else sender.reply(ref, 'error', {});
        });
      case 'untrack':
        if (channel.joinedTopic !== undefined) ctx.hub.untrack(channel.joinedTopic, channel);
        this.#hold(0);
        sender.reply(ref, 'ok', {});
        return undefined;
      default:
        sender.reply(ref, 'error', {});
        return undefined;
    }
  }

  #track(call: Record<string, unknown>, ref: string | null): void {
    const channel = this.#channel;
    const { sender, joinedTopic } = channel;
    const { hub, limits, uptime, presenceEvents } = channel.context;
    if (channel.permissions.current.writePresence !== true || joinedTopic === undefined) {
      sender.reply(ref, 'error', {});
      return;
    }
    const payload = call.payload === undefined ? {} : call.payload;
    if (!isRecord(payload)) {
      sender.reply(ref, 'error', { reason: 'Presence track payload must be a map' });
      return;
    }
    const json = Buffer.from(JSON.stringify(payload));
    if (json.length > limits.maxPayloadBytes) {
      channel.shutDown(systemErrors.trackSize);
      return;
    }
    if (presenceEvents.perSecond(uptime()) > limits.maxPresenceEventsPerSecond) {
      channel.shutDown(systemErrors.tooManyPresence);
      return;
    }
    if (!this.#hold(weightOf(json))) return;
    presenceEvents.add(uptime());
    if (!this.#enabled) {
      // The join didn't send the state, and without it the client ignores all diffs.
      this.#enabled = true;
      this.sendState();
    }
    hub.track(joinedTopic, channel, this.#key, payload);
    sender.reply(ref, 'ok', {});
  }

  /**
   * Updates the amount of memory that the tracked payload uses. Returns false if the socket exceeds its memory limit.
   */
  #hold(weight: number): boolean {
    const more = weight - this.#weight;
    this.#weight = weight;
    return this.#channel.hold(more);
  }
}
