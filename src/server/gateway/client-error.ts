/**
 * Responds to input that Node's parser rejects. Services and hooks aren't called, because no request object exists at
 * this point.
 */
import type { Socket } from 'node:net';
import { STATUS_CODES } from '../../base/kernel/http.ts';
import { rawHead } from '../../base/shared/http/response-head.ts';

export interface ClientError extends Error {
  readonly code?: string;
  /** The received data, starting with the most recently received chunk. */
  readonly rawPacket?: unknown;
}

/**
 * The maximum total size of the request line and all headers, which is the same as in the gateway of upstream's local
 * stack.
 */
export const maxHeaderBytes = 32 * 1024;

interface Rejection {
  readonly status: 400 | 408 | 414 | 431;
  readonly code: string;
  readonly message: string;
}

const limitText = `${maxHeaderBytes / 1024} KiB`;

export function rejectionOf({ code, rawPacket }: ClientError): Rejection {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { status: 408, code: 'request_timeout', message: "The request didn't arrive in time." };
  if (code !== 'HPE_HEADER_OVERFLOW')
    return { status: 400, code: 'bad_request', message: "The data isn't a valid HTTP request." };
  if (isOneLine(rawPacket))
    return { status: 414, code: 'uri_too_long', message: `The URL is longer than ${limitText}.` };
  const message = `The URL and headers together are larger than ${limitText}.`;
  return { status: 431, code: 'headers_too_large', message };
}

/** Whether the received data is a request line without an end. */
const isOneLine = (packet: unknown): boolean =>
  Buffer.isBuffer(packet) && /^[A-Z]+ [^\r\n]+$/.test(packet.toString('latin1', 0, maxHeaderBytes / 2));

/**
 * Returns a `clientErrorHandler` for Fastify. `isOpen` specifies whether pages from every origin can read the response.
 */
export const clientErrorHandler = (isOpen: boolean) => (error: ClientError, socket: Socket) => {
  const isHandshake = error.code?.startsWith('ERR_SSL_') || error.code?.startsWith('ERR_TLS_');
  if (error.code === 'ECONNRESET' || isHandshake || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, ...body } = rejectionOf(error);
  socket.end(rawResponse(status, body, isOpen));
};

/**
 * Returns the text of a complete response for a socket that hasn't been passed to a service. The response closes the
 * connection. `isOpen` specifies whether pages from every origin can read the response.
 */
export function rawResponse(status: number, body: object, isOpen = true): string {
  const text = JSON.stringify(body);
  const head = rawHead(status, STATUS_CODES[status] ?? '', [
    ...['Content-Type', 'application/json; charset=utf-8'],
    ...['Content-Length', Buffer.byteLength(text)],
    ...(isOpen ? ['Access-Control-Allow-Origin', '*'] : []),
    ...['Connection', 'close'],
  ]);
  return head + text;
}
