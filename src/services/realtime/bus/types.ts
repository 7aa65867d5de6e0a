/**
 * The bus between the processes of a group, which serve the same database. The bus transports client broadcasts and
 * presence. Database changes aren't sent over the bus because each process reads them from PostgreSQL
 * (docs/decisions/0026). Glossary. *Origin*: the ID of a process, generated at each startup. *Lease*: how long a
 * process is considered running although it doesn't send anything.
 */
import type { BusMessage, TopicEntries } from '../core/bus-message.ts';

/** The messages that hubs exchange. */
export type SharedMessage = Extract<BusMessage, { kind: 'broadcast' | 'presence' }>;

export interface BusListener {
  /** Called in the order in which `origin` sent the messages. */
  message(origin: string, message: SharedMessage): void;
  /**
   * Called with all members that are present in the process `origin`. Members that aren't listed have left. The list is
   * empty if the process has exited.
   */
  presence(origin: string, topics: readonly TopicEntries[]): void;
  /** Returns the members that are present in this process. */
  ownPresence(): readonly TopicEntries[];
}

export interface Bus {
  /**
   * Sends a message to all other processes without waiting. Messages that can't be sent yet are queued up to a limit.
   */
  send(message: SharedMessage): void;
  /** The number of other running processes. */
  readonly peers: number;
  /** The error message while other processes are unreachable. Otherwise, undefined. */
  readonly trouble: string | undefined;
  /** Resolves when this process receives messages from the other processes, or after a timeout. */
  start(listener: BusListener): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Sends chunks from one process to all other processes. Chunks from the same sender arrive in order, but they can be
 * lost.
 */
export interface Transport {
  readonly name: 'postgres' | 'nats';
  readonly maxChunkBytes: number;
  /** Resolves once the transport has accepted the chunks. After a failure, the same chunks can be sent again. */
  send(chunks: readonly Buffer[]): Promise<void>;
  /** Resolves once the process receives chunks. The promise's value is a function that stops listening. */
  listen(handlers: TransportHandlers): Promise<() => Promise<void>>;
}

export interface TransportHandlers {
  chunk(chunk: Buffer): void;
  lost(): void;
  /** Called when the connection is restored after `lost`. Chunks may have been missed during the interruption. */
  restored(): void;
}
