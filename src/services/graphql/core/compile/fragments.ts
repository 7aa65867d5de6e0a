/**
 * Builds SQL fragments. Values are slots, names are quoted, and functions, types and operators are qualified, because
 * statements run with the search path of the caller.
 */

import { quoteIdentifier, quoteLiteral, Sql, sql } from '../../../../base/kernel/sql.ts';
import type { Catalog, Column } from '../catalog.ts';
import type { Slot } from '../coerce/slots.ts';

export interface Prepared {
  readonly text: string;
  readonly slots: readonly Slot[];
}

/** Numbers the slots of a statement. A slot that occurs more than once is one parameter. */
export function render(fragment: Sql, placeholders: 'parameters' | 'array'): Prepared {
  const numbers = new Map<Slot, number>();
  let text = '';
  for (const part of fragment.parts) {
    if (part.kind === 'text') {
      text += part.text;
      continue;
    }
    const slot = part.value as Slot;
    const number = numbers.get(slot) ?? numbers.size + 1;
    numbers.set(slot, number);
    text += placeholders === 'parameters' ? `$${number}` : `($1)[${number}]`;
  }
  return { text, slots: [...numbers.keys()] };
}

export const literal = (text: string): Sql => sql.raw(quoteLiteral(text));

/** A call of one of PostgreSQL's own functions. */
export const call = (name: string, ...args: readonly Sql[]): Sql =>
  sql`pg_catalog.${sql.raw(name)}(${sql.join(args)})`;

export const conjunction = (conditions: readonly Sql[]): Sql => sql.join(conditions, ' and ');

export const where = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? sql.empty : sql` where ${conjunction(conditions)}`;

/** The largest number of pairs, since a function has at most 100 arguments. */
const MAX_PAIRS = 50;

export type Pair = readonly [key: string, value: Sql];

const CONCAT = 'operator(pg_catalog.||)';

/** A JSON object. Large ones are concatenated from parts. */
export function jsonObject(pairs: readonly Pair[]): Sql {
  if (pairs.length <= MAX_PAIRS) {
    return call('json_build_object', ...pairs.map(([key, value]) => sql`${literal(key)}, ${value}`));
  }
  const members: Sql[] = [];
  for (let start = 0; start < pairs.length; start += MAX_PAIRS) {
    const part = sql`${jsonObject(pairs.slice(start, start + MAX_PAIRS))}::pg_catalog.text`;
    members.push(call('"left"', call('substr', part, sql.raw('2')), sql.raw('-1')));
  }
  const joined = sql.join(members, ` ${CONCAT} ', ' ${CONCAT} `);
  return sql`('{' ${sql.raw(CONCAT)} ${joined} ${sql.raw(CONCAT)} '}')::pg_catalog.json`;
}

/** SQL's own type names, which don't depend on the search path, without modifiers. */
const KEYWORD_TYPES = new Set([
  'bigint',
  'bit varying',
  'boolean',
  'character varying',
  'double precision',
  'integer',
  'numeric',
  'real',
  'smallint',
  'time with time zone',
  'time without time zone',
  'timestamp with time zone',
  'timestamp without time zone',
]);

/** Type names that mean something else without a modifier. */
const OTHER_NAMES: Readonly<Record<string, string | undefined>> = {
  bit: 'pg_catalog."bit"',
  character: 'pg_catalog.bpchar',
};

/**
 * Makes a type's name from the catalog independent of the search path. Modifiers are left out, because a cast to
 * `varchar(10)` shortens a value that an assignment refuses.
 */
export function typeSql(typeName: string): string {
  if (isQualified(typeName)) return typeName;
  const isArray = typeName.endsWith('[]');
  const name = (isArray ? typeName.slice(0, -2) : typeName).replace(/\([^)]*\)/, '');
  const base = name.startsWith('interval') ? 'interval' : name;
  const safe = KEYWORD_TYPES.has(base) ? base : (OTHER_NAMES[base] ?? `pg_catalog.${base}`);
  return isArray ? `${safe}[]` : safe;
}

/** The catalog qualifies all types outside pg_catalog. */
const isQualified = (typeName: string): boolean => typeName.includes('.');

export const cast = (slot: Slot, typeName: string): Sql => sql`${slot}::${sql.raw(typeSql(typeName))}`;

/** Casts to an array of the type. An array of arrays is the same type. */
export const castToArray = (slot: Slot, typeName: string): Sql => {
  const type = typeSql(typeName);
  return sql`${slot}::${sql.raw(type.endsWith('[]') ? type : `${type}[]`)}`;
};

/**
 * An operator for values of a column. The operators of an extension's types are found by the search path, since they
 * may be in any schema.
 */
export function operator(symbol: string, column: Column, catalog: Catalog): Sql {
  const category = catalog.types.get(column.typeOid)?.category;
  const isForeign = isQualified(column.typeName) && (category === undefined || category === 'Other');
  return sql.raw(isForeign ? symbol : `operator(pg_catalog.${symbol})`);
}

export const qualified = (schema: string, name: string): Sql => sql.id(schema, name);

/** Generates aliases that are unique within a statement. The same request always has the same ones. */
export class Aliases {
  #last = 0;
  next(prefix: string): Sql {
    this.#last += 1;
    return sql.raw(quoteIdentifier(`${prefix}${this.#last}`));
  }
}

/** The types whose JSON would lose digits or be nested, so that they're strings in responses. By oid. */
const AS_TEXT: Readonly<Record<number, string | undefined>> = {
  20: '::pg_catalog.text', // bigint
  114: ` operator(pg_catalog.#>>) '{}'::pg_catalog.text[]`, // json
  199: '::pg_catalog.text[]', // json[]
  1016: '::pg_catalog.text[]', // bigint[]
  1231: '::pg_catalog.text[]', // numeric[]
  1700: '::pg_catalog.text', // numeric
  3802: ` operator(pg_catalog.#>>) '{}'::pg_catalog.text[]`, // jsonb
  3807: '::pg_catalog.text[]', // jsonb[]
};

/** Converts a value to the form that responses have. */
export const output = (value: Sql, typeOid: number): Sql => {
  const suffix = AS_TEXT[typeOid];
  return suffix === undefined ? value : sql`${value}${sql.raw(suffix)}`;
};

export { quoteLiteral, Sql, sql };
