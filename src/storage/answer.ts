/** Answers with many or large bytes, which go to the socket without Fastify: its way costs a stream and more garbage. */
import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Logger } from '../kernel/log.ts';
import { freeChunk, givePiece, type Pieces } from './pieces.ts';

/** Up to it a body goes out as a string: Node then sends it and the head in one write. */
const smallBytes = 8 * 1024;

export interface Head {
  readonly status: number;
  readonly headers: Headers;
}

/** Lower-case names; what is undefined is left out. */
export type Headers = Readonly<Record<string, string | number | undefined>>;

/** For an answer that Fastify sends. */
export function setHeaders(reply: FastifyReply, headers: Headers): void {
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) reply.header(name, value);
  }
}

/**
 * Resolves when the socket has taken everything, or will take nothing more. A body that fails in the middle ends the
 * connection, which is all that can still be told. A body that is a Buffer is given up; a list has pieces of `takePiece`.
 */
export async function answerBytes(
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
    // A header that Node refuses; Fastify still has the reply. A file left open would end the process when it is collected.
    if (body !== undefined && 'destroy' in body) body.destroy?.();
    throw error;
  }
  reply.hijack();
  if (body === undefined) raw.end();
  else if (Buffer.isBuffer(body)) endWith(raw, body);
  else if (isList(body)) writeAtOnce(raw, body, givePiece);
  else {
    try {
      await writePieces(raw, body);
    } catch (error) {
      log.error({ requestId, error }, 'storage: a body could not be read to its end');
      raw.destroy();
    }
  }
}

/** In one flat list and with nothing set on the response before, Node writes the head without a second look. */
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

/** What is in memory already, in as few writes as it takes. */
function writeAtOnce(raw: ServerResponse, pieces: readonly Buffer[], release: (piece: Buffer) => void): void {
  raw.cork();
  for (const piece of pieces)
    raw.write(piece, (error) => {
      if (!error) release(piece);
    });
  raw.end();
  raw.uncork();
}

/** One after the other, each when the socket has taken the one before. */
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
        // After an error the kernel may not have let go of it.
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
