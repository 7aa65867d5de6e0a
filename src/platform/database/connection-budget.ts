/** Computes how many PostgreSQL connections one node (a server with all of its processes) uses at most. */
import type { RequestPathLimits } from './path/index.ts';

/** The limits of one process. */
export interface ProcessLimits {
  readonly path?: RequestPathLimits | undefined;
  /** The number of connections per login role. */
  readonly poolMax?: number | undefined;
}

export interface NodeLimits extends ProcessLimits {
  /** The limits of each API worker. Workers sign in only as `authenticator`. */
  readonly workers?: (ProcessLimits & { readonly count: number }) | undefined;
  /** Whether requests use a pooler. */
  readonly isPooled?: boolean | undefined;
  /** Whether one node reads the database's changes for all nodes if NATS and PostgreSQL allow it. */
  readonly sharesChanges?: boolean | undefined;
}

export interface ConnectionBudget {
  /** The number of connections for REST requests, in all processes. */
  readonly rest: number;
  /** The number of connections in the pools of the login roles, in all processes. */
  readonly pools: number;
  /** The number of connections for notifications, replication and locks. */
  readonly sessions: number;
  /** The number of connections to PostgreSQL itself. */
  readonly direct: number;
  /** The number of connections to the pooler. */
  readonly pooled: number;
  /** See {@link NodeLimits.sharesChanges}. */
  readonly sharesChanges: boolean;
}

/** The number of login roles whose pools the main process uses. */
const roles = 9;
/** The roles whose pools use the pooler, see `pooledRoles`. */
const throughPooler = 4;
const defaults = { shared: 4, alone: 6, slow: 0, poolMax: 5 };

export function budgetOf({
  workers,
  isPooled = false,
  sharesChanges = false,
  ...main
}: NodeLimits): ConnectionBudget {
  const count = workers?.count ?? 0;
  const rest = restOf(main) + count * restOf(workers ?? {});
  const poolMax = main.poolMax ?? defaults.poolMax;
  const ofWorkers = count * (workers?.poolMax ?? defaults.poolMax);
  const pools = roles * poolMax + ofWorkers;
  // Each process listens. The main process also receives changes. With a pooler, storage and realtime hold their locks on
  // direct connections.
  const sessions = 2 + count + (isPooled ? 2 : 0);
  const pooled = isPooled ? rest + throughPooler * poolMax + ofWorkers : 0;
  return { rest, pools, sessions, pooled, direct: rest + pools + sessions - pooled, sharesChanges };
}

const restOf = ({ path = {} }: ProcessLimits): number =>
  (path.sharedConnections ?? defaults.shared) +
  (path.aloneConnections ?? defaults.alone) +
  (path.slowConnections ?? defaults.slow);

/** The settings that lower the number of connections. */
export const budgetSettings =
  '[rest] connections, exclusive_connections and slow_connections, and [database] pool_connections in plinth.toml';
