/** Creates the gateways for the ports of the API and the Console. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../base/kernel/log.ts';
import type { Service } from '../../base/kernel/service.ts';
import type { ConsoleService } from '../../pages/console/index.ts';
import type { Gateway, PortTls, Readiness } from '../gateway/index.ts';
import type { Tls } from '../tls/index.ts';
import type { Addresses } from './addresses.ts';
import type { ApiWorkers } from './api-workers.ts';
import { httpsSettings } from './https.ts';
import type { Modules } from './modules.ts';
import type { BackendParts } from './types.ts';

export interface Gateways {
  readonly api: Gateway;
  /** Undefined if the Console isn't enabled. */
  readonly console: Gateway | undefined;
  /**
   * Opens the API's port. As soon as the port is open, REST requests are served. Requests for other services wait for
   * {@link Gateways.complete}.
   */
  listen(): Promise<void>;
  /** Registers the routes of all other services and opens the Console's port. */
  complete(): Promise<void>;
  close(graceMs: number, drainMs: number): Promise<void>;
}

export interface GatewaysInput {
  readonly services: readonly Service[];
  readonly consoleService: ConsoleService;
  readonly readiness: Readiness;
  /** Returns the response body of `/metrics`. */
  readonly metricsText: () => Promise<string>;
  readonly addresses: Addresses;
  /** Undefined if the ports use unencrypted HTTP. */
  readonly tls: Tls | undefined;
  /** Undefined if this process serves the API's port itself. */
  readonly apiWorkers: ApiWorkers | undefined;
}

const maxDeferMs = 100;

export function createGateways(
  { config, live, keys, log, mode, telemetry }: BackendParts,
  { gateway }: Modules,
  { services, consoleService, readiness, metricsText, addresses, tls, apiWorkers }: GatewaysInput,
): Gateways {
  const common = {
    keys,
    log: log.child({ service: 'gateway' }),
    onRequestEnd: telemetry.requestEnded,
    trustedProxies: live.derive(({ plinth }) => gateway.createTrustedProxies(plinth.server.trusted_proxies)),
    tracedCallers: () => live.current.plinth.telemetry.trust_incoming,
    limits: live.derive(({ plinth }) => gateway.limitsFrom(plinth.server)),
    tls: tls && portTls(tls, httpsSettings(config, mode)?.strictTransport),
  };
  warnOfFewFiles(config.plinth.server.max_connections, common.limits().maxConnections, log);
  const hasConsole = services.includes(consoleService);
  const api = gateway.createGateway({
    ...common,
    defersRoutes: true,
    // If there are API workers, the workers apply the limits and handle HTTPS.
    ...(apiWorkers === undefined
      ? {}
      : {
          isBehindWorkers: true,
          trustedProxies: () => gateway.trustedWorkers,
          limits: () => gateway.limitsBehindWorkers(common.limits()),
          tls: undefined,
        }),
    services: services.filter((service) => service !== consoleService),
    secretKeys: {
      areKnown: keys.wellKnown.length > 0,
      ownHosts: () => [new URL(addresses.apiUrl()).host],
      isOff: () => live.current.plinth.server.browser_secret_keys,
    },
    readiness,
    prometheus: metricsText,
    hint: (path) =>
      mode === 'development' && hasConsole && /^\/(?:console(?:\/|$)|$)/.test(path)
        ? `The Console is at ${addresses.consoleUrl()}`
        : undefined,
  });
  const consoleGateway = hasConsole
    ? gateway.createGateway({
        ...common,
        services: [consoleService],
        own: { publicUrl: addresses.consolePublicUrl, scheme: addresses.scheme },
        home: '/console/',
      })
    : undefined;
  return {
    api,
    console: consoleGateway,
    async listen() {
      if (apiWorkers === undefined) addresses.apiListens(await api.listen(addresses.host, addresses.port));
      else await apiWorkers.listen();
    },
    async complete() {
      await untilIdle(api);
      await api.complete();
      if (consoleGateway !== undefined)
        addresses.consoleListens(await consoleGateway.listen(addresses.consoleHost, addresses.consolePort));
      await tls?.start();
    },
    async close(graceMs, drainMs) {
      tls?.stop();
      await Promise.all([
        (apiWorkers ?? api).close(graceMs, drainMs),
        consoleGateway?.close(graceMs, drainMs),
      ]);
    },
  };
}

/**
 * Waits briefly until the responses to requests that have already arrived are complete, because registering routes
 * blocks the thread.
 */
async function untilIdle(api: Gateway): Promise<void> {
  const deadline = performance.now() + maxDeferMs;
  while (api.load().inFlight > 0 && performance.now() < deadline) await sleep(5);
}

function warnOfFewFiles(configured: number | undefined, possible: number, log: Logger): void {
  if (configured === undefined || configured <= possible) return;
  log.warn(
    { configured, limit: possible },
    'lowered [server] max_connections, because the process can open too few files. Increase the limit (LimitNOFILE in a systemd unit, or "ulimit -n")',
  );
}

const portTls = ({ certificates }: Tls, strictTransport: string | undefined): PortTls => ({
  certificates,
  strictTransport,
});
