/**
 * An HTTP port: request IDs, request log, API keys, CORS, sub-paths, upgrades and health checks. All APIs share one
 * port, and the Console has a separate port.
 *
 * The gateway doesn't reject tokens itself, because services differ in the claims they require, the clock skew they
 * accept, their anonymous fallback and their error texts. Each service is mounted as an encapsulated child, so its
 * hooks and parsers don't affect other services.
 */
import type { IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { defaultConfig } from '../config/index.ts';
import { setGatewayHeaders } from '../kernel/gateway-headers.ts';
import type { Logger } from '../kernel/log.ts';
import type { OwnAddress } from '../kernel/request-origin.ts';
import type { Mount, Observe, Service } from '../kernel/service.ts';
import type { Certificates } from '../kernel/tls.ts';
import { type RequestRecord, Trace, traces } from '../kernel/trace.ts';
import type { Keys } from '../keys/types.ts';
import { type AdmissionLoad, createAdmission } from './admission.ts';
import { type ApiKeyRule, createApiKeyRule } from './api-keys.ts';
import { type AppOptions, createApp } from './app.ts';
import { isPreflight, sendPreflight } from './cors.ts';
import { deferRoutes } from './deferred-routes.ts';
import type { DispatchLoad } from './dispatcher.ts';
import { createDrain } from './drain.ts';
import { findMount } from './find-mount.ts';
import { createForwarder, type Forwarder, type ForwardOptions, takeSampling } from './forward.ts';
import { HandedOver } from './handed-over.ts';
import { followCertificates } from './https.ts';
import { identify } from './identify.ts';
import { type GatewayLimits, limitsFrom } from './limits.ts';
import { metricsRoute } from './metrics.ts';
import { createObserver } from './observe.ts';
import { rejectOverload } from './overload.ts';
import { guardOrigin } from './own-origin.ts';
import { watchPace } from './pace.ts';
import type { Readiness } from './readiness.ts';
import { lineInLog } from './request-line.ts';
import { setDocuments } from './safe-response.ts';
import {
  createSecretKeyRule,
  type SecretKeyOptions,
  type SecretKeyRule,
  secretKeyRejection,
} from './secret-keys.ts';
import { createTrustedProxies, type TrustedProxies } from './trusted-proxies.ts';
import { applyApiKey, dispatchUpgrades, hideOwnCookies } from './upgrades.ts';

export { probeAfterMs } from './app.ts';
export { type ForwardOptions, type LeadMount, leadMount } from './forward.ts';
export { type GatewayLimits, limitsBehindWorkers, limitsFrom } from './limits.ts';
export { createReadiness, type Readiness, type ReadinessReport } from './readiness.ts';
export { createTrustedProxies, trustedWorkers } from './trusted-proxies.ts';

export interface GatewayOptions {
  readonly services: readonly Service[];
  readonly keys: Keys;
  readonly log: Logger;
  /** Called for each completed request. If undefined, each request is logged as one line. */
  readonly onRequestEnd?: (record: RequestRecord) => void;
  /** Returns the content of `/health` and `/health/ready`. If undefined, these endpoints don't exist. */
  readonly readiness?: Readiness;
  /** Returns the content of `/metrics`. If undefined, the endpoint doesn't exist. */
  readonly prometheus?: () => Promise<string>;
  /** Returns the proxies whose X-Forwarded-* headers are currently trusted. Defaults to none. */
  readonly trustedProxies?: () => TrustedProxies;
  /** The origin of the port's own pages. If set, only these pages can send requests. If undefined, any page can. */
  readonly own?: OwnAddress;
  /** The redirect target of `/`. If undefined, `/` doesn't exist. */
  readonly home?: string;
  /** Returns a hint to add to the error for an unknown path. */
  readonly hint?: (path: string) => string | undefined;
  /** Options for secret keys in web pages. By default, secret keys from pages with other origins are rejected. */
  readonly secretKeys?: Omit<SecretKeyOptions, 'keys'>;
  /** Returns the callers whose `traceparent` decides whether a request is traced. Defaults to `none`. */
  readonly tracedCallers?: () => 'none' | 'proxies' | 'all';
  /** Returns the current limits. Defaults to the limits of an empty configuration. */
  readonly limits?: () => GatewayLimits;
  /** If set, this gateway belongs to an API worker, and all requests that its services don't handle go to the lead. */
  readonly forward?: ForwardOptions | undefined;
  /** Whether this gateway belongs to the lead, which receives requests only from its API workers. */
  readonly isBehindWorkers?: boolean;
  /** Enables HTTPS. The certificates must already be loaded. */
  readonly tls?: PortTls | undefined;
  /** Whether the routes of most mounts are registered by {@link Gateway.complete}, so that the port listens sooner. */
  readonly defersRoutes?: boolean;
}

export interface PortTls {
  readonly certificates: Certificates;
  /** The value of the Strict-Transport-Security header. If undefined, the header isn't sent. */
  readonly strictTransport: string | undefined;
}

export interface Gateway {
  /** Listens, and resolves with the port. @throws {Error} from Node, such as EADDRINUSE */
  listen(host: string, port: number): Promise<number>;
  listenOn(socketPath: string): Promise<void>;
  /** Registers the routes that `defersRoutes` has deferred. Requests for them wait until then. */
  complete(): Promise<void>;
  /** Serves a connection that another process has accepted. */
  accept(socket: Socket): void;
  /** The number of connections from {@link accept} that are open. */
  readonly accepted: number;
  /** Handles a request within this process, without using the network. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Sends a request like {@link fetch}, but streams the response body. Aborting `init.signal` aborts the request. */
  stream(path: string, init?: RequestInit): Promise<Response>;
  /** Runs the work of one service for another, and reports it like a request. */
  readonly observe: Observe;
  load(): GatewayLoad;
  /** Returns the load of the queue in front of the services. Undefined if requests of the port are never rejected. */
  queue(): GatewayQueue | undefined;
  /** Returns all registered routes once the port listens and {@link complete} has resolved. `docs/specification.md` is generated from this list. */
  routes(): readonly Route[];
  /**
   * Closes each connection after its next response. When no connection is left, or after `drainMs`, stops accepting
   * connections, finishes requests in flight, and aborts the remaining requests after `graceMs`. With `untilIdle`, the
   * drain ends as soon as no connection from {@link accept} is open.
   */
  close(graceMs: number, drainMs?: number, untilIdle?: boolean): Promise<void>;
}

/** The current load of a port, for `/metrics`. */
export interface GatewayLoad extends AdmissionLoad {
  readonly websockets: number;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The service whose mount received the request. */
    serviceName: string;
    /** Whether the lead handles the request, and reports it. */
    isForwarded: boolean;
  }
}

