/**
 * Decides which URLs a request from SQL may reach (docs/decisions/0025-jobs.md). In development, all URLs are allowed.
 * In production, public addresses, hosts that the operator has listed, and this server under any of its names are
 * allowed.
 *
 * Seeds and migrations of existing projects use the local stack's container names for its gateway and for the
 * developer's machine, so those names are translated here.
 */
export interface DestinationRules {
  readonly mode: 'development' | 'production';
  /** Private hosts that are also allowed in production, in lower case and without a port. */
  readonly privateHosts: readonly string[];
  /** The origins of this server as clients and as this machine reach it, for example `http://127.0.0.1:54321`. */
  readonly publicOrigin: string;
  readonly localOrigin: string;
  /** The project's `api.port`, which URLs with `host.docker.internal` contain regardless of the actual port. */
  readonly projectPort: number;
}

export interface Destination {
  /** The URL to connect to. */
  readonly url: URL;
  /** The `Host` header, from the original URL. */
  readonly host: string;
  /** Whether all addresses that the host resolves to must be public. */
  readonly publicOnly: boolean;
}

const gatewayNames = /^(kong|supabase[_-]kong([_-].*)?|api\.supabase\.internal)$/;
const gatewayPort = '8000';
const machineNames = new Set(['host.docker.internal', 'gateway.docker.internal']);

/** Returns the destination, or a sentence that explains why it isn't allowed. */
export function destinationOf(text: string, rules: DestinationRules): Destination | string {
  if (!URL.canParse(text)) return 'the URL is malformed';
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return `the protocol "${url.protocol.slice(0, -1)}" is not http or https`;
  }
  const { host } = url;
  if (isOurs(url, rules)) return { url: atOrigin(url, rules.localOrigin), host, publicOnly: false };
  const isListed = rules.privateHosts.includes(url.hostname.toLowerCase());
  const publicOnly = rules.mode === 'production' && !isListed;
  if (!machineNames.has(url.hostname)) return { url, host, publicOnly };
  const machine = new URL(url);
  machine.hostname = '127.0.0.1';
  return { url: machine, host, publicOnly };
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
