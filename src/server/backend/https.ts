/** Reads the HTTPS configuration from the settings. */

import { systemClock } from '../../base/kernel/clock.ts';
import { hostnameOf } from '../../base/kernel/request-origin.ts';
import type { Config } from '../../platform/config/index.ts';
import type { Tls, TlsSource } from '../tls/index.ts';
import type { Modules } from './modules.ts';
import type { BackendParts } from './parts.ts';

interface HttpsSettings {
  readonly source: TlsSource;
  /** The port for unencrypted HTTP. Undefined if the server doesn't listen for unencrypted HTTP. */
  readonly httpPort: number | undefined;
  /** The value of the Strict-Transport-Security header. */
  readonly strictTransport: string | undefined;
  /** The API's public URL if `api.external_url` isn't set. */
  readonly defaultApiUrl: string | undefined;
}

const acmeHttpPort = 80;

/**
 * Returns the HTTPS settings, or undefined if the server uses unencrypted HTTP. `plinth start` uses only `[api.tls]`.
 */
export function httpsSettings(config: Config, mode: 'development' | 'production'): HttpsSettings | undefined {
  return (mode === 'production' ? ofServer(config) : undefined) ?? ofApi(config);
}

function ofServer({ api, plinth }: Config): HttpsSettings | undefined {
  const { cert, key, acme, http_port, hsts } = plinth.server.tls;
  const common = {
    strictTransport: hsts === 0 ? undefined : `max-age=${Math.floor(hsts / 1000)}`,
    httpPort: http_port,
    defaultApiUrl: undefined,
  };
  if (cert !== undefined && key !== undefined) {
    const own = plinth.console.tls;
    const files = [{ slot: 'the server', cert, key }];
    if (own.cert !== undefined && own.key !== undefined)
      files.push({ slot: 'the Console', cert: own.cert, key: own.key });
    return { ...common, source: { kind: 'files', files } };
  }
  if (acme.domains.length === 0) return undefined;
  const { domains, directory, email, accept_terms, eab } = acme;
  const externalAccount =
    eab.kid === undefined || eab.hmac_key === undefined ? undefined : { kid: eab.kid, hmacKey: eab.hmac_key };
  const consoleName = hostOf(plinth.console.url);
  const apiName = domains.find((domain) => domain !== consoleName);
  const port = api.port === 443 ? '' : `:${api.port}`;
  return {
    ...common,
    source: {
      kind: 'acme',
      domains,
      server: { directory, email, acceptTerms: accept_terms, externalAccount },
    },
    httpPort: http_port ?? acmeHttpPort,
    defaultApiUrl: apiName && `https://${apiName}${port}`,
  };
}

/**
 * Returns the settings of `[api.tls]`. The result doesn't include the header Strict-Transport-Security, because
 * browsers apply it to every port of a host.
 */
function ofApi({ api, plinth }: Config): HttpsSettings | undefined {
  const { enabled, cert_path: cert, key_path: key } = api.tls;
  if (!enabled) return undefined;
  const common = { httpPort: undefined, strictTransport: undefined, defaultApiUrl: undefined };
  if (cert !== undefined && key !== undefined)
    return { ...common, source: { kind: 'files', files: [{ slot: 'the server', cert, key }] } };
  const given = [api.external_url, plinth.console.url].flatMap((url) => hostOf(url) ?? []);
  const names = [...new Set(['localhost', '127.0.0.1', '::1', ...given])];
  return { ...common, source: { kind: 'self-signed', names } };
}

const hostOf = (url: string | undefined): string | undefined =>
  url !== undefined && URL.canParse(url) ? hostnameOf(new URL(url).host) : undefined;

/** The URLs to which unencrypted requests are redirected. */
interface RedirectTargets {
  readonly host: string;
  readonly apiUrl: () => string;
  readonly consoleUrl: () => string;
  readonly consolePublicUrl: URL | undefined;
}

/** Creates the objects that the server needs for HTTPS, based on the settings. */
export function createServerTls(
  { config, mode, dataDir, log }: BackendParts,
  modules: Modules,
  addresses: RedirectTargets,
): Tls | undefined {
  const settings = httpsSettings(config, mode);
  if (settings === undefined) return undefined;
  const { source, httpPort } = settings;
  return modules.tls.createTls({
    source,
    http:
      httpPort === undefined
        ? undefined
        : { host: addresses.host, port: httpPort, originOf: (hostname) => originOf(addresses, hostname) },
    dataDir,
    now: () => systemClock.now(),
    log: log.child({ service: 'tls' }),
  });
}

/**
 * Returns the origin to which unencrypted requests for a host are redirected. For unknown hosts, returns the API's
 * origin.
 */
function originOf(
  { apiUrl, consoleUrl, consolePublicUrl }: RedirectTargets,
  hostname: string | undefined,
): string {
  const isConsole = consolePublicUrl !== undefined && hostname === hostnameOf(consolePublicUrl.host);
  return new URL(isConsole ? consoleUrl() : apiUrl()).origin;
}
