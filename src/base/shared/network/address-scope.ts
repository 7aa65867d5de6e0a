/**
 * Classifies IP addresses according to the special-purpose address registries (RFC 6890, IANA). To prevent SSRF, a
 * server that fetches URLs supplied by others must contact only public addresses.
 */

import type { LookupAddress, LookupAllOptions } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

export type AddressScope =
  | 'public'
  | 'loopback'
  | 'private'
  | 'link-local'
  | 'multicast'
  | 'unspecified'
  | 'reserved';

const ranges: readonly (readonly [AddressScope, string, number])[] = [
  ['unspecified', '0.0.0.0', 8],
  ['private', '10.0.0.0', 8],
  ['private', '100.64.0.0', 10],
  ['loopback', '127.0.0.0', 8],
  ['link-local', '169.254.0.0', 16],
  ['private', '172.16.0.0', 12],
  ['reserved', '192.0.0.0', 24],
  ['reserved', '192.0.2.0', 24],
  ['private', '192.168.0.0', 16],
  ['reserved', '198.18.0.0', 15],
  ['reserved', '198.51.100.0', 24],
  ['reserved', '203.0.113.0', 24],
  ['multicast', '224.0.0.0', 4],
  ['reserved', '240.0.0.0', 4],
  ['unspecified', '::', 128],
  ['loopback', '::1', 128],
  ['reserved', '64:ff9b:1::', 48],
  ['reserved', '100::', 64],
  ['reserved', '2001::', 23],
  ['reserved', '2001:db8::', 32],
  ['private', 'fc00::', 7],
  ['link-local', 'fe80::', 10],
  ['private', 'fec0::', 10],
  ['multicast', 'ff00::', 8],
];

const lists = ranges.map(([scope, network, prefix]) => {
  const list = new BlockList();
  list.addSubnet(network, prefix, isIP(network) === 6 ? 'ipv6' : 'ipv4');
  return [scope, list] as const;
});

/**
 * An IPv4 address embedded in an IPv6 address (mapped, compatible, NAT64, 6to4) has the same scope as the IPv4 address.
 */
const embeddings: readonly (readonly [network: string, prefix: number, firstGroup: number])[] = [
  ['::ffff:0:0', 96, 6],
  ['::', 96, 6],
  ['64:ff9b::', 96, 6],
  ['2002::', 16, 1],
];

const embeddingLists = embeddings.map(([network, prefix, firstGroup]) => {
  const list = new BlockList();
  list.addSubnet(network, prefix, 'ipv6');
  return [list, firstGroup] as const;
});

/**
 * Returns the scope of an IP address, which must not have brackets. The scope of any other text is `reserved`.
 *
 * @example scopeOf('169.254.169.254') // 'link-local'
 */
export function scopeOf(address: string): AddressScope {
  const bare = address.split('%', 1)[0] ?? '';
  const family = isIP(bare);
  if (family === 0) return 'reserved';
  if (family === 4) return lookUp(bare, 'ipv4');
  // A BlockList treats a mapped address as IPv4, so embedded addresses are checked first.
  const plain = groupsOf(bare).every((group, index) => group === 0 || (index === 7 && group === 1));
  if (!plain) {
    for (const [list, firstGroup] of embeddingLists) {
      if (list.check(bare, 'ipv6')) return lookUp(embeddedIn(bare, firstGroup), 'ipv4');
    }
  }
  return lookUp(bare, 'ipv6');
}

function lookUp(address: string, family: 'ipv4' | 'ipv6'): AddressScope {
  return lists.find(([, list]) => list.check(address, family))?.[0] ?? 'public';
}

function embeddedIn(address: string, firstGroup: number): string {
  const groups = groupsOf(address);
  const high = groups[firstGroup] ?? 0;
  const low = groups[firstGroup + 1] ?? 0;
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

/** Returns the eight 16-bit groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  // A WHATWG URL formats an IPv6 host without a dotted part.
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = text.split('::');
  const read = (part: string) =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const first = read(head);
  if (tail === undefined) return first;
  const last = read(tail);
  return [...first, ...new Array<number>(8 - first.length - last.length).fill(0), ...last];
}

export type Resolve = (
  host: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

interface PublicLookupOptions {
  /** The resolver. The default is the system's resolver. */
  readonly resolve?: Resolve | undefined;
  readonly refusal: (address: string, scope: Exclude<AddressScope, 'public'>) => Error;
  /** Creates the error for a name that can't be resolved. The default is the resolver's own error. */
  readonly unresolved?: (host: string, error: Error) => Error;
}

/**
 * Returns a replacement for `dns.lookup` that fails if any address of the name isn't public. Used for requests to URLs
 * that users choose. The lookup runs when the connection is opened, so DNS rebinding doesn't bypass the check.
 */
export function createPublicLookup(options: PublicLookupOptions): LookupFunction {
  const { resolve = systemResolve, unresolved = (_, error) => error } = options;
  return (host, requested, callback) => {
    resolve(host, { ...requested, all: true }, (error, addresses) => {
      const fault = error === null ? firstRejection(addresses, options) : unresolved(host, error);
      const [first] = addresses ?? [];
      if (fault !== undefined) callback(fault, '');
      else if (requested.all || first === undefined) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

function firstRejection(
  addresses: readonly LookupAddress[],
  { refusal }: PublicLookupOptions,
): Error | undefined {
  for (const { address } of addresses) {
    const scope = scopeOf(address);
    if (scope !== 'public') return refusal(address, scope);
  }
  return undefined;
}

const systemResolve: Resolve = (host, options, callback) =>
  process.getBuiltinModule('node:dns').lookup(host, options, callback);
