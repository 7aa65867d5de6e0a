/**
 * Limits the number of connections, in total and per address, so that one client can't exclude other clients. Clients
 * over the limit receive an error response. Connections from trusted proxies serve many clients, so for these, each
 * client's forwarded requests are counted instead.
 */
import type { EventEmitter } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { requestSocketEvent } from '../../base/kernel/tls.ts';
import { AddressCounts, isCountedAddress } from '../../base/shared/network/network-of.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

export interface AdmissionLimits {
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
}

export interface Rejection {
  readonly status: 429 | 503;
  readonly body: { readonly code: string; readonly message: string };
}

export interface Admission {
  /**
   * Called for each request. The request counts as open until `owner` emits `close`. The owner is the request's response
   * or, after an upgrade, its socket.
   */
  admit(request: IncomingMessage, owner: EventEmitter): Rejection | undefined;
  load(): AdmissionLoad;
}

export interface AdmissionLoad {
  readonly connections: number;
  readonly maxConnections: number;
  /** The number of requests and WebSockets that are open. */
  readonly inFlight: number;
  /** The number of rejected requests and closed connections, by reason. */
  readonly rejected: Readonly<Record<'total' | 'address' | 'pipelined', number>>;
}

const full: Rejection = {
  status: 503,
  body: {
    code: 'too_many_connections',
    message: 'The server has too many connections. Try again in a moment.',
  },
};
const tooMany: Rejection = {
  status: 429,
  body: {
    code: 'too_many_connections_from_address',
    message: 'Too many connections from your address. Close some, or try again in a moment.',
  },
};

const tooManyAtATime: Rejection = {
  status: 429,
  body: {
    code: 'too_many_requests_on_connection',
    message: 'Too many concurrent requests on this connection. Wait for responses before you send more.',
  },
};

const rejections = { total: full, address: tooMany, pipelined: tooManyAtATime } as const;

/** The state of one connection. */
interface Connection {
  /** The limit that the connection exceeds, for which all of its further requests are rejected. */
  refused: keyof typeof rejections | undefined;
  /** The number of open requests. */
  requests: number;
  /** Called when a request of this connection has ended. */
  readonly release: () => void;
}

/**
 * The maximum number of requests that a client can send on a connection without waiting for responses (RFC 9112,
 * section 9.3.2). Browsers and common clients send only one request at a time, and Node doesn't limit the number.
 */
const maxRequestsAtATime = 100;

/**
 * Connections that exceed the limit by up to this fraction of the limit receive an error response. Any further
 * connections are closed without a response.
 */
const responsePart = 1 / 8;

/**
 * Returns an admission control for the server's connections. Lowering a limit doesn't close existing connections.
 * @param limits Returns the current limits.
 */
export function createAdmission(
  server: Server,
  limits: () => AdmissionLimits,
  proxies: TrustedProxies,
): Admission {
  const counts = new AddressCounts();
  const known = new WeakMap<Socket, Connection>();
  const connectionOf = (socket: Socket): Connection => {
    const found = known.get(socket);
    if (found !== undefined) return found;
    const connection: Connection = {
      refused: undefined,
      requests: 0,
      release() {
        open--;
        connection.requests--;
      },
    };
    known.set(socket, connection);
    return connection;
  };
  let connections = 0;
  let open = 0;
  const rejected = { total: 0, address: 0, pipelined: 0 };
  const isFarBeyond = (count: number, limit: number): boolean =>
    count > limit + Math.ceil(limit * responsePart);

  server.on('connection', (socket: Socket) => {
    connections += 1;
    const address = socket.remoteAddress;
    const isCounted = isCountedAddress(address) && !proxies.trusts(address);
    const ofAddress = isCounted ? counts.add(address) : 0;
    socket.once('close', () => {
      connections -= 1;
      if (isCounted) counts.remove(address);
    });
    const { maxConnections, maxConnectionsPerAddress } = limits();
    const isFull = isFarBeyond(connections, maxConnections);
    if (!isFull && !isFarBeyond(ofAddress, maxConnectionsPerAddress)) return;
    rejected[isFull ? 'total' : 'address']++;
    socket.destroy();
  });
  server.on(requestSocketEvent(server), (socket: Socket) => {
    const address = socket.remoteAddress;
    const isCounted = isCountedAddress(address) && !proxies.trusts(address);
    const { maxConnections, maxConnectionsPerAddress } = limits();
    if (connections > maxConnections) connectionOf(socket).refused = 'total';
    else if (isCounted && counts.of(address) > maxConnectionsPerAddress)
      connectionOf(socket).refused = 'address';
  });

  return {
    admit(request, owner) {
      const { socket } = request;
      const connection = connectionOf(socket);
      if (connection.requests >= maxRequestsAtATime) {
        // Requests that this connection has already received are still read, but they are also rejected.
        connection.refused = 'pipelined';
        socket.destroy();
      }
      if (connection.refused !== undefined) {
        rejected[connection.refused]++;
        return rejections[connection.refused];
      }
      connection.requests++;
      open++;
      owner.on('close', connection.release);
      if (!proxies.trusts(socket.remoteAddress)) return undefined;
      const client = proxies.clientOf(request);
      if (!isCountedAddress(client)) return undefined;
      const isOver = counts.add(client) > limits().maxConnectionsPerAddress;
      if (isOver) {
        counts.remove(client);
        rejected.address++;
      } else owner.once('close', () => counts.remove(client));
      return isOver ? tooMany : undefined;
    },
    load: () => ({ connections, maxConnections: limits().maxConnections, inFlight: open, rejected }),
  };
}
