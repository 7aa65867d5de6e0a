/**
 * Listens on a branch's port, although the branch's server usually doesn't run, and passes each connection's bytes on to
 * the server. An unused port costs a few KiB.
 */
import { connect, createServer, type Server, type Socket } from 'node:net';

export interface RelayOptions {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** Further connections are closed, so that the clients of a branch can't use up the project's file descriptors. */
  readonly maxConnections: number;
  /** Runs `work` with the server's port. The server keeps running until `work` has ended. */
  readonly use: (work: (port: number) => Promise<void>) => Promise<void>;
  /** Sent to a client whose connection can't be passed on. */
  readonly failure: (error: unknown) => string;
}

export interface Relay {
  readonly port: number;
  close(): void;
}

/** The time that a client gets to read the message about a failure. */
const lingerMs = 1000;

/** How long a connection can be silent before the relay asks whether the client's machine is still there. */
const keepAliveMs = 60_000;

/** If another program uses the port, selects a free one. */
export async function openRelay(options: RelayOptions): Promise<Relay> {
  const sockets = new Set<Socket>();
  // A client whose machine is gone would otherwise keep the branch's server running.
  const keepAlive = { keepAlive: true, keepAliveInitialDelay: keepAliveMs };
  const server = createServer({ allowHalfOpen: true, noDelay: true, ...keepAlive }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    // The client has reset the connection.
    socket.on('error', () => socket.destroy());
    options
      .use((port) => pass(socket, port))
      .catch((error: unknown) => refuse(socket, options.failure(error)));
  });
  server.maxConnections = options.maxConnections;
  const port = await listen(server, options.host, options.port).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE' || options.port === 0) throw error;
    return listen(server, options.host, 0);
  });
  // A connection that can't be accepted, for example because no file descriptor is free, must not end the project.
  server.on('error', () => undefined);
  return {
    port,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      server.removeListener('error', reject);
      resolve((server.address() as { readonly port: number }).port);
    });
  });
}

/** Connects the socket with the port. Resolves when the client's connection is closed. */
function pass(socket: Socket, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    if (socket.destroyed) {
      resolve();
      return;
    }
    const inner = connect({ host: '127.0.0.1', port, allowHalfOpen: true, noDelay: true });
    let isConnected = false;
    inner.once('connect', () => {
      isConnected = true;
      socket.pipe(inner);
      inner.pipe(socket);
    });
    inner.once('error', (error) => {
      if (isConnected) socket.destroy();
      else reject(error);
    });
    inner.once('close', () => {
      if (isConnected) socket.destroySoon();
    });
    socket.once('close', () => {
      inner.destroy();
      resolve();
    });
  });
}

function refuse(socket: Socket, message: string): void {
  socket.end(message);
  setTimeout(() => socket.destroy(), lingerMs).unref();
}
