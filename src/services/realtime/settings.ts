/**
 * The limits of the service. Upstream's limits for the whole server (on sockets, messages, joins and presence calls)
 * are disabled by default. Memory is the bottleneck of a self-hosted machine, so the default limits restrict the memory
 * that each socket can use.
 */
import type { Config } from '../../platform/config/index.ts';
import type { MemoryLimits } from './core/socket-limits.ts';

export interface Limits extends MemoryLimits {
  /** The maximum number of concurrent sockets. */
  readonly maxConcurrentUsers: number;
  /** The maximum number of sockets without a signed-in user, in total and per address. */
  readonly maxAnonymousSockets: number;
  readonly maxAnonymousSocketsPerAddress: number;
  /** The maximum number of messages sent and delivered per second, averaged over a minute. */
  readonly maxEventsPerSecond: number;
  readonly maxJoinsPerSecond: number;
  readonly maxChannelsPerClient: number;
  readonly maxPresenceEventsPerSecond: number;
  /** The maximum number of presence calls per channel and window. */
  readonly clientPresence: { readonly maxCalls: number; readonly windowMs: number };
  /** The maximum size of a message. Upstream's setting is `max_payload_size_in_kb`. */
  readonly maxPayloadBytes: number;
  readonly privateOnly: boolean;
  /** The delay before a handshake or join is rejected. The delay slows down clients that retry. */
  readonly connectErrorDelayMs: number;
  readonly joinErrorDelayMs: number;
  /** The time after which a socket without incoming data is closed. */
  readonly idleTimeoutMs: number;
  /** The time after which a socket that never joined a channel is closed. */
  readonly joinTimeoutMs: number;
  /** The time after which a socket without channels is closed. */
  readonly emptySocketMs: number;
  /**
   * The maximum size of the data that is queued for a slow reader. If the queued data exceeds this size, the socket is
   * closed.
   */
  readonly maxBufferedBytes: number;
  /**
   * The maximum total size of the data that is queued for all sockets. If the queued data exceeds this size, the
   * slowest readers are closed.
   */
  readonly maxBufferedBytesInAll: number;
  /** If the total size of queued changes exceeds this limit, reading from the stream pauses. */
  readonly maxWaitingChangeBytes: number;
  /** The maximum size of WAL that PostgreSQL may retain for the stream. */
  readonly maxSlotWalBytes: number;
  /**
   * The maximum number of frames that are queued per channel while its join or permissions are pending. If the queue
   * exceeds this number, reading from the socket pauses.
   */
  readonly maxWaitingFrames: number;
}

export const maxFrameBytes = 5_000_000;

const kilobyte = 1000;
/** Upstream's limit includes the envelope around the payload. */
const envelopeBytes = 500;

/** Reads the limits from `[realtime]` and `[server]` in plinth.toml. All other limits have fixed values. */
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
