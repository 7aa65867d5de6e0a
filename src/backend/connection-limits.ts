/** The sizes and limits of the connection pools, from the settings and the machine. */
import type { Config } from '../config/index.ts';
import type { DatabaseOptions, RequestPathLimits } from '../database/index.ts';
import type { Machine } from '../shared/machine.ts';

export function requestPathLimits(rest: Config['plinth']['rest'], { cores }: Machine): RequestPathLimits {
  return {
    sharedConnections: rest.connections,
    aloneConnections: rest.exclusive_connections ?? between(6, 3 * cores, 24),
    slowConnections: rest.slow_connections ?? between(4, 2 * cores, 16),
    slowAfterMs: rest.slow_after,
    queue: { maxWaiting: rest.max_waiting, maxWaitMs: rest.max_wait },
    slowQueue: { maxWaiting: rest.max_waiting_slow, maxWaitMs: rest.max_wait_slow },
  };
}

export const poolLimits = ({
  pool_connections,
  pool_max_waiting,
}: Config['plinth']['database']): DatabaseOptions['pools'] => ({
  max: pool_connections,
  maxWaiting: pool_max_waiting,
});

const between = (min: number, value: number, max: number): number => Math.max(min, Math.min(value, max));
