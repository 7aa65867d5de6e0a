/**
 * Comma-separated values (RFC 4180) as JSON: an array of objects whose members are the header's names. Written from bytes
 * to bytes, once to learn how long it gets and once into that much memory, so that no field ever becomes an object.
 */
import { isUtf8 } from 'node:buffer';

const QUOTE = 0x22;
const COMMA = 0x2c;
const CR = 0x0d;
const LF = 0x0a;

export type CsvRows =
  | {
      readonly kind: 'rows';
      readonly json: Uint8Array;
      readonly names: readonly string[];
      readonly count: number;
    }
  | { readonly kind: 'fault'; readonly fault: string }
  /** The JSON would be longer than `limitBytes`. */
  | { readonly kind: 'too long' };

/** A field that reads `NULL` is null, every other one a text. Of two columns of one name the last counts. */
export function csvToJson(given: Uint8Array, limitBytes: number): CsvRows {
  const body = withoutMark(isUtf8(given) ? given : Buffer.from(new TextDecoder().decode(given)));
  const measured = new RowWriter(body, undefined);
  if (!readRecords(body, measured)) return { kind: 'fault', fault: 'Unterminated quoted field' };
  const { names, isUneven, count } = measured;
  if (names.length === 0) return { kind: 'fault', fault: 'not enough input' };
  if (isUneven) return { kind: 'fault', fault: 'All lines must have same number of fields' };
  const size = measured.finish();
  if (size > limitBytes) return { kind: 'too long' };
  const json = Buffer.allocUnsafeSlow(size);
  const writer = new RowWriter(body, json);
  readRecords(body, writer);
  writer.finish();
  return { kind: 'rows', json, names, count };
}

const MARK = Buffer.from('\ufeff');

const withoutMark = (body: Uint8Array): Uint8Array =>
  MARK.every((byte, index) => body[index] === byte) ? body.subarray(MARK.length) : body;

interface Records {
  /** The field at `place` of a record lies in pieces: `[start, end, start, end …]`. */
  field(pieces: readonly number[], place: number): void;
  /** The end of a record, and how many fields it had. */
  end(fields: number): void;
}

/** False: a quote that never ends. A blank line is no record. */
function readRecords(body: Uint8Array, records: Records): boolean {
  const pieces: number[] = [];
  let place = 0;
  let at = 0;
  // Behind a comma there is one more field, even at the end.
  while (at < body.length || place > 0) {
    pieces.length = 0;
    if (body[at] === QUOTE) {
      at = readQuoted(body, at + 1, pieces);
      if (at < 0) return false;
    }
    const start = at;
    while (at < body.length && body[at] !== COMMA && body[at] !== CR && body[at] !== LF) at++;
    if (at > start) pieces.push(start, at);
    const isLast = body[at] !== COMMA;
    if (!isLast || place > 0 || pieces.length > 0) records.field(pieces, place++);
    if (isLast && place > 0) {
      records.end(place);
      place = 0;
    }
    at += body[at] === CR && body[at + 1] === LF ? 2 : 1;
  }
  return true;
}

/** The position behind the closing quote, or -1; of a doubled quote the first half belongs to the text. */
function readQuoted(body: Uint8Array, start: number, pieces: number[]): number {
  let from = start;
  for (;;) {
    const quote = body.indexOf(QUOTE, from);
    if (quote < 0) return -1;
    const isDoubled = body[quote + 1] === QUOTE;
    const end = isDoubled ? quote + 1 : quote;
    if (end > from) pieces.push(from, end);
    if (!isDoubled) return end + 1;
    from = quote + 2;
  }
}

