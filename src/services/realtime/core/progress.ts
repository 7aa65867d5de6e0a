/**
 * Tracks the progress of a stream so that the next stream on the same slot continues at the same position. The server
 * resends the whole of each transaction that ended after that position, so rows that were already processed are
 * skipped. A transaction that is decoded again yields its rows in the same order.
 */

/** Message types of pgoutput ("Logical Replication Message Formats" in PostgreSQL's manual). */
const begin = 0x42;
const commit = 0x43;
const rowTypes: ReadonlySet<number> = new Set([0x49, 0x55, 0x44, 0x54]);

export class Progress {
  /** The end of the last complete transaction, or 0 before the first transaction. */
  received = 0n;
  /**
   * The current transaction, identified by the position of its commit, and the number of the transaction's rows that
   * have been processed.
   */
  #final: bigint | undefined;
  #taken = 0;
  #position = 0;

  /** Returns whether a message must be processed. This method must be called once per message, in order. */
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

  /** Resets the progress for a stream that reads from a new slot, because a new slot doesn't repeat any transaction. */
  restart(): void {
    this.received = 0n;
    this.#final = undefined;
    this.#taken = 0;
  }
}

/** Formats an LSN in PostgreSQL's format, for example `16/B374D848`. */
export function lsnText(lsn: bigint): string {
  return `${(lsn >> 32n).toString(16)}/${(lsn & 0xffffffffn).toString(16)}`.toUpperCase();
}
