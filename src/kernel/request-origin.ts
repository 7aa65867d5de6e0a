/**
 * Which page sent a request, by the headers that only the browser sets (Fetch Metadata, Origin), and to which name. For
 * servers on loopback, which every website in the same browser can reach, also under a name of its own (DNS rebinding).
 */
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

/** The name in a Host header, lowercase, without port and brackets; undefined when it isn't one. */
export function hostnameOf(host: string | undefined): string | undefined {
  if (host === undefined || !/^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i.test(host)) return undefined;
  return host
    .toLowerCase()
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1');
}

/** True for names that no website can have: they always mean this machine (RFC 6761 section 6.3), Docker's name for it included. */
export function isLoopbackName(name: string): boolean {
  if (isIP(name) === 4) return name.startsWith('127.');
  return (
    name === '::1' || name === 'localhost' || name.endsWith('.localhost') || name === 'host.docker.internal'
  );
}

/**
 * True when the request comes from a page of the same origin or from no page at all (the address bar, a bookmark, a
 * program that isn't a browser).
 */
export function isFromOwnPage(headers: IncomingHttpHeaders, scheme: 'http' | 'https'): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  const { origin, host } = headers;
  return origin === undefined || origin.toLowerCase() === `${scheme}://${host?.toLowerCase()}`;
}

/** True for following a link to a page: it is shown to the user, and the page it came from can't read it. */
export function isNavigation(method: string | undefined, headers: IncomingHttpHeaders): boolean {
  return (
    method === 'GET' &&
    headers.origin === undefined &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document'
  );
}
