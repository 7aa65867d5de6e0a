/**
 * Tracks the progress of a stream so that the next stream on the same slot continues at the same position. The server
 * resends the whole of each transaction that ended after that position, so rows that were already processed are
 * skipped. A transaction that is decoded again yields its rows in the same order.
 */

/** Message types of pgoutput ("Logical Replication Message Formats" in PostgreSQL's manual). */
const begin = 0x42;
const commit = 0x43;
const rowTypes: ReadonlySet<number> = new Set([0x49, 0x55, 0x44, 0x54]);

/** Whether the message describes a changed row or a truncation. */
export const isRowMessage = (message: Buffer): boolean => rowTypes.has(message[0] as number);

/**
 * A position between two messages of a stream. `lsn` is the position of the commit of the current transaction, or the
 * end of the last complete transaction. `row` is the number of the transaction's rows before this position.
 */
export interface Place {
  readonly lsn: bigint;
  readonly row: number;
}

/** A place in a stream. `sequence` is the position in the group's log, for changes that are read from the log. */
export interface StreamPlace extends Place {
  readonly sequence?: number;
}

/** Whether a row at the place `row` comes after the place `from`. */
export const isAfter = (row: Place, from: Place): boolean =>
  row.lsn > from.lsn || (row.lsn === from.lsn && row.row > from.row);

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
  /** Whether the current transaction had already been processed completely. */
  #isOld = false;

  /** The place after the last message that was admitted. */
  get place(): Place {
    return this.#final === undefined
      ? { lsn: this.received, row: 0 }
      : { lsn: this.#final, row: this.#taken };
  }

  /**
   * Returns whether a message must be processed. This method must be called once per message, in order. For the beginning
   * of a transaction, `rowsBefore` is the number of the transaction's rows that the sender omits.
   */
  admits(message: Buffer, rowsBefore = 0): boolean {
    const type = message[0] as number;
    if (type === begin) {
      const final = message.readBigUInt64BE(1);
      this.#isOld = final < this.received;
      if (this.#isOld) return false;
      if (final !== this.#final) this.#taken = 0;
      this.#final = final;
      this.#position = rowsBefore;
      return true;
    }
    if (type === commit) {
      if (this.#isOld) return false;
      this.received = message.readBigUInt64BE(10);
      this.#final = undefined;
      return true;
    }
    if (!rowTypes.has(type)) return true;
    if (this.#isOld) return false;
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
    this.#isOld = false;
  }
}

/** Formats an LSN in PostgreSQL's format, for example `16/B374D848`. */
export function lsnText(lsn: bigint): string {
  return `${(lsn >> 32n).toString(16)}/${(lsn & 0xffffffffn).toString(16)}`.toUpperCase();
}

export function parseLsn(text: string): bigint {
  const [high, low] = text.split('/').map((part) => BigInt(`0x${part}`)) as [bigint, bigint];
  return (high << 32n) + low;
}
