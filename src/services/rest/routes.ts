/** Implements the HTTP layer, which reads requests and writes responses. */
import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../base/kernel/clock.ts';
import type { Logger } from '../../base/kernel/log.ts';
import { splitOnce } from '../../base/shared/http/split-once.ts';
import type { Cancellation } from '../../platform/database/types.ts';
import { BODY_LIMIT_BYTES, type BodyBudget } from './bodies.ts';
import { isStored, type StoredBody } from './core/body.ts';
import type { RestRequest } from './core/request.ts';
import { type RestResponse, respondError } from './core/respond.ts';
import { RestError, restError } from './errors.ts';

const NO_BODY = new Uint8Array(0);

declare module 'fastify' {
  interface FastifyRequest {
    receivedAtMs: number;
  }
}

interface RestRoutes {
  readonly prefix: string;
  readonly handle: (request: RestRequest) => Promise<RestResponse>;
  /** Limits the memory that all request bodies use together. */
  readonly bodies: BodyBudget;
  readonly clock: Clock;
  readonly log: Logger;
}

export function restPlugin({ prefix, handle, bodies, clock, log }: RestRoutes): FastifyPluginAsync {
  return async (scope) => {
    takeRawBodies(scope, bodies, log);
    scope.decorateRequest('receivedAtMs', 0);
    scope.addHook('onRequest', (request, _reply, done) => {
      request.receivedAtMs = clock.now();
      done();
    });
    const route = async (request: FastifyRequest, reply: FastifyReply) => {
      reply.hijack();
      bodies.releaseAfter(request.raw, reply.raw);
      const response = await handle(readRequest(request, prefix, new ClientGone(reply.raw)));
      try {
        writeResponse(reply.raw, response, log, reply.gatewayHeaders);
      } catch (cause) {
        response.release?.();
        // Node refuses to send some headers that the database can set.
        log.error({ requestId: request.id, error: cause }, 'failed to write the response');
        if (reply.raw.headersSent) reply.raw.destroy();
        else
          writeResponse(
            reply.raw,
            respondError(restError('PGRSTX00', { cause }), { errorVerbosity: 'verbose' }),
            log,
            reply.gatewayHeaders,
          );
      }
    };
    // The router accepts an empty path only if a prefix is configured for the service.
    const urls = prefix === '' ? ['/*'] : ['', '/*'];
    for (const url of urls) scope.all(url, { bodyLimit: BODY_LIMIT_BYTES }, route);
    // The router doesn't recognize methods such as PURGE and REPORT. Requests with such methods are rejected in this
    // service's error format.
    scope.setNotFoundHandler(route);
  };
}

function takeRawBodies(scope: FastifyInstance, bodies: BodyBudget, log: Logger): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (request, payload, done) => {
    bodies.read(request.raw, payload).then(
      (body) => done(null, body),
      (error) => done(error),
    );
  });
  scope.setErrorHandler((error: Error, _request, reply) => {
    reply.hijack();
    writeResponse(
      reply.raw,
      respondError(shellError(error), { errorVerbosity: 'verbose' }),
      log,
      reply.gatewayHeaders,
    );
  });
}

/** Converts errors that occur before the service runs, for example because a body is too large or truncated. */
export function shellError(error: Error & { statusCode?: number }): RestError {
  if (error instanceof RestError) return error;
  const status = error.statusCode ?? 500;
  if (status >= 500) return restError('PGRSTX00', { cause: error });
  return new RestError({
    code: 'PGRST102',
    status,
    message: 'Request body could not be read',
    cause: error,
  });
}

/** Detects whether the client has disconnected, without adding a listener per request. */
export class ClientGone implements Cancellation {
  readonly #raw: ServerResponse;

  constructor(raw: ServerResponse) {
    this.#raw = raw;
  }

  get aborted(): boolean {
    return this.#raw.destroyed;
  }

  get reason(): Error {
    return new DOMException('The client disconnected.', 'AbortError');
  }
}

function readRequest(request: FastifyRequest, prefix: string, signal: Cancellation): RestRequest {
  const url = request.raw.url ?? '/';
  const [target, query = ''] = splitOnce(url, '?');
  // The router also accepts a percent-encoded prefix, but the service doesn't serve anything at such a path.
  const path = target.startsWith(prefix) ? target.slice(prefix.length) : '//';
  return {
    method: request.method,
    path: path === '' ? '/' : path,
    query,
    headers: request.headers,
    receivedAtMs: request.receivedAtMs,
    body: Buffer.isBuffer(request.body) ? request.body : NO_BODY,
    signal,
    address: request.ip,
    trace: request.trace,
  };
}

