/** Reads the fields of a JSON body as Go decodes a struct: a missing or null field has the zero value of its type. */
import { authError } from '../errors.ts';
import { isJsonObject, isStorable, type JsonObject } from './json.ts';

export interface Fields {
  text(name: string): string;
  /** Returns undefined if the field is missing or null. Use this function for fields in which `''` has a meaning. */
  optionalText(name: string): string | undefined;
  flag(name: string, fallback?: boolean): boolean;
  /** Returns undefined if the field is missing or null. */
  optionalFlag(name: string): boolean | undefined;
  object(name: string): JsonObject | undefined;
  list(name: string): string[] | undefined;
  /** Returns the value that the client sent, even if the value is null. Returns undefined if the field is missing. */
  raw(name: string): unknown;
}

/**
 * Parses the body when the function is first called, so that checks can run before the body is parsed.
 * @throws {AuthError} bad_json
 */
export type ReadFields = () => Fields;

/** Parses a JSON body. @throws {AuthError} bad_json */
export function parseFields(body: string): Fields {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch (cause) {
    const reason = body.trim() === '' ? 'unexpected end of JSON input' : (cause as Error).message;
    throw authError('bad_json', `Could not parse request body as JSON: ${reason}`);
  }
  if (parsed === null) return fieldsOf({});
  if (!isJsonObject(parsed)) throw wrongType(parsed, '', 'object');
  return fieldsOf(parsed);
}

/** Reads the fields of an object that was created in this process instead of the fields of a request body. */
export function fieldsOf(values: JsonObject): Fields {
  const read = (name: string): unknown =>
    (Object.hasOwn(values, name) ? values[name] : undefined) ?? undefined;
  const optionalText = (name: string): string | undefined => {
    const value = read(name);
    if (value !== undefined && typeof value !== 'string') throw wrongType(value, name, 'string');
    return value;
  };
  const optionalFlag = (name: string): boolean | undefined => {
    const value = read(name);
    if (value !== undefined && typeof value !== 'boolean') throw wrongType(value, name, 'bool');
    return value;
  };
  return {
    text: (name) => optionalText(name) ?? '',
    optionalText,
    flag: (name, fallback = false) => optionalFlag(name) ?? fallback,
    optionalFlag,
    object(name) {
      const value = read(name);
      if (value !== undefined && !isJsonObject(value)) throw wrongType(value, name, 'object');
      if (!isStorable(value)) {
        throw authError(
          'validation_failed',
          `"${name}" cannot be stored: it contains a null character or an incomplete character, or it is nested too deeply`,
        );
      }
      return value;
    },
    list(name) {
      const value = read(name);
      if (value === undefined) return undefined;
      if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
        throw wrongType(value, name, 'list of strings');
      }
      return value as string[];
    },
    raw: (name) => (Object.hasOwn(values, name) ? values[name] : undefined),
  };
}

function wrongType(value: unknown, name: string, expected: string) {
  const target = name === '' ? 'the body' : `"${name}"`;
  const found = Array.isArray(value) ? 'list' : typeof value;
  return authError(
    'bad_json',
    `Could not parse request body as JSON: ${target} is of type ${found}, not ${expected}`,
  );
}
