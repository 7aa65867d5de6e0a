/**
 * Serves `/functions/v1/SLUG/…`. Finds the function, verifies the token and forwards the request to a worker. Preflight
 * requests are forwarded without verifying a token.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../base/kernel/clock.ts';
import { setGatewayHeaders } from '../../base/kernel/http.ts';
import type { Logger } from '../../base/kernel/log.ts';
import type { OverloadBody, UpgradeCaller } from '../../base/kernel/service.ts';
import { schemeOf } from '../../base/kernel/tls.ts';
import type { Trace } from '../../base/kernel/trace.ts';
import { isOutOfFiles } from '../../base/shared/errors.ts';
import { rawHead } from '../../base/shared/http/response-head.ts';
import type { Keys } from '../../platform/keys/types.ts';
import type { Catalog, FunctionSource } from './catalog.ts';
import { checkAuthorization } from './core/verify-jwt.ts';
import { errors, FunctionError, type PlatformError } from './errors.ts';
import type { Invocation } from './invocations.ts';
import type { FunctionProxy } from './proxy.ts';
import type { Lease, Supervisor } from './supervisor.ts';
import { forwardUpgrade } from './upgrade.ts';

export interface RoutesDeps {
  readonly prefix: string;
  readonly catalog: Catalog;
  readonly supervisor: Supervisor;
  readonly proxy: FunctionProxy;
  readonly keys: Pick<Keys, 'verify'>;
  /** Called when a request to a function has ended. */
  readonly onInvocation: (invocation: Omit<Invocation, 'id'>) => void;
  /** Whether error responses contain lines from the function's log. */
  readonly showsErrors: boolean;
  /**
   * Returns the traceparent header that is sent to a function. If the function isn't set, the caller's own header is
   * forwarded.
   */
  readonly traceparent?: ((trace: Trace) => string) | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

interface Target {
  readonly source: FunctionSource;
  /** The path that the function receives. The path contains the slug but not the prefix. */
  readonly path: string;
}

export function functionsPlugin(deps: RoutesDeps): FastifyPluginAsync {
  return async (app) => {
    app.setErrorHandler((thrown: Error, request, reply) => {
      const error = asOverload(thrown);
      if (error instanceof FunctionError) return render(reply, error.entry, detailsOf(deps, error));
      deps.log.error({ requestId: request.id, error }, 'function request failed');
      return render(reply, {
        status: 500,
        code: 'INTERNAL_ERROR',
        message: 'Request failed due to an internal server error',
      });
    });
    app.get('/_internal/health', async () => ({ message: 'ok' }));
    // The request is handled in a hook, which streams the body to the function regardless of its content type. After
    // the hooks have run, Fastify would reject requests with content types that it can't parse.
    const serve = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
      const target = find(deps, request.raw.url ?? '');
      if (target === undefined)
        return reply.code(404).headers(corsHeaders).type('text/plain').send('Function not found');
      if (target.source.verifyJwt && request.method !== 'OPTIONS') {
        const rejection = checkAuthorization(
          request.headers.authorization,
          deps.keys.verify,
          deps.clock.now(),
        );
        if (rejection !== undefined) return render(reply, rejection);
      }
      const record = startRecord(deps, target, request.method, request.id);
      let lease: Lease | undefined;
      try {
        lease = await deps.supervisor.acquire(target.source, request.id, request.ip);
        // The values are reliable because the gateway has already removed the client's own headers unless they come
        // from a trusted proxy.
        request.raw.headers['x-forwarded-proto'] = request.protocol;
        request.raw.headers['x-forwarded-for'] = request.ips?.toReversed().join(', ') ?? request.ip;
        request.raw.headers['x-request-id'] = request.id;
        if (deps.traceparent !== undefined && request.trace !== undefined)
          request.raw.headers.traceparent = deps.traceparent(request.trace);
        reply.hijack();
        setGatewayHeaders(reply);
        const status = await deps.proxy.forward(lease.worker, target.path, request.raw, reply.raw);
        record(lease, status);
      } catch (thrown) {
        const error = asOverload(thrown);
        record(lease, error);
        if (lease === undefined || !(error instanceof FunctionError)) throw error;
        renderRaw(reply, error.entry, detailsOf(deps, error));
      } finally {
        lease?.release();
      }
      return reply;
    };
    app.all('/*', { onRequest: serve }, nothingIsLeft);
  };
}

/**
 * Converts the error that occurs if no file descriptor is free to an overload error, because no file can be opened and
 * no process can be started until one is free.
 */
const asOverload = (error: unknown): unknown =>
  !(error instanceof FunctionError) && isOutOfFiles(error)
    ? new FunctionError(errors.overloaded, { cause: error })
    : error;

