/**
 * Bounds of the service. The count and rate limits are upstream's, and off by default: one's own machine is bounded by
 * memory, so the defaults bound what one socket can make the process hold.
 */
export interface Limits {
  /** Sockets at a time. */
  readonly maxConcurrentUsers: number;
  /** Sends and deliveries a second, averaged over a minute. */
  readonly maxEventsPerSecond: number;
  readonly maxJoinsPerSecond: number;
  readonly maxChannelsPerClient: number;
  readonly maxPresenceEventsPerSecond: number;
  /** Presence calls of one channel membership in a window. */
  readonly clientPresence: { readonly maxCalls: number; readonly windowMs: number };
  /** Of one message; upstream's setting is `max_payload_size_in_kb`. */
  readonly maxPayloadBytes: number;
  readonly privateOnly: boolean;
  /** A refused handshake and a refused join are answered after this, so that clients do not hammer. */
  readonly connectErrorDelayMs: number;
  readonly joinErrorDelayMs: number;
  /** A socket from which nothing came for this long is closed. */
  readonly idleTimeoutMs: number;
  /** A socket without any channel is closed after this. */
  readonly emptySocketMs: number;
  /** What may wait for a slow reader before its socket is closed. */
  readonly maxBufferedBytes: number;
  /** The same over all sockets; beyond it the slowest are closed. */
  readonly maxBufferedBytesInAll: number;
  /** Changes that wait for their turn; beyond it the stream of changes is not read. */
  readonly maxWaitingChangeBytes: number;
  /** Frames of one channel that wait for its join or its rights; beyond it the socket is not read. */
  readonly maxWaitingFrames: number;
}

export const maxFrameBytes = 5_000_000;

export const defaultLimits: Limits = {
  maxConcurrentUsers: Number.POSITIVE_INFINITY,
  maxEventsPerSecond: Number.POSITIVE_INFINITY,
  maxJoinsPerSecond: Number.POSITIVE_INFINITY,
  maxChannelsPerClient: 100,
  maxPresenceEventsPerSecond: Number.POSITIVE_INFINITY,
  clientPresence: { maxCalls: 1000, windowMs: 30_000 },
  maxPayloadBytes: 3000 * 1000 + 500,
  privateOnly: false,
  connectErrorDelayMs: 2000,
  joinErrorDelayMs: 5000,
  idleTimeoutMs: 60_000,
  emptySocketMs: 600_000,
  maxBufferedBytes: 8 * 1024 * 1024,
  maxBufferedBytesInAll: 256 * 1024 * 1024,
  maxWaitingChangeBytes: 128 * 1024 * 1024,
  maxWaitingFrames: 256,
};
