/**
 * Access to a PostgreSQL that is only queried, with one login for everything and without changes. For the standalone
 * REST server, which serves databases that aren't ours.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createRequestPath, type PathLoad } from './path/index.ts';
import { createListenHub, createPools } from './pool/index.ts';
import type { Database, Pool } from './types.ts';
import type { ConnectionOptions } from './wire/index.ts';

export interface RemoteOptions {
  /** Called for each connection, so a change applies from the next connection on. */
  readonly connectOptions: () => ConnectionOptions;
  /** The maximum number of connections for requests. Listening uses one more, and reading catalogs uses one briefly. */
  readonly connections: number;
  readonly acquireTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly maxLifetimeMs: number;
  /** Called if the connection for notifications can't be opened or was lost. It is retried automatically. */
  readonly onListenError: (error: unknown) => void;
}

export interface Remote extends Pick<Database, 'requestPath' | 'listen'> {
  /** For catalogs and settings: one connection that is closed soon after use. */
  readonly catalogs: Pool;
  load(): PathLoad;
  /** Retires all open connections: they accept no more requests. */
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
  // Some connections are shared by fast requests. A single connection is used by all requests in turn.
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
    load: () => requestPath.load(),
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
