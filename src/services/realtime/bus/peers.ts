/**
 * Tracks the other processes of the group: decodes their messages and detects processes that start, stop or stop
 * responding.
 */
import type { Logger } from '../../../base/kernel/log.ts';
import { type BusMessage, decodeMessages } from '../core/bus-message.ts';
import type { Opener } from '../core/bus-seal.ts';
import type { Outbox } from './outbox.ts';
import type { BusListener } from './types.ts';

interface Peer {
  lastSeenAt: number;
  /** Whether this process has requested the peer's presence state. */
  isPresenceRequested: boolean;
}

export interface PeersOptions {
  /** The origin of this process, as defined in the glossary of `types.ts`. */
  readonly id: string;
  readonly opener: Opener;
  readonly outbox: Outbox;
  readonly log: Logger;
  readonly listener: () => BusListener | undefined;
}

export class Peers {
  readonly #options: PeersOptions;
  readonly #peers = new Map<string, Peer>();

  constructor(options: PeersOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#peers.size;
  }

  receiveChunk(chunk: Buffer): void {
    const { opener, outbox, log } = this.#options;
    const opened = opener.open(chunk);
    if (opened === undefined) return;
    const { origin, gap, batch } = opened;
    const known = this.#peers.get(origin);
    const peer = known ?? { lastSeenAt: 0, isPresenceRequested: false };
    peer.lastSeenAt = performance.now();
    this.#peers.set(origin, peer);
    if (known === undefined) {
      log.info({ process: origin, peers: this.#peers.size }, 'another process joined');
      this.#sendState();
    }
    if (gap && !peer.isPresenceRequested) {
      peer.isPresenceRequested = true;
      log.warn({ process: origin }, 'missed a message from another process');
      outbox.add({ kind: 'again', to: origin });
    }
    if (batch === undefined) return;
    let messages: BusMessage[];
    try {
      messages = decodeMessages(batch);
    } catch (error) {
      log.warn({ process: origin, error }, 'received an invalid message from another process');
      return;
    }
    for (const message of messages) this.#receive(origin, peer, message);
  }

  /** Renews every process's lease. */
  renewAll(now: number): void {
    for (const peer of this.#peers.values()) peer.lastSeenAt = now;
  }

  /** Removes processes from which nothing has been received within `leaseMs`. */
  expire(now: number, leaseMs: number): void {
    for (const [origin, { lastSeenAt }] of this.#peers) if (now - lastSeenAt > leaseMs) this.#forget(origin);
  }

  #receive(origin: string, peer: Peer, message: BusMessage): void {
    const listener = this.#options.listener();
    switch (message.kind) {
      case 'broadcast':
      case 'presence':
        listener?.message(origin, message);
        return;
      case 'presence-state':
        peer.isPresenceRequested = false;
        listener?.presence(origin, message.rooms);
        return;
      case 'hello':
        this.#sendState();
        return;
      case 'again':
        if (message.to === this.#options.id) this.#sendState();
        return;
      case 'bye':
        this.#forget(origin);
        return;
      default:
        return; // An `alive` message only shows that the sender is running.
    }
  }

  #sendState(): void {
    this.#options.outbox.addWithState({ kind: 'alive' });
  }

  #forget(origin: string): void {
    if (!this.#peers.delete(origin)) return;
    const { opener, listener, log } = this.#options;
    opener.forget(origin);
    listener()?.presence(origin, []);
    log.info({ process: origin, peers: this.#peers.size }, 'another process left');
  }
}
