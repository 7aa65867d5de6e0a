/** Manages one pool per login role. Each pool is created on first use. */
import type { LoginRole, PoolLoad } from '../types.ts';
import { Client, type ConnectionOptions } from '../wire/index.ts';
import { Connections } from './connections.ts';
import { RolePool } from './role-pool.ts';

export interface PoolsOptions {
  /** Returns the options for connecting as a role. Called for each connection that is opened. */
  readonly connectOptions: (role: LoginRole) => ConnectionOptions;
  /**
   * Returns the options for connections that callers use as sessions, if `connectOptions` leads to a pooler. A pooler
   * assigns a session to a client only for a transaction.
   */
  readonly sessionOptions?: ((role: LoginRole) => ConnectionOptions) | undefined;
  /** The maximum number of connections per role. Defaults to 5. */
  readonly max?: number | Partial<Readonly<Record<LoginRole, number>>> | undefined;
  readonly idleTimeoutMs?: number | undefined;
  readonly acquireTimeoutMs?: number | undefined;
  /** The maximum number of callers that wait for a connection of a role. Defaults to 1000. */
  readonly maxWaiting?: number | undefined;
  /** Called if a connection can't be opened. */
  readonly onOpenFailed?: (() => void) | undefined;
}

export interface Pools {
  pool(role: LoginRole): RolePool;
  loads(): readonly PoolLoad[];
  /** Returns the time of the most recent use of a connection that is still open. */
  answeredAt(): number;
  /** Cancels all statements in progress, except those of sessions that {@link RolePool.connect} has returned. */
  cancelStatements(): Promise<void>;
  /** Waits for the requests in flight, then closes every connection. */
  end(): Promise<void>;
}

const DEFAULT_MAX_CONNECTIONS = 5;
const DEFAULT_IDLE_TIMEOUT_MS = 10_000;
const DEFAULT_ACQUIRE_TIMEOUT_MS = 10_000;
const DEFAULT_MAX_WAITING = 1000;

/**
 * Creates the pools, which open their connections on first use.
 *
 * @example
 * const pools = createPools({ connectOptions: (role) => ({ ...target, user: role, password: passwords[role] }) });
 * const rows = await pools.pool('postgres').query(sql`select now()`);
 */
export function createPools(options: PoolsOptions): Pools {
  const made = new Map<LoginRole, { pool: RolePool; connections: Connections; sessions: Connections }>();
  const make = (role: LoginRole) => {
    const max = typeof options.max === 'number' ? options.max : options.max?.[role];
    const openTo = (target: (role: LoginRole) => ConnectionOptions) =>
      new Connections({
        open: (onEnd) => Client.connect({ ...target(role), onEnd }),
        max: max ?? DEFAULT_MAX_CONNECTIONS,
        idleTimeoutMs: options.idleTimeoutMs ?? DEFAULT_IDLE_TIMEOUT_MS,
        acquireTimeoutMs: options.acquireTimeoutMs ?? DEFAULT_ACQUIRE_TIMEOUT_MS,
        maxWaiting: options.maxWaiting ?? DEFAULT_MAX_WAITING,
        onOpenFailed: options.onOpenFailed,
      });
    const { connectOptions, sessionOptions } = options;
    const connections = openTo(connectOptions);
    const isPooled = connectOptions(role).isPooled === true;
    const sessions = isPooled && sessionOptions !== undefined ? openTo(sessionOptions) : connections;
    const entry = { pool: new RolePool(role, { connections, sessions }), connections, sessions };
    made.set(role, entry);
    return entry;
  };
  const all = () => [...made.values()].flatMap((entry) => [...new Set([entry.connections, entry.sessions])]);
  return {
    pool: (role) => (made.get(role) ?? make(role)).pool,
    loads: () =>
      [...made].flatMap(([name, { connections, sessions }]) => [
        { name, ...connections.load() },
        ...(sessions === connections ? [] : [{ name: `${name}_sessions`, ...sessions.load() }]),
      ]),
    answeredAt: () => Math.max(...[...made.values()].map(({ connections }) => connections.answeredAt())),
    async cancelStatements() {
      await Promise.all(all().map((connections) => connections.cancelStatements()));
    },
    async end() {
      await Promise.all(all().map((connections) => connections.end()));
    },
  };
}