/** Does nothing, because the hook has already sent the response. */
const nothingIsLeft = (): void => undefined;

/** Starts recording an invocation. Returns a function that completes the record with a status or an error. */
function startRecord(
  { clock, onInvocation }: RoutesDeps,
  { source, path }: Target,
  method: string,
  requestId: string,
): (lease: Lease | undefined, outcome: unknown) => void {
  const at = clock.now();
  const startedAt = performance.now();
  return (lease, outcome) => {
    const entry = outcome instanceof FunctionError ? outcome.entry : undefined;
    const usage = lease?.release();
    onInvocation({
      at,
      function: source.slug,
      requestId,
      method,
      path: path.split('?', 1)[0] ?? path,
      status: entry?.status ?? (typeof outcome === 'number' ? outcome : outcome === undefined ? null : 500),
      code: entry?.code,
      durationMs: performance.now() - startedAt,
      bootMs: lease?.bootMs,
      cpuMs: usage?.cpuMs,
      memoryBytes: usage?.memoryBytes,
    });
  };
}

/**
 * Returns a handler for WebSocket and other upgrade requests. The handler performs the same checks as for other
 * requests and then connects the client's socket to the worker's socket.
 */
export function upgradeHandler(
  deps: RoutesDeps,
): (request: IncomingMessage, socket: Duplex, head: Buffer, caller: UpgradeCaller) => void {
  return (request, socket, head, caller) => {
    const target = find(deps, request.url ?? '');
    if (target === undefined) return refuse(socket, 404, errors.notFound);
    if (target.source.verifyJwt) {
      const rejection = checkAuthorization(request.headers.authorization, deps.keys.verify, deps.clock.now());
      if (rejection !== undefined) return refuse(socket, rejection.status, rejection);
    }
    const requestId = randomUUID();
    request.headers['x-request-id'] = requestId;
    // Headers that are already set come from a trusted proxy.
    request.headers['x-forwarded-for'] ??= request.socket.remoteAddress ?? '';
    request.headers['x-forwarded-proto'] ??= schemeOf(request);
    const record = startRecord(deps, target, request.method ?? 'GET', requestId);
    const carry = async (): Promise<void> => {
      let lease: Lease | undefined;
      try {
        lease = await deps.supervisor.acquire(target.source, requestId, caller.address);
        record(lease, await forwardUpgrade(lease.worker, target.path, { request, socket, head }));
      } catch (thrown) {
        const error = asOverload(thrown);
        record(lease, error);
        const entry = error instanceof FunctionError ? error.entry : errors.worker;
        refuse(socket, entry.status, entry);
      }
    };
    void carry();
  };
}

function find(deps: RoutesDeps, url: string): Target | undefined {
  const path = url.slice(deps.prefix.length);
  const slug = /^\/([^/?]+)/.exec(path)?.[1];
  const source = slug === undefined ? undefined : deps.catalog.find(slug);
  return source === undefined ? undefined : { source, path };
}

const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'authorization, x-client-info, apikey',
  'access-control-expose-headers': 'sb-error-code',
};

/** Returns the log lines that explain an error. Returns an empty list if the server doesn't run in development. */
const detailsOf = ({ showsErrors }: RoutesDeps, { details }: FunctionError): readonly string[] =>
  showsErrors ? details : [];

function bodyOf({ status, code, message }: PlatformError, details: readonly string[] = []): object {
  if (status === 401) return { code, message, msg: message };
  return { code, message, ...(details.length > 0 ? { details: details.join('\n') } : {}) };
}

function render(reply: FastifyReply, entry: PlatformError, details: readonly string[] = []): FastifyReply {
  return reply
    .code(entry.status)
    .headers({ ...corsHeaders, ...errorHeaders(entry) })
    .send(bodyOf(entry, details));
}

const errorHeaders = ({ code, retryAfterSeconds }: PlatformError): Record<string, string> => ({
  'sb-error-code': code,
  ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
});

function renderRaw(reply: FastifyReply, entry: PlatformError, details: readonly string[]): void {
  const body = JSON.stringify(bodyOf(entry, details));
  reply.raw.writeHead(entry.status, {
    ...corsHeaders,
    ...errorHeaders(entry),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  reply.raw.end(body);
}

function refuse(socket: Duplex, status: number, entry: PlatformError): void {
  const body = JSON.stringify(bodyOf(entry));
  const head = rawHead(status, entry.code, [
    ...['Connection', 'close'],
    ...['Content-Type', 'application/json'],
    ...['Content-Length', Buffer.byteLength(body)],
  ]);
  socket.end(head + body);
}

/** The response to requests that are rejected because the server is overloaded. */
export const overloadedBody: OverloadBody = {
  type: 'application/json; charset=utf-8',
  text: JSON.stringify(bodyOf(errors.overloaded)),
};
