/** Limits on the resources that one client can occupy, from `[server]` in plinth.toml. */
import type { AdmissionLimits } from './admission.ts';
import type { PaceLimits } from './pace.ts';

export interface GatewayLimits extends AdmissionLimits, PaceLimits {
  /** The time limit for receiving the request line and headers, and for a connection that never sends a request. */
  readonly headerTimeoutMs: number;
}

/** The names of the settings. */
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

/** Node checks for late headers this many times per timeout, or more often. */
const looksPerHeaderTimeout = 4;
const leastOftenMs = 5000;

export const headerCheckMs = ({ headerTimeoutMs }: GatewayLimits): number =>
  Math.min(leastOftenMs, Math.ceil(headerTimeoutMs / looksPerHeaderTimeout));
