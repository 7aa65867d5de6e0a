/** Carries one request to a worker and its answer back: streaming both ways, nothing buffered, aborts passed on. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Pool } from 'undici';
import { hopByHop, hostOf } from './core/headers.ts';
import type { Limits } from './core/limits.ts';
import type { Worker } from './deno/worker.ts';
import { errors, FunctionError } from './errors.ts';
import { RequestBody } from './request-body.ts';
import { connectWorker } from './worker-socket.ts';

/** Of an answer's head: as much as the local stack's gateway takes (many cookies, or a long Content-Security-Policy). */
const maxAnswerHeadBytes = 160 * 1024;

export interface FunctionProxy {
  /**
   * The status that the function answered with; undefined when the caller went away before.
   * @throws {FunctionError} worker, limit or idle, when no answer had begun.
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
    // Loaded at the first call of a function: an idle Plinth does not pay for it.
    const made = import('undici').then(
      ({ Pool }) =>
        new Pool('http://function', {
          connect: (_options, done) => connectWorker(worker.socketPath, done),
          connections: limits.maxRequests,
          pipelining: 1,
          headersTimeout: limits.answerMs,
          bodyTimeout: 0,
          keepAliveTimeout: limits.idleMs,
          maxHeaderSize: maxAnswerHeadBytes,
        }),
    );
    pools.set(worker, made);
    return made;
  }

  return {
    async forward(worker, path, request, response) {
      const pool = await poolOf(worker);
      // The caller left while a worker was starting: nobody would say so any more.
      if (response.destroyed) return undefined;
      const gone = new AbortController();
      const onClose = (): void => {
        if (!response.writableFinished) gone.abort();
      };
      response.on('close', onClose);
      let status: number | undefined;
      try {
        const body = await bodyOf(request);
        const answer = await pool.request({
          path,
          method: request.method as 'GET',
          headers: requestHeaders(request),
          body,
          // A server of node:http that leaves a body unread takes no further request on that connection.
          reset: body instanceof RequestBody,
          signal: gone.signal,
          responseHeaders: 'raw',
        });
        status = answer.statusCode;
        writeHead(request, response, status, answer.headers as unknown as (string | Buffer)[]);
        // Deno gives it neither content nor a length, so that its end would be waited for.
        if (status === 205) {
          answer.body.on('error', () => undefined).destroy();
          response.end();
        } else await pipeline(answer.body, response);
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

/** What became of a worker that broke off. */
export async function reasonOf(
  error: unknown,
  worker: Worker,
): Promise<(typeof errors)[keyof typeof errors]> {
  if ((error as { code?: string }).code === 'UND_ERR_HEADERS_TIMEOUT') return errors.idle;
  // The socket breaks a moment before the exit is reported.
  if (worker.ended === undefined)
    await Promise.race([worker.exited, new Promise((resolve) => setTimeout(resolve, 50).unref())]);
  return worker.ended === 'limit' ? errors.limit : errors.worker;
}

/** Bytes up to which a body is collected: it then goes out with its head, and the connection to the worker can stay. */
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
  // From `headers`, not `rawHeaders`: the gateway may have replaced the Authorization there.
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

/** Statuses that never come with content (RFC 9110 section 15). */
const withoutContent = new Set([204, 205, 304]);

function writeHead(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  raw: readonly (string | Buffer)[],
): void {
  // The local stack's gateway lets every requested header through; a function that lists its own must not shut out a
  // header that a newer client sends.
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
    // The gateway's own id is the one that the logs know.
    if (hopByHop.has(lower) || (lower === 'x-request-id' && requestId !== undefined)) continue;
    if (lower === 'access-control-allow-origin') namesOrigin = true;
    if (lower === 'content-length') hasLength = true;
    headers.push(name, lower === 'access-control-allow-headers' ? withRequested(value, requested) : value);
  }
  // The gateway is open to every origin; a function's own headers win.
  if (!namesOrigin) headers.push('access-control-allow-origin', '*');
  if (requestId !== undefined) headers.push('x-request-id', String(requestId));
  response.writeHead(status, headers);
  // A stream has begun although its first part may take long. Otherwise head and content go out together.
  if (!hasLength) response.flushHeaders();
}

function withRequested(allowed: string, requested: string | undefined): string {
  if (requested === undefined || allowed.trim() === '*') return allowed;
  const listed = new Set(allowed.split(',').map((name) => name.trim().toLowerCase()));
  const missing = requested.split(',').filter((name) => !listed.has(name.trim().toLowerCase()));
  return [allowed, ...missing.map((name) => name.trim())].join(', ');
}
