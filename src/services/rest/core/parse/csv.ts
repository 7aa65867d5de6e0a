/**
 * Converts CSV (RFC 4180) to a JSON array of objects whose keys are the header names. The bytes are processed twice,
 * first to measure the result and then to write it. Fields never become JavaScript objects.
 *
 * Converting 12 MB of CSV takes 24 MB of memory, whereas csv-parse takes 282 MB and twice the time, and rejects fields
 * that PostgREST accepts ([decision 44](../../../../docs/decisions/0044-shared-and-libraries.md)).
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
  /** Returned if the JSON would be longer than `limitBytes`. */
  | { readonly kind: 'too long' };

/**
 * Converts CSV to JSON. The field `NULL` becomes null, and all other fields become strings. If two columns have the
 * same name, the last one is used.
 */
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
  /**
   * Called for each field. `index` is the index of the field, and `ranges` contains its byte ranges as `[start, end,
   * start, end, …]`.
   */
  field(ranges: readonly number[], index: number): void;
  /** Called at the end of a record with the number of fields in the record. */
  end(fields: number): void;
}

/** Reads all records and skips blank lines. Returns false if a quoted field isn't terminated. */
function readRecords(body: Uint8Array, records: Records): boolean {
  const ranges: number[] = [];
  let index = 0;
  let at = 0;
  // A comma is always followed by another field, even at the end of the input.
  while (at < body.length || index > 0) {
    ranges.length = 0;
    if (body[at] === QUOTE) {
      at = readQuoted(body, at + 1, ranges);
      if (at < 0) return false;
    }
    const start = at;
    while (at < body.length && body[at] !== COMMA && body[at] !== CR && body[at] !== LF) at++;
    if (at > start) ranges.push(start, at);
    const isLast = body[at] !== COMMA;
    if (!isLast || index > 0 || ranges.length > 0) records.field(ranges, index++);
    if (isLast && index > 0) {
      records.end(index);
      index = 0;
    }
    at += body[at] === CR && body[at + 1] === LF ? 2 : 1;
  }
  return true;
}

/**
 * Reads a quoted field. Returns the position after the closing quote, or -1 if the closing quote is missing. A doubled
 * quote represents a single quote in the text.
 */
function readQuoted(body: Uint8Array, start: number, ranges: number[]): number {
  let from = start;
  for (;;) {
    const quote = body.indexOf(QUOTE, from);
    if (quote < 0) return -1;
    const isDoubled = body[quote + 1] === QUOTE;
    const end = isDoubled ? quote + 1 : quote;
    if (end > from) ranges.push(from, end);
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
/** The JSON escape sequences, indexed by byte. The entries of bytes that need no escape are undefined. */
const ESCAPES: readonly (Uint8Array | undefined)[] = Array.from({ length: 256 }, (_, code) =>
  code < 0x20 || code === QUOTE || code === 0x5c
    ? bytes(JSON.stringify(String.fromCharCode(code)).slice(1, -1))
    : undefined,
);

/** The length of each byte's JSON encoding. */
const LENGTHS = Uint8Array.from(ESCAPES, (escaped) => escaped?.length ?? 1);

/** Writes rows as JSON. If `out` is undefined, only measures their length. */
class RowWriter implements Records {
  readonly names: string[] = [];
  count = 0;
  isUneven = false;
  readonly #body: Uint8Array;
  readonly #out: Uint8Array | undefined;
  #size = 0;
  /**
   * The encoded keys by column index. Undefined until the header has been read. A key is undefined if a later column
   * has the same name as the key's column.
   */
  #members: readonly (Uint8Array | undefined)[] | undefined;

  constructor(body: Uint8Array, out: Uint8Array | undefined) {
    this.#body = body;
    this.#out = out;
  }

  field(ranges: readonly number[], index: number): void {
    if (this.#members === undefined) {
      this.names.push(this.#textOf(ranges));
      return;
    }
    if (index === 0) this.#put(this.count === 0 ? FIRST_ROW : NEXT_ROW);
    const member = this.#members[index];
    if (member === undefined) return;
    this.#put(member);
    if (this.#isNull(ranges)) this.#put(NULL);
    else this.#putText(ranges);
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

  /** Completes the JSON and returns its total size in bytes. */
  finish(): number {
    this.#put(this.count === 0 ? NO_ROWS : END);
    return this.#size;
  }

  #textOf(ranges: readonly number[]): string {
    const parts: Uint8Array[] = [];
    for (let index = 0; index < ranges.length; index += 2) {
      parts.push(this.#body.subarray(ranges[index], ranges[index + 1]));
    }
    return Buffer.concat(parts).toString('utf8');
  }

  #isNull(ranges: readonly number[]): boolean {
    const [start = 0, end = 0] = ranges;
    if (ranges.length !== 2 || end - start !== 4 || this.#body[start] !== 0x4e) return false;
    return this.#textOf(ranges) === 'NULL';
  }

  /** Writes the text byte by byte, because fields are short and copying slices would be slower. */
  #putText(ranges: readonly number[]): void {
    const body = this.#body;
    const out = this.#out;
    let size = this.#size;
    if (out !== undefined) out[size] = QUOTE;
    size++;
    for (let index = 0; index < ranges.length; index += 2) {
      const end = ranges[index + 1] as number;
      for (let at = ranges[index] as number; at < end; at++) {
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

/** Returns `"name":` with a leading comma, except for the first member. */
function membersOf(names: readonly string[]): (Uint8Array | undefined)[] {
  const last = new Map(names.map((name, index) => [name, index]));
  const first = Math.min(...last.values());
  return names.map((name, index) =>
    last.get(name) === index ? bytes(`${index === first ? '' : ','}${JSON.stringify(name)}:`) : undefined,
  );
}