const bytes = (text: string): Uint8Array => Buffer.from(text);
const FIRST_ROW = bytes('[{');
const NEXT_ROW = bytes(',{');
const ROW_END = bytes('}');
const END = bytes(']');
const NO_ROWS = bytes('[]');
const NULL = bytes('null');
/** What a byte becomes inside a JSON text, where it cannot stay as it is. */
const ESCAPES: readonly (Uint8Array | undefined)[] = Array.from({ length: 256 }, (_, code) =>
  code < 0x20 || code === QUOTE || code === 0x5c
    ? bytes(JSON.stringify(String.fromCharCode(code)).slice(1, -1))
    : undefined,
);

/** In JSON, by byte. */
const LENGTHS = Uint8Array.from(ESCAPES, (escaped) => escaped?.length ?? 1);

/** The rows as JSON; without `out` only how many bytes they take. */
class RowWriter implements Records {
  readonly names: string[] = [];
  count = 0;
  isUneven = false;
  readonly #body: Uint8Array;
  readonly #out: Uint8Array | undefined;
  #size = 0;
  /** By place, once the header has been read; undefined where a later column has the same name. */
  #members: readonly (Uint8Array | undefined)[] | undefined;

  constructor(body: Uint8Array, out: Uint8Array | undefined) {
    this.#body = body;
    this.#out = out;
  }

  field(pieces: readonly number[], place: number): void {
    if (this.#members === undefined) {
      this.names.push(this.#textOf(pieces));
      return;
    }
    if (place === 0) this.#put(this.count === 0 ? FIRST_ROW : NEXT_ROW);
    const member = this.#members[place];
    if (member === undefined) return;
    this.#put(member);
    if (this.#isNull(pieces)) this.#put(NULL);
    else this.#putText(pieces);
  }

  end(fields: number): void {
    if (this.#members === undefined) {
      this.#members = membersOf(this.names);
      return;
    }
    if (fields !== this.names.length) this.isUneven = true;
    this.#put(ROW_END);
    this.count++;
  }

  /** The size of it all, in bytes. */
  finish(): number {
    this.#put(this.count === 0 ? NO_ROWS : END);
    return this.#size;
  }

  #textOf(pieces: readonly number[]): string {
    const parts: Uint8Array[] = [];
    for (let index = 0; index < pieces.length; index += 2) {
      parts.push(this.#body.subarray(pieces[index], pieces[index + 1]));
    }
    return Buffer.concat(parts).toString('utf8');
  }

  #isNull(pieces: readonly number[]): boolean {
    const [start = 0, end = 0] = pieces;
    if (pieces.length !== 2 || end - start !== 4 || this.#body[start] !== 0x4e) return false;
    return this.#textOf(pieces) === 'NULL';
  }

  /** Byte by byte: for texts as short as fields are, that is quicker than copying pieces. */
  #putText(pieces: readonly number[]): void {
    const body = this.#body;
    const out = this.#out;
    let size = this.#size;
    if (out !== undefined) out[size] = QUOTE;
    size++;
    for (let index = 0; index < pieces.length; index += 2) {
      const end = pieces[index + 1] as number;
      for (let at = pieces[index] as number; at < end; at++) {
        const byte = body[at] as number;
        const length = LENGTHS[byte] as number;
        if (out !== undefined) {
          if (length === 1) out[size] = byte;
          else out.set(ESCAPES[byte] as Uint8Array, size);
        }
        size += length;
      }
    }
    if (out !== undefined) out[size] = QUOTE;
    this.#size = size + 1;
  }

  #put(text: Uint8Array): void {
    const out = this.#out;
    const size = this.#size;
    if (out !== undefined) for (let at = 0; at < text.length; at++) out[size + at] = text[at] as number;
    this.#size = size + text.length;
  }
}

/** `"name":`, behind a comma but for the first one. */
function membersOf(names: readonly string[]): (Uint8Array | undefined)[] {
  const last = new Map(names.map((name, place) => [name, place]));
  const first = Math.min(...last.values());
  return names.map((name, place) =>
    last.get(name) === place ? bytes(`${place === first ? '' : ','}${JSON.stringify(name)}:`) : undefined,
  );
}
