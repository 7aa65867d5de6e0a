/**
 * The API port of a server with API workers. Accepts connections and passes them to workers without reading data from
 * the connections.
 */
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { maxBacklog } from '../../base/shared/network/backlog.ts';

export interface Listener {
  /** Starts listening and resolves with the port. @throws {Error} from Node, such as EADDRINUSE */
  listen(host: string, port: number): Promise<number>;
  /** Stops accepting connections. Connections that were already passed to a worker stay open. */
  close(): void;
}

/**
 * Creates a listener that passes each accepted connection to `take`.
 *
 * @param probeAfterMs how long a connection must be idle before the kernel probes whether the client is still connected
 */
export function createListener(take: (socket: Socket) => void, probeAfterMs: number): Listener {
  const server = createServer({
    pauseOnConnect: true,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: probeAfterMs,
  });
  server.on('connection', (socket) => {
    // Handles the error of a connection that is reset before it has been passed to a worker.
    socket.on('error', () => socket.destroy());
    take(socket);
  });
  return {
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen({ host, port, backlog: maxBacklog }, () => {
          server.off('error', reject);
          server.on('error', () => undefined);
          resolve((server.address() as AddressInfo).port);
        });
      }),
    close: () => void server.close(),
  };
}