export interface GatewayQueue extends DispatchLoad {
  /** The number of rejected requests per mount. */
  readonly rejectedByPrefix: ReadonlyMap<string, number>;
}

export interface Route {
  /** The HTTP method, or `*` for all methods. */
  readonly method: string;
  /** The path in Fastify's syntax, such as `/storage/v1/bucket/:bucketId`. */
  readonly path: string;
}

/** The response to a request that is rejected because there are too many connections. */
const retryAfterSeconds = '5';
/** The time within which services close their WebSockets at shutdown, in milliseconds. */
const upgradedGraceMs = 2000;

export function createGateway(options: GatewayOptions): Gateway {
  const { log, onRequestEnd = lineInLog(log) } = options;
  const apiKeys = createApiKeyRule(options.keys);
  const secretKeys = createSecretKeyRule({
    ...(options.secretKeys ?? { areKnown: false, ownHosts: () => [], isOff: () => false }),
    keys: options.keys,
  });
  const rules = { apiKeys, secretKeys, keys: options.keys };
  const ownMounts = options.services.flatMap((service) => service.mounts);
  const forwarder =
    options.forward &&
    createForwarder({ ...options.forward, strictTransport: options.tls?.strictTransport, log });
  const mounts = [...ownMounts, ...(forwarder?.mounts ?? [])];
  const isOwn = (path: string): boolean => path === livePath || findMount(ownMounts, path) !== undefined;
  const limits = options.limits ?? constant(limitsFrom(defaultConfig().plinth.server));
  const proxies = currentProxies(options.trustedProxies ?? constant(createTrustedProxies([])));
  const stripForwarding = createForwardingRule(proxies, log);
  const appOptions: AppOptions = {
    mounts,
    limits: limits(),
    trustProxy: proxies.trusts,
    isOpen: options.own === undefined,
    stripForwarding,
    onRequestEnd,
    certificates: options.tls?.certificates,
    takeBadPath(request, reply) {
      if (forwarder === undefined || isOwn(pathOf(request.url))) return false;
      forwarder.request(request, reply);
      return true;
    },
  };
  const app = createApp(appOptions);
  if (options.tls !== undefined) followCertificates(app.server, options.tls.certificates);
  const routes: Route[] = [];
  const handedOver = new HandedOver(app.server);
  const admission = createAdmission(app.server, limits, proxies);
  const pace = watchPace(app.server, limits);
  const drain = createDrain();
  const isDeferred = (mount: Mount): boolean => options.defersRoutes === true && mount.isFirst !== true;
  const prepare = (one: FastifyInstance, isIncluded: (mount: Mount) => boolean): void => {
    recordRoutes(one, routes);
    one.addHook('onRequest', drain.onRequest);
    admitRequests(one, admission, pace, proxies, options);
    if (forwarder !== undefined) forwardRequests(one, forwarder, isOwn);
    if (options.own !== undefined) guardOrigin(one, options.own);
    finishHeads(one);
    reportRequests(one, options.keys, onRequestEnd);
    renderErrors(one, log);
    respondToUnknownPaths(one, options);
    for (const { name, mounts: own } of options.services)
      for (const mount of own.filter(isIncluded)) register(one, name, mount, rules);
  };
  prepare(app, (mount) => !isDeferred(mount));
  const deferred = deferRoutes(app, ownMounts.filter(isDeferred), () => {
    const other = createApp(appOptions);
    prepare(other, isDeferred);
    return other;
  });
  if (options.own === undefined) operations(app, options, rules);
  const { home } = options;
  if (home !== undefined)
    app.get('/', { config: { isPage: true } }, (_request, reply) => reply.redirect(home, 302));
  // The requests of the Console's port are never rejected, because an operator needs them to find the cause.
  const overload =
    options.own === undefined
      ? rejectOverload(app.server, {
          mounts,
          proxies,
          limits: limits().dispatch,
          log,
          watch: (request, response) => pace.watch(request, response),
        })
      : undefined;
  const upgraded = dispatchUpgrades(app.server, mounts, {
    overload,
    apiKeys,
    secretKeys,
    proxies,
    admission,
    stripForwarding,
    log,
  });

  return {
    async listen(host, port) {
      // For the name `localhost`, Fastify opens a separate server per address, without the listeners that are added here.
      await app.listen({ host: host === 'localhost' ? '127.0.0.1' : host, port });
      return (app.server.address() as AddressInfo).port;
    },
    async listenOn(socketPath) {
      await app.listen({ path: socketPath });
    },
    complete: () => deferred.register(),
    accept: (socket) => handedOver.add(socket),
    get accepted() {
      return handedOver.size;
    },
    fetch: (path, init) => injectFetch(deferred.appOf(path), path, init),
    stream: (path, init) => injectFetch(deferred.appOf(path), path, init, true),
    observe: createObserver(options.keys, onRequestEnd),
    load() {
      const load = admission.load();
      return { ...load, inFlight: load.inFlight - upgraded.size, websockets: upgraded.size };
    },
    routes: () => routes,
    queue: () => overload && { ...overload.load(), rejectedByPrefix: overload.rejected() },
    async close(graceMs, drainMs = 0, untilIdle = false) {
      await drain.begin(drainMs, untilIdle ? handedOver.whenIdle(upgraded) : undefined);
      const cuts = [
        setTimeout(() => {
          app.server.closeAllConnections();
          handedOver.destroyAll();
        }, graceMs),
        setTimeout(
          () => {
            for (const socket of upgraded) socket.destroy();
          },
          Math.min(graceMs, upgradedGraceMs),
        ),
      ];
      // Otherwise, a connection that receives its last response while the server stops would be kept alive.
      const sweep = setInterval(() => app.server.closeIdleConnections(), 20);
      for (const timer of [...cuts, sweep]) timer.unref();
      pace.stop();
      // The server doesn't wait for connections that another process has accepted.
      await handedOver.whenIdle(nothing);
      await Promise.all([app.close(), deferred.close()]);
      forwarder?.stop();
      for (const timer of [...cuts, sweep]) clearTimeout(timer);
    },
  };
}

