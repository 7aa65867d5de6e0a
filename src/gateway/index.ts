/**
 * An HTTP port: request ID, request log, API keys, CORS, sub-paths, upgrades and `/health`. All APIs share one port.
 * The Console has a separate port.
 *
 * The gateway itself doesn't reject tokens, because services differ in required claims, clock skew, anonymous fallback
 * and error texts. Each service is mounted as an encapsulated child, so its hooks and parsers don't affect other
 * services.
 */
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { defaultConfig } from '../config/index.ts';
import { setGatewayHeaders } from '../kernel/gateway-headers.ts';
import type { Logger } from '../kernel/log.ts';
import type { OwnAddress } from '../kernel/request-origin.ts';
import type { Mount, Service } from '../kernel/service.ts';
import { type RequestRecord, Trace, traces } from '../kernel/trace.ts';
import type { Keys } from '../keys/types.ts';
import { createAdmission } from './admission.ts';
import { type ApiKeyRule, createApiKeyRule } from './api-keys.ts';
import { createApp } from './app.ts';
import { answerPreflight, isPreflight } from './cors.ts';
import { identify } from './identify.ts';
import { type GatewayLimits, limitsFrom } from './limits.ts';
import { metricsRoute } from './metrics.ts';
import { guardOrigin } from './own-origin.ts';
import { watchPace } from './pace.ts';
import { lineInLog } from './request-line.ts';
import { setDocuments } from './safe-response.ts';
import {
  createSecretKeyRule,
  type SecretKeyOptions,
  type SecretKeyRule,
  secretKeyRefusal,
} from './secret-keys.ts';
import { createTrustedProxies, type TrustedProxies } from './trusted-proxies.ts';
import { applyApiKey, dispatchUpgrades, hideOwnCookies } from './upgrades.ts';

export { type GatewayLimits, limitsFrom } from './limits.ts';

export interface GatewayOptions {
  readonly services: readonly Service[];
  readonly keys: Keys;
  readonly log: Logger;
  /** Called for each completed request. Without it, each request is logged as a line. */
  readonly onRequestEnd?: (record: RequestRecord) => void;
  /** Returns the content of `/metrics`. Without it, the endpoint doesn't exist. */
  readonly prometheus?: () => string;
  /** Proxies whose X-Forwarded-* headers are trusted (addresses or CIDR ranges). */
  readonly trustedProxies: readonly string[];
  /** Restricts the port to its own pages at this address. Without it, any page can send requests. */
  readonly own?: OwnAddress;
  /** The redirect target of `/`. Without it, `/` doesn't exist. */
  readonly home?: string;
  /** Adds a hint to the error for an unknown path. */
  readonly hint?: (path: string) => string | undefined;
  /** Options for secret keys in web pages. By default, secret keys from pages of other origins are rejected. */
  readonly secretKeys?: Omit<SecretKeyOptions, 'keys'>;
  /** Defaults to the limits of an empty configuration. */
  readonly limits?: GatewayLimits;
}

export interface Gateway {
  /** Listens and resolves with the port. @throws {Error} such as EADDRINUSE, as thrown by Node. */
  listen(host: string, port: number): Promise<number>;
  /** Handles a request in this process without the network. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Like {@link fetch}, but streams the response body. `init.signal` aborts the request. */
  stream(path: string, init?: RequestInit): Promise<Response>;
  /** Returns all registered routes once listening. `docs/specification.md` is generated from them. */
  routes(): readonly Route[];
  /** Stops accepting connections, finishes requests in flight, and aborts the remaining requests after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The service whose mount received the request. */
    serviceName: string;
  }
}

export interface Route {
  /** `*` for all methods. */
  readonly method: string;
  /** In Fastify's syntax, for example `/storage/v1/bucket/:bucketId`. */
  readonly path: string;
}

/** Sent with a rejection for too many connections. */
const retryAfterSeconds = '5';
/** A WebSocket doesn't end on its own. Its service closes it within this time. */
const upgradedGraceMs = 2000;

