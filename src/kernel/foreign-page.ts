/**
 * Does a web page of another origin send this request? Secret keys are for servers: a page that sends one has leaked it, or
 * knows it from the documentation of the local stack.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { hostnameOf, isLoopbackName } from './request-origin.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Whether its sender may use secret keys; the gateway's word, and false until it has spoken. For services that find keys where
     * the gateway doesn't look.
     */
    mayUseSecretKeys: boolean;
  }
}

/** By `Sec-Fetch-Site` and `Origin`, which pages can't set; programs send neither. The origin `null` is foreign to all. */
export function isFromOtherOrigin({ origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  if (site === 'cross-site' || site === 'same-site') return true;
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== host?.toLowerCase();
}

/** Ends of names that nobody can register in the public DNS (RFC 6761, RFC 6762, RFC 8375, and `.internal`). */
const privateEnd = /\.(?:internal|local|lan|test|home\.arpa)$/;

/**
 * True for a Host that a website can't have: an address, a name of this machine, of a container, or of a private network. A page
 * whose own name leads to this machine (DNS rebinding) is of the same origin by every other mark.
 */
export function isPrivateHost(host: string | undefined): boolean {
  const name = hostnameOf(host);
  if (name === undefined) return false;
  return isIP(name) !== 0 || isLoopbackName(name) || !name.includes('.') || privateEnd.test(name);
}
