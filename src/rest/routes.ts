/** The HTTP shell: reads requests off the socket, writes answers on it. */
import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { Cancellation } from '../database/types.ts';
import type { Logger } from '../kernel/log.ts';
import { BODY_LIMIT_BYTES, type BodySpace } from './bodies.ts';
import { isStored, type StoredBody } from './core/body.ts';
import type { RestRequest } from './core/request.ts';
import { type RestResponse, respondError } from './core/respond.ts';
import { RestError, restError } from './errors.ts';

const NO_BODY = new Uint8Array(0);

export interface RestRoutes {
  readonly prefix: string;
  readonly handle: (request: RestRequest) => Promise<RestResponse>;
  /** What request bodies may take together. */
  readonly bodies: BodySpace;
  readonly log: Logger;
}

export function restPlugin({ prefix, handle, bodies, log }: RestRoutes): FastifyPluginAsync {
  return async (scope) => {
    takeRawBodies(scope, bodies, log);
    const route = async (request: FastifyRequest, reply: FastifyReply) => {
      reply.hijack();
      bodies.releaseAfter(request.raw, reply.raw);
      const response = await handle(readRequest(request, prefix, new ClientGone(reply.raw)));
      try {
        write(reply, response, log);
      } catch (cause) {
        response.release?.();
        // Headers that the database chose and Node refuses.
        log.error({ requestId: request.id, error: cause }, 'answer could not be written');
        if (reply.raw.headersSent) reply.raw.destroy();
        else write(reply, respondError(restError('PGRSTX00', { cause }), { errorVerbosity: 'verbose' }), log);
      }
    };
    // An empty path needs a prefix before it.
    const urls = prefix === '' ? ['/*'] : ['', '/*'];
    for (const url of urls) scope.all(url, { bodyLimit: BODY_LIMIT_BYTES }, route);
  };
}

function takeRawBodies(scope: FastifyInstance, bodies: BodySpace, log: Logger): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (request, payload, done) => {
    bodies.read(request.raw, payload).then(
      (body) => done(null, body),
      (error) => done(error),
    );
  });
  scope.setErrorHandler((error: Error, _request, reply) => {
    reply.hijack();
    write(reply, respondError(shellError(error), { errorVerbosity: 'verbose' }), log);
  });
}

/** Only what goes wrong before our handler runs comes here: a body too large or cut short. */
function shellError(error: Error & { statusCode?: number }): RestError {
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

/** True once the connection is closed, without a listener a request. */
class ClientGone implements Cancellation {
  readonly #raw: ServerResponse;

  constructor(raw: ServerResponse) {
    this.#raw = raw;
  }

  get aborted(): boolean {
    return this.#raw.destroyed;
  }

  get reason(): Error {
    return new DOMException('The client went away.', 'AbortError');
  }
}

function readRequest(request: FastifyRequest, prefix: string, signal: Cancellation): RestRequest {
  const url = request.raw.url ?? '/';
  const question = url.indexOf('?');
  const path = url.slice(prefix.length, question === -1 ? undefined : question);
  return {
    method: request.method,
    path: path === '' ? '/' : path,
    query: question === -1 ? '' : url.slice(question + 1),
    headers: request.headers,
    body: Buffer.isBuffer(request.body) ? request.body : NO_BODY,
    signal,
  };
}

/** Above it pieces are written in batches instead of being copied together. */
const JOIN_LIMIT_BYTES = 64 * 1024;
/** Up to it a body goes out as a string: Node then sends it and the head in one piece. */
const SMALL_BYTES = 8 * 1024;

/** A client that takes nothing of a large answer for this long is given up. */
const STALLED_MS = 120_000;

function write(reply: FastifyReply, response: RestResponse, log: Logger): void {
  const { raw } = reply;
  const { body, release } = response;
  if (raw.destroyed) {
    release?.();
    return;
  }
  const headers = headArguments(response.headers, reply.gatewayHeaders);
  if (response.reason === undefined) raw.writeHead(response.status, headers);
  else raw.writeHead(response.status, cleanReason(response.reason), headers);
  if (release !== undefined) {
    raw.once('close', release);
    raw.setTimeout(STALLED_MS, () => raw.destroy());
  }
  if (isStored(body)) {
    stream(raw, body).catch((error: unknown) => {
      log.error({ requestId: reply.request.id, error }, 'a stored answer could not be read');
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

/** In one flat list and with nothing set on the response before, Node writes the head without a second look. */
function headArguments(headers: RestResponse['headers'], gatewayHeaders: readonly string[] = []): string[] {
  const list: string[] = [];
  for (const [name, value] of headers) list.push(name, value);
  for (const text of gatewayHeaders) list.push(text);
  return list;
}

/** Piece by piece, each when the client has taken the one before. */
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

/** A status line holds one line of Latin-1. */
const cleanReason = (reason: string): string => reason.replace(/[^\x20-\x7e\xa0-\xff]/g, ' ');

/** `/live` and `/ready`, as load balancers and the upstream CLI poll them. */
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
