/** Computes the sizes and limits of the connection pools from the settings and the machine's resources. */

import type { Machine } from '../../base/shared/machine.ts';
import type { Config } from '../../platform/config/index.ts';
import type { RequestPathLimits } from '../../platform/database/index.ts';

/**
 * The memory required per connection, for the PostgreSQL session, which uses several MiB, and for the request on the
 * connection.
 */
const bytesPerExclusive = 64 * 1024 ** 2;
const bytesPerSlow = 128 * 1024 ** 2;
const bytesPerPooled = 128 * 1024 ** 2;
/**
 * The minimum number of exclusive connections. Calls of unknown speed get only a share of the exclusive connections
 * (decision 48), so at least three connections are needed.
 */
export const minExclusive = 3;
export const minSlow = 2;
export const minPool = 2;
const defaultPool = 5;

/** Limits the number of connections based on the machine's memory and cores. */
export function requestPathLimits(
  rest: Config['plinth']['rest'],
  { cores, memoryBytes }: Machine,
): RequestPathLimits {
  const within = (min: number, wanted: number, bytesPerConnection: number): number =>
    Math.max(min, Math.min(wanted, Math.floor(memoryBytes / bytesPerConnection)));
  return {
    sharedConnections: rest.connections,
    aloneConnections:
      rest.exclusive_connections ?? within(minExclusive, between(6, 3 * cores, 24), bytesPerExclusive),
    slowConnections: rest.slow_connections ?? within(minSlow, between(4, 2 * cores, 16), bytesPerSlow),
    slowAfterMs: rest.slow_after,
    queue: { maxWaiting: rest.max_waiting, maxWaitMs: rest.max_wait },
    slowQueue: { maxWaiting: rest.max_waiting_slow, maxWaitMs: rest.max_wait_slow },
  };
}

export const poolLimits = (
  { pool_connections, pool_max_waiting }: Config['plinth']['database'],
  { memoryBytes }: Machine,
): { readonly max: number; readonly maxWaiting: number } => ({
  max: pool_connections ?? between(minPool, Math.floor(memoryBytes / bytesPerPooled), defaultPool),
  maxWaiting: pool_max_waiting,
});

const between = (min: number, value: number, max: number): number => Math.max(min, Math.min(value, max));
