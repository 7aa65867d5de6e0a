/** Where the server may listen: the local stack's keys are known to everybody, so they never leave this machine. */
import { isIP } from 'node:net';

/** True for addresses that only this machine reaches. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '::1') return true;
  return isIP(host) === 4 && host.startsWith('127.');
}

/**
 * @param wellKnown names of the settings whose value is the local stack's.
 * @throws {Error} with what to do, when such a key would be served beyond this machine.
 */
export function refuseExposure(
  host: string,
  mode: 'development' | 'production',
  wellKnown: readonly string[],
): void {
  if (isLoopback(host)) return;
  if (mode === 'development') {
    throw new Error(
      `"plinth start" listens on this machine only, not on ${host}: everybody knows its keys. Use "plinth serve", which makes its own.`,
    );
  }
  if (wellKnown.length === 0) return;
  throw new Error(
    `${wellKnown.join(', ')}: everybody knows this value. Remove it from the configuration, so that Plinth makes its own, before listening on ${host}.`,
  );
}
