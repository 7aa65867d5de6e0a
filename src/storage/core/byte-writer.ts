/**
 * JSON as bytes, out of what PostgreSQL sent, into pieces of equal size. A listing has thousands of names and dates: as
 * strings they would be made, joined, and encoded again.
 */

/** Bytes that a character of a JSON string takes at most when it is escaped: `\u0000`. */
const escapedBytes = 6;

const nothing = Buffer.alloc(0);

export class ByteWriter {
  readonly #take: () => Buffer;
  readonly #full: Buffer[] = [];
  #piece: Buffer = nothing;
  #at = 0;

  /** `take` gives an empty piece of at least 64 bytes; it is asked when something is written. */
  constructor(take: () => Buffer) {
    this.#take = take;
  }

  /** All that was written, in order; nothing may be written after. */
  end(): Buffer[] {
    return this.#at === 0 ? this.#full : [...this.#full, this.#piece.subarray(0, this.#at)];
  }

  /** Text without escapes, for the frame of the document; at most 64 characters of ASCII. */
  ascii(text: string): void {
    this.#reserve(text.length);
    this.#at += this.#piece.write(text, this.#at, 'latin1');
  }

  /** Bytes as they are. */
  copy(source: Buffer, start: number, end: number): void {
    for (let from = start; from < end; ) {
      this.#reserve(1);
      const copied = source.copy(this.#piece, this.#at, from, end);
      this.#at += copied;
      from += copied;
    }
  }

  /** The inside of a JSON string: UTF-8 with the escapes that JSON.stringify writes. */
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
   * The inside of a JSON string that says a timestamptz of PostgreSQL in UTC as JavaScript's dates say it.
   * `2026-11-21 04:10:36.123456+00` is `2026-11-21T04:10:36.123Z`; infinity and years beyond 9999, which have no such form,
   * stay as they are.
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
