/**
 * Decodes values in PostgreSQL's text format to JavaScript values, and encodes them. The type OID of a column
 * determines the decoder, as documented for `Row`.
 */
import type { SqlValue } from '../../../../base/kernel/sql.ts';

/** Decodes the bytes in `buffer[start..end)`. */
export type Decoder = (buffer: Buffer, start: number, end: number) => unknown;

const asText: Decoder = (buffer, start, end) => buffer.toString('utf8', start, end);

function fromText(read: (text: string) => unknown): Decoder {
  return (buffer, start, end) => read(buffer.toString('utf8', start, end));
}

const asBoolean: Decoder = (buffer, start) => buffer[start] === 0x74;

/**
 * Decodes an integer. A JavaScript number represents up to 15 digits exactly, so integers with up to 15 digits are
 * computed digit by digit. Longer integers are parsed from a string.
 */
const asInteger: Decoder = (buffer, start, end) => {
  const negative = buffer[start] === 0x2d;
  const first = negative ? start + 1 : start;
  if (end - first > 15) return Number(buffer.toString('latin1', start, end));
  let value = 0;
  for (let offset = first; offset < end; offset++) value = value * 10 + (buffer[offset] as number) - 0x30;
  return negative ? -value : value;
};

const readBytes = (text: string): Buffer => Buffer.from(text.slice(2), 'hex');

/** The types that have a decoder. Each entry has the form [type OID, array type OID, parser for an element's text]. */
const TYPES: readonly (readonly [
  oid: number,
  arrayOid: number,
  read: (text: string) => unknown,
  decode?: Decoder,
])[] = [
  [16, 1000, (text) => text === 't', asBoolean],
  [17, 1001, readBytes],
  [21, 1005, Number, asInteger],
  [23, 1007, Number, asInteger],
  [26, 1028, Number, asInteger],
  [20, 1016, Number, asInteger],
  [700, 1021, Number],
  [701, 1022, Number],
  [114, 199, (text) => JSON.parse(text)],
  [3802, 3807, (text) => JSON.parse(text)],
];

/**
 * The array types whose elements are decoded as strings, such as char, name, text, bpchar, varchar, uuid, numeric,
 * date, time, timestamp and interval.
 */
const TEXT_ARRAYS = [1002, 1003, 1009, 1014, 1015, 2951, 1231, 1182, 1183, 1270, 1115, 1185, 1187];

const DECODERS = new Map<number, Decoder>();
for (const [oid, arrayOid, read, decode] of TYPES) {
  DECODERS.set(oid, decode ?? fromText(read));
  DECODERS.set(
    arrayOid,
    fromText((text) => readArray(text, read)),
  );
}
for (const arrayOid of TEXT_ARRAYS) {
  DECODERS.set(
    arrayOid,
    fromText((text) => readArray(text, (item) => item)),
  );
}

export function decoderOf(typeOid: number): Decoder {
  return DECODERS.get(typeOid) ?? asText;
}

/** Reads a row into an object. `start` is the offset of the body of the row's DataRow message. */
export function readRow(
  buffer: Buffer,
  start: number,
  names: readonly string[],
  decoders: readonly Decoder[],
): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  let offset = start + 2;
  for (let index = 0; index < names.length; index++) {
    const length = buffer.readInt32BE(offset);
    offset += 4;
    const name = names[index] as string;
    if (length < 0) {
      row[name] = null;
    } else {
      row[name] = (decoders[index] as Decoder)(buffer, offset, offset + length);
      offset += length;
    }
  }
  return row;
}

/** The type OIDs of json and jsonb. */
const JSON_TYPES: readonly (number | undefined)[] = [114, 3802];
/** The type OIDs of json[] and jsonb[]. */
const JSON_ARRAY_TYPES: readonly (number | undefined)[] = [199, 3807];

/**
 * Encodes a value. Dates become ISO text, bytes become `\x…`, arrays become array literals, and other objects become
 * JSON. For a parameter of type `json` or `jsonb`, an array also becomes JSON. For a parameter of type `json[]` or
 * `jsonb[]`, arrays inside the array become JSON. Strings are sent unchanged, so a string for a `json` parameter must
 * already be JSON text.
 */
export function encodeValue(value: SqlValue, parameterType?: number): string | null {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'bigint':
      return value.toString();
    case 'undefined':
      return null;
    case 'object':
      return value === null ? null : encodeObject(value, parameterType);
    default:
      throw new TypeError(`A ${typeof value} can't be used as a statement parameter.`);
  }
}

function encodeObject(value: object, parameterType: number | undefined): string {
  if (value instanceof Date) return encodeDate(value);
  if (value instanceof Uint8Array)
    return `\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}`;
  if (!Array.isArray(value) || JSON_TYPES.includes(parameterType)) return JSON.stringify(value);
  if (!JSON_ARRAY_TYPES.includes(parameterType))
    return writeArray<SqlValue>(value, (item) => encodeValue(item));
  const items = value.map((item) => (Array.isArray(item) ? JSON.stringify(item) : encodeValue(item)));
  return writeArray(items, (item) => item);
}

/**
 * Encodes a date. For years outside 1 to 9999, PostgreSQL's format differs from the ISO 8601 format (`+012345`,
 * `-000001`).
 */
function encodeDate(value: Date): string {
  const year = value.getUTCFullYear();
  const iso = value.toISOString();
  if (year >= 1 && year <= 9999) return iso;
  const rest = iso.slice(iso.indexOf('-', 1));
  return year > 9999 ? `${year}${rest}` : `${String(1 - year).padStart(4, '0')}${rest} BC`;
}

/**
 * Writes an array in PostgreSQL's text format (documentation, section 8.15.6). Writes null elements as `NULL`, arrays
 * as nested arrays, and all other elements in quotes.
 */
export function writeArray<T>(items: readonly T[], writeItem: (item: T) => string | null): string {
  let text = '{';
  for (let index = 0; index < items.length; index++) {
    if (index > 0) text += ',';
    const item = items[index] as T;
    if (Array.isArray(item)) {
      text += writeArray(item as unknown as T[], writeItem);
      continue;
    }
    const written = writeItem(item);
    text += written === null ? 'NULL' : `"${written.replace(/["\\]/g, '\\$&')}"`;
  }
  return `${text}}`;
}

/**
 * Reads an array in the server's output format, with or without bounds, such as `{1,2}`, `{"a b",NULL,{x}}` or
 * `[0:1]={1,2}`.
 */
export function readArray<T>(text: string, readItem: (text: string) => T): unknown[] {
  const root: unknown[] = [];
  let open: unknown[] = root;
  const outer: unknown[][] = [];
  let offset = text.indexOf('{');
  if (offset < 0) throw new SyntaxError(`This text isn't an array literal: ${text}`);
  while (offset < text.length) {
    const character = text[offset];
    if (character === '{') {
      const inner: unknown[] = [];
      outer.push(open);
      open.push(inner);
      open = inner;
      offset++;
    } else if (character === '}') {
      open = outer.pop() ?? root;
      offset++;
    } else if (character === ',') {
      offset++;
    } else if (character === '"') {
      let value = '';
      let end = offset + 1;
      for (; end < text.length && text[end] !== '"'; end++) {
        if (text[end] === '\\') end++;
        value += text[end];
      }
      open.push(readItem(value));
      offset = end + 1;
    } else {
      let end = offset;
      while (end < text.length && text[end] !== ',' && text[end] !== '}') end++;
      const value = text.slice(offset, end);
      open.push(value === 'NULL' ? null : readItem(value));
      offset = end;
    }
  }
  return root[0] as unknown[];
}
