/** Writes responses with many or large chunks directly to the socket. Fastify would add a stream and more garbage. */
import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Logger } from '../kernel/log.ts';
import { freeChunk, type Pieces, releasePiece } from './pieces.ts';

/** Smaller bodies are written as a string because Node then sends them together with the head. */
const smallBytes = 8 * 1024;

export interface Head {
  readonly status: number;
  readonly headers: Headers;
}

/** Lowercase names. Undefined values are omitted. */
export type Headers = Readonly<Record<string, string | number | undefined>>;

/** Sets the headers of a response that Fastify sends. */
export function setHeaders(reply: FastifyReply, headers: Headers): void {
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) reply.header(name, value);
  }
}

/**
 * Resolves when the socket has accepted everything or is closed. If the body fails midway, the connection is closed
 * because the status was already sent. The memory of a Buffer body is released. The buffers of a list must come from
 * `acquirePiece`.
 */
export async function sendBytes(
  reply: FastifyReply,
  head: Head,
  body: Buffer | readonly Buffer[] | Pieces | undefined,
  log: Logger,
): Promise<void> {
  const { raw, gatewayHeaders = [] } = reply;
  const requestId = reply.request.id;
  try {
    raw.writeHead(head.status, [...listOf(head.headers), ...gatewayHeaders]);
  } catch (error) {
    // Node rejects the header, so Fastify can still reply. An unclosed file handle would crash the process when it is
    // garbage-collected.
    if (body !== undefined && 'destroy' in body) body.destroy?.();
    throw error;
  }
  reply.hijack();
  if (body === undefined) raw.end();
  else if (Buffer.isBuffer(body)) endWith(raw, body);
  else if (isList(body)) writeAtOnce(raw, body, releasePiece);
  else {
    try {
      await writePieces(raw, body);
    } catch (error) {
      log.error({ requestId, error }, 'storage: failed to read a request body');
      raw.destroy();
    }
  }
}

/** Node writes the head without further processing if the headers are one flat list and none was set before. */
function listOf(headers: Headers): string[] {
  const list: string[] = [];
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) list.push(name, String(value));
  }
  return list;
}

function endWith(raw: ServerResponse, body: Buffer): void {
  if (body.byteLength > smallBytes) writeAtOnce(raw, [body], freeChunk);
  else raw.end(body.toString('latin1'), 'latin1');
}

/** Writes buffers that are already in memory with as few system calls as possible. */
function writeAtOnce(raw: ServerResponse, pieces: readonly Buffer[], release: (piece: Buffer) => void): void {
  raw.cork();
  for (const piece of pieces)
    raw.write(piece, (error) => {
      if (!error) release(piece);
    });
  raw.end();
  raw.uncork();
}

/** Writes each piece after the socket has accepted the previous one. */
async function writePieces(raw: ServerResponse, pieces: Pieces): Promise<void> {
  let isGone = raw.destroyed;
  let stopWaiting = (): void => undefined;
  const onClose = (): void => {
    isGone = true;
    pieces.destroy?.();
    stopWaiting();
  };
  raw.once('close', onClose);
  try {
    for await (const piece of pieces) {
      if (isGone) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      stopWaiting = resolve;
      raw.write(piece, (error) => {
        // After an error, the kernel may still use the buffer.
        if (!error) pieces.release?.(piece);
        resolve();
      });
      await promise;
    }
    raw.end();
  } catch (error) {
    if (!isGone) throw error;
  } finally {
    raw.off('close', onClose);
  }
}

function isList(body: readonly Buffer[] | Pieces): body is readonly Buffer[] {
  return Array.isArray(body);
}
