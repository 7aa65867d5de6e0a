/**
 * Determines which senders are trusted proxies. Other senders' forwarding headers are removed before a service receives
 * the request, so services can trust the remaining headers.
 */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { Logger } from '../../base/kernel/log.ts';

export interface TrustedProxies {
  /** Whether the sender at this address is a trusted proxy. */
  trusts(address: string | undefined): boolean;
  /** Returns the client's address that the trusted proxies reported when they forwarded the request. */
  clientOf(request: Pick<IncomingMessage, 'headers' | 'socket'>): string | undefined;
  /** Removes headers that the sender isn't allowed to set. Returns true if any header was removed. */
  strip(request: Pick<IncomingMessage, 'headers' | 'socket'>): boolean;
}

const named: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

const forwarding = /^(?:forwarded|x-forwarded-.*|x-real-ip)$/;

/** Parses the list of proxies. @throws {Error} if an entry is neither an address nor a CIDR range */
export function createTrustedProxies(listed: readonly string[]): TrustedProxies {
  const list = new BlockList();
  for (const entry of listed.flatMap((given) => named[given] ?? [given])) addTo(list, entry);
  const isEmpty = listed.length === 0;
  const trusts = (address: string | undefined): boolean => {
    if (isEmpty || address === undefined) return false;
    const bare = address.split('%', 1)[0] ?? '';
    const family = isIP(bare);
    // An IPv4-mapped IPv6 address such as `::ffff:10.0.0.1` matches IPv4 entries in the list.
    return family !== 0 && list.check(bare, family === 6 ? 'ipv6' : 'ipv4');
  };
  return {
    trusts,
    clientOf({ headers, socket }) {
      if (!trusts(socket.remoteAddress)) return socket.remoteAddress;
      const hops = [headers['x-forwarded-for'] ?? []]
        .flat()
        .join(',')
        .split(',')
        .map((hop) => hop.trim());
      let client = socket.remoteAddress;
      while (trusts(client)) {
        const hop = hops.pop();
        if (hop === undefined || hop === '') break;
        client = hop;
      }
      return client;
    },
    strip({ headers, socket }) {
      let found = false;
      let isTrusted: boolean | undefined;
      for (const name in headers) {
        if (!forwarding.test(name)) continue;
        isTrusted ??= trusts(socket?.remoteAddress);
        if (isTrusted) return false;
        delete headers[name];
        found = true;
      }
      return found;
    },
  };
}

/**
 * Trusts every sender, because the only senders are API workers on a private Unix socket, where peers have no address.
 * A worker has already checked the headers and replaced the chain of addresses with the client's address.
 */
export const trustedWorkers: TrustedProxies = {
  trusts: (address) => address === undefined,
  clientOf: ({ headers, socket }) =>
    socket.remoteAddress ?? [headers['x-forwarded-for'] ?? ''].flat().at(-1)?.trim(),
  strip: () => false,
};

function addTo(list: BlockList, entry: string): void {
  const [address = '', prefix, ...more] = entry.split('/');
  const family = isIP(address);
  const bits = prefix === undefined ? undefined : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
  const isBlock = bits === undefined || bits <= (family === 6 ? 128 : 32);
  if (family === 0 || !isBlock || more.length > 0)
    throw new Error(
      `[server] trusted_proxies: "${entry}" isn't an address or an address block such as 10.0.0.0/8`,
    );
  if (bits === undefined) list.addAddress(address, family === 6 ? 'ipv6' : 'ipv4');
  else list.addSubnet(address, bits, family === 6 ? 'ipv6' : 'ipv4');
}

/** Returns a view of the trusted proxies that reads the current configuration on each call. */
export const currentProxies = (current: () => TrustedProxies): TrustedProxies => ({
  trusts: (address) => current().trusts(address),
  clientOf: (request) => current().clientOf(request),
  strip: (request) => current().strip(request),
});

/**
 * Logs once that an untrusted proxy's forwarding headers are ignored. Doesn't log this for Plinth's internal calls,
 * which set these headers on behalf of the browser.
 */
export function createForwardingRule(
  proxies: TrustedProxies,
  log: Logger,
): (request: IncomingMessage) => void {
  let isWarned = false;
  return (request) => {
    const claimed = request.headers['x-forwarded-for'];
    if (!proxies.strip(request) || isWarned) return;
    const proxy = request.socket.remoteAddress;
    if (claimed === undefined || claimed === proxy) return;
    isWarned = true;
    log.warn(
      { proxy },
      "received requests through a proxy that isn't in [server] trusted_proxies in plinth.toml, so all of its clients count as one address",
    );
  };
}
