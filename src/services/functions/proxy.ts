/**
 * Forwards a request to a worker and streams the response. Small request bodies are buffered, and larger bodies are
 * streamed. If the client aborts the request, the request to the worker is also aborted.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { Pool } from 'undici';
import { isOutOfFiles } from '../../base/shared/errors.ts';
import { RequestBody } from '../../base/shared/http/request-body.ts';
import { hopByHop, hostOf } from './core/headers.ts';
import type { Limits } from './core/limits.ts';
import type { Worker } from './deno/worker.ts';
import { errors, FunctionError } from './errors.ts';

/**
 * The maximum total size of a response's headers. The limit leaves room for many cookies or a long
 * Content-Security-Policy, and is the same as in the gateway of upstream's local stack.
 */
const maxResponseHeadBytes = 160 * 1024;

export interface FunctionProxy {
  /**
   * Forwards the request. Returns the status of the function's response, or undefined if the client disconnected before
   * the response began.
   * @throws {FunctionError} worker, limit or idle, if the request failed before the response began
   */
  forward(
    worker: Worker,
    path: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<number | undefined>;
  close(worker: Worker): void;
}

export function createProxy(limits: Limits): FunctionProxy {
  const pools = new Map<Worker, Promise<Pool>>();

  function poolOf(worker: Worker): Promise<Pool> {
    const known = pools.get(worker);
    if (known !== undefined) return known;
    // The package `undici` is loaded when a function is first called, so an idle Plinth process doesn't use memory for
    // it.
    const made = import('undici').then(
      ({ Pool }) =>
        new Pool('http://function', {
          connect: (_options, done) => connectWorker(worker.socketPath, done),
          connections: limits.maxRequests,
          pipelining: 1,
          headersTimeout: limits.responseMs,
          bodyTimeout: 0,
          keepAliveTimeout: limits.idleMs,
          maxHeaderSize: maxResponseHeadBytes,
        }),
    );
    pools.set(worker, made);
    return made;
  }

  return {
    async forward(worker, path, request, response) {
      const pool = await poolOf(worker);
      // If the client disconnected while a worker was starting, the `close` event has already been emitted.
      if (response.destroyed) return undefined;
      const gone = new AbortController();
      const onClose = (): void => {
        if (!response.writableFinished) gone.abort();
      };
      response.on('close', onClose);
      let status: number | undefined;
      try {
        const body = await bodyOf(request);
        const upstream = await pool.request({
          path,
          method: request.method as 'GET',
          headers: requestHeaders(request),
          body,
          // A node:http server doesn't accept another request on a connection before it has read the body of the
          // previous request completely.
          reset: body instanceof RequestBody,
          signal: gone.signal,
          responseHeaders: 'raw',
        });
        status = upstream.statusCode;
        writeHead(request, response, status, upstream.headers as unknown as (string | Buffer)[]);
        // With status 205, Deno sends neither content nor a content length, so the body would never end.
        if (status === 205) {
          upstream.body.on('error', () => undefined).destroy();
          response.end();
        } else await pipeline(upstream.body, response);
        return status;
      } catch (error) {
        if (gone.signal.aborted || request.errored !== null) return status;
        if (response.headersSent) {
          response.destroy();
          return status;
        }
        const reason = await reasonOf(error, worker);
        throw new FunctionError(reason, { cause: error, details: worker.lastErrors });
      } finally {
        response.off('close', onClose);
      }
    },
    close(worker) {
      const pool = pools.get(worker);
      pools.delete(worker);
      void pool?.then((open) => open.destroy());
    },
  };
}

/** Returns the platform's error for a failed request to a worker. */
export async function reasonOf(
  error: unknown,
  worker: Worker,
): Promise<(typeof errors)[keyof typeof errors]> {
  if (isOutOfFiles(error)) return errors.overloaded;
  if ((error as { code?: string }).code === 'UND_ERR_HEADERS_TIMEOUT') return errors.idle;
  // The socket closes shortly before Node reports the exit of the process, so this code waits briefly for the exit.
  if (worker.ended === undefined)
    await Promise.race([worker.exited, new Promise((resolve) => setTimeout(resolve, 50).unref())]);
  return worker.ended === 'limit' ? errors.limit : errors.worker;
}

/**
 * The maximum size, in bytes, of a request body that is buffered and sent together with the headers. After such a
 * request, the connection to the worker can be reused.
 */
const smallBody = 16_384;

async function bodyOf(request: IncomingMessage): Promise<Buffer | RequestBody | null> {
  const length = Number(request.headers['content-length'] ?? 0);
  if (request.headers['transfer-encoding'] !== undefined || length > smallBody)
    return new RequestBody(request);
  if (length === 0) return null;
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function requestHeaders(request: IncomingMessage): string[] {
  const headers: string[] = [];
  // Reads `headers` because the gateway may have replaced the Authorization header in `headers` but not in
  // `rawHeaders`.
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === undefined || hopByHop.has(name)) continue;
    if (name === 'host') continue;
    for (const item of Array.isArray(value) ? value : [value]) headers.push(name, item);
  }
  headers.push('host', hostOf(request.headers));
  return headers;
}

