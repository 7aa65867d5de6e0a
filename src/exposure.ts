/** Where the server may listen: the local stack's keys are public, so they never leave the developer's machine. */
import { isIP } from 'node:net';

/** True for addresses that only this machine reaches. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '::1') return true;
  return isIP(host) === 4 && host.startsWith('127.');
}

/**
 * @param wellKnown names of the settings whose value is the local stack's, or a placeholder of the documentation.
 * @throws {Error} with what to do, when such a key would be served to anyone but the developer. `serve` refuses them on
 *   loopback too, because a proxy in front is how it is reached.
 */
export function refuseExposure(
  host: string,
  mode: 'development' | 'production',
  wellKnown: readonly string[],
): void {
  if (mode === 'development') {
    if (isLoopback(host)) return;
    throw new Error(
      `"plinth start" listens on this machine only, not on ${host}, because its keys are public. Use "plinth serve", which generates its own.`,
    );
  }
  if (wellKnown.length === 0) return;
  throw new Error(
    `${wellKnown.join(', ')}: this is a public value, from local development or from documentation. Remove it from the configuration so that "plinth serve" generates its own.`,
  );
}
