/**
 * Creates the HTTP server for a port. Configures the timeouts, size limits and request IDs, and the responses to
 * requests that can't be parsed.
 */
import type { IncomingMessage, Server } from 'node:http';
import { createRequire } from 'node:module';
import type { SecureContext, TlsOptions, Server as TlsServer } from 'node:tls';
import type { BuildCompilerFromPool } from '@fastify/ajv-compiler';
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
import { type GatewayLimits, headerCheckMs } from './limits.ts';
import { requestIdOf } from './overload-response.ts';
import { findMount, pathOf } from './paths.ts';
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
    const mount = findMount(mounts, pathOf(request.url));
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

type Validate = ((data: unknown) => unknown) & { errors?: unknown };

const require = createRequire(import.meta.url);

/**
 * Loads and compiles JSON schema validation when a route is first called. By default, Fastify loads and compiles
 * validation at startup, which would take a quarter of the startup time.
 *
 * The function for Fastify's option `schemaController.compilersFactory.buildValidator`.
 */
const lazyValidation = ((...pool: Parameters<BuildCompilerFromPool>) => {
  let compile: ReturnType<BuildCompilerFromPool> | undefined;
  const compiler = (): ReturnType<BuildCompilerFromPool> => {
    compile ??= (require('@fastify/ajv-compiler')() as BuildCompilerFromPool)(...pool);
    return compile;
  };
  return (route: Parameters<ReturnType<BuildCompilerFromPool>>[0]) => {
    let compiled: Validate | undefined;
    const validate: Validate = (data) => {
      compiled ??= compiler()(route) as unknown as Validate;
      const response = compiled(data);
      validate.errors = compiled.errors;
      return response;
    };
    return validate;
  };
}) as unknown as BuildCompilerFromPool;

/** The oldest TLS version that is allowed. RFC 8996 deprecates TLS 1.0 and 1.1. */
const minVersion = 'TLSv1.2';

/**
 * @param handshakeTimeout The time, in milliseconds, after which a client that hasn't completed the handshake is
 * disconnected
 */
const tlsOptions = (certificates: Certificates, handshakeTimeout: number): TlsOptions => ({
  ...certificates.fallback(),
  minVersion,
  handshakeTimeout,
  SNICallback: (serverName: string, done: (error: Error | null, context?: SecureContext) => void) =>
    done(null, certificates.contextFor(serverName)),
});

/** Applies certificate changes to new connections from clients that don't send a server name. */
export function followCertificates(server: Server, certificates: Certificates): void {
  certificates.onChange(() => {
    (server as Server & TlsServer).setSecureContext({ ...certificates.fallback(), minVersion });
  });
}
