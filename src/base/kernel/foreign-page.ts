/**
 * Determines whether a request comes from a web page of another origin. Secret keys are for servers only, so a page
 * that sends a secret key either leaks this key or uses the key from the local stack's documentation.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { hostnameOf, isLoopbackName } from './request-origin.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Whether the sender is allowed to use secret keys. False until the gateway sets it. Services check this value if
     * they accept keys in parts of the request that the gateway doesn't check.
     */
    mayUseSecretKeys: boolean;
  }
}

/**
 * Whether a request comes from a page of another origin. The result is based on `Sec-Fetch-Site` and `Origin`, headers
 * that pages can't set and that programs other than browsers don't send. The origin `null` always counts as another
 * origin.
 */
export function isFromOtherOrigin({ origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  if (site === 'cross-site' || site === 'same-site') return true;
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== host?.toLowerCase();
}

/** Suffixes that can't be registered in the public DNS (RFC 6761, RFC 6762, RFC 8375, and `.internal`). */
const privateEnd = /\.(?:internal|local|lan|test|home\.arpa)$/;

/**
 * Whether this host can't belong to a website because it is an IP address or the name of this machine, of a container
 * or in a private network. This check detects DNS rebinding. Other checks can't detect DNS rebinding, because they
 * consider a page same-origin if its own host name resolves to this machine.
 */
export function isPrivateHost(host: string | undefined): boolean {
  const name = hostnameOf(host);
  if (name === undefined) return false;
  return isIP(name) !== 0 || isLoopbackName(name) || !name.includes('.') || privateEnd.test(name);
}
