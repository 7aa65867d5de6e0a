/** Runs a network proxy between a process and PostgreSQL. Tests can break, stop and restore its connections. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { TestServerAddress } from '../../src/platform/database/testing.ts';

export interface NetworkProxy {
  /** The address at which the proxy makes the server available. */
  readonly place: TestServerAddress;
  /** Breaks all connections and rejects new connections until {@link mend} is called. */
  cut(): void;
  /** Stops all traffic without closing connections. */
  freeze(): void;
  mend(): void;
  stop(): Promise<void>;
}

export async function startProxy({
  socketDir,
  host,
  port,
  loginSecret,
}: TestServerAddress): Promise<NetworkProxy> {
  const pairs = new Set<[Socket, Socket]>();
  let state: 'open' | 'frozen' | 'cut' = 'open';
  const server = createServer((client) => {
    if (state === 'cut') {
      client.destroy();
      return;
    }
    const upstream = socketDir === null ? connect(port, host) : connect(join(socketDir, `.s.PGSQL.${port}`));
    const pair: [Socket, Socket] = [client, upstream];
    pairs.add(pair);
    for (const [from, to] of [pair, [upstream, client]] as const) {
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        to.destroy();
        pairs.delete(pair);
      });
    }
    if (state === 'frozen') for (const socket of pair) socket.pause();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as { port: number };
  const cut = (): void => {
    state = 'cut';
    for (const [client, upstream] of pairs) {
      client.destroy();
      upstream.destroy();
    }
  };
  return {
    place: { socketDir: null, host: '127.0.0.1', port: address.port, tcpPort: address.port, loginSecret },
    cut,
    freeze() {
      state = 'frozen';
      for (const [client, upstream] of pairs) {
        client.unpipe();
        upstream.unpipe();
      }
    },
    mend() {
      state = 'open';
      for (const [client, upstream] of pairs) {
        client.pipe(upstream);
        upstream.pipe(client);
      }
    },
    async stop() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
