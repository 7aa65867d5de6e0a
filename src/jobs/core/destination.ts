/**
 * Where a request that SQL asks for may go (docs/decisions/0025-jobs.md). While developing: anywhere. In production: to
 * public addresses, to hosts that the operator has listed, and to this server itself, under whichever name.
 *
 * The names by which containers of the local stack know its gateway and the developer's machine stand in seeds and
 * migrations of existing projects, so they are understood here without containers.
 */
export interface DestinationRules {
  readonly mode: 'development' | 'production';
  /** Hosts of a private network that production may ask too, in lower case, without port. */
  readonly privateHosts: readonly string[];
  /** Our address as clients know it, and as this machine reaches it; origins, for example `http://127.0.0.1:54321`. */
  readonly publicOrigin: string;
  readonly localOrigin: string;
  /** `api.port` of the project: what `host.docker.internal` has in its URLs, wherever we listen. */
  readonly projectPort: number;
}

export interface Destination {
  /** What is connected to. */
  readonly url: URL;
  /** The `Host` header, as the URL had it. */
  readonly host: string;
  /** True: every address that the host resolves to has to be public. */
  readonly publicOnly: boolean;
}

const gatewayNames = /^(kong|supabase[_-]kong([_-].*)?|api\.supabase\.internal)$/;
const gatewayPort = '8000';
const machineNames = new Set(['host.docker.internal', 'gateway.docker.internal']);

/** A sentence instead of a destination: why not. */
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
