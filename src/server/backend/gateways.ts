/** Creates the gateways for the ports of the API and the Console. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../base/kernel/log.ts';
import type { Service } from '../../base/kernel/service.ts';
import type { Gateway, GatewayOptions, PortTls, Readiness } from '../gateway/index.ts';
import type { Tls } from '../tls/index.ts';
import type { Addresses } from './addresses.ts';
import type { ApiWorkers } from './api-workers.ts';
import { httpsSettings } from './https.ts';
import type { Modules } from './modules.ts';
import type { BackendParts } from './parts.ts';

/**
 * The gateways are created before the services, because services send requests through them. This is the only circle in
 * the server: {@link Gateways.mount} adds the services. Before that, every other member throws an error.
 */
export interface Gateways extends Pick<Gateway, 'fetch' | 'stream' | 'observe'> {
  mount(mounted: Mounted): void;
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

/** The services behind the ports, and the parts of the server that report about them. */
export interface Mounted {
  readonly apiServices: readonly Service[];
  /** Exchanges users' API keys. Undefined if the auth service isn't enabled. */
  readonly exchangeUserKey: GatewayOptions['exchangeUserKey'];
  /** Undefined if the Console isn't enabled. */
  readonly consoleService: Service | undefined;
  readonly readiness: Readiness;
  /** Returns the response body of `/metrics`. */
  readonly metricsText: () => Promise<string>;
  /** Undefined if this process serves the API's port itself. */
  readonly apiWorkers: ApiWorkers | undefined;
}

interface GatewaysInput {
  readonly addresses: Addresses;
  /** Undefined if the ports use unencrypted HTTP. */
  readonly tls: Tls | undefined;
}

const maxDeferMs = 100;

export function createGateways(parts: BackendParts, modules: Modules, input: GatewaysInput): Gateways {
  const { addresses, tls } = input;
  let known: (ReturnType<typeof openGateways> & Pick<Mounted, 'apiWorkers'>) | undefined;
  const opened = () => {
    if (known === undefined) throw new Error('the gateways have no services yet');
    return known;
  };
  return {
    mount(mounted) {
      known = { ...openGateways(parts, modules, { ...input, ...mounted }), apiWorkers: mounted.apiWorkers };
    },
    get api() {
      return opened().api;
    },
    get console() {
      return opened().console;
    },
    fetch: (path, init) => opened().api.fetch(path, init),
    stream: (path, init) => opened().api.stream(path, init),
    observe: (call, work) => opened().api.observe(call, work),
    async listen() {
      const { api, apiWorkers } = opened();
      if (apiWorkers === undefined) addresses.apiListens(await api.listen(addresses.host, addresses.port));
      else await apiWorkers.listen();
    },
    async complete() {
      const { api, console: consoleGateway } = opened();
      await untilIdle(api);
      await api.complete();
      if (consoleGateway !== undefined)
        addresses.consoleListens(await consoleGateway.listen(addresses.consoleHost, addresses.consolePort));
      await tls?.start();
    },
    async close(graceMs, drainMs) {
      const { api, console: consoleGateway, apiWorkers } = opened();
      tls?.stop();
      await Promise.all([
        (apiWorkers ?? api).close(graceMs, drainMs),
        consoleGateway?.close(graceMs, drainMs),
      ]);
    },
  };
}

function openGateways(
  { config, live, keys, log, mode, telemetry }: BackendParts,
  { gateway }: Modules,
  {
    addresses,
    tls,
    apiServices,
    exchangeUserKey,
    consoleService,
    readiness,
    metricsText,
    apiWorkers,
  }: GatewaysInput & Mounted,
): { readonly api: Gateway; readonly console: Gateway | undefined } {
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
    services: apiServices,
    exchangeUserKey,
    secretKeys: {
      areKnown: keys.wellKnown.length > 0,
      ownHosts: () => [new URL(addresses.apiUrl()).host],
      isOff: () => live.current.plinth.server.browser_secret_keys,
    },
    readiness,
    prometheus: metricsText,
    hint: (path) =>
      mode === 'development' && consoleService !== undefined && /^\/(?:console(?:\/|$)|$)/.test(path)
        ? `The Console is at ${addresses.consoleUrl()}`
        : undefined,
  });
  const consoleGateway =
    consoleService === undefined
      ? undefined
      : gateway.createGateway({
          ...common,
          services: [consoleService],
          own: { publicUrl: addresses.consolePublicUrl, scheme: addresses.scheme },
          home: '/console/',
        });
  return { api, console: consoleGateway };
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
