/** Sends HTTPS requests for any host name to a port on this machine. */
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { connect, type PeerCertificate, type TLSSocket } from 'node:tls';

export interface HttpsResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface HttpsOptions {
  /** The certificate authority that the client trusts. If undefined, any certificate is accepted. */
  readonly ca?: string | undefined;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Sends a request over HTTPS and returns the response.
 * @param host The host name for the server name (SNI) and the Host header.
 */
export function fetchHttps(
  port: number,
  host: string,
  path: string,
  { ca, method = 'GET', headers = {} }: HttpsOptions = {},
): Promise<HttpsResponse> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method,
        servername: host,
        headers: { host: `${host}:${port}`, ...headers },
        agent: false,
        ...(ca === undefined ? { rejectUnauthorized: false } : { ca }),
      },
      (response) => {
        text(response).then(
          (body) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
          reject,
        );
      },
    );
    sent.on('error', reject).end();
  });
}

/** Returns the certificate that the port presents for a server name, or when no server name is sent. */
export function certificateAt(port: number, servername?: string): Promise<PeerCertificate> {
  return handshake(port, { servername }, (socket) => socket.getPeerCertificate());
}

/** Completes a TLS handshake, calls `read` with the socket, and closes the connection. */
export function handshake<T>(
  port: number,
  options: Readonly<Record<string, unknown>>,
  read: (socket: TLSSocket) => T,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options }, () => {
      resolve(read(socket));
      socket.destroy();
    });
    socket.on('error', reject);
  });
}
