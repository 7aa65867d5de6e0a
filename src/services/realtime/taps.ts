/**
 * Shows operators the messages that this process delivers. While no operator watches, nothing is created or encoded for
 * them.
 */
import type { Broadcast } from './core/frame.ts';

export interface TapEvent {
  readonly kind: 'broadcast' | 'presence' | 'change';
  /** The topic without the prefix `realtime:`. */
  readonly topic: string;
  /** Whether policies decide who receives the payload: in private channels, and for row changes. */
  readonly isGuarded: boolean;
  /** The event's name, or the action and the table of a change. */
  readonly event: string;
  /** The payload as JSON. Undefined if it is binary. */
  readonly payload: string | undefined;
  readonly sizeBytes: number;
  /** The number of channels in this process that received the message. */
  readonly recipients: number;
}

export type TapListener = (event: TapEvent) => void;

export class Taps {
  readonly #listeners = new Set<TapListener>();

  get isOpen(): boolean {
    return this.#listeners.size > 0;
  }

  /** Calls the listener with each message until the returned function is called. */
  add(listener: TapListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(event: TapEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

export function broadcastEvent(
  topic: string,
  isPrivate: boolean,
  broadcast: Broadcast,
  recipients: number,
): TapEvent {
  const common = { kind: 'broadcast', topic, isGuarded: isPrivate, recipients } as const;
  if (broadcast.form === 'text') {
    const { payloadJson } = broadcast;
    return {
      ...common,
      event: eventIn(payloadJson),
      payload: payloadJson,
      sizeBytes: Buffer.byteLength(payloadJson),
    };
  }
  const { event, encoding, data } = broadcast;
  const payload = encoding === 'json' ? data.toString('utf8') : undefined;
  return { ...common, event, payload, sizeBytes: data.length };
}

/** Returns the event's name in the payload that a client sent as JSON. */
function eventIn(payloadJson: string): string {
  try {
    const { event } = JSON.parse(payloadJson) as { event?: unknown };
    return typeof event === 'string' ? event : '';
  } catch {
    return '';
  }
}
