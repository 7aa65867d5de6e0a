/** The limits on the resources that one client can occupy, which are set in `[server]` in plinth.toml. */
import { type Machine, thisMachine } from '../../base/shared/machine.ts';
import { connectionsForFiles, openFileLimit } from '../../base/shared/open-files.ts';
import type { AdmissionLimits } from './admission.ts';
import type { DispatchLimits } from './dispatcher.ts';
import type { PaceLimits } from './pace.ts';

export interface GatewayLimits extends AdmissionLimits, PaceLimits {
  /**
   * The time limit for receiving the request line and headers. This limit also applies to connections on which the
   * client doesn't send a request.
   */
  readonly headerTimeoutMs: number;
  readonly dispatch: DispatchLimits;
}

export interface ServerSettings {
  readonly max_connections: number | undefined;
  readonly max_connections_per_address: number;
  readonly header_timeout: number;
  readonly min_rate: number;
  readonly body_window: number;
  readonly answer_window: number;
  readonly max_wait: number;
  readonly max_waiting: number;
}

/**
 * The limits of the main process. The main process's clients are the API workers, which have already applied the
 * configured limits.
 */
export const limitsBehindWorkers = (limits: GatewayLimits): GatewayLimits => ({
  ...limits,
  maxConnections: Number.POSITIVE_INFINITY,
  maxConnectionsPerAddress: Number.POSITIVE_INFINITY,
  minBytesPerSecond: 0,
});

const maxDefaultConnections = 40_000;
/**
 * The memory that is assumed per connection, which suffices for an idle realtime socket with its channels and for the
 * kernel's buffers.
 */
const bytesPerConnection = 64 * 1024;

const connectionsFor = ({ memoryBytes }: Machine): number =>
  Math.min(maxDefaultConnections, Math.floor(memoryBytes / bytesPerConnection));

/**
 * Returns the gateway's limits. The limit on connections never exceeds the number of available file descriptors,
 * because each connection needs a file descriptor.
 */
export const limitsFrom = (
  settings: ServerSettings,
  machine: Machine = thisMachine(),
  openFiles = openFileLimit(),
): GatewayLimits => ({
  maxConnections: Math.min(
    settings.max_connections ?? connectionsFor(machine),
    connectionsForFiles(openFiles),
  ),
  maxConnectionsPerAddress: settings.max_connections_per_address,
  headerTimeoutMs: settings.header_timeout,
  minBytesPerSecond: settings.min_rate,
  bodyWindowMs: settings.body_window,
  responseWindowMs: settings.answer_window,
  dispatch: { maxWaitMs: settings.max_wait, maxWaiting: settings.max_waiting },
});

/** The minimum number of times that Node checks for late headers within one timeout. */
const looksPerHeaderTimeout = 4;
const minIntervalMs = 5000;

export const headerCheckMs = ({ headerTimeoutMs }: GatewayLimits): number =>
  Math.min(minIntervalMs, Math.ceil(headerTimeoutMs / looksPerHeaderTimeout));