const constant =
  <T>(value: T) =>
  (): T =>
    value;

/** Returns a view of the trusted proxies that reads the current configuration on each call. */
const currentProxies = (current: () => TrustedProxies): TrustedProxies => ({
  trusts: (address) => current().trusts(address),
  clientOf: (request) => current().clientOf(request),
  strip: (request) => current().strip(request),
});

/** Adds the routes to the list, and declares what the hooks add to requests. */
function recordRoutes(app: FastifyInstance, routes: Route[]): void {
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

function respondToUnknownPaths(app: FastifyInstance, { hint }: Pick<GatewayOptions, 'hint'>): void {
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const advice = hint?.(path);
    const message = `Nothing is served at ${path}${advice === undefined ? '' : `. ${advice}`}`;
    reply.code(404).send({ code: 'not_found', message });
  });
}

function finishHeads(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    setGatewayHeaders(reply);
    // Fastify would close the connection if a body is too large. A client that is still sending would then receive a
    // connection reset instead of the error. Therefore, the rest of the body is read and discarded, as Node does after
    // any other response.
    if (reply.hasHeader('connection')) {
      reply.removeHeader('connection');
      request.raw.resume();
    }
    done();
  });
}

const pathOf = (url: string): string => url.split('?', 1)[0] ?? '/';
const livePath = '/health/live';
const nothing: ReadonlySet<object> = new Set();

