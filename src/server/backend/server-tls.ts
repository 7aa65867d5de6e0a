/** Creates the objects that the server needs for HTTPS, based on the settings. */

import { systemClock } from '../../base/kernel/clock.ts';
import { hostnameOf } from '../../base/kernel/request-origin.ts';
import type { Tls } from '../tls/index.ts';
import type { Addresses } from './addresses.ts';
import { httpsSettings } from './https.ts';
import type { Modules } from './modules.ts';
import type { BackendParts } from './parts.ts';

export function createServerTls(
  { config, mode, dataDir, log }: BackendParts,
  modules: Modules,
  addresses: Addresses,
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
function originOf({ apiUrl, consoleUrl, consolePublicUrl }: Addresses, hostname: string | undefined): string {
  const isConsole = consolePublicUrl !== undefined && hostname === hostnameOf(consolePublicUrl.host);
  return new URL(isConsole ? consoleUrl() : apiUrl()).origin;
}
