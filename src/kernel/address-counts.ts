/** Counts by network address, as one customer of a network has it: all of IPv4, of IPv6 the first 64 bits. */

import { scopeOf } from './address-scope.ts';
import { networkOf } from './network-of.ts';

export class AddressCounts {
  readonly #counts = new Map<string, number>();

  /** Returns how many there are with it. */
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
 * This machine isn't counted: what comes from it is a program of the operator, or a proxy that isn't listed as trusted and brings
 * the requests of everyone.
 */
export function isCountedAddress(address: string | undefined): address is string {
  return address !== undefined && scopeOf(address) !== 'loopback';
}
