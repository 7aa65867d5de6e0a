/**
 * Divides the configured limits among the API workers. Together, the workers use about as many connections and as much
 * memory as a server with a single process. Has no side effects.
 */

import type { Machine } from '../../base/shared/machine.ts';
import type { Config } from '../../platform/config/index.ts';
import type { NodeLimits } from '../../platform/database/index.ts';
import { BODY_LIMIT_BYTES, bodyBudgetBytes } from '../../services/rest/index.ts';
import { limitsFrom } from '../gateway/index.ts';
import { minExclusive, minPool, minSlow, poolLimits, requestPathLimits } from './connection-limits.ts';

/** Returns the configuration for each of the `workers` processes. */
export function shareOf(config: Config, workers: number, machine: Machine): Config {
  const { rest, server, database } = config.plinth;
  const part = (value: number): number => Math.ceil(value / workers);
  const { aloneConnections = 0, slowConnections = 0 } = requestPathLimits(rest, machine);
  const bodyBytes = bodyBudgetBytes(rest, machine);
  return {
    ...config,
    plinth: {
      ...config.plinth,
      rest: {
        ...rest,
        connections: part(rest.connections),
        exclusive_connections: Math.max(minExclusive, part(aloneConnections)),
        slow_connections: slowConnections === 0 ? 0 : Math.max(minSlow, part(slowConnections)),
        max_waiting: part(rest.max_waiting),
        max_waiting_slow: part(rest.max_waiting_slow),
        // These limits are at least as large as the largest allowed response or request body, because each process must
        // be able to handle such a body.
        max_waiting_answers: Math.max(part(rest.max_waiting_answers), rest.max_answer_size),
        max_request_bodies: Math.max(part(bodyBytes), Math.min(bodyBytes, BODY_LIMIT_BYTES)),
      },
      server: {
        ...server,
        max_connections: part(limitsFrom(server, machine).maxConnections),
        max_connections_per_address: part(server.max_connections_per_address),
        max_waiting: part(server.max_waiting),
      },
      database: {
        ...database,
        pool_connections: Math.max(minPool, part(poolLimits(database, machine).max)),
        pool_max_waiting: part(database.pool_max_waiting),
      },
    },
  };
}

/** Returns the limits of this node's connections to PostgreSQL. */
export function nodeLimits(config: Config, workers: number, machine: Machine): NodeLimits {
  const processLimits = ({ plinth: { rest, database } }: Config) => ({
    path: requestPathLimits(rest, machine),
    poolMax: poolLimits(database, machine).max,
  });
  return {
    ...processLimits(config),
    workers:
      workers === 1 ? undefined : { count: workers, ...processLimits(shareOf(config, workers, machine)) },
    sharesChanges: config.plinth.realtime.bus === 'nats',
  };
}