/** Passes the requests of all other paths to the lead, with their bodies unread. */
function forwardRequests(app: FastifyInstance, forwarder: Forwarder, isOwn: (path: string) => boolean): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (isOwn(pathOf(request.url))) {
      done();
      return;
    }
    request.isForwarded = true;
    forwarder.request(request, reply);
  });
}

/** Rejects requests above the limits, and starts the request's trace. */
function admitRequests(
  app: FastifyInstance,
  admission: ReturnType<typeof createAdmission>,
  pace: ReturnType<typeof watchPace>,
  proxies: TrustedProxies,
  {
    own,
    tls,
    tracedCallers = () => 'none',
    isBehindWorkers = false,
  }: Pick<GatewayOptions, 'own' | 'tls' | 'tracedCallers' | 'isBehindWorkers'>,
): void {
  const keepsSampling = (request: IncomingMessage): boolean =>
    isBehindWorkers ? takeSampling(request) : trustsCaller(request);
  const trustsCaller = ({ socket }: IncomingMessage): boolean =>
    tracedCallers() === 'all' || (tracedCallers() === 'proxies' && proxies.trusts(socket.remoteAddress));
  const isOpen = own === undefined;
  const strictTransport = tls?.strictTransport;
  app.addHook('onRequest', (request, reply, done) => {
    reply.gatewayHeaders = ['x-request-id', request.id];
    if (strictTransport !== undefined)
      reply.gatewayHeaders.push('strict-transport-security', strictTransport);
    request.trace = new Trace(request.id, performance.now());
    // A request that the Console sends to another service belongs to the Console's operator.
    request.trace.operator = traces.getStore()?.operator;
    const traceparent = singleHeader(request.headers.traceparent);
    if (traceparent !== undefined) {
      request.trace.traceparent = traceparent;
      request.trace.keepsSampling = keepsSampling(request.raw);
    }
    pace.watch(request.raw, reply.raw);
    const rejection = admission.admit(request.raw, (release) => void reply.raw.once('close', release));
    if (rejection === undefined) done();
    else {
      reply
        .code(rejection.status)
        .headers({
          connection: 'close',
          'retry-after': retryAfterSeconds,
          ...(isOpen ? { 'access-control-allow-origin': '*' } : {}),
        })
        .send(rejection.body);
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
 * Logs once that the forwarding headers of an untrusted proxy are ignored. Plinth's internal calls set these headers on
 * behalf of the browser.
 */
function createForwardingRule(proxies: TrustedProxies, log: Logger): (request: IncomingMessage) => void {
  let isWarned = false;
  return (request) => {
    const claimed = request.headers['x-forwarded-for'];
    if (!proxies.strip(request) || isWarned) return;
    const proxy = request.socket.remoteAddress;
    if (claimed === undefined || claimed === proxy) return;
    isWarned = true;
    log.warn(
      { proxy },
      "received requests through a proxy that isn't in [server] trusted_proxies in plinth.toml, so all of its clients count as one address",
    );
  };
}

/** Registers the endpoints that operators' tools use. */
function operations(app: FastifyInstance, { readiness, prometheus }: GatewayOptions, rules: KeyRules): void {
  app.get(livePath, (_request, reply) => {
    reply.header('cache-control', 'no-store').send({ status: 'ok' });
  });
  if (readiness !== undefined) {
    for (const path of ['/health', '/health/ready'])
      app.get(path, async (_request, reply) => {
        const report = await readiness.report();
        const isReady = report.status === 'ok' || report.status === 'degraded';
        return reply
          .code(isReady ? 200 : 503)
          .header('cache-control', 'no-store')
          .send(report);
      });
  }
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
        // In other services, statements are attributed to a request through the asynchronous context, which slows down
        // each of their steps slightly.
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
        // A service worker remains in the browser and can respond to every request below its path.
        if (documents === 'users' && request.headers['service-worker'] !== undefined)
          reply
            .code(403)
            .send({ code: 'service_worker_refused', message: "This server doesn't allow service workers" });
        else done();
      });
      if (mount.cors === 'open') {
        scope.addHook('onRequest', (request, reply, done) => {
          if (isPreflight(request)) {
            sendPreflight(request, reply);
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
            reply.code(secretKeyRejection.status).send(secretKeyRejection.body);
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
  // Requests to other services are attributed to the request during which they are sent.
  const asking = traces.getStore();
  if (asking !== undefined) headers['x-request-id'] ??= asking.requestId;
  const body =
    init.body === undefined || init.body === null
      ? undefined
      : Buffer.from(await new Response(init.body).arrayBuffer());
  const method = (init.method ?? 'GET') as 'GET';
  const response = await app.inject({
    method,
    url: path,
    headers,
    // Callers in this process specify the client for which they send the request.
    remoteAddress: headers['x-forwarded-for'],
    ...(body === undefined ? {} : { payload: body }),
    ...(asStream ? { payloadAsStream: true } : {}),
    ...(asStream && init.signal ? { signal: init.signal } : {}),
  });
  const responseHeaders = new Headers();
  for (const [name, value] of Object.entries(response.headers)) {
    for (const item of Array.isArray(value) ? value : [value])
      if (item !== undefined) responseHeaders.append(name, String(item));
  }
  const bodiless = response.statusCode === 204 || response.statusCode === 304;
  const payload = (): ReadableStream | Uint8Array<ArrayBuffer> =>
    asStream ? (Readable.toWeb(response.stream()) as ReadableStream) : new Uint8Array(response.rawPayload);
  return new Response(bodiless ? null : payload(), {
    status: response.statusCode,
    headers: responseHeaders,
  });
}

const singleHeader = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;
