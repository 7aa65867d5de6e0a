/**
 * Reads the request body. JSON must be one object or an array of objects with the same keys, and is passed to
 * PostgreSQL unchanged. CSV and forms are converted to JSON first.
 */
import { RestError, restError } from '../../errors.ts';
import { csvToJson } from './csv.ts';
import { readJsonRows } from './json-rows.ts';
import { type MediaType, mediaTypeName } from './media-type.ts';
import { rejectNul, splitQuery } from './query.ts';

export interface Payload {
  /**
   * The JSON text, or the raw bytes if the body is a single unnamed argument. Undefined for a form that calls a
   * function.
   */
  readonly body: Uint8Array | undefined;
  /** The sorted keys of the objects, or the sorted names in `columns`. */
  readonly keys: readonly string[];
  /** Whether the JSON text is an object. If the value is false, the JSON text is an array. */
  readonly isObject: boolean;
  /** The form fields that are passed as function arguments. */
  readonly form: readonly (readonly [string, string])[] | undefined;
}

const text = new TextEncoder();
const EMPTY_ARRAY = text.encode('[]');
const EMPTY_OBJECT = text.encode('{}');

/**
 * Reads the body. `columns` is the parsed `columns` parameter, if the method supports this parameter.
 * @throws {RestError} PGRST102, 22021
 */
export function readPayload(
  body: Uint8Array,
  type: MediaType,
  target: 'table' | 'function',
  columns: readonly string[] | undefined,
): Payload {
  switch (type.kind) {
    case 'json':
      if (columns !== undefined) return json(body, columns, looksLikeObject(body));
      return checkedJson(body, target);
    case 'csv':
      return csv(body);
    case 'form': {
      const fields = formFields(body);
      if (target === 'function') {
        return { body: undefined, keys: keysOf(fields.map(([key]) => key)), isObject: true, form: fields };
      }
      const row = Object.fromEntries(fields.toReversed());
      return json(text.encode(JSON.stringify(row)), keysOf(Object.keys(row)), true);
    }
    default:
      if (target === 'function' && (type.kind === 'text' || type.kind === 'xml' || type.kind === 'bytes')) {
        return { body, keys: [], isObject: false, form: undefined };
      }
      throw invalidBody(`Content-Type not acceptable: ${mediaTypeName(type)}`);
  }
}

function json(body: Uint8Array, keys: readonly string[], isObject: boolean): Payload {
  return { body, keys, isObject, form: undefined };
}

function checkedJson(body: Uint8Array, target: 'table' | 'function'): Payload {
  if (body.length === 0 && target === 'function') return json(EMPTY_OBJECT, [], true);
  const rows = readJsonRows(body);
  switch (rows?.kind) {
    case undefined:
      throw invalidBody('Empty or invalid json');
    case 'object':
      return json(body, keysOf(rows.keys), true);
    case 'array':
      if (rows.keys === undefined) throw invalidBody('All object keys must match');
      return json(rows.isEmpty ? EMPTY_ARRAY : body, keysOf(rows.keys), false);
    case 'scalar':
      // A scalar is handled like an empty array.
      return json(EMPTY_ARRAY, [], false);
  }
}

/**
 * The maximum size of the JSON that is created from a CSV body. With short lines and long column names, the JSON is
 * much larger than the CSV.
 */
const CSV_AS_JSON_BYTES = 256 * 1024 * 1024;

function csv(body: Uint8Array): Payload {
  const table = csvToJson(body, CSV_AS_JSON_BYTES);
  if (table.kind === 'fault') throw invalidBody(table.fault);
  if (table.kind === 'too long')
    throw tooLarge(
      `After conversion to JSON, it has more than ${CSV_AS_JSON_BYTES} bytes. Send it in parts.`,
    );
  return json(table.json, table.count === 0 ? [] : keysOf(table.names), false);
}

/** The limits of a form, which contains one row or the arguments of one call. */
const FORM_BYTES = 16 * 1024 * 1024;
const FORM_FIELDS = 10_000;

function formFields(body: Uint8Array): [string, string][] {
  if (body.length > FORM_BYTES)
    throw tooLarge(`A form can have at most ${FORM_BYTES} bytes. Send JSON instead.`);
  let fields = 1;
  for (let at = body.indexOf(AMPERSAND); at >= 0; at = body.indexOf(AMPERSAND, at + 1)) fields++;
  if (fields > FORM_FIELDS)
    throw tooLarge(`A form can have at most ${FORM_FIELDS} fields. Send JSON instead.`);
  const text = decode(body);
  rejectNul(text);
  return splitQuery(text).map(([key, value]) => [key, value ?? '']);
}

const AMPERSAND = 0x26;

const tooLarge = (hint: string) =>
  new RestError({ code: 'PGRST102', status: 413, message: 'Request body is too large', hint });

/** A nesting depth that normal bodies don't reach. PostgreSQL's stack overflows at about 10,000 levels. */
const DEEP = 1000;

/**
 * Whether this body is nested so deeply that it exhausted PostgreSQL's stack (54001). If the body isn't nested so
 * deeply, a database function exhausted the stack.
 */
export function isTooDeep(body: Uint8Array): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (quoted) {
      if (byte === 0x5c) at++;
      else if (byte === 0x22) quoted = false;
    } else if (byte === 0x22) quoted = true;
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > DEEP) return true;
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  return false;
}

const decode = (body: Uint8Array) => new TextDecoder().decode(body);
const keysOf = (names: readonly string[]) => [...new Set(names)].sort();
export const invalidBody = (fault: string) => restError('PGRST102', { texts: { fault } });

function looksLikeObject(body: Uint8Array): boolean {
  const first = body.find((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d);
  return first === 0x7b;
}
