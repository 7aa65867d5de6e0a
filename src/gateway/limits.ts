/** What one client may keep busy of the port: from `[server]` of plinth.toml. */
import type { AdmissionLimits } from './admission.ts';
import type { PaceLimits } from './pace.ts';

export interface GatewayLimits extends AdmissionLimits, PaceLimits {
  /** For address and headers of a request, and for a connection on which nothing is said. */
  readonly headerTimeoutMs: number;
}

/** The settings' names. */
export interface ServerSettings {
  readonly max_connections: number;
  readonly max_connections_per_address: number;
  readonly header_timeout: number;
  readonly min_rate: number;
  readonly body_window: number;
  readonly answer_window: number;
}

export const limitsFrom = (settings: ServerSettings): GatewayLimits => ({
  maxConnections: settings.max_connections,
  maxConnectionsPerAddress: settings.max_connections_per_address,
  headerTimeoutMs: settings.header_timeout,
  minBytesPerSecond: settings.min_rate,
  bodyWindowMs: settings.body_window,
  answerWindowMs: settings.answer_window,
});

/** Node looks for late headers so often in their time, and at least so often. */
const looksPerHeaderTimeout = 4;
const leastOftenMs = 5000;

export const headerCheckMs = ({ headerTimeoutMs }: GatewayLimits): number =>
  Math.min(leastOftenMs, Math.ceil(headerTimeoutMs / looksPerHeaderTimeout));
