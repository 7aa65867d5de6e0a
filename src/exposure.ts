/**
 * Decides which addresses the server can listen on. The local stack's keys are public, so a server that uses them must
 * never be reachable from other machines.
 */
import { isIP } from 'node:net';

/** Whether only this machine can reach the address. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '::1') return true;
  return isIP(host) === 4 && host.startsWith('127.');
}

/**
 * @param wellKnown The names of settings whose value is the local stack's or a placeholder from the documentation.
 * @throws {Error} with a remedy if such a key would be reachable from other machines. `serve` also rejects these keys
 * on loopback, because it is usually reached through a proxy.
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
