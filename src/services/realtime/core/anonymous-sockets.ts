/**
 * Limits the number of sockets without a signed-in user, in total and per address, because anyone with the publishable
 * key can open them. A socket counts toward the limits until it joins a channel with a user's token.
 */
import { AddressCounts, isCountedAddress } from '../../../base/shared/network/network-of.ts';

export interface AnonymousLimits {
  readonly maxAnonymousSockets: number;
  readonly maxAnonymousSocketsPerAddress: number;
}

export class AnonymousSockets {
  readonly #limits: () => AnonymousLimits;
  readonly #byAddress = new AddressCounts();
  #count = 0;

  constructor(limits: () => AnonymousLimits) {
    this.#limits = limits;
  }

  /** Returns an idempotent function that stops counting the socket, or undefined if the limit is reached. */
  take(address: string): (() => void) | undefined {
    const isCounted = isCountedAddress(address);
    const { maxAnonymousSockets, maxAnonymousSocketsPerAddress } = this.#limits();
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
