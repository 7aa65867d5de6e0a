/** The HTTP server of a port: timeouts, size limits, request IDs and responses to requests that can't be parsed. */
import type { IncomingMessage } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { originForm } from '../kernel/origin-form.ts';
import type { Mount } from '../kernel/service.ts';
import type { RequestRecord } from '../kernel/trace.ts';
import { clientErrorHandler, maxHeaderBytes } from './client-error.ts';
import { lazyValidation } from './lazy-validation.ts';
import { type GatewayLimits, headerCheckMs } from './limits.ts';
import { requestIdOf } from './request-id.ts';
import { SafeResponse } from './safe-response.ts';
import { findMount, isUpgradable } from './upgrades.ts';

export interface AppOptions {
  readonly mounts: readonly Mount[];
  readonly limits: GatewayLimits;
  readonly trustProxy: false | ((address: string) => boolean);
  /** Whether pages of any origin may send requests. */
  readonly isOpen: boolean;
  readonly stripForwarding: (request: IncomingMessage) => void;
  readonly onRequestEnd: (record: RequestRecord) => void;
}

/** Responses have no schemas here, so no serializers are generated. */
const plainJson = () => () => JSON.stringify;

/** The keep-alive time for idle connections that is announced to clients, in milliseconds. */
const keepAliveTimeout = 72_000;
/**
 * The additional time for which idle connections are actually kept. A busy client may send its next request late, and
 * the connection must not have been closed just before.
 */
const keepAliveTimeoutBuffer = 10_000;

/**
 * The time without data, in milliseconds, after which the kernel probes whether the client is still connected. A client
 * that lost its network doesn't close its connection, so the server would wait forever for the rest of its body. A slow
 * client responds to the probe and can continue.
 */
const probeAfterMs = 5 * 60 * 1000;

/** Applies to services that don't set a body limit. */
const defaultBodyLimitBytes = 10 * 1024 * 1024;
const maxPathChars = 64 * 1024;
export function createApp(options: AppOptions): FastifyInstance {
  const { mounts, limits, trustProxy, isOpen, stripForwarding, onRequestEnd } = options;
  return Fastify({
    logger: false,
    bodyLimit: defaultBodyLimitBytes,
    trustProxy,
    forceCloseConnections: 'idle',
    keepAliveTimeout,
    // Requests to upgrade to protocols that no service supports (such as cleartext HTTP/2) are handled as plain
    // requests.
    http: {
      ServerResponse: SafeResponse,
      keepAliveTimeoutBuffer,
      keepAlive: true,
      keepAliveInitialDelay: probeAfterMs,
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: limits.headerTimeoutMs,
      connectionsCheckingInterval: headerCheckMs(limits),
      shouldUpgradeCallback: (request) => isUpgradable(mounts, request),
    },
    clientErrorHandler: clientErrorHandler(isOpen),
    // Runs first for every request.
    rewriteUrl: (request) => {
      stripForwarding(request);
      return originForm(request.url ?? '/');
    },
    frameworkErrors: badPathAnswer(mounts, onRequestEnd),
    genReqId: (request) => requestIdOf(request.headers),
    routerOptions: { maxParamLength: maxPathChars, ignoreTrailingSlash: false },
    exposeHeadRoutes: false,
    schemaController: { compilersFactory: { buildValidator: lazyValidation, buildSerializer: plainJson } },
  });
}

function badPathAnswer(mounts: readonly Mount[], onRequestEnd: AppOptions['onRequestEnd']) {
  return (error: Error & { code: string }, request: FastifyRequest, reply: FastifyReply) => {
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
      // The URL can't be parsed, so its secrets couldn't be removed.
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
