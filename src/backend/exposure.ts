/**
 * Decides which addresses the server can listen on. The local stack's keys are public, so a server that uses them must
 * never be reachable from other machines.
 */
import { isIP } from 'node:net';

/** Whether the address can be reached only from this machine. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '::1') return true;
  return isIP(host) === 4 && host.startsWith('127.');
}

/**
 * @param wellKnown The names of settings whose value is the local stack's default or a placeholder from the
 *   documentation.
 * @throws {Error} with a description of the fix, if such a key would be reachable from other machines. `serve` also
 *   rejects these keys on loopback, because it is usually reached through a proxy.
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
