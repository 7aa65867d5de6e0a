/**
 * Provides access to a PostgreSQL server that Plinth doesn't manage, through a single login. Plinth queries this server
 * but never changes its schema. The standalone REST server uses this module.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createRequestPath } from './path/index.ts';
import { createListenHub, createPools } from './pool/index.ts';
import type { Database, Pool, PoolLoad } from './types.ts';
import type { ConnectionOptions } from './wire/index.ts';

export interface RemoteOptions {
  /**
   * Returns the connection options. Called for each connection, so changed options apply to connections that are opened
   * later.
   */
  readonly connectOptions: () => ConnectionOptions;
  /**
   * The maximum number of connections for requests. Plinth uses one additional connection for notifications, and
   * briefly uses another while it reads the catalogs.
   */
  readonly connections: number;
  readonly acquireTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly maxLifetimeMs: number;
  /** Called if the connection for notifications can't be opened or is lost. Plinth retries automatically. */
  readonly onListenError: (error: unknown) => void;
}

export interface Remote extends Pick<Database, 'requestPath' | 'listen'> {
  /** A pool for reading the catalogs and settings. The pool's single connection is closed soon after use. */
  readonly catalogs: Pool;
  load(): Pick<PoolLoad, 'open' | 'busy' | 'waiting'>;
  /** Closes each open connection once the requests on it have finished. New requests use newly opened connections. */
  renew(): void;
  stop(): Promise<void>;
}

const CATALOG_IDLE_MS = 1000;
const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 32_000;

export function openRemote(options: RemoteOptions): Remote {
  const { connections, maxLifetimeMs, onListenError } = options;
  const connectOptions = () => ({ ...options.connectOptions(), bareSession: true });
  let renewedAt = 0;
  // Fast requests share some of the connections. If only one connection is allowed, each request uses it exclusively.
  const shared = Math.min(4, Math.floor(connections / 2));
  const requestPath = createRequestPath({
    connectOptions,
    sharedConnections: shared,
    aloneConnections: connections - shared,
    lendsShared: true,
    acquireTimeoutMs: options.acquireTimeoutMs,
    idleTimeoutMs: options.idleTimeoutMs,
    retireBefore: () => Math.max(renewedAt, performance.now() - maxLifetimeMs),
  });
  const pools = createPools({
    connectOptions,
    max: 1,
    idleTimeoutMs: CATALOG_IDLE_MS,
    acquireTimeoutMs: options.acquireTimeoutMs,
  });
  const hub = createListenHub({ connectOptions, onError: onListenError });
  const stopping = new AbortController();

  return {
    requestPath,
    catalogs: pools.pool('authenticator'),
    load() {
      const loads = requestPath.loads();
      const sum = (key: 'open' | 'busy' | 'waiting') => loads.reduce((total, load) => total + load[key], 0);
      return { open: sum('open'), busy: sum('busy'), waiting: sum('waiting') };
    },
    renew() {
      renewedAt = performance.now();
    },
    async listen(channel, onNotify, onReconnect, onLost) {
      for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(delayMs * 2, MAX_DELAY_MS)) {
        try {
          return await hub.listen(channel, onNotify, onReconnect, onLost);
        } catch (error) {
          stopping.signal.throwIfAborted();
          onListenError(error);
          await sleep(delayMs, undefined, { signal: stopping.signal, ref: false });
        }
      }
    },
    async stop() {
      stopping.abort();
      await requestPath.stop();
      await hub.end();
      await pools.end();
    },
  };
}