export function createGateway(options: GatewayOptions): Gateway {
  const { log, onRequestEnd = lineInLog(log) } = options;
  const apiKeys = createApiKeyRule(options.keys);
  const secretKeys = createSecretKeyRule({
    ...(options.secretKeys ?? { areKnown: false, ownHosts: () => [], isOff: false }),
    keys: options.keys,
  });
  const rules = { apiKeys, secretKeys, keys: options.keys };
  const mounts = options.services.flatMap((service) => service.mounts);
  const limits = options.limits ?? limitsFrom(defaultConfig().plinth.server);
  const proxies = createTrustedProxies(options.trustedProxies);
  const stripForwarding = createForwardingRule(proxies, log);
  const app = createApp({
    mounts,
    limits,
    trustProxy: options.trustedProxies.length > 0 ? proxies.trusts : false,
    isOpen: options.own === undefined,
    stripForwarding,
    onRequestEnd,
  });
  const routes: Route[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    const methods = typeof method === 'string' ? [method] : method;
    if (methods.length >= app.supportedMethods.length) routes.push({ method: '*', path: url });
    else for (const one of methods) routes.push({ method: one, path: url });
  });
  app.decorateReply('gatewayHeaders', undefined);
  app.decorateRequest('trace', undefined);
  app.decorateRequest('serviceName', 'gateway');
  app.decorateRequest('mayUseSecretKeys', false);
  const admission = createAdmission(app.server, limits, proxies);
  const pace = watchPace(app.server, limits);
  admitRequests(app, admission, pace, options.own === undefined);
  if (options.own !== undefined) guardOrigin(app, options.own);
  app.addHook('onSend', (request, reply, _payload, done) => {
    setGatewayHeaders(reply);
    // If a body is too large, Fastify would close the connection. A client that is still sending would be reset and
    // never receive the error. Instead, the rest of the body is read and discarded, as Node does after any other
    // response.
    if (reply.hasHeader('connection')) {
      reply.removeHeader('connection');
      request.raw.resume();
    }
    done();
  });
  reportRequests(app, options.keys, onRequestEnd);
  renderErrors(app, log);
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const hint = options.hint?.(path);
    const message = `Nothing is served at ${path}${hint === undefined ? '' : `. ${hint}`}`;
    reply.code(404).send({ code: 'not_found', message });
  });

  for (const { name, mounts: own } of options.services)
    for (const mount of own) register(app, name, mount, rules);
  if (options.own === undefined) operations(app, options, rules);
  const { home } = options;
  if (home !== undefined)
    app.get('/', { config: { isPage: true } }, (_request, reply) => reply.redirect(home, 302));
  const upgraded = dispatchUpgrades(app.server, mounts, {
    apiKeys,
    secretKeys,
    proxies,
    admission,
    stripForwarding,
    log,
  });

  return {
    async listen(host, port) {
      await app.listen({ host, port });
      return (app.server.address() as AddressInfo).port;
    },
    fetch: (path, init) => injectFetch(app, path, init),
    stream: (path, init) => injectFetch(app, path, init, true),
    routes: () => routes,
    async close(graceMs) {
      const cuts = [
        setTimeout(() => app.server.closeAllConnections(), graceMs),
        setTimeout(
          () => {
            for (const socket of upgraded) socket.destroy();
          },
          Math.min(graceMs, upgradedGraceMs),
        ),
      ];
      // A connection whose last response is sent while the server stops would otherwise be kept alive.
      const sweep = setInterval(() => app.server.closeIdleConnections(), 20);
      for (const timer of [...cuts, sweep]) timer.unref();
      pace.stop();
      await app.close();
      for (const timer of [...cuts, sweep]) clearTimeout(timer);
    },
  };
}

/** Rejects requests above the limits, and starts the request's trace. */
function admitRequests(
  app: FastifyInstance,
  admission: ReturnType<typeof createAdmission>,
  pace: ReturnType<typeof watchPace>,
  isOpen: boolean,
): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.gatewayHeaders = ['x-request-id', request.id];
    request.trace = new Trace(request.id, performance.now());
    pace.watch(request.raw, reply.raw);
    const refusal = admission.admit(request.raw, (release) => void reply.raw.once('close', release));
    if (refusal === undefined) done();
    else {
      reply
        .code(refusal.status)
        .headers({
          connection: 'close',
          'retry-after': retryAfterSeconds,
          ...(isOpen ? { 'access-control-allow-origin': '*' } : {}),
        })
        .send(refusal.body);
    }
  });
}

