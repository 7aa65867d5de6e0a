/**
 * What sockets make the process keep while they are open: the joins of their channels and what they track as presence. Anyone can
 * open sockets and join public channels, so each has a share, and beyond a total those that hold the most are closed.
 */

export interface HoldingLimits {
  /** In bytes, as {@link weightOf} estimates them. */
  readonly maxHeldBytes: number;
  readonly maxHeldBytesInAll: number;
}

const comma = 0x2c;
const openArray = 0x5b;
const openObject = 0x7b;
/** Of a value beside its text, about as V8 takes it. */
const valueBytes = 16;

/** Memory that a JSON text takes once it is parsed: a list of empty lists takes many times its length. */
export function weightOf(json: Uint8Array): number {
  let values = 0;
  for (const byte of json) if (byte === comma || byte === openArray || byte === openObject) values++;
  return json.length + values * valueBytes;
}

export class Holdings<Holder> {
  readonly #limits: HoldingLimits;
  readonly #held = new Map<Holder, number>();
  #total = 0;

  constructor(limits: HoldingLimits) {
    this.#limits = limits;
  }

  /** A negative weight takes away. False when the holder has more than its share now. */
  add(holder: Holder, weight: number): boolean {
    const held = (this.#held.get(holder) ?? 0) + weight;
    if (held > 0) this.#held.set(holder, held);
    else this.#held.delete(holder);
    this.#total += weight;
    return held <= this.#limits.maxHeldBytes;
  }

  /** Who holds the most, while all together hold too much. */
  get excess(): Holder | undefined {
    if (this.#total <= this.#limits.maxHeldBytesInAll) return undefined;
    let most: Holder | undefined;
    let mostHeld = 0;
    for (const [holder, held] of this.#held) {
      if (held <= mostHeld) continue;
      most = holder;
      mostHeld = held;
    }
    return most;
  }
}
