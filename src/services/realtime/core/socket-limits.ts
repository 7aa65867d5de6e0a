/** Limits the memory and the number of open sockets, because anyone with the publishable key can open them. */
import { AddressCounts, isCountedAddress } from '../../../base/shared/network/network-of.ts';

export interface MemoryLimits {
  /** The memory limit per holder, in bytes as estimated by {@link weightOf}. */
  readonly maxHeldBytes: number;
  readonly maxHeldBytesInAll: number;
}

const comma = 0x2c;
const openArray = 0x5b;
const openObject = 0x7b;
/** The estimated memory that V8 needs for a value in addition to the value's text. */
const valueBytes = 16;

/**
 * Estimates the memory that a JSON text needs after parsing. A list of empty lists needs many times the memory of its
 * text.
 */
export function weightOf(json: Uint8Array): number {
  let values = 0;
  for (const byte of json) if (byte === comma || byte === openArray || byte === openObject) values++;
  return json.length + values * valueBytes;
}

/**
 * Limits the memory that open sockets use for channel joins and tracked presence. Each socket's memory use has a limit.
 * If the total limit is exceeded, the sockets that use the most memory are closed.
 */
export class MemoryUse<Holder> {
  readonly #limits: () => MemoryLimits;
  readonly #held = new Map<Holder, number>();
  #total = 0;

  constructor(limits: () => MemoryLimits) {
    this.#limits = limits;
  }

  /**
   * Adds memory to the holder, or releases memory if `weight` is negative. Returns false if the holder exceeds its
   * limit.
   */
  add(holder: Holder, weight: number): boolean {
    const held = (this.#held.get(holder) ?? 0) + weight;
    if (held > 0) this.#held.set(holder, held);
    else this.#held.delete(holder);
    this.#total += weight;
    return held <= this.#limits().maxHeldBytes;
  }

  /** The holder that uses the most memory. Undefined if the total is within its limit. */
  get excess(): Holder | undefined {
    if (this.#total <= this.#limits().maxHeldBytesInAll) return undefined;
    let largest: Holder | undefined;
    let maxHeld = 0;
    for (const [holder, held] of this.#held) {
      if (held <= maxHeld) continue;
      largest = holder;
      maxHeld = held;
    }
    return largest;
  }
}

interface AnonymousLimits {
  readonly maxAnonymousSockets: number;
  readonly maxAnonymousSocketsPerAddress: number;
}

/**
 * Limits the number of sockets without a signed-in user, in total and per address. A socket counts toward the limits
 * until it joins a channel with a user's token.
 */
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
