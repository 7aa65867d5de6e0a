/** NOTIFY for everybody on one connection, which is made at the first use and heals itself. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../kernel/log.ts';
import { quoteIdentifier } from '../kernel/sql.ts';
import { Client, type ConnectionOptions } from './wire/index.ts';

interface Subscriber {
  readonly onNotify: (payload: string) => void;
  readonly onReconnect: (() => void) | undefined;
}

export interface Listener {
  listen(channel: string, onNotify: (payload: string) => void, onReconnect?: () => void): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

const longestPauseMs = 5_000;

export function createListener(target: ConnectionOptions, log: Logger): Listener {
  const channels = new Map<string, Set<Subscriber>>();
  let current: Promise<Client> | undefined;
  let stopped = false;

  const open = async (): Promise<Client> => {
    const client = await Client.connect({
      ...target,
      onNotification: ({ channel, payload }) => {
        for (const { onNotify } of channels.get(channel) ?? []) onNotify(payload);
      },
      onEnd: () => {
        if (current === undefined || stopped) return;
        current = reconnect();
        current.catch(() => {});
      },
    });
    return client;
  };

  const reconnect = async (): Promise<Client> => {
    for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      await sleep(pauseMs, undefined, { ref: false });
      if (stopped) throw new Error('The listener was stopped.');
      try {
        const client = await open();
        for (const channel of channels.keys()) await client.exec(`listen ${quoteIdentifier(channel)}`);
        for (const subscribers of channels.values()) {
          for (const { onReconnect } of subscribers) onReconnect?.();
        }
        return client;
      } catch (error) {
        log.debug({ service: 'database', error }, 'The listening connection could not be made again yet');
      }
    }
  };

  return {
    async listen(channel, onNotify, onReconnect) {
      const subscriber = { onNotify, onReconnect };
      const subscribers = channels.get(channel) ?? new Set();
      channels.set(channel, subscribers.add(subscriber));
      if (current === undefined) {
        current = open();
        current.catch(() => {
          current = undefined;
        });
      }
      const client = await current;
      if (subscribers.size === 1) await client.exec(`listen ${quoteIdentifier(channel)}`);
      return async () => {
        subscribers.delete(subscriber);
        if (subscribers.size > 0 || channels.get(channel) !== subscribers) return;
        channels.delete(channel);
        if (!stopped) await (await current)?.exec(`unlisten ${quoteIdentifier(channel)}`).catch(() => {});
      };
    },
    async stop() {
      stopped = true;
      const client = await current?.catch(() => undefined);
      await client?.connection.close();
    },
  };
}
