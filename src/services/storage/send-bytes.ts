/**
 * Writes responses with many or large chunks directly to the socket. With Fastify, such responses would use an
 * additional stream and allocate more memory.
 */
import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Logger } from '../../base/kernel/log.ts';
import { type ByteStream, freeChunk, releaseChunk } from './byte-stream.ts';

/** Bodies below this size are written as a string, which Node sends together with the head. */
const smallBytes = 8 * 1024;

export interface Head {
  readonly status: number;
  readonly headers: Headers;
}

/** Headers by lowercase name. Headers whose value is undefined are omitted. */
export type Headers = Readonly<Record<string, string | number | undefined>>;

export function setHeaders(reply: FastifyReply, headers: Headers): void {
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) reply.header(name, value);
  }
}

/**
 * Sends the response. Resolves when the socket has accepted the whole response or is closed. If reading the body fails,
 * closes the connection, because the status has already been sent. Releases the memory of a Buffer body. The buffers of
 * a list must come from `acquireChunk`.
 */
export async function sendBytes(
  reply: FastifyReply,
  head: Head,
  body: Buffer | readonly Buffer[] | ByteStream | undefined,
  log: Logger,
): Promise<void> {
  const { raw, gatewayHeaders = [] } = reply;
  const requestId = reply.request.id;
  try {
    raw.writeHead(head.status, [...listOf(head.headers), ...gatewayHeaders]);
  } catch (error) {
    // Node refused to send a header, so Fastify can still send a different response. The body is closed because
    // nothing else would close its file.
    if (body !== undefined && 'destroy' in body) body.destroy?.();
    throw error;
  }
  reply.hijack();
  if (body === undefined) raw.end();
  else if (Buffer.isBuffer(body)) endWith(raw, body);
  else if (isList(body)) writeAtOnce(raw, body, releaseChunk);
  else {
    try {
      await writeChunks(raw, body);
    } catch (error) {
      log.error({ requestId, error }, 'storage: failed to read a request body');
      raw.destroy();
    }
  }
}

/**
 * Returns the headers as one flat list. If no other headers were set, Node writes such a list without further
 * processing.
 */
function listOf(headers: Headers): string[] {
  const list: string[] = [];
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) list.push(name, String(value));
  }
  return list;
}

function endWith(raw: ServerResponse, body: Buffer): void {
  if (body.byteLength > smallBytes) writeAtOnce(raw, [body], releaseBuffer);
  else raw.end(body.toString('latin1'), 'latin1');
}

function releaseBuffer(buffer: Buffer): void {
  releaseChunk(buffer);
  freeChunk(buffer);
}

/** Writes buffers that are already in memory, with as few system calls as possible. */
function writeAtOnce(raw: ServerResponse, chunks: readonly Buffer[], release: (chunk: Buffer) => void): void {
  raw.cork();
  for (const chunk of chunks)
    raw.write(chunk, (error) => {
      if (!error) release(chunk);
    });
  raw.end();
  raw.uncork();
}

/** Writes each chunk after the socket has accepted the previous chunk. */
async function writeChunks(raw: ServerResponse, chunks: ByteStream): Promise<void> {
  let isGone = raw.destroyed;
  let stopWaiting = (): void => undefined;
  const onClose = (): void => {
    isGone = true;
    chunks.destroy?.();
    stopWaiting();
  };
  raw.once('close', onClose);
  try {
    for await (const chunk of chunks) {
      if (isGone) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      stopWaiting = resolve;
      raw.write(chunk, (error) => {
        // If the write failed, the kernel may still use the chunk, so the chunk isn't released.
        if (!error) chunks.release?.(chunk);
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

function isList(body: readonly Buffer[] | ByteStream): body is readonly Buffer[] {
  return Array.isArray(body);
}
