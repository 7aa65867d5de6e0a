/** Counts events per customer network: an entire IPv4 address, or the first 64 bits of an IPv6 address. */

import { scopeOf } from './address-scope.ts';
import { networkOf } from './network-of.ts';

/**
 * Matches IPv4 addresses, including those in the notation of dual-stack sockets. The first number shows whether an
 * address is a loopback address, which is faster than checking all ranges.
 */
const ipv4 = /^(?:::ffff:)?(\d+)\.\d+\.\d+\.\d+$/;

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
