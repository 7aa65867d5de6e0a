/**
 * Bounds of the service. The count and rate limits are upstream's, and off by default: one's own machine is bounded by
 * memory, so the defaults bound what one socket can make the process hold.
 */
import type { Config } from '../config/index.ts';
import type { HoldingLimits } from './core/holdings.ts';

export interface Limits extends HoldingLimits {
  /** Sockets at a time. */
  readonly maxConcurrentUsers: number;
  /** Of them, those on which no user has signed in; in all and from one address. */
  readonly maxAnonymousSockets: number;
  readonly maxAnonymousSocketsPerAddress: number;
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
  /** A socket that has never joined a channel is closed after this. */
  readonly joinTimeoutMs: number;
  /** A socket without any channel is closed after this. */
  readonly emptySocketMs: number;
  /** What may wait for a slow reader before its socket is closed. */
  readonly maxBufferedBytes: number;
  /** The same over all sockets; beyond it the slowest are closed. */
  readonly maxBufferedBytesInAll: number;
  /** Changes that wait for their turn; beyond it the stream of changes is not read. */
  readonly maxWaitingChangeBytes: number;
  /** WAL that PostgreSQL may keep for the stream of changes. */
  readonly maxSlotWalBytes: number;
  /** Frames of one channel that wait for its join or its rights; beyond it the socket is not read. */
  readonly maxWaitingFrames: number;
}

export const maxFrameBytes = 5_000_000;

const kilobyte = 1000;
/** Upstream measures the payload with what surrounds it. */
const envelopeBytes = 500;

/** The section `[realtime]` of plinth.toml, and what `[server]` says of sockets; what is no setting there is the protocol's. */
export function limitsFrom({
  realtime: settings,
  server,
}: Pick<Config['plinth'], 'realtime' | 'server'>): Limits {
  const unlimited = Number.POSITIVE_INFINITY;
  return {
    maxConcurrentUsers: settings.max_concurrent_users ?? unlimited,
    maxAnonymousSockets: server.max_anonymous_sockets,
    maxAnonymousSocketsPerAddress: server.max_anonymous_sockets_per_address,
    maxEventsPerSecond: settings.max_events_per_second ?? unlimited,
    maxJoinsPerSecond: settings.max_joins_per_second ?? unlimited,
    maxChannelsPerClient: settings.max_channels_per_client,
    maxPresenceEventsPerSecond: settings.max_presence_events_per_second ?? unlimited,
    clientPresence: {
      maxCalls: settings.client_presence_max_calls,
      windowMs: settings.client_presence_window,
    },
    maxPayloadBytes: settings.max_payload_size_in_kb * kilobyte + envelopeBytes,
    privateOnly: settings.private_only,
    connectErrorDelayMs: 2000,
    joinErrorDelayMs: 5000,
    idleTimeoutMs: 60_000,
    joinTimeoutMs: server.join_timeout,
    emptySocketMs: 600_000,
    maxBufferedBytes: settings.max_buffered_per_client,
    maxBufferedBytesInAll: settings.max_buffered,
    maxHeldBytes: settings.max_held_per_client,
    maxHeldBytesInAll: settings.max_held,
    maxWaitingChangeBytes: settings.max_waiting_changes,
    maxSlotWalBytes: settings.max_slot_wal,
    maxWaitingFrames: 256,
  };
}
