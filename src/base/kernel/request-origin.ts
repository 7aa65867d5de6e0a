/**
 * Determines which page sent a request, and to which host name the request was sent. The result is based on headers
 * that only the browser can set (Fetch Metadata and `Origin`). These checks protect servers on loopback, because every
 * website in the same browser can send requests to such a server, even under the website's own host name (DNS
 * rebinding).
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * Returns the host name from a Host header in lower case, without the port and brackets. Returns undefined if the
 * header is invalid.
 */
export function hostnameOf(host: string | undefined): string | undefined {
  if (host === undefined || !/^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i.test(host)) return undefined;
  return host
    .toLowerCase()
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1');
}

const loopbackName = /^(localhost|127(\.\d+){3}|::1)$/;

/**
 * Replaces the URL's host name with the host name that the client used if both names refer to the loopback interface.
 * Browsers don't use cookies and passkeys for `localhost` on pages of 127.0.0.1.
 */
export function keepLoopbackName(url: string, host: string): string {
  const own = new URL(url);
  const name = hostnameOf(host);
  if (name === undefined || !loopbackName.test(name) || !loopbackName.test(hostnameOf(own.host) ?? ''))
    return url;
  if ((/:(\d+)$/.exec(host)?.[1] ?? '') !== own.port) return url;
  own.host = host;
  return own.href;
}

/**
 * Whether the host name always refers to this machine, so that no website can use it (RFC 6761 section 6.3). Docker's
 * name for the machine (`host.docker.internal`) is included.
 */
export function isLoopbackName(name: string): boolean {
  if (isIP(name) === 4) return name.startsWith('127.');
  return (
    name === '::1' || name === 'localhost' || name.endsWith('.localhost') || name === 'host.docker.internal'
  );
}

/**
 * The public address of a server. If the address is undefined, the server can be reached only under names of this
 * machine.
 */
export interface OwnAddress {
  readonly publicUrl?: URL | undefined;
  /** The scheme that the port itself uses, regardless of the scheme that a proxy uses. Defaults to `http:`. */
  readonly scheme?: 'http:' | 'https:';
}

/** Whether the request was sent to the public address. If true, the client used the public address's scheme. */
export function isToPublicUrl(headers: IncomingHttpHeaders, { publicUrl }: OwnAddress): boolean {
  return publicUrl !== undefined && hostnameOf(headers.host) === hostnameOf(publicUrl.host);
}

/**
 * Returns the reason why a server whose pages contain secrets rejects a request, or undefined if it accepts the
 * request. `name` means that the request was sent to a host name that doesn't belong to the server, which indicates DNS
 * rebinding. `page` means that another website sent the request. Following a link to a page (`isPage`) is allowed.
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
  const scheme = isPublic ? own.publicUrl?.protocol : (own.scheme ?? 'http:');
  const origins = [`${scheme}//${headers.host?.toLowerCase()}`];
  // Also accepts the public origin, because a proxy may omit the port from the `Host` header.
  if (isPublic && own.publicUrl !== undefined) origins.push(own.publicUrl.origin);
  if (isFromOwnPage(headers, origins)) return undefined;
  return isPage && isNavigation(method, headers) ? undefined : 'page';
}

/**
 * Whether the request was sent by a page of one of these origins, or not by a page at all but from the address bar, a
 * bookmark or another program.
 */
function isFromOwnPage({ 'sec-fetch-site': site, origin }: IncomingHttpHeaders, own: string[]): boolean {
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  return origin === undefined || own.includes(origin.toLowerCase());
}

/**
 * Whether the request follows a link to a page. The browser displays the linked page to the user, but the page that
 * contains the link can't read it.
 */
function isNavigation(method: string | undefined, headers: IncomingHttpHeaders): boolean {
  return (
    method === 'GET' &&
    headers.origin === undefined &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document'
  );
}

/**
 * Checks whether a request comes from one of Plinth's own pages. A cookie alone doesn't prove a request's origin
 * because browsers send cookies automatically.
 *
 * Three headers are checked: Plinth's own header, and also `Sec-Fetch-Site` and `Origin` if the browser sends them.
 * Another site can't send Plinth's header without a preflight request, which Plinth always rejects.
 */
export const sameOriginHeader = 'x-plinth-request';

export interface OriginMarks {
  readonly ownHeader: string | undefined;
  readonly fetchSite: string | undefined;
  readonly origin: string | undefined;
  /** The host and port to which the request was sent. */
  readonly host: string;
}

export function isSameOrigin({ ownHeader, fetchSite, origin, host }: OriginMarks): boolean {
  if (ownHeader !== '1') return false;
  if (fetchSite !== undefined && fetchSite !== 'same-origin') return false;
  return origin === undefined || hostOf(origin) === host.toLowerCase();
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

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
 * Whether a request comes from a page of another origin. Secret keys are for servers only, so a page that sends a
 * secret key either leaks this key or uses the key from the local stack's documentation.
 *
 * The result is based on `Sec-Fetch-Site` and `Origin`, headers that pages can't set and that programs other than
 * browsers don't send. The origin `null` always counts as another origin.
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
