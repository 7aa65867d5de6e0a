/**
 * Writes JSON from PostgreSQL's raw bytes into chunks of equal size. A listing contains thousands of names and dates,
 * which would otherwise be decoded, joined and encoded again as strings.
 */

/** The maximum length in bytes of an escaped JSON character, such as `\u0000`. */
const escapedBytes = 6;

const nothing = Buffer.alloc(0);

export class ByteWriter {
  readonly #take: () => Buffer;
  readonly #full: Buffer[] = [];
  #chunk: Buffer = nothing;
  #at = 0;

  /** `take` must return an empty chunk of at least 64 bytes. `take` is called whenever the writer needs a new chunk. */
  constructor(take: () => Buffer) {
    this.#take = take;
  }

  /** Returns the written chunks in order. The writer can't be used afterward. */
  end(): Buffer[] {
    return this.#at === 0 ? this.#full : [...this.#full, this.#chunk.subarray(0, this.#at)];
  }

  /** Writes up to 64 characters of ASCII text that doesn't require escapes. */
  ascii(text: string): void {
    this.#reserve(text.length);
    this.#at += this.#chunk.write(text, this.#at, 'latin1');
  }

  /** Copies bytes unchanged. */
  copy(source: Buffer, start: number, end: number): void {
    for (let from = start; from < end; ) {
      this.#reserve(1);
      const copied = source.copy(this.#chunk, this.#at, from, end);
      this.#at += copied;
      from += copied;
    }
  }

  /** Writes the content of a JSON string as UTF-8, with the same escapes as JSON.stringify. */
  escaped(source: Buffer, start: number, end: number): void {
    for (let from = start; from < end; ) {
      this.#reserve(escapedBytes);
      const until = Math.min(end, from + Math.floor((this.#chunk.length - this.#at) / escapedBytes));
      const chunk = this.#chunk;
      let at = this.#at;
      for (; from < until; from++) {
        const byte = source[from] as number;
        if (byte >= blank && byte !== quote && byte !== backslash) chunk[at++] = byte;
        else at += chunk.write(JSON.stringify(String.fromCharCode(byte)).slice(1, -1), at, 'latin1');
      }
      this.#at = at;
    }
  }

  /**
   * Writes a PostgreSQL timestamptz in UTC as the content of a JSON string, in JavaScript's date format. `2026-11-21
   * 04:10:36.123456+00` becomes `2026-11-21T04:10:36.123Z`. Infinity and years beyond 9999 can't be represented in this
   * format and are written unchanged.
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
    const chunk = this.#chunk;
    const at = this.#at;
    for (let index = 0; index < secondsLength; index++) chunk[at + index] = source[start + index] as number;
    chunk[at + 10] = letterT;
    chunk[at + 19] = dot;
    for (let index = 20; index < 23; index++)
      chunk[at + index] = start + index < zone ? (source[start + index] as number) : zero;
    chunk[at + 23] = letterZ;
    this.#at += isoLength;
  }

  #reserve(size: number): void {
    if (this.#chunk.length - this.#at >= size) return;
    if (this.#at > 0) this.#full.push(this.#chunk.subarray(0, this.#at));
    this.#chunk = this.#take();
    this.#at = 0;
  }
}

/** The length of `2026-11-21 04:10:36`. */
const secondsLength = 19;
/** The length of `2026-11-21T04:10:36.123Z`. */
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
