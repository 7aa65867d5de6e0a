/**
 * Determines whether a request comes from a web page of another origin. Secret keys are for servers only, so a page
 * that sends one either leaks its key or uses the key from the local stack's documentation.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { hostnameOf, isLoopbackName } from './request-origin.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Whether the sender is allowed to use secret keys. False until the gateway sets it. Services check this value if
     * they accept keys in places that the gateway doesn't check.
     */
    mayUseSecretKeys: boolean;
  }
}

/**
 * Whether a request comes from a page of another origin. The result is based on `Sec-Fetch-Site` and `Origin`, which
 * pages can't set and other programs don't send. The origin `null` always counts as another origin.
 */
export function isFromOtherOrigin({ origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  if (site === 'cross-site' || site === 'same-site') return true;
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== host?.toLowerCase();
}

/** Suffixes that can't be registered in the public DNS (RFC 6761, RFC 6762, RFC 8375, and `.internal`). */
const privateEnd = /\.(?:internal|local|lan|test|home\.arpa)$/;

/**
 * Whether this host can't belong to a website because it is an address, or a name of this machine, a container or a
 * private network. This check detects DNS rebinding. Other checks can't detect it, because to them, a page whose own
 * host name resolves to this machine is same-origin.
 */
export function isPrivateHost(host: string | undefined): boolean {
  const name = hostnameOf(host);
  if (name === undefined) return false;
  return isIP(name) !== 0 || isLoopbackName(name) || !name.includes('.') || privateEnd.test(name);
}
