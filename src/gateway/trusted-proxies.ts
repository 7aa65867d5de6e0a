/**
 * Which senders are proxies whose word about their clients counts. What anyone else says of that is removed before a service
 * sees the request, so that no service has to ask: a header of these that is there is from a trusted proxy.
 */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

export interface TrustedProxies {
  /** Is the sender at this address one of them? */
  trusts(address: string | undefined): boolean;
  /** The address that the request came from, as the trusted proxies on its way tell. */
  clientOf(request: Pick<IncomingMessage, 'headers' | 'socket'>): string | undefined;
  /** Takes out of a request what its sender may not say. True when there was something. */
  strip(request: Pick<IncomingMessage, 'headers' | 'socket'>): boolean;
}

const named: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

const forwarding = /^(?:forwarded|x-forwarded-.*|x-real-ip)$/;

/** @throws {Error} for what is neither an address nor a block. */
export function createTrustedProxies(listed: readonly string[]): TrustedProxies {
  const list = new BlockList();
  for (const entry of listed.flatMap((given) => named[given] ?? [given])) addTo(list, entry);
  const isEmpty = listed.length === 0;
  const trusts = (address: string | undefined): boolean => {
    if (isEmpty || address === undefined) return false;
    const bare = address.split('%', 1)[0] ?? '';
    const family = isIP(bare);
    // A mapped address (::ffff:10.0.0.1) is found among the IPv4 ones.
    return family !== 0 && list.check(bare, family === 6 ? 'ipv6' : 'ipv4');
  };
  return {
    trusts,
    clientOf({ headers, socket }) {
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

function addTo(list: BlockList, entry: string): void {
  const [address = '', prefix, ...more] = entry.split('/');
  const family = isIP(address);
  const bits = prefix === undefined ? undefined : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
  const isBlock = bits === undefined || bits <= (family === 6 ? 128 : 32);
  if (family === 0 || !isBlock || more.length > 0)
    throw new Error(
      `[server] trusted_proxies: "${entry}" is neither an address nor a block such as 10.0.0.0/8`,
    );
  if (bits === undefined) list.addAddress(address, family === 6 ? 'ipv6' : 'ipv4');
  else list.addSubnet(address, bits, family === 6 ? 'ipv6' : 'ipv4');
}
