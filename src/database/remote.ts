/**
 * A PostgreSQL that is only asked: one login for everything, nothing made or changed in it. For the REST service alone,
 * which serves databases that are not ours.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createRequestPath, type PathLoad } from './path/index.ts';
import { createListenHub, createPools } from './pool/index.ts';
import type { Database, Pool } from './types.ts';
import type { ConnectionOptions } from './wire/index.ts';

export interface RemoteOptions {
  /** Asked at each connection, so that a change holds from the next one on. */
  readonly connectOptions: () => ConnectionOptions;
  /** Connections for requests at most. Listening takes another, reading catalogs one for a moment. */
  readonly connections: number;
  readonly acquireTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly maxLifetimeMs: number;
  /** A connection for notifications that cannot be had, or was lost; it is tried again by itself. */
  readonly onListenError: (error: unknown) => void;
}

export interface Remote extends Pick<Database, 'requestPath' | 'listen'> {
  /** For catalogs and settings: one connection, closed soon. */
  readonly catalogs: Pool;
  load(): PathLoad;
  /** Connections opened until now take no further request. */
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
  // Some for quick requests that share one; a single connection is everybody's in turn.
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
