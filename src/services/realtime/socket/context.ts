/** The state that a process shares among its connections and channels, and the interface of a socket to its channels. */
import type { Clock } from '../../../base/kernel/clock.ts';
import type { Logger } from '../../../base/kernel/log.ts';
import type { RequestClient } from '../../../platform/database/types.ts';
import type { Keys } from '../../../platform/keys/types.ts';
import type { Feed } from '../changes/feed.ts';
import type { Deadlines } from '../core/deadlines.ts';
import type { Frame, MessageHead, Version } from '../core/frame.ts';
import type { RateAverage } from '../core/rate.ts';
import type { AnonymousSockets, MemoryUse } from '../core/socket-limits.ts';
import type { Caller } from '../core/token.ts';
import type { Hub } from '../hub.ts';
import type { Permissions } from '../permissions.ts';
import type { MessageRow } from '../queries.ts';
import type { Limits } from '../settings.ts';

/** The part of an open socket that the service uses. */
export interface OpenSocket {
  readonly channels: ReadonlyMap<string, JoinedChannel>;
  readonly bufferedBytes: number;
  /** Closes the socket if its deadline has passed, or sets the next deadline. */
  checkIdle(): void;
  /** Closes the socket, or channels of it, if their key or token isn't valid anymore. */
  confirmKeys(): void;
  close(code: number, reason: string): void;
  closeHeavy(): void;
  disconnect(): void;
}

/** The part of a joined channel that the service uses. */
export interface JoinedChannel {
  readonly token: { readonly caller: Caller | undefined };
  confirmToken(): void;
}

export interface SocketContext {
  readonly clock: Clock;
  /**
   * A monotonic clock in milliseconds. Idle times and rates are measured with this clock because the system clock can
   * be changed.
   */
  readonly uptime: () => number;
  readonly log: Logger;
  readonly keys: Keys;
  readonly limits: Limits;
  readonly hub: Hub;
  readonly permissions: Permissions;
  readonly feed: Feed;
  /** Returns a topic's private broadcasts that are to be replayed. */
  readonly messagesSince: (
    subTopic: string,
    sinceMs: number,
    limit: number,
    client: RequestClient,
  ) => Promise<MessageRow[]>;
  readonly connections: Set<OpenSocket>;
  /** The deadlines of idle sockets. `tokens` contains the deadlines for checking the channels' tokens. */
  readonly idle: Deadlines<OpenSocket>;
  readonly tokens: Deadlines<JoinedChannel>;
  readonly events: RateAverage;
  readonly joins: RateAverage;
  readonly anonymous: AnonymousSockets;
  readonly memoryUse: MemoryUse<OpenSocket>;
  readonly presenceEvents: RateAverage;
  readonly counts: RealtimeCounts;
  readonly newUuid: () => string;
}

/** Totals since the process started, for `/metrics`. */
interface RealtimeCounts {
  received: number;
  sent: number;
  dropped: number;
  joined: number;
  rejectedJoins: number;
  failedJoins: number;
}

/** The interface that a socket provides to its channels. */
export interface ChannelSocket {
  readonly version: Version;
  /** The token for channels whose clients don't send a separate token. */
  readonly token: string;
  /** The `x-` headers of the handshake, as JSON. */
  readonly headersJson: string;
  readonly mayUseSecretKeys: boolean;
  readonly address: string;
  readonly channels: { readonly size: number };
  send(frame: Frame): void;
  push(head: MessageHead, payloadJson: string): void;
  close(code: number, reason: string): void;
  /** Pauses (1) or resumes (-1) reading from the socket. */
  stall(by: 1 | -1): void;
  /**
   * Counts memory that is retained for the client. If the memory exceeds the limit, closes the socket and returns
   * false.
   */
  hold(weight: number): boolean;
  release(weight: number): void;
  /** Called after a channel was joined with this role. */
  joined(role: string): void;
  forget(channel: { readonly topic: string }): void;
}
