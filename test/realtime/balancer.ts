/** A load balancer for tests, which forwards each connection to the current server. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Balancer {
  readonly url: string;
  /** Forwards later connections to the server at this address. */
  point(url: string): void;
  stop(): Promise<void>;
}

export async function startBalancer(): Promise<Balancer> {
  let target = '';
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(new URL(target).port), '127.0.0.1');
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    point(url) {
      target = url;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
