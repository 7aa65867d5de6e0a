/**
 * Which page sent a request, by the headers that only the browser sets (Fetch Metadata, Origin), and to which name. For
 * servers on loopback, which every website in the same browser can reach, also under a name of its own (DNS rebinding).
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
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

/** The public address of a server behind a proxy; without one it only has the names of this machine. */
export interface OwnAddress {
  readonly publicUrl?: URL | undefined;
}

/** True when the request was made to the public address, whose scheme is then the request's. */
export function isToPublicUrl(headers: IncomingHttpHeaders, { publicUrl }: OwnAddress): boolean {
  return publicUrl !== undefined && hostnameOf(headers.host) === hostnameOf(publicUrl.host);
}

/**
 * Why a server with secrets in its pages doesn't answer; undefined when it may. `name`: the request was sent to a name that
 * isn't the server's (DNS rebinding). `page`: another website sent it. Following a link to a page (`isPage`) is allowed.
 *
 * @example
 * foreignOf({ method: 'GET', headers: { host: 'evil.example' } }, {}, true); // 'name'
 */
export function foreignOf(
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  own: OwnAddress,
  isPage: boolean,
): 'name' | 'page' | undefined {
  const name = hostnameOf(headers.host);
  const isPublic = isToPublicUrl(headers, own);
  if (name === undefined || !(isPublic || isLoopbackName(name))) return 'name';
  const scheme = isPublic ? own.publicUrl?.protocol : 'http:';
  const origins = [`${scheme}//${headers.host?.toLowerCase()}`];
  // A proxy may leave the port out of Host.
  if (isPublic && own.publicUrl !== undefined) origins.push(own.publicUrl.origin);
  if (isFromOwnPage(headers, origins)) return undefined;
  return isPage && isNavigation(method, headers) ? undefined : 'page';
}

/**
 * True when the request comes from a page of one of these origins or from no page at all (the address bar, a bookmark, a
 * program that isn't a browser).
 */
function isFromOwnPage({ 'sec-fetch-site': site, origin }: IncomingHttpHeaders, own: string[]): boolean {
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  return origin === undefined || own.includes(origin.toLowerCase());
}

/** True for following a link to a page: it is shown to the user, and the page it came from can't read it. */
function isNavigation(method: string | undefined, headers: IncomingHttpHeaders): boolean {
  return (
    method === 'GET' &&
    headers.origin === undefined &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document'
  );
}
