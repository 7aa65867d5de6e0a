/** Shared state of connections and channels. */

import type { Clock } from '../../kernel/clock.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Keys } from '../../keys/types.ts';
import type { Feed } from '../changes/feed.ts';
import type { AnonymousSockets } from '../core/anonymous-sockets.ts';
import type { Deadlines } from '../core/deadlines.ts';
import type { Holdings } from '../core/holdings.ts';
import type { RateAverage } from '../core/rate.ts';
import type { Hub } from '../hub.ts';
import type { MessageRow } from '../queries.ts';
import type { Rights } from '../rights.ts';
import type { Limits } from '../settings.ts';
import type { Channel } from './channel.ts';
import type { Connection } from './connection.ts';

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
  readonly connections: Set<Connection>;
  /** Deadlines of idle sockets and of token checks. */
  readonly idle: Deadlines<Connection>;
  readonly tokens: Deadlines<Channel>;
  readonly events: RateAverage;
  readonly joins: RateAverage;
  readonly anonymous: AnonymousSockets;
  readonly holdings: Holdings<Connection>;
  readonly presenceEvents: RateAverage;
  readonly newUuid: () => string;
}
