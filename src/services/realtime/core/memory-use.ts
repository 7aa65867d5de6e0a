/**
 * Limits the memory that open sockets use for channel joins and tracked presence. Anyone can open sockets and join
 * public channels, so each socket's memory use has a limit. If the total limit is exceeded, the sockets that use the
 * most memory are closed.
 */

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
