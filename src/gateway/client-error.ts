/** Responds to input that Node's parser rejects. No request exists yet, so no service or hook has seen it. */
import type { Socket } from 'node:net';
import { STATUS_CODES } from '../kernel/http.ts';
import { rawHead } from '../shared/response-head.ts';

export interface ClientError extends Error {
  readonly code?: string;
  /** The data that had been read, starting with the latest chunk. */
  readonly rawPacket?: unknown;
}

/** The maximum size of the request line and all headers, as in the local stack's gateway. */
export const maxHeaderBytes = 32 * 1024;

interface Refusal {
  readonly status: 400 | 408 | 414 | 431;
  readonly code: string;
  readonly message: string;
}

const LIMIT = `${maxHeaderBytes / 1024} KiB`;

export function refusalOf({ code, rawPacket }: ClientError): Refusal {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { status: 408, code: 'request_timeout', message: 'The request did not arrive in time.' };
  if (code !== 'HPE_HEADER_OVERFLOW')
    return { status: 400, code: 'bad_request', message: 'This is not an HTTP request that can be read.' };
  if (isOneLine(rawPacket))
    return { status: 414, code: 'uri_too_long', message: `The address is longer than ${LIMIT}.` };
  const message = `Address and headers together are larger than ${LIMIT}.`;
  return { status: 431, code: 'headers_too_large', message };
}

/** Whether the packet is a request line that doesn't end. */
const isOneLine = (packet: unknown): boolean =>
  Buffer.isBuffer(packet) && /^[A-Z]+ [^\r\n]+$/.test(packet.toString('latin1', 0, maxHeaderBytes / 2));

/** A `clientErrorHandler` for Fastify. `isOpen` specifies whether pages of every origin can read the response. */
export const clientErrorHandler = (isOpen: boolean) => (error: ClientError, socket: Socket) => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, ...body } = refusalOf(error);
  socket.end(rawAnswer(status, body, isOpen));
};

/**
 * Returns a complete response for a socket that isn't assigned to a service. The connection ends after the response.
 * For `isOpen`, see above.
 */
export function rawAnswer(status: number, body: object, isOpen = true): string {
  const text = JSON.stringify(body);
  const head = rawHead(status, STATUS_CODES[status] ?? '', [
    ...['Content-Type', 'application/json; charset=utf-8'],
    ...['Content-Length', Buffer.byteLength(text)],
    ...(isOpen ? ['Access-Control-Allow-Origin', '*'] : []),
    ...['Connection', 'close'],
  ]);
  return head + text;
}
