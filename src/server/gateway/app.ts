/**
 * Creates the HTTP server for a port. Configures the timeouts, size limits and request IDs, and the responses to
 * requests that can't be parsed.
 */
import type { IncomingMessage } from 'node:http';
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify';
import { originForm } from '../../base/kernel/http.ts';
import type { Mount } from '../../base/kernel/service.ts';
import type { Certificates } from '../../base/kernel/tls.ts';
import type { RequestRecord } from '../../base/kernel/trace.ts';
import { clientErrorHandler, maxHeaderBytes } from './client-error.ts';
import { findMount } from './find-mount.ts';
import { tlsOptions } from './https.ts';
import { lazyValidation } from './lazy-validation.ts';
import { type GatewayLimits, headerCheckMs } from './limits.ts';
import { requestIdOf } from './request-id.ts';
import { SafeResponse } from './safe-response.ts';
import { isUpgradable } from './upgrades.ts';

export interface AppOptions {
  readonly mounts: readonly Mount[];
  readonly limits: GatewayLimits;
  readonly trustProxy: (address: string) => boolean;
  /** Whether web pages of any origin can send requests. */
  readonly isOpen: boolean;
  readonly stripForwarding: (request: IncomingMessage) => void;
  readonly onRequestEnd: (record: RequestRecord) => void;
  /** Without certificates, the port uses unencrypted HTTP. */
  readonly certificates: Certificates | undefined;
  /** Called for a path with invalid percent-encoding. Returns true if another process responds to the request. */
  readonly takeBadPath: (request: FastifyRequest, reply: FastifyReply) => boolean;
}

/** Routes don't declare response schemas, so Fastify's compiled serializers aren't needed. */
const plainJson = () => () => JSON.stringify;

/** The keep-alive time in milliseconds that is announced to clients for idle connections. */
const keepAliveTimeout = 72_000;
/**
 * The additional time for which idle connections are kept open. Without this additional time, the server might close
 * the connection just before a busy client's next request arrives.
 */
const keepAliveTimeoutBuffer = 10_000;

/**
 * The time without data, in milliseconds, after which the kernel probes whether the client is still connected. A client
 * that loses its network access can't close its connection. Without probes, the server would wait indefinitely for the
 * rest of such a client's request body. Slow clients respond to the probes, so their connections aren't closed.
 */
export const probeAfterMs = 5 * 60 * 1000;

/** The body limit for services that don't set a limit. */
const defaultBodyLimitBytes = 10 * 1024 * 1024;
const maxPathChars = 64 * 1024;
export function createApp(options: AppOptions): FastifyInstance {
  const { mounts, limits, trustProxy, isOpen, stripForwarding, onRequestEnd, certificates, takeBadPath } =
    options;
  // Requests to upgrade to protocols that no service supports (such as cleartext HTTP/2) are handled as plain requests.
  const listener = {
    ServerResponse: SafeResponse,
    keepAliveTimeoutBuffer,
    keepAlive: true,
    keepAliveInitialDelay: probeAfterMs,
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: limits.headerTimeoutMs,
    connectionsCheckingInterval: headerCheckMs(limits),
    shouldUpgradeCallback: (request: IncomingMessage) => isUpgradable(mounts, request),
  };
  return Fastify({
    ...(certificates === undefined
      ? { http: listener }
      : { https: { ...listener, ...tlsOptions(certificates, limits.headerTimeoutMs) } }),
    logger: false,
    bodyLimit: defaultBodyLimitBytes,
    trustProxy,
    forceCloseConnections: 'idle',
    // Requests that arrive on open connections are handled even while the port is being closed.
    return503OnClosing: false,
    keepAliveTimeout,
    clientErrorHandler: clientErrorHandler(isOpen),
    // Fastify calls this function first for every request.
    rewriteUrl: (request) => {
      stripForwarding(request);
      return originForm(request.url ?? '/');
    },
    frameworkErrors: badPathResponse(mounts, onRequestEnd, takeBadPath),
    genReqId: (request) => requestIdOf(request.headers),
    routerOptions: { maxParamLength: maxPathChars, ignoreTrailingSlash: false },
    exposeHeadRoutes: false,
    schemaController: { compilersFactory: { buildValidator: lazyValidation, buildSerializer: plainJson } },
  } as FastifyServerOptions);
}

function badPathResponse(
  mounts: readonly Mount[],
  onRequestEnd: AppOptions['onRequestEnd'],
  takeBadPath: AppOptions['takeBadPath'],
) {
  return (error: Error & { code: string }, request: FastifyRequest, reply: FastifyReply) => {
    if (takeBadPath(request, reply)) return;
    const mount = findMount(mounts, request.url.split('?', 1)[0] ?? '/');
    const { status, body } = mount?.badPath ?? {
      status: 400,
      body: { code: error.code, message: error.message },
    };
    reply.raw.setHeader('x-request-id', request.id);
    if (mount?.cors === 'open') reply.raw.setHeader('access-control-allow-origin', '*');
    onRequestEnd({
      at: Date.now(),
      requestId: request.id,
      service: 'gateway',
      method: request.method,
      // The URL is omitted, because it can't be parsed, so secrets can't be removed from it.
      url: '',
      status,
      durationMs: 0,
      ip: request.ip,
      userAgent: request.headers['user-agent'],
      trace: undefined,
    });
    reply.code(status).send(body);
  };
}
