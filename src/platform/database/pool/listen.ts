/**
 * Receives notifications on one shared connection. The connection is opened for the first listener and replaced
 * whenever it is lost.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { quoteIdentifier, sql } from '../../../base/kernel/sql.ts';
import { Client, type ConnectionOptions, type Notification } from '../wire/index.ts';

interface Listener {
  readonly channel: string;
  readonly onNotify: (payload: string) => void;
  readonly onReconnect: (() => void) | undefined;
  readonly onLost: (() => void) | undefined;
}

export interface ListenHub {
  /**
   * Starts listening on a channel. Resolves when the server has confirmed LISTEN. Calls `onLost` when the connection is
   * lost, and calls `onReconnect` when the connection has been replaced, because notifications may have been missed.
   * Returns a function that stops listening.
   */
  listen(
    channel: string,
    onNotify: (payload: string) => void,
    onReconnect?: () => void,
    onLost?: () => void,
  ): Promise<() => Promise<void>>;
  /** Sends a notification on the listening connection. Does nothing while the connection is lost. */
  notify(channel: string, payload: string): Promise<void>;
  /** Runs a statement on the listening connection. Resolves with false while the connection is lost. */
  ping(): Promise<boolean>;
  end(): Promise<void>;
}

/**
 * The keys of the shared advisory lock that the connection holds while it listens on a channel. Other sessions can find
 * the channel's listeners by their locks.
 */
export type ListenerLocks = ReadonlyMap<string, readonly [number, number]>;

const FIRST_DELAY_MS = 50;
const MAX_DELAY_MS = 5_000;

export function createListenHub(options: {
  readonly connectOptions: () => ConnectionOptions;
  /** Called if a listener throws, or if the connection can't be replaced yet. */
  readonly onError?: (error: unknown) => void;
  readonly locks?: ListenerLocks;
}): ListenHub {
  const listeners = new Set<Listener>();
  const stopping = new AbortController();
  /** The promise of the open connection or of the connection that is being opened. */
  let client: Promise<Client> | undefined;
  let live: Client | undefined;

  const guarded = (run: () => void) => {
    try {
      run();
    } catch (error) {
      options.onError?.(error);
    }
  };
  const onNotification = ({ channel, payload }: Notification) => {
    for (const listener of listeners) {
      if (listener.channel === channel) guarded(() => listener.onNotify(payload));
    }
  };
  const open = async (): Promise<Client> => {
    const fresh = await Client.connect({
      ...options.connectOptions(),
      onNotification,
      onEnd: () => lost(fresh),
    });
    return fresh;
  };
  const lost = (gone: Client) => {
    if (gone !== live) return;
    live = undefined;
    client = undefined;
    if (listeners.size === 0 || stopping.signal.aborted) return;
    client = reopen();
    client.catch(() => {});
    for (const { onLost } of listeners) if (onLost !== undefined) guarded(onLost);
  };
  /** Reopens the connection. Retries until an attempt succeeds, because other modules depend on notifications. */
  const reopen = async (): Promise<Client> => {
    for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(delayMs * 2, MAX_DELAY_MS)) {
      await sleep(delayMs, undefined, { signal: stopping.signal, ref: false });
      try {
        const fresh = await open();
        const channels = new Set([...listeners].map(({ channel }) => channel));
        await fresh.exec([...channels].map(subscription).join(';'));
        live = fresh;
        for (const { onReconnect } of listeners) if (onReconnect !== undefined) guarded(onReconnect);
        return fresh;
      } catch (error) {
        options.onError?.(error);
      }
    }
  };
  const openFirst = async (): Promise<Client> => {
    try {
      live = await open();
      return live;
    } catch (error) {
      client = undefined;
      throw error;
    }
  };
  const lockCall = (name: string, channel: string) => {
    const keys = options.locks?.get(channel);
    return keys === undefined ? '' : `;select pg_catalog.${name}(${keys.join()})`;
  };
  // The connection never waits for the lock. If another session holds it exclusively, this listener isn't found.
  const subscription = (channel: string) =>
    `listen ${quoteIdentifier(channel)}${lockCall('pg_try_advisory_lock_shared', channel)}`;
  const hasListener = (channel: string) => [...listeners].some((listener) => listener.channel === channel);

  return {
    async listen(channel, onNotify, onReconnect, onLost) {
      stopping.signal.throwIfAborted();
      const listener: Listener = { channel, onNotify, onReconnect, onLost };
      listeners.add(listener);
      try {
        client ??= openFirst();
        await (await client).exec(subscription(channel));
      } catch (error) {
        listeners.delete(listener);
        throw error;
      }
      return async () => {
        if (!listeners.delete(listener) || hasListener(channel)) return;
        // UNLISTEN is needed only on an open connection, because a connection that is still being opened won't receive
        // LISTEN for this channel.
        await live
          ?.exec(`unlisten ${quoteIdentifier(channel)}${lockCall('pg_advisory_unlock_shared', channel)}`)
          .catch(() => {});
      };
    },
    async notify(channel, payload) {
      await live?.query(sql`select pg_catalog.pg_notify(${channel}, ${payload})`);
    },
    async ping() {
      if (live === undefined) return false;
      await live.query(sql`select 1`);
      return true;
    },
    async end() {
      stopping.abort();
      listeners.clear();
      const current = await client?.catch(() => undefined);
      await current?.connection.close();
    },
  };
}
