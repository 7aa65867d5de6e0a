/**
 * Maps an IP address to its customer's network. Rate limits count requests per network, because a customer can use any
 * address in the network.
 */
import { isIPv4, isIPv6 } from 'node:net';
import { scopeOf } from './address-scope.ts';

/**
 * Returns the part of an address that identifies one customer's network. The part is the whole IPv4 address, or the
 * first 64 bits of an IPv6 address (RFC 6177). The customer can change the remaining bits with every request.
 *
 * @example networkOf('2001:db8::1') // '2001:db8:0:0::/64'
 */
export function networkOf(address: string): string {
  const groups = ipv6Groups(address);
  return groups === undefined ? bareIPv4(address) : `${groups.slice(0, 4).join(':')}::/64`;
}

/**
 * Returns the /48 prefix of an IPv6 address, which is often assigned to one site (RFC 6177) and contains 65,536
 * networks. Returns undefined for IPv4.
 *
 * @example siteOf('2001:db8::1') // '2001:db8:0::/48'
 */
export function siteOf(address: string): string | undefined {
  const groups = ipv6Groups(address);
  return groups && `${groups.slice(0, 3).join(':')}::/48`;
}

function bareIPv4(address: string): string {
  const bare = address.split('%', 1)[0] ?? '';
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1] ?? bare;
}

/**
 * Returns the first four groups of an IPv6 address. Returns undefined for IPv4, even in IPv6 notation, and for invalid
 * text.
 */
function ipv6Groups(address: string): string[] | undefined {
  const bare = address.split('%', 1)[0] ?? '';
  if (isIPv4(bareIPv4(address)) || !isIPv6(bare)) return undefined;
  const [head = '', tail] = bare.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const after = tail === '' ? [] : tail.split(':');
    // An IPv4 address at the end of the IPv6 address represents two groups.
    const length = after.length + (after.at(-1)?.includes('.') ? 1 : 0);
    groups.push(...Array<string>(8 - groups.length - length).fill('0'), ...after);
  }
  return groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
}

/**
 * Matches IPv4 addresses, including those in the notation of dual-stack sockets. The first number shows whether an
 * address is a loopback address, which is faster than checking all ranges.
 */
const ipv4 = /^(?:::ffff:)?(\d+)\.\d+\.\d+\.\d+$/;

/** Counts events per customer network: an entire IPv4 address, or the first 64 bits of an IPv6 address. */
export class AddressCounts {
  readonly #counts = new Map<string, number>();

  /** Adds an event from this address. Returns the new count of the address's network. */
  add(address: string): number {
    const network = networkOf(address);
    const count = (this.#counts.get(network) ?? 0) + 1;
    this.#counts.set(network, count);
    return count;
  }

  remove(address: string): void {
    const network = networkOf(address);
    const count = (this.#counts.get(network) ?? 0) - 1;
    if (count > 0) this.#counts.set(network, count);
    else this.#counts.delete(network);
  }

  of(address: string): number {
    return this.#counts.get(networkOf(address)) ?? 0;
  }
}

/**
 * Whether requests from this address are counted. Requests from loopback addresses aren't counted, because they come
 * from the operator's programs or from an untrusted proxy that forwards all clients' requests.
 */
export function isCountedAddress(address: string | undefined): address is string {
  if (address === undefined) return false;
  const first = ipv4.exec(address)?.[1];
  return first === undefined ? scopeOf(address) !== 'loopback' : first !== '127';
}
