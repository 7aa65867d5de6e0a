/**
 * Writes JSON from PostgreSQL's raw bytes into pieces of equal size. A listing contains thousands of names and dates,
 * which would otherwise be decoded, joined and encoded again as strings.
 */

/** The maximum length of an escaped JSON character, `\u0000`, in bytes. */
const escapedBytes = 6;

const nothing = Buffer.alloc(0);

export class ByteWriter {
  readonly #take: () => Buffer;
  readonly #full: Buffer[] = [];
  #piece: Buffer = nothing;
  #at = 0;

  /** `take`: returns an empty piece of at least 64 bytes. Called when data is written. */
  constructor(take: () => Buffer) {
    this.#take = take;
  }

  /** Returns the written pieces in order. Nothing may be written afterward. */
  end(): Buffer[] {
    return this.#at === 0 ? this.#full : [...this.#full, this.#piece.subarray(0, this.#at)];
  }

  /** Writes ASCII text that needs no escapes, at most 64 characters. */
  ascii(text: string): void {
    this.#reserve(text.length);
    this.#at += this.#piece.write(text, this.#at, 'latin1');
  }

  /** Copies bytes unchanged. */
  copy(source: Buffer, start: number, end: number): void {
    for (let from = start; from < end; ) {
      this.#reserve(1);
      const copied = source.copy(this.#piece, this.#at, from, end);
      this.#at += copied;
      from += copied;
    }
  }

  /** Writes the content of a JSON string: UTF-8 with the same escapes as JSON.stringify. */
  escaped(source: Buffer, start: number, end: number): void {
    for (let from = start; from < end; ) {
      this.#reserve(escapedBytes);
      const until = Math.min(end, from + Math.floor((this.#piece.length - this.#at) / escapedBytes));
      const piece = this.#piece;
      let at = this.#at;
      for (; from < until; from++) {
        const byte = source[from] as number;
        if (byte >= blank && byte !== quote && byte !== backslash) piece[at++] = byte;
        else at += piece.write(JSON.stringify(String.fromCharCode(byte)).slice(1, -1), at, 'latin1');
      }
      this.#at = at;
    }
  }

  /**
   * Writes the content of a JSON string with a PostgreSQL timestamptz in UTC in JavaScript's date format. `2026-11-21
   * 04:10:36.123456+00` becomes `2026-11-21T04:10:36.123Z`. Infinity and years beyond 9999 have no such format and are
   * written unchanged.
   */
  timestamp(source: Buffer, start: number, end: number): void {
    const zone = end - 3;
    const isPlain =
      source[start + 4] === dash &&
      source[start + 10] === blank &&
      source[zone] === plus &&
      source[zone + 1] === zero &&
      source[zone + 2] === zero;
    if (!isPlain) {
      this.copy(source, start, end);
      return;
    }
    this.#reserve(isoLength);
    const piece = this.#piece;
    const at = this.#at;
    for (let index = 0; index < secondsLength; index++) piece[at + index] = source[start + index] as number;
    piece[at + 10] = letterT;
    piece[at + 19] = dot;
    for (let index = 20; index < 23; index++)
      piece[at + index] = start + index < zone ? (source[start + index] as number) : zero;
    piece[at + 23] = letterZ;
    this.#at += isoLength;
  }

  #reserve(size: number): void {
    if (this.#piece.length - this.#at >= size) return;
    if (this.#at > 0) this.#full.push(this.#piece.subarray(0, this.#at));
    this.#piece = this.#take();
    this.#at = 0;
  }
}

/** `2026-11-21 04:10:36` */
const secondsLength = 19;
/** `2026-11-21T04:10:36.123Z` */
const isoLength = 24;
const blank = 0x20;
const quote = 0x22;
const backslash = 0x5c;
const dash = 0x2d;
const plus = 0x2b;
const dot = 0x2e;
const zero = 0x30;
const letterT = 0x54;
const letterZ = 0x5a;
