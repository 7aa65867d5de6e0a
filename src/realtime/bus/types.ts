/**
 * The bus between the processes of a group, those that serve one database. It carries what clients broadcast and who is
 * present. Database changes do not go over it: every process reads them itself (docs/decisions/0026).
 *
 * Glossary. *Origin*: a process, by an id of its own that is new at each start. *Lease*: how long a process that is not
 * heard of counts as alive.
 */
import type { BusMessage, RoomPresence } from '../core/bus-message.ts';

/** What the hub has to tell, and is told. */
export type Shared = Extract<BusMessage, { kind: 'broadcast' | 'presence' }>;

export interface BusListener {
  /** In the order in which `origin` sent them. */
  message(origin: string, message: Shared): void;
  /** Everybody who is present by `origin`; whoever is not among them has left. Empty when the process is gone. */
  presence(origin: string, rooms: readonly RoomPresence[]): void;
  /** Who is present by this process. */
  ownPresence(): readonly RoomPresence[];
}

export interface Bus {
  /** To every other process. Nothing is awaited: what cannot be sent now waits, within bounds. */
  send(message: Shared): void;
  /** Other processes that are alive. */
  readonly peers: number;
  /** A sentence while others cannot be reached. */
  readonly trouble: string | undefined;
  /** Resolves when this process hears the others, or after a moment when that cannot be had yet. */
  start(listener: BusListener): Promise<void>;
  stop(): Promise<void>;
}

/** How chunks get from one process to all others. Their order per sender is kept; single ones may get lost. */
export interface Transport {
  readonly name: 'postgres' | 'nats';
  readonly maxChunkBytes: number;
  /** Resolves once they are handed over. After a failure the same chunks may be sent again. */
  send(chunks: readonly Buffer[]): Promise<void>;
  /** Resolves when chunks arrive from now on; the result ends it. */
  listen(handlers: TransportHandlers): Promise<() => Promise<void>>;
}

export interface TransportHandlers {
  chunk(chunk: Buffer): void;
  lost(): void;
  /** After `lost`: chunks may have been missed. */
  restored(): void;
}
