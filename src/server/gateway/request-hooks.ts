/**
 * Defines the hooks that run for every request received on a port, regardless of the service that handles the request.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { setGatewayHeaders } from '../../base/kernel/http.ts';
import type { Logger } from '../../base/kernel/log.ts';
import { type RequestRecord, Trace, traces } from '../../base/kernel/trace.ts';
import { encodeLocation } from '../../base/shared/http/header-text.ts';
import type { Keys } from '../../platform/keys/types.ts';
import type { Admission, Rejection } from './admission.ts';
import type { Drain } from './drain.ts';
import { type Forwarder, takeSampling } from './forward.ts';
import { identify } from './observe.ts';
import type { Pace } from './pace.ts';
import { pathOf } from './paths.ts';
import { SafeResponse } from './safe-response.ts';
import type { TrustedProxies } from './trusted-proxies.ts';
import type { GatewayOptions, Route } from './types.ts';
import { userKeyOf } from './user-keys.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The service whose mount received the request. */
    serviceName: string;
    /** Whether the main process handles and reports the request. */
    isForwarded: boolean;
  }
}

/** The delay before a client can retry a request that was rejected because of too many connections. */
const retryAfterSeconds = '5';

/** Adds each registered route to the list, and declares the properties that the hooks set on requests and replies. */
export function recordRoutes(app: FastifyInstance, routes: Route[]): void {
  app.addHook('onRoute', ({ method, url }) => {
    const methods = typeof method === 'string' ? [method] : method;
    if (methods.length >= app.supportedMethods.length) routes.push({ method: '*', path: url });
    else for (const one of methods) routes.push({ method: one, path: url });
  });
  app.decorateReply('gatewayHeaders', undefined);
  app.decorateRequest('trace', undefined);
  app.decorateRequest('serviceName', 'gateway');
  app.decorateRequest('isForwarded', false);
  app.decorateRequest('mayUseSecretKeys', false);
}

export function finishHeads(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (reply.raw instanceof SafeResponse) reply.raw.gatewayHeaders = reply.gatewayHeaders ?? [];
    else setGatewayHeaders(reply);
    // Node rejects URLs with characters above U+00FF, and would reject them only after the service has used the link or
    // code for which it sends the redirect.
    const location = reply.getHeader('location');
    if (typeof location === 'string') reply.header('location', encodeLocation(location));
    // Fastify would close the connection if a body is too large. A client that is still sending the body would then
    // receive a connection reset instead of the error. Therefore, the server reads and discards the rest of the body,
    // as Node does after any other response.
    if (reply.hasHeader('connection')) {
      reply.removeHeader('connection');
      request.raw.resume();
    }
    done();
  });
}

/**
 * Passes requests for paths that this process doesn't serve to the main process, without reading the requests' bodies.
 */
export function forwardRequests(
  app: FastifyInstance,
  forwarder: Forwarder,
  isOwn: (path: string) => boolean,
): void {
  app.addHook('onRequest', (request, reply, done) => {
    // Only the main process can exchange the API keys of users.
    if (isOwn(pathOf(request.url)) && userKeyOf(request.headers) === undefined) {
      done();
      return;
    }
    request.isForwarded = true;
    forwarder.request(request, reply);
  });
}

interface Guards {
  readonly admission: Admission;
  readonly pace: Pace;
  readonly proxies: TrustedProxies;
  readonly drain: Drain;
}

/** A request that has passed the port's guards, or that one of them rejects. */
export interface Started {
  readonly trace: Trace;
  /** The headers of the response, as alternating names and values. */
  readonly headers: string[];
  readonly rejection: Rejection | undefined;
}

export type StartRequest = (request: IncomingMessage, response: ServerResponse, id: string) => Started;

/** Returns the function that runs first for each request. It applies the port's limits and starts the trace. */
export function createStart(
  { admission, pace, proxies, drain }: Guards,
  {
    tls,
    tracedCallers = () => 'none',
    isBehindWorkers = false,
  }: Pick<GatewayOptions, 'tls' | 'tracedCallers' | 'isBehindWorkers'>,
): StartRequest {
  const keepsSampling = (request: IncomingMessage): boolean =>
    isBehindWorkers ? takeSampling(request) : trustsCaller(request);
  const trustsCaller = ({ socket }: IncomingMessage): boolean =>
    tracedCallers() === 'all' || (tracedCallers() === 'proxies' && proxies.trusts(socket.remoteAddress));
  const strictTransport = tls?.strictTransport;
  return (request, response, id) => {
    drain.request(response);
    const headers = ['x-request-id', id];
    if (strictTransport !== undefined) headers.push('strict-transport-security', strictTransport);
    const trace = new Trace(id, performance.now());
    // A request that the Console sends to another service is attributed to the Console's operator.
    trace.operator = traces.getStore()?.operator;
    const traceparent = singleHeader(request.headers.traceparent);
    if (traceparent !== undefined) {
      trace.traceparent = traceparent;
      trace.keepsSampling = keepsSampling(request);
    }
    pace.watch(request, response);
    return { trace, headers, rejection: admission.admit(request, response) };
  };
}

/** Returns the headers of the response to a request that exceeds a limit. */
export const rejectionHeaders = (isOpen: boolean): Readonly<Record<string, string>> => ({
  'retry-after': retryAfterSeconds,
  ...(isOpen ? { 'access-control-allow-origin': '*' } : {}),
});

/** Starts each request, or rejects it if it exceeds a limit. @param isOpen Whether pages of any origin can read it */
export function startRequests(app: FastifyInstance, start: StartRequest, isOpen: boolean): void {
  const headersOfRejection = rejectionHeaders(isOpen);
  app.addHook('onRequest', (request, reply, done) => {
    const { trace, headers, rejection } = start(request.raw, reply.raw, request.id);
    request.trace = trace;
    reply.gatewayHeaders = headers;
    if (rejection === undefined) done();
    else reply.code(rejection.status).headers(headersOfRejection).send(rejection.body);
  });
}

export function reportRequests(
  app: FastifyInstance,
  keys: Keys,
  onRequestEnd: (record: RequestRecord) => void,
): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, url, ip, id, serviceName, trace, headers } = request;
    if (request.isForwarded) {
      done();
      return;
    }
    const status = reply.raw.statusCode;
    if (trace !== undefined) trace.isOver = true;
    if (trace !== undefined && trace.role === undefined && status !== 401)
      identify(trace, headers.authorization, keys);
    onRequestEnd({
      at: Date.now(),
      requestId: id,
      service: serviceName,
      method,
      route: request.routeOptions.url,
      url,
      status,
      durationMs: reply.elapsedTime,
      ip,
      userAgent: headers['user-agent'],
      trace,
    });
    done();
  });
}

const singleHeader = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** Logs a request as one line. Used by gateways without `onRequestEnd`. */
export const lineInLog =
  (log: Logger) =>
  ({ requestId, method, url, status, durationMs, ip }: RequestRecord): void => {
    // Logs the path without the query, because the query may contain keys and tokens.
    const fields = { requestId, method, path: url.split('?', 1)[0], status, durationMs, ip };
    if (status >= 500) log.warn(fields, 'request');
    else log.info(fields, 'request');
  };
