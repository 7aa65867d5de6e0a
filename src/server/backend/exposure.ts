/**
 * Decides on which addresses the server may listen. The local stack's keys are public, so other machines must never be
 * able to reach a server that uses these keys.
 */
import { isIP } from 'node:net';

/** Whether an address can be reached only from this machine. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '::1') return true;
  return isIP(host) === 4 && host.startsWith('127.');
}

/**
 * Checks that the server doesn't expose publicly known keys.
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
