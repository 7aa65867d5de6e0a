/**
 * Serves the port for unencrypted HTTP, which responds to ACME challenges (RFC 8555 section 8.3) and redirects all
 * other requests.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer, originForm } from '../../base/kernel/http.ts';
import { hostnameOf } from '../../base/kernel/request-origin.ts';
import { decodeHeader, encodeLocation } from '../../base/shared/http/header-text.ts';
import { AddressCounts, isCountedAddress } from '../../base/shared/network/network-of.ts';

export interface HttpPort {
  /** Resolves with the port. @throws {Error} such as EADDRINUSE, as thrown by Node. */
  listen(host: string, port: number): Promise<number>;
  /** Responds to a challenge until the returned function is called. */
  publish(token: string, response: string): () => void;
  close(): void;
}

/** A function that returns the HTTPS origin for a request's host name, which may be unknown or missing. */
export type OriginOf = (hostname: string | undefined) => string;

const challengePath = '/.well-known/acme-challenge/';
/** Clients send one short request, so slow and idle clients are disconnected early. */
const limits = {
  headersTimeout: 5000,
  requestTimeout: 5000,
  connectionsCheckingInterval: 1000,
  maxHeaderSize: 16 * 1024,
};
const maxConnections = 1000;
/**
 * The maximum number of connections per address. Without this limit, one client could use all connections, and
 * challenges and redirects would fail.
 */
const maxConnectionsPerAddress = 100;

export function createHttpPort(originOf: OriginOf): HttpPort {
  const challenges = new Map<string, string>();
  let server: Server | undefined;

  function respond({ url = '/', headers }: IncomingMessage, response: ServerResponse): void {
    response.shouldKeepAlive = false;
    const path = originForm(url);
    const challenge = path.startsWith(challengePath)
      ? challenges.get(path.slice(challengePath.length))
      : undefined;
    if (challenge !== undefined) {
      response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(challenge);
    } else if (path.startsWith('/')) {
      // Clients that follow a redirect with status 308 keep the method and the body (RFC 9110 section 15.4.9). The
      // redirect doesn't copy the host from the request.
      const location = `${originOf(hostnameOf(headers.host))}${decodeHeader(path)}`;
      response.writeHead(308, { location: encodeLocation(location) }).end();
    } else {
      response.writeHead(400).end();
    }
  }

  return {
    listen(host, port) {
      const opened = createServer(limits, (request, response) => {
        request.resume();
        respond(request, response);
      });
      opened.maxConnections = maxConnections;
      limitPerAddress(opened);
      server = opened;
      return new Promise((resolve, reject) => {
        opened.once('error', reject);
        opened.listen(port, host, () => {
          opened.off('error', reject);
          resolve((opened.address() as AddressInfo).port);
        });
      });
    },
    publish(token, response) {
      challenges.set(token, response);
      return () => void challenges.delete(token);
    },
    close() {
      server?.close();
      server?.closeAllConnections();
    },
  };
}

function limitPerAddress(server: Server): void {
  const counts = new AddressCounts();
  server.on('connection', (socket) => {
    const { remoteAddress: address } = socket;
    if (!isCountedAddress(address)) return;
    socket.once('close', () => counts.remove(address));
    if (counts.add(address) > maxConnectionsPerAddress) socket.destroy();
  });
}
