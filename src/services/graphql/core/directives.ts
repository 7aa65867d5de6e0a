/**
 * Reads the directives in comments: `@graphql({...})`. Values of the wrong type are an error that names the type, in
 * the words of upstream's deserializer (pg_graphql 1.6), because its clients see that text.
 */

import type { EnumDirectives, NameDirectives, SchemaDirectives, TableDirectives } from './catalog.ts';
import { GraphqlError } from './error.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type JsonObject = { readonly [key: string]: Json };

/** A foreign key that a table's comment declares, because views have no constraints. */
export interface DeclaredForeignKey {
  readonly localName: string | null;
  readonly localColumns: readonly string[];
  readonly foreignName: string | null;
  readonly foreignSchema: string;
  readonly foreignTable: string;
  readonly foreignColumns: readonly string[];
}

/** The page size of a schema without a `max_rows` directive. */
export const DEFAULT_MAX_ROWS = 30;

export const schemaDirectives = (comment: string | null): SchemaDirectives => {
  const given = parseDirective(comment);
  return {
    inflectNames: given.inflect_names === true,
    maxRows: rowLimit(given.max_rows) ?? DEFAULT_MAX_ROWS,
    introspection: given.introspection === true,
  };
};

export const tableDirectives = (
  comment: string | null,
): TableDirectives & { readonly foreignKeys: readonly DeclaredForeignKey[] } => {
  const given = parseDirective(comment);
  return {
    name: asText(given.name),
    description: optionalString(given.description),
    totalCount: isEnabled(given.totalCount),
    aggregate: isEnabled(given.aggregate),
    primaryKeyColumns: isAbsent(given.primary_key_columns) ? null : strings(given.primary_key_columns),
    maxRows: rowLimit(given.max_rows),
    foreignKeys: isAbsent(given.foreign_keys) ? [] : sequence(given.foreign_keys).map(declaredForeignKey),
  };
};

export const columnDirectives = (comment: string | null): NameDirectives => {
  if (comment === null) return NO_NAME;
  const given = parseDirective(comment);
  return { name: asText(given.name), description: optionalString(given.description) };
};

export const functionDirectives = (comment: string | null): NameDirectives => {
  if (comment === null) return NO_NAME;
  const given = parseDirective(comment);
  return { name: asText(given.name), description: asText(given.description) };
};

/** The field names that a foreign key's comment chooses. */
export const foreignKeyDirectives = (
  comment: string | null,
): { readonly localName: string | null; readonly foreignName: string | null } => {
  const given = parseDirective(comment);
  return { localName: asText(given.local_name), foreignName: asText(given.foreign_name) };
};

export const enumDirectives = (comment: string | null): EnumDirectives => {
  const given = parseDirective(comment);
  return { name: asText(given.name), mappings: mappings(given.mappings) };
};

/**
 * Returns the JSON object between `@graphql(` and the last `)`. Empty for comments without a directive, and for JSON
 * that isn't an object.
 *
 * @throws a GraphqlError with PostgreSQL's message if the text isn't JSON.
 * @example parseDirective('Users. @graphql({"name": "User"})') // { name: 'User' }
 */
export const parseDirective = (comment: string | null): JsonObject => {
  const start = comment?.indexOf(OPENING) ?? -1;
  const end = comment?.lastIndexOf(')') ?? -1;
  // An empty directive counts as none, as in upstream's regular expression, which isn't used because it can be slow.
  if (comment === null || start < 0 || end <= start + OPENING.length) return {};
  const value = parseJson(comment.slice(start + OPENING.length, end));
  return isObject(value) ? value : {};
};

const OPENING = '@graphql(';

const NO_NAME: NameDirectives = { name: null, description: null };

const parseJson = (text: string): Json => {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new GraphqlError('invalid input syntax for type json');
  }
};

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isAbsent = (value: Json | undefined): value is null | undefined =>
  value === undefined || value === null;

/** The value as `->>` shows it: strings without quotes, everything else as JSON. */
const asText = (value: Json | undefined): string | null => {
  if (isAbsent(value)) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const isEnabled = (value: Json | undefined): boolean =>
  isObject(value) && (value.enabled === true || value.enabled === 'true');

const optionalString = (value: Json | undefined): string | null => (isAbsent(value) ? null : string(value));

const string = (value: Json): string => {
  if (typeof value === 'string') return value;
  throw wrongType(value, 'a string');
};

const sequence = (value: Json): readonly Json[] => {
  if (Array.isArray(value)) return value;
  throw wrongType(value, 'a sequence');
};

const strings = (value: Json): readonly string[] => sequence(value).map(string);

/** The limit of rows, which PostgreSQL casts to integer from its text. */
const rowLimit = (value: Json | undefined): number | null => {
  const text = asText(value);
  if (text === null) return null;
  if (!/^\s*[+-]?\d+\s*$/.test(text)) {
    throw new GraphqlError(`invalid input syntax for type integer: "${text}"`);
  }
  const limit = Number(text);
  if (Math.abs(limit) > 2_147_483_647) {
    throw new GraphqlError(`value "${text}" is out of range for type integer`);
  }
  if (limit < 0) throw faulty(`invalid value: integer \`${limit}\`, expected u64`);
  return limit;
};

const declaredForeignKey = (value: Json): DeclaredForeignKey => {
  if (!isObject(value)) throw wrongType(value, 'struct TableDirectiveForeignKey');
  const required = (name: string): Json => {
    const member = value[name];
    if (member === undefined) throw faulty(`missing field \`${name}\``);
    return member;
  };
  return {
    localName: optionalString(value.local_name),
    localColumns: strings(required('local_columns')),
    foreignName: optionalString(value.foreign_name),
    foreignSchema: string(required('foreign_schema')),
    foreignTable: string(required('foreign_table')),
    foreignColumns: strings(required('foreign_columns')),
  };
};

/** Labels and names correspond one to one. If two labels get the same name, only the last one has it. */
const mappings = (value: Json | undefined): ReadonlyMap<string, string> => {
  if (isAbsent(value)) return new Map();
  if (!isObject(value)) throw wrongType(value, 'a map');
  const result = new Map<string, string>();
  for (const label of Object.keys(value).sort()) {
    const name = string(value[label] ?? null);
    for (const [other, taken] of result) if (taken === name) result.delete(other);
    result.set(label, name);
  }
  return result;
};

const faulty = (detail: string): GraphqlError =>
  new GraphqlError(`Error while loading schema, check comment directives. ${detail}`);

const wrongType = (value: Json, expected: string): GraphqlError =>
  faulty(`invalid type: ${describe(value)}, expected ${expected}`);

const describe = (value: Json): string => {
  if (value === null) return 'null';
  if (typeof value === 'string') return `string ${JSON.stringify(value)}`;
  if (typeof value === 'boolean') return `boolean \`${value}\``;
  if (typeof value === 'number') {
    return Number.isInteger(value) ? `integer \`${value}\`` : `floating point \`${value}\``;
  }
  return Array.isArray(value) ? 'sequence' : 'map';
};
