/** Answers to what Node's parser refuses before there is a request: no service and no hook has seen it. */
import type { Socket } from 'node:net';
import { STATUS_CODES } from '../kernel/http.ts';
import { rawHead } from '../kernel/response-head.ts';

export interface ClientError extends Error {
  readonly code?: string;
  /** What had been read, from the latest chunk on. */
  readonly rawPacket?: unknown;
}

/** Request line and headers together; the local stack's gateway takes as much. */
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

/** A request line that goes on and on. */
const isOneLine = (packet: unknown): boolean =>
  Buffer.isBuffer(packet) && /^[A-Z]+ [^\r\n]+$/.test(packet.toString('latin1', 0, maxHeaderBytes / 2));

/** For Fastify's `clientErrorHandler`. `isOpen`: pages of every origin may read the answer. */
export const clientErrorHandler = (isOpen: boolean) => (error: ClientError, socket: Socket) => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, ...body } = refusalOf(error);
  socket.end(rawAnswer(status, body, isOpen));
};

/** A whole answer for a socket that no service has; the connection ends with it. `isOpen`: as above. */
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
