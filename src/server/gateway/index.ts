/**
 * Opens an HTTP port with request IDs, a request log, API keys, CORS, sub-paths, upgrades and health checks. All APIs
 * share one port, and the Console has a separate port.
 *
 * The gateway doesn't reject tokens itself, because services differ in the claims that they require, the clock skew
 * that they accept, their handling of anonymous requests, and their error texts. Each service is mounted as an
 * encapsulated child of the app, so its hooks and parsers don't affect other services.
 */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { Mount } from '../../base/kernel/service.ts';
import { maxBacklog } from '../../base/shared/network/backlog.ts';
import { defaultConfig } from '../../platform/config/index.ts';
import { createAdmission } from './admission.ts';
import { createApiKeyRule } from './api-keys.ts';
import { type AppOptions, createApp, followCertificates } from './app.ts';
import { deferRoutes, type RouteGroup } from './deferred-routes.ts';
import { createDrain, HandedOver } from './drain.ts';
import { renderErrors, respondToUnknownPaths } from './error-responses.ts';
import { createForwarder } from './forward.ts';
import { injectFetch } from './inject.ts';
import { limitsFrom } from './limits.ts';
import { registerMount } from './mount.ts';
import { createObserver } from './observe.ts';
import { livePath, registerOperatorRoutes } from './operator-routes.ts';
import { rejectOverload } from './overload.ts';
import { guardOrigin } from './own-origin.ts';
import { watchPace } from './pace.ts';
import { findMount, pathOf } from './paths.ts';
import {
  createStart,
  finishHeads,
  forwardRequests,
  lineInLog,
  recordRoutes,
  reportRequests,
  startRequests,
} from './request-hooks.ts';
import { createSecretKeyRule } from './secret-keys.ts';
import { sendSharedResponses } from './shared-responses.ts';
import { createForwardingRule, createTrustedProxies, currentProxies } from './trusted-proxies.ts';
import type { Gateway, GatewayOptions, Route } from './types.ts';
import { dispatchUpgrades } from './upgrades.ts';

export { probeAfterMs } from './app.ts';
export { type ForwardedMount, type ForwardOptions, forwardedMount } from './forward.ts';
export { type GatewayLimits, limitsBehindWorkers, limitsFrom } from './limits.ts';
export { createReadiness, type Readiness, type ReadinessReport } from './readiness.ts';
export { createTrustedProxies, trustedWorkers } from './trusted-proxies.ts';
export type { Gateway, GatewayLoad, GatewayOptions, GatewayQueue, PortTls, Route } from './types.ts';

const nothing: ReadonlySet<object> = new Set();
/** The maximum time, in milliseconds, that services have for closing their WebSockets at shutdown. */
const upgradedGraceMs = 2000;

export function createGateway(options: GatewayOptions): Gateway {
  const { log, onRequestEnd = lineInLog(log) } = options;
  const apiKeys = createApiKeyRule(options.keys);
  const secretKeys = createSecretKeyRule({
    ...(options.secretKeys ?? { areKnown: false, ownHosts: () => [], isOff: () => false }),
    keys: options.keys,
  });
  const rules = {
    ...{ apiKeys, secretKeys, keys: options.keys, log },
    exchangeUserKey: options.exchangeUserKey ?? (async () => undefined),
  };
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
  const start = createStart({ admission, pace, proxies, drain }, options);
  const isOnDemand = (mount: Mount): boolean => mount.isOnDemand === true;
  const isDeferred = (mount: Mount): boolean =>
    !isOnDemand(mount) && options.defersRoutes === true && mount.isFirst !== true;
  const prepare = (one: FastifyInstance, isIncluded: (mount: Mount) => boolean): void => {
    recordRoutes(one, routes);
    startRequests(one, start, options.own === undefined);
    if (forwarder !== undefined) forwardRequests(one, forwarder, isOwn);
    if (options.own !== undefined) guardOrigin(one, options.own);
    finishHeads(one);
    reportRequests(one, options.keys, onRequestEnd);
    renderErrors(one, log);
    respondToUnknownPaths(one, ownMounts, options);
    for (const { name, mounts: own } of options.services)
      for (const mount of own.filter(isIncluded)) registerMount(one, name, mount, rules);
  };
  prepare(app, (mount) => !isDeferred(mount) && !isOnDemand(mount));
  const groupOf = (isIncluded: (mount: Mount) => boolean): RouteGroup => ({
    mounts: ownMounts.filter(isIncluded),
    isOnDemand: isIncluded === isOnDemand,
    create() {
      const other = createApp(appOptions);
      prepare(other, isIncluded);
      return other;
    },
  });
  const deferred = deferRoutes(app, [groupOf(isDeferred), groupOf(isOnDemand)], (error) =>
    log.error({ error }, 'failed to register routes'),
  );
  if (options.own === undefined) registerOperatorRoutes(app, options, rules);
  const { home } = options;
  if (home !== undefined)
    app.get('/', { config: { isPage: true } }, (_request, reply) => reply.redirect(home, 302));
  const { services } = options;
  if (options.own === undefined)
    sendSharedResponses(app.server, { services, rules, start, stripForwarding, proxies, onRequestEnd });
  // Requests on the Console's port are never rejected, because operators need the Console to diagnose an overload.
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
      // For the name `localhost`, Fastify opens a separate server per address, without the listeners that the gateway
      // adds to `app.server`.
      await app.listen({ host: host === 'localhost' ? '127.0.0.1' : host, port, backlog: maxBacklog });
      return (app.server.address() as AddressInfo).port;
    },
    async listenOn(socketPath) {
      await app.listen({ path: socketPath, backlog: maxBacklog });
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
    async routes() {
      await deferred.registerAll();
      return routes;
    },
    queue: () => overload && { ...overload.load(), rejectedByPrefix: overload.rejected() },
    async close(graceMs, drainMs = 0, untilIdle = false) {
      await drain.begin(drainMs, untilIdle ? handedOver.whenIdle(upgraded) : undefined);
      const stopTimers = closeConnections(app.server, { handedOver, upgraded, graceMs });
      pace.stop();
      // `app.close` doesn't wait for connections that another process has accepted.
      await handedOver.whenIdle(nothing);
      await Promise.all([app.close(), deferred.close()]);
      forwarder?.stop();
      stopTimers();
    },
  };
}

interface ConnectionsToClose {
  readonly handedOver: HandedOver;
  readonly upgraded: ReadonlySet<Duplex>;
  readonly graceMs: number;
}

/** Closes idle connections repeatedly, and other connections after the grace period. Returns a function that stops it. */
function closeConnections(server: Server, { handedOver, upgraded, graceMs }: ConnectionsToClose): () => void {
  const cuts = [
    setTimeout(() => {
      server.closeAllConnections();
      handedOver.destroyAll();
    }, graceMs),
    setTimeout(
      () => {
        for (const socket of upgraded) socket.destroy();
      },
      Math.min(graceMs, upgradedGraceMs),
    ),
  ];
  // Without this timer, a connection on which the last response is sent during the shutdown would be kept alive.
  const sweep = setInterval(() => server.closeIdleConnections(), 20);
  for (const timer of [...cuts, sweep]) timer.unref();
  return () => {
    for (const timer of [...cuts, sweep]) clearTimeout(timer);
  };
}

const constant =
  <T>(value: T) =>
  (): T =>
    value;
