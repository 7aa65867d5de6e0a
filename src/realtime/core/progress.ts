/**
 * How far a stream has come, so that the next one on the same slot goes on where it stopped. The server sends every
 * transaction that ended after a position, whole: what of an unfinished one was taken already is left out the second
 * time. Decoding a transaction again gives its rows in the same order.
 */

/** Types of pgoutput's messages (PostgreSQL's manual, "Logical Replication Message Formats"). */
const begin = 0x42;
const commit = 0x43;
const rowTypes: ReadonlySet<number> = new Set([0x49, 0x55, 0x44, 0x54]);

export class Progress {
  /** The end of the last transaction that came whole; 0 before the first. */
  received = 0n;
  /** The transaction that is under way, by the position of its commit, and how many of its rows were taken. */
  #final: bigint | undefined;
  #taken = 0;
  #position = 0;

  /** Whether a message is to be looked at; each is asked about once, in order. */
  admits(message: Buffer): boolean {
    const type = message[0] as number;
    if (type === begin) {
      const final = message.readBigUInt64BE(1);
      if (final !== this.#final) this.#taken = 0;
      this.#final = final;
      this.#position = 0;
      return true;
    }
    if (type === commit) {
      this.received = message.readBigUInt64BE(10);
      this.#final = undefined;
      return true;
    }
    if (!rowTypes.has(type)) return true;
    this.#position++;
    if (this.#position <= this.#taken) return false;
    this.#taken = this.#position;
    return true;
  }

  /** A stream from a fresh slot: nothing of before comes again. */
  restart(): void {
    this.received = 0n;
    this.#final = undefined;
    this.#taken = 0;
  }
}

/** As PostgreSQL writes it: `16/B374D848`. */
export function lsnText(lsn: bigint): string {
  return `${(lsn >> 32n).toString(16)}/${(lsn & 0xffffffffn).toString(16)}`.toUpperCase();
}