const latin1 = (value: string | Buffer | undefined): string =>
  typeof value === 'string' ? value : (value?.toString('latin1') ?? '');

/** The statuses with which responses never have content (RFC 9110, section 15). */
const withoutContent = new Set([204, 205, 304]);

function writeHead(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  raw: readonly (string | Buffer)[],
): void {
  // The gateway of upstream's local stack allows all headers that a preflight request lists. A fixed list of headers in
  // a function's code must not block headers that newer clients send.
  const requested =
    request.method === 'OPTIONS' ? request.headers['access-control-request-headers'] : undefined;
  const requestId = response.getHeader('x-request-id');
  let namesOrigin = false;
  let hasLength = withoutContent.has(status);
  const headers: string[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = latin1(raw[index]);
    const value = latin1(raw[index + 1]);
    const lower = name.toLowerCase();
    // The gateway's request ID is kept instead of the function's, because the logs contain it.
    if (hopByHop.has(lower) || (lower === 'x-request-id' && requestId !== undefined)) continue;
    if (lower === 'access-control-allow-origin') namesOrigin = true;
    if (lower === 'content-length') hasLength = true;
    headers.push(name, lower === 'access-control-allow-headers' ? withRequested(value, requested) : value);
  }
  // All origins are allowed unless the function's response contains `Access-Control-Allow-Origin`.
  if (!namesOrigin) headers.push('access-control-allow-origin', '*');
  if (requestId !== undefined) headers.push('x-request-id', String(requestId));
  response.writeHead(status, headers);
  // If the length of the response is unknown, the headers are sent immediately, because the first chunk may arrive much
  // later. If the length is known, headers and content are sent together.
  if (!hasLength) response.flushHeaders();
}

function withRequested(allowed: string, requested: string | undefined): string {
  if (requested === undefined || allowed.trim() === '*') return allowed;
  const listed = new Set(allowed.split(',').map((name) => name.trim().toLowerCase()));
  const missing = requested.split(',').filter((name) => !listed.has(name.trim().toLowerCase()));
  return [allowed, ...missing.map((name) => name.trim())].join(', ');
}

type Written = (error?: Error | null) => void;

const wantsNoMore = new Set(['EPIPE', 'ECONNRESET']);

/**
 * Reports bytes as written even if the worker has stopped reading, so that the socket remains open. The next read then
 * returns the response or the end of the stream.
 */
const tolerant =
  (done: Written): Written =>
  (error) =>
    done(wantsNoMore.has((error as NodeJS.ErrnoException | null)?.code ?? '') ? null : error);

/**
 * A connection to a worker. A function can finish its response while the request body is still being sent. In this
 * case, writing the rest of the body fails, and a plain socket would close before the response has been read.
 */
class WorkerSocket extends Socket {
  override _write(chunk: unknown, encoding: BufferEncoding, done: Written): void {
    super._write(chunk, encoding, tolerant(done));
  }

  override _writev(chunks: { chunk: unknown; encoding: BufferEncoding }[], done: Written): void {
    super._writev?.(chunks, tolerant(done));
  }
}

/** Connects to a worker. Calls `done` once, with the open socket or with an error. */
function connectWorker(
  socketPath: string,
  done: (...outcome: [error: null, socket: Socket] | [error: Error, socket: null]) => void,
): void {
  const socket = new WorkerSocket();
  const refused = (error: Error): void => done(error, null);
  socket.once('error', refused);
  socket.connect(socketPath, () => {
    socket.off('error', refused);
    done(null, socket);
  });
}
