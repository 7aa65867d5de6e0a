/** The API port of a server with API workers. Accepts connections and passes them on without reading from them. */
import { type AddressInfo, createServer, type Socket } from 'node:net';

export interface Listener {
  /** Listens, and resolves with the port. @throws {Error} from Node, such as EADDRINUSE */
  listen(host: string, port: number): Promise<number>;
  /** Stops accepting connections. Connections that were passed on stay open. */
  close(): void;
}

/** @param probeAfterMs the time without data after which the kernel probes whether a client is still connected */
export function createListener(take: (socket: Socket) => void, probeAfterMs: number): Listener {
  const server = createServer({
    pauseOnConnect: true,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: probeAfterMs,
  });
  server.on('connection', (socket) => {
    // Handles a connection reset that arrives before the worker has the connection.
    socket.on('error', () => socket.destroy());
    take(socket);
  });
  return {
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen({ host, port }, () => {
          server.off('error', reject);
          server.on('error', () => undefined);
          resolve((server.address() as AddressInfo).port);
        });
      }),
    close: () => void server.close(),
  };
}
