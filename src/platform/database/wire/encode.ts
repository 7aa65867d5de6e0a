/** Encodes JavaScript values in PostgreSQL's text format. */
import type { SqlValue } from '../../../base/kernel/sql.ts';
import { writeArray } from './array-literal.ts';

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