function reportRequests(
  app: FastifyInstance,
  keys: Keys,
  onRequestEnd: (record: RequestRecord) => void,
): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, url, ip, id, serviceName, trace, headers } = request;
    const status = reply.raw.statusCode;
    if (trace !== undefined && trace.role === undefined && status !== 401)
      identify(trace, headers.authorization, keys);
    onRequestEnd({
      at: Date.now(),
      requestId: id,
      service: serviceName,
      method,
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

function renderErrors(app: FastifyInstance, log: Logger): void {
  app.setErrorHandler((error: Error & { statusCode?: number; code?: string }, request, reply) => {
    const status = error.statusCode !== undefined && error.statusCode >= 400 ? error.statusCode : 500;
    if (status >= 500) log.error({ requestId: request.id, error }, 'request failed');
    reply
      .code(status)
      .send(
        status >= 500
          ? { code: 'internal_error', message: 'Internal server error', requestId: request.id }
          : { code: error.code ?? 'bad_request', message: error.message },
      );
  });
}

/**
 * Logs once that a proxy isn't trusted, which means that its forwarding headers are ignored. Plinth's internal calls
 * use these headers on behalf of their browser.
 */
function createForwardingRule(proxies: TrustedProxies, log: Logger): (request: IncomingMessage) => void {
  let isTold = false;
  return (request) => {
    const claimed = request.headers['x-forwarded-for'];
    if (!proxies.strip(request) || isTold) return;
    const proxy = request.socket.remoteAddress;
    if (claimed === undefined || claimed === proxy) return;
    isTold = true;
    log.warn(
      { proxy },
      "received requests through a proxy that isn't in [server] trusted_proxies in plinth.toml, so all of its clients count as one address",
    );
  };
}

/** Endpoints for operators' tools. */
function operations(app: FastifyInstance, { services, prometheus }: GatewayOptions, rules: KeyRules): void {
  app.get('/health', (_request, reply) => {
    const states = Object.fromEntries(services.map((service) => [service.name, service.health?.() ?? 'ok']));
    const healthy = Object.values(states).every((state) => state === 'ok');
    reply.code(healthy ? 200 : 503).send({ status: healthy ? 'ok' : 'degraded', services: states });
  });
  if (prometheus !== undefined) app.get('/metrics', metricsRoute(prometheus, rules));
}

interface KeyRules {
  readonly apiKeys: ApiKeyRule;
  readonly secretKeys: SecretKeyRule;
  readonly keys: Keys;
}

function register(
  app: FastifyInstance,
  serviceName: string,
  mount: Mount,
  { apiKeys, secretKeys, keys }: KeyRules,
): void {
  const expose = mount.exposeHeaders?.join(',');
  const cors = ['access-control-allow-origin', '*'];
  if (expose !== undefined) cors.push('access-control-expose-headers', expose);
  app.register(
    async (scope) => {
      scope.addHook('onRequest', (request, _reply, done) => {
        request.serviceName = serviceName;
        // Statements of other services are found through the asynchronous context, which makes each of their steps
        // slightly slower.
        if (mount.notesStatements === true || request.trace === undefined) done();
        else traces.run(request.trace, done);
      });
      // The router also matches a percent-encoded prefix, but services remove the prefix by its length.
      scope.addHook('onRequest', (request, reply, done) => {
        if (request.url.startsWith(mount.prefix)) done();
        else reply.callNotFound();
      });
      scope.addHook('onRequest', (request, reply, done) => {
        const { documents = 'users' } = mount;
        setDocuments(reply.raw, documents);
        if (documents !== 'plinth') hideOwnCookies(request.raw);
        // Service workers stay in the browser and can respond to every request below their path.
        if (documents === 'users' && request.headers['service-worker'] !== undefined)
          reply
            .code(403)
            .send({ code: 'service_worker_refused', message: 'No service worker is loaded from here' });
        else done();
      });
      if (mount.cors === 'open') {
        scope.addHook('onRequest', (request, reply, done) => {
          if (isPreflight(request)) {
            answerPreflight(request, reply);
            return;
          }
          reply.gatewayHeaders?.push(...cors);
          done();
        });
      }
      if (mount.apiKeys) {
        scope.addHook('onRequest', (request, reply, done) => {
          request.mayUseSecretKeys = !secretKeys.forbids(request.raw);
          if (!request.mayUseSecretKeys && secretKeys.refuses(request.raw)) {
            reply.code(secretKeyRefusal.status).send(secretKeyRefusal.body);
            return;
          }
          applyApiKey(request.raw, apiKeys);
          const waiting = keys.prepare(request.raw.headers.authorization);
          if (waiting === undefined) done();
          else waiting.then(() => done());
        });
      }
      await scope.register(mount.plugin);
    },
    { prefix: mount.prefix },
  );
}

async function injectFetch(
  app: FastifyInstance,
  path: string,
  init: RequestInit = {},
  asStream = false,
): Promise<Response> {
  const headers = Object.fromEntries(new Headers(init.headers));
  // Requests to other services are attributed to the request that triggered them.
  const asking = traces.getStore();
  if (asking !== undefined) headers['x-request-id'] ??= asking.requestId;
  const body =
    init.body === undefined || init.body === null
      ? undefined
      : Buffer.from(await new Response(init.body).arrayBuffer());
  const method = (init.method ?? 'GET') as 'GET';
  const answer = await app.inject({
    method,
    url: path,
    headers,
    // In-process callers declare the client that they act for.
    remoteAddress: headers['x-forwarded-for'],
    ...(body === undefined ? {} : { payload: body }),
    ...(asStream ? { payloadAsStream: true } : {}),
    ...(asStream && init.signal ? { signal: init.signal } : {}),
  });
  const answered = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) {
    for (const item of Array.isArray(value) ? value : [value])
      if (item !== undefined) answered.append(name, String(item));
  }
  const bodiless = answer.statusCode === 204 || answer.statusCode === 304;
  const payload = (): ReadableStream | Uint8Array<ArrayBuffer> =>
    asStream ? (Readable.toWeb(answer.stream()) as ReadableStream) : new Uint8Array(answer.rawPayload);
  return new Response(bodiless ? null : payload(), {
    status: answer.statusCode,
    headers: answered,
  });
}
