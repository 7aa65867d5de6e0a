/** Shared state of connections and channels. */

import type { Clock } from '../../kernel/clock.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Keys } from '../../keys/types.ts';
import type { Feed } from '../changes/feed.ts';
import type { AnonymousSockets } from '../core/anonymous-sockets.ts';
import type { Deadlines } from '../core/deadlines.ts';
import type { MemoryUse } from '../core/memory-use.ts';
import type { RateAverage } from '../core/rate.ts';
import type { Caller } from '../core/token.ts';
import type { Hub } from '../hub.ts';
import type { MessageRow } from '../queries.ts';
import type { Rights } from '../rights.ts';
import type { Limits } from '../settings.ts';

/** An open socket, as the service sees it. */
export interface OpenSocket {
  readonly channels: ReadonlyMap<string, JoinedChannel>;
  readonly bufferedBytes: number;
  /** Closes the socket if its deadline has passed, or sets the next deadline. */
  checkIdle(): void;
  close(code: number, reason: string): void;
  closeHeavy(): void;
  disconnect(): void;
}

/** A joined channel, as the service sees it. */
export interface JoinedChannel {
  readonly token: { readonly caller: Caller | undefined };
  confirmToken(): void;
}

export interface SocketContext {
  readonly clock: Clock;
  /** A monotonic clock in milliseconds for idle times and rates, because the system clock can be changed. */
  readonly uptime: () => number;
  readonly log: Logger;
  readonly keys: Keys;
  readonly limits: Limits;
  readonly hub: Hub;
  readonly rights: Rights;
  readonly feed: Feed;
  /** Returns private broadcasts of a topic, for replay. */
  readonly messagesSince: (subTopic: string, sinceMs: number, limit: number) => Promise<MessageRow[]>;
  readonly connections: Set<OpenSocket>;
  /** Deadlines of idle sockets and of token checks. */
  readonly idle: Deadlines<OpenSocket>;
  readonly tokens: Deadlines<JoinedChannel>;
  readonly events: RateAverage;
  readonly joins: RateAverage;
  readonly anonymous: AnonymousSockets;
  readonly memoryUse: MemoryUse<OpenSocket>;
  readonly presenceEvents: RateAverage;
  readonly newUuid: () => string;
}
