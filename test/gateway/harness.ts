/** Starts the gateway on a free port, with test services and a socket for raw HTTP. */
import { connect } from 'node:net';
import type { LogFields, Logger } from '../../src/base/kernel/log.ts';
import type { Mount, Service } from '../../src/base/kernel/service.ts';
import { configFrom, defaultConfig } from '../../src/platform/config/index.ts';
import { createKeys, type Keys } from '../../src/platform/keys/index.ts';
import {
  createGateway,
  createTrustedProxies,
  type ForwardOptions,
  type Gateway,
  type GatewayLimits,
  limitsFrom,
  type PortTls,
  type ReadinessReport,
  trustedWorkers,
} from '../../src/server/gateway/index.ts';

export interface LogLine {
  readonly fields: LogFields;
  readonly message: string;
}

export interface GatewayServer {
  readonly url: string;
  readonly port: number;
  readonly keys: Keys;
  readonly gateway: Gateway;
  readonly lines: LogLine[];
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Sends bytes unchanged and collects the response until the server closes or `enough` has arrived. */
  raw(text: string, enough?: (response: string) => boolean): Promise<string>;
}

export async function startGateway(
  services: readonly Service[],
  options: {
    trustedProxies?: readonly string[];
    limits?: Partial<GatewayLimits>;
    readiness?: () => ReadinessReport;
    tls?: PortTls;
    /** Makes this the gateway of an API worker. */
    forward?: ForwardOptions;
    /** If set, the gateway acts as the gateway of a main process, and listens on this Unix socket instead of a port. */
    mainSocket?: string;
    /** Registers most routes only when `gateway.complete` is called. */
    defersRoutes?: boolean;
    host?: string;
  } = {},
): Promise<GatewayServer> {
  const keys = createKeys({
    mode: 'development',
    config: configFrom({}, '/nowhere'),
    supabaseDir: '/nowhere',
    dataDir: '/nowhere',
  });
  const lines: LogLine[] = [];
  const take = (fields: LogFields, message: string): void => {
    lines.push({ fields, message });
  };
  const log: Logger = { debug: take, info: take, warn: take, error: take, child: () => log };
  const isMain = options.mainSocket !== undefined;
  const proxies = isMain ? trustedWorkers : createTrustedProxies(options.trustedProxies ?? []);
  const limits = { ...limitsFrom(defaultConfig().plinth.server), ...options.limits };
  const gateway = createGateway({
    services,
    keys,
    log,
    trustedProxies: () => proxies,
    readiness: {
      report: async () => options.readiness?.() ?? { status: 'ok', checks: {} },
      drain() {},
    },
    tls: options.tls,
    limits: () => limits,
    forward: options.forward,
    isBehindWorkers: isMain,
    defersRoutes: options.defersRoutes === true,
  });
  if (options.mainSocket !== undefined) await gateway.listenOn(options.mainSocket);
  const port = isMain ? 0 : await gateway.listen(options.host ?? '127.0.0.1', 0);
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    port,
    keys,
    gateway,
    lines,
    fetch: (path, init) => fetch(`${url}${path}`, { redirect: 'manual', ...init }),
    raw: (text, enough) => speak(port, text, enough),
  };
}

export function speak(
  port: number,
  text: string,
  enough: (response: string) => boolean = () => false,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let response = '';
    socket.on('data', (data) => {
      response += data.toString('latin1');
      if (enough(response)) socket.destroy();
    });
    socket.on('close', () => resolve(response));
    socket.on('error', (error) => (response === '' ? reject(error) : resolve(response)));
    socket.write(text, 'latin1');
  });
}

/** Returns a service with one mount. */
export function service(name: string, mount: Partial<Mount> & Pick<Mount, 'prefix' | 'plugin'>): Service {
  return { name, mounts: [{ cors: 'none', apiKeys: false, ...mount }] };
}
