/**
 * Limits the number of connections, in total and per address, so that one client can't exclude others. Clients over the
 * limit receive an error response. The connections of a trusted proxy carry many clients, so the requests forwarded per
 * client are counted instead.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { AddressCounts, isCountedAddress } from '../shared/address-counts.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

export interface AdmissionLimits {
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
}

export interface Refusal {
  readonly status: 429 | 503;
  readonly body: { readonly code: string; readonly message: string };
}

export interface Admission {
  /**
   * Called for each request. The function passed to `release` runs when the request, or the socket it was upgraded to,
   * has ended.
   */
  admit(request: IncomingMessage, onOver: (release: () => void) => void): Refusal | undefined;
}

const full: Refusal = {
  status: 503,
  body: {
    code: 'too_many_connections',
    message: 'The server has too many connections. Try again in a moment.',
  },
};
const tooMany: Refusal = {
  status: 429,
  body: {
    code: 'too_many_connections_from_address',
    message: 'Too many connections from your address. Close some, or try again in a moment.',
  },
};

const tooManyAtATime: Refusal = {
  status: 429,
  body: {
    code: 'too_many_requests_on_connection',
    message: 'Too many requests at a time on this connection. Wait for responses.',
  },
};

/**
 * The maximum number of requests that a client can send on a connection before it receives responses (RFC 9112, section
 * 9.3.2). Browsers and common clients send one. Node itself doesn't have a limit.
 */
const maxRequestsAtATime = 100;

/**
 * Connections over the limit receive a response. Connections beyond this additional fraction of the limit are closed
 * without a response.
 */
const answeredPart = 1 / 8;

export function createAdmission(server: Server, limits: AdmissionLimits, proxies: TrustedProxies): Admission {
  const { maxConnections, maxConnectionsPerAddress } = limits;
  const counts = new AddressCounts();
  const refused = new WeakMap<Socket, Refusal>();
  const requests = new WeakMap<Socket, number>();
  let connections = 0;
  const isFarBeyond = (count: number, limit: number): boolean =>
    count > limit + Math.ceil(limit * answeredPart);

  server.on('connection', (socket: Socket) => {
    connections += 1;
    const address = socket.remoteAddress;
    const isCounted = isCountedAddress(address) && !proxies.trusts(address);
    const ofAddress = isCounted ? counts.add(address) : 0;
    socket.once('close', () => {
      connections -= 1;
      if (isCounted) counts.remove(address);
    });
    if (isFarBeyond(connections, maxConnections) || isFarBeyond(ofAddress, maxConnectionsPerAddress))
      socket.destroy();
    else if (connections > maxConnections) refused.set(socket, full);
    else if (ofAddress > maxConnectionsPerAddress) refused.set(socket, tooMany);
  });

  return {
    admit(request, onOver) {
      const { socket } = request;
      const known = refused.get(socket);
      if (known !== undefined) return known;
      const underWay = (requests.get(socket) ?? 0) + 1;
      if (underWay > maxRequestsAtATime) {
        // Requests already received on this connection are still read and rejected in the same way.
        socket.destroy();
        return tooManyAtATime;
      }
      requests.set(socket, underWay);
      onOver(() => void requests.set(socket, (requests.get(socket) ?? 1) - 1));
      if (!proxies.trusts(socket.remoteAddress)) return undefined;
      const client = proxies.clientOf(request);
      if (!isCountedAddress(client)) return undefined;
      const isOver = counts.add(client) > maxConnectionsPerAddress;
      if (isOver) counts.remove(client);
      else onOver(() => counts.remove(client));
      return isOver ? tooMany : undefined;
    },
  };
}
