/**
 * Sockets on which no user has signed in: anyone can open them with the publishable key, so they are bounded in all and by
 * address. A socket counts until a channel of it is joined with the token of a user.
 */
import { AddressCounts, isCountedAddress } from '../../kernel/address-counts.ts';

export interface AnonymousLimits {
  readonly maxAnonymousSockets: number;
  readonly maxAnonymousSocketsPerAddress: number;
}

export class AnonymousSockets {
  readonly #limits: AnonymousLimits;
  readonly #byAddress = new AddressCounts();
  #count = 0;

  constructor(limits: AnonymousLimits) {
    this.#limits = limits;
  }

  /** What ends the counting, any number of times; undefined when there are too many. */
  take(address: string): (() => void) | undefined {
    const isCounted = isCountedAddress(address);
    const { maxAnonymousSockets, maxAnonymousSocketsPerAddress } = this.#limits;
    if (this.#count >= maxAnonymousSockets) return undefined;
    if (isCounted && this.#byAddress.of(address) >= maxAnonymousSocketsPerAddress) return undefined;
    this.#count += 1;
    if (isCounted) this.#byAddress.add(address);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#count -= 1;
      if (isCounted) this.#byAddress.remove(address);
    };
  }
}
