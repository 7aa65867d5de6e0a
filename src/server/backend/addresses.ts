/** Computes the URLs of the API and of the Console. The API and the Console have different origins. */

import { isIP } from 'node:net';
import type { Config } from '../../platform/config/index.ts';
import { httpsSettings } from './https.ts';
import type { BackendParts } from './parts.ts';

export interface Addresses {
  readonly host: string;
  readonly consoleHost: string;
  /** The configured ports. If a port is 0, a free port is selected. */
  readonly port: number;
  readonly consolePort: number;
  /** The URL scheme of both ports. */
  readonly scheme: 'http:' | 'https:';
  /** The URLs that clients use. The URLs contain the actual ports only after the server has started listening. */
  readonly apiUrl: () => string;
  readonly consoleUrl: () => string;
  readonly consolePublicUrl: URL | undefined;
  /** The URL of the API on this machine. Resolves once the server is listening. */
  readonly localUrl: Promise<string>;
  /** The ports on which this server listens. Undefined before it listens. */
  readonly listening: { readonly api: number | undefined; readonly console: number | undefined };
  /** Stores a port once the server is listening on it. */
  readonly apiListens: (port: number) => void;
  readonly consoleListens: (port: number) => void;
}

export function createAddresses({ options, config, mode, branch }: BackendParts): Addresses {
  const https = httpsSettings(config, mode);
  const scheme = https === undefined ? 'http:' : 'https:';
  const host = config.plinth.server.host;
  const consoleHost = consoleHostOf(config);
  const port = options.port ?? config.api.port;
  const consolePort = options.consolePort ?? (port === 0 ? 0 : config.studio.port);
  const apiUrlAt = (listened: number): string =>
    branch?.apiUrl ??
    clientUrl(
      config.api.external_url ?? https?.defaultApiUrl,
      config.api.port,
      urlOf(scheme, host, listened),
    );
  const consoleUrlAt = (listened: number): string =>
    branch?.consoleUrl ??
    clientUrl(config.plinth.console.url, config.studio.port, urlOf(scheme, consoleHost, listened));
  const local = Promise.withResolvers<string>();
  const listening: { api: number | undefined; console: number | undefined } = {
    api: undefined,
    console: undefined,
  };
  let apiUrl = apiUrlAt(port);
  let consoleUrl = consoleUrlAt(consolePort);
  return {
    host,
    consoleHost,
    port,
    consolePort,
    scheme,
    apiUrl: () => apiUrl,
    consoleUrl: () => consoleUrl,
    consolePublicUrl:
      config.plinth.console.url === undefined ? undefined : new URL(config.plinth.console.url),
    localUrl: local.promise,
    listening,
    apiListens(listened) {
      listening.api = listened;
      apiUrl = apiUrlAt(listened);
      local.resolve(urlOf(scheme, host, listened).url);
    },
    consoleListens(listened) {
      listening.console = listened;
      consoleUrl = consoleUrlAt(listened);
    },
  };
}

/**
 * Returns the public URL. If the server isn't listening on the configured port, returns the URL with the actual port
 * instead.
 */
function clientUrl(
  publicUrl: string | undefined,
  publicPort: number,
  { port, url }: { readonly port: number; readonly url: string },
): string {
  return publicUrl !== undefined && port === publicPort ? publicUrl.replace(/\/+$/, '') : url;
}

function urlOf(scheme: 'http:' | 'https:', host: string, port: number) {
  const isAny = host === '0.0.0.0' || host === '::';
  const name = isAny ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return { port, url: `${scheme}//${name}:${port}` };
}

/** Returns the URL of the email inbox, which has its own port. */
export const mailUrlOf = ({ host }: Addresses, port: number | undefined): string | undefined =>
  port === undefined ? undefined : urlOf('http:', loopbackOf(host), port).url;

export const loopbackOf = (host: string): string => (isLoopback(host) ? host : '127.0.0.1');

export const consoleHostOf = ({ plinth }: Config): string =>
  plinth.console.host ?? loopbackOf(plinth.server.host);

/** Whether an address can be reached only from this machine. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '::1') return true;
  return isIP(host) === 4 && host.startsWith('127.');
}

/**
 * Checks that the server doesn't expose publicly known keys. The local stack's keys are public, so other machines must
 * never be able to reach a server that uses these keys.
 *
 * @param wellKnown the names of the settings whose values are publicly known, because they are the local stack's
 * defaults or placeholders from the documentation
 * @throws {Error} with instructions for fixing the problem, if other machines could reach a server that uses such a
 * key. `plinth serve` also rejects these keys on loopback addresses, because it usually runs behind a proxy.
 */
export function rejectExposure(
  host: string,
  mode: 'development' | 'production',
  wellKnown: readonly string[],
): void {
  if (mode === 'development') {
    if (isLoopback(host)) return;
    throw new Error(
      `"plinth start" can't listen on ${host}, because its keys are public. It listens only on this machine. Use "plinth serve", which generates its own keys.`,
    );
  }
  if (wellKnown.length === 0) return;
  throw new Error(
    `${wellKnown.join(', ')}: this value is public, because it is used in local development or in documentation. Remove it from the configuration so that "plinth serve" generates a new one.`,
  );
}