/** Declares `/live` and `/ready`, which load balancers and the upstream CLI poll. */
export function adminPlugin(isReady: () => boolean): FastifyPluginAsync {
  return async (scope) => {
    const probe = (isFine: () => boolean) => (_request: FastifyRequest, reply: FastifyReply) =>
      reply
        .code(isFine() ? 200 : 503)
        .header('content-length', '0')
        .send();
    const methods = ['GET', 'HEAD'];
    scope.route({ method: methods, url: '/live', handler: probe(() => true) });
    scope.route({ method: methods, url: '/ready', handler: probe(isReady) });
  };
}

/** The chunks of a body up to this size are concatenated. The chunks of a larger body are written in batches. */
const JOIN_LIMIT_BYTES = 64 * 1024;
/** Bodies below this size are written as a string, which Node sends together with the head. */
const SMALL_BYTES = 8 * 1024;

/** If a client doesn't read any data from a large response for this duration, its connection is closed. */
const STALLED_MS = 120_000;

/**
 * Writes the head and the body. `more` contains additional headers as alternating names and values. Does nothing if the
 * client has disconnected. Throws if Node rejects a header.
 */
export function writeResponse(
  raw: ServerResponse,
  response: RestResponse,
  log: Logger,
  more: readonly string[] = [],
): void {
  const { body, release } = response;
  if (raw.destroyed) {
    release?.();
    return;
  }
  const headers = headArguments(response.headers, more);
  if (response.reason === undefined) raw.writeHead(response.status, headers);
  else raw.writeHead(response.status, cleanReason(response.reason), headers);
  if (release !== undefined) {
    raw.once('close', release);
    raw.setTimeout(STALLED_MS, () => raw.destroy());
  }
  if (isStored(body)) {
    stream(raw, body).catch((error: unknown) => {
      log.error({ error }, 'failed to read a buffered response');
      raw.destroy();
    });
    return;
  }
  const size = body.reduce((sum, part) => sum + part.byteLength, 0);
  if (size <= JOIN_LIMIT_BYTES) {
    const whole = body.length === 1 ? (body[0] as Uint8Array) : Buffer.concat(body, size);
    if (size > SMALL_BYTES) raw.end(whole);
    else raw.end(Buffer.from(whole.buffer, whole.byteOffset, size).toString('latin1'), 'latin1');
    return;
  }
  let batch: Uint8Array[] = [];
  let batched = 0;
  for (const part of body) {
    batch.push(part);
    batched += part.byteLength;
    if (batched < JOIN_LIMIT_BYTES) continue;
    raw.write(Buffer.concat(batch, batched));
    batch = [];
    batched = 0;
  }
  raw.end(Buffer.concat(batch, batched));
}

/**
 * Returns the headers as one flat list. If no other headers were set, Node writes such a list without further
 * processing.
 */
function headArguments(headers: RestResponse['headers'], more: readonly string[]): string[] {
  const list: string[] = [];
  for (const [name, value] of headers) list.push(name, value);
  for (const text of more) list.push(text);
  return list;
}

/** Writes each chunk after the client has received the previous chunk. */
async function stream(raw: ServerResponse, body: StoredBody): Promise<void> {
  let go = () => {};
  raw.once('close', () => go());
  for await (const chunk of body.chunks()) {
    if (raw.destroyed) return;
    await new Promise<void>((resolve) => {
      go = resolve;
      raw.write(chunk, () => resolve());
    });
  }
  raw.end();
}

/** Removes characters that a reason phrase can't contain. A reason phrase is a single line of Latin-1 text. */
const cleanReason = (reason: string): string => reason.replace(/[^\x20-\x7e\xa0-\xff]/g, ' ');

/** The response headers that cross-origin pages can read, in PostgREST 16's spelling. */
export const EXPOSED_HEADERS = [
  'Content-Encoding',
  'Content-Location',
  'Content-Range',
  'Content-Type',
  'Date',
  'Location',
  'Server',
  'Transfer-Encoding',
  'Range-Unit',
];
