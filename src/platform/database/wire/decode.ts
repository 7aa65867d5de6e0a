/**
 * Decodes values in PostgreSQL's text format to JavaScript values. The type OID of a column determines the decoder, as
 * documented for `Row`.
 */
import { readArray } from './array-literal.ts';

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
