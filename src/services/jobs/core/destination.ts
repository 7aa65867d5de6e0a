/**
 * Determines which URLs an HTTP request from SQL code can reach (docs/decisions/0025-jobs.md). In development, all URLs
 * are allowed. In production, only public addresses, the hosts that the operator has listed and this server are
 * allowed.
 *
 * Seeds and migrations of existing projects refer to the gateway and the developer's machine by the host names that the
 * local stack's containers use. This module translates these host names to actual addresses.
 */
export interface DestinationRules {
  readonly mode: 'development' | 'production';
  /** The private hosts that are allowed in production, in lower case and without a port. */
  readonly privateHosts: readonly string[];
  /**
   * `publicOrigin` is this server's origin for clients, such as `http://127.0.0.1:54321`, and `localOrigin` is its
   * origin for processes on this machine, which is undefined until the server accepts connections.
   */
  readonly publicOrigin: string;
  readonly localOrigin: string | undefined;
  /**
   * The project's `api.port`. URLs with `host.docker.internal` contain this port even if the server listens on a
   * different port.
   */
  readonly projectPort: number;
}

export interface Destination {
  /** The URL to connect to. */
  readonly url: URL;
  /** The value of the `Host` header, from the original URL. */
  readonly host: string;
  /** Whether all addresses to which the host resolves must be public. */
  readonly publicOnly: boolean;
  /** Whether the URL's destination is this server. */
  readonly isOwn: boolean;
}

const gatewayNames = /^(kong|supabase[_-]kong([_-].*)?|api\.supabase\.internal)$/;
const gatewayPort = '8000';
const machineNames = new Set(['host.docker.internal', 'gateway.docker.internal']);

/** Returns the destination of a URL. If the URL isn't allowed, returns a sentence that states the reason. */
export function destinationOf(text: string, rules: DestinationRules): Destination | string {
  if (!URL.canParse(text)) return 'the URL is malformed';
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return `the protocol "${url.protocol.slice(0, -1)}" is not http or https`;
  }
  const { host } = url;
  if (isOurs(url, rules)) {
    if (rules.localOrigin === undefined)
      return "this server doesn't accept requests until its migrations have run";
    return { url: atOrigin(url, rules.localOrigin), host, publicOnly: false, isOwn: true };
  }
  const isListed = rules.privateHosts.includes(url.hostname.toLowerCase());
  const publicOnly = rules.mode === 'production' && !isListed;
  if (!machineNames.has(url.hostname)) return { url, host, publicOnly, isOwn: false };
  const machine = new URL(url);
  machine.hostname = '127.0.0.1';
  return { url: machine, host, publicOnly, isOwn: false };
}

function isOurs(url: URL, { publicOrigin, localOrigin, projectPort }: DestinationRules): boolean {
  if (url.origin === publicOrigin || url.origin === localOrigin) return true;
  if (url.protocol !== 'http:') return false;
  if (gatewayNames.test(url.hostname)) return url.port === gatewayPort || url.port === '';
  return machineNames.has(url.hostname) && url.port === String(projectPort);
}

function atOrigin(url: URL, origin: string): URL {
  return new URL(`${url.pathname}${url.search}`, origin);
}
