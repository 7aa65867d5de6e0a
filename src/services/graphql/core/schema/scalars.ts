/** Defines the scalars, with upstream's descriptions, which clients see. */

import type { Column, SqlType } from '../catalog.ts';
import type { EnumType, EnumValue, ScalarName, ScalarType } from './types.ts';

const scalar = (name: ScalarName, description: string, maxLength: number | null = null): ScalarType => ({
  kind: 'SCALAR',
  name,
  description,
  maxLength,
});

export const ID = scalar('ID', 'A globally unique identifier for a given record');
export const INT = scalar('Int', 'A scalar integer up to 32 bits');
export const FLOAT = scalar('Float', 'A scalar floating point value up to 32 bits');
export const STRING = scalar('String', 'A string');
export const BOOLEAN = scalar('Boolean', 'A value that is true or false');
export const DATE = scalar('Date', 'A date without time information');
export const TIME = scalar('Time', 'A time without date information');
export const DATETIME = scalar('Datetime', 'A date and time');
export const BIG_INT = scalar('BigInt', 'An arbitrary size integer represented as a string');
export const UUID = scalar('UUID', 'A universally unique identifier');
export const JSON_SCALAR = scalar('JSON', 'A Javascript Object Notation value serialized as a string');
export const CURSOR = scalar(
  'Cursor',
  'An opaque string using for tracking a position in results during pagination',
);
export const BIG_FLOAT = scalar('BigFloat', 'A high precision floating point value represented as a string');
export const OPAQUE = scalar('Opaque', 'Any type not handled by the type system');

export const SCALARS: readonly ScalarType[] = [
  ID,
  INT,
  FLOAT,
  STRING,
  BOOLEAN,
  DATE,
  TIME,
  DATETIME,
  BIG_INT,
  UUID,
  JSON_SCALAR,
  CURSOR,
  BIG_FLOAT,
  OPAQUE,
];

/** Returns the scalar of a column or argument whose type is neither an array, an enum nor a row. */
export const scalarOf = (type: SqlType, maxCharacters: number | null): ScalarType => {
  const known = SCALARS_BY_OID.get(type.oid);
  if (known) return known;
  if (LIMITED_TEXT_OIDS.has(type.oid)) return limitedString(maxCharacters);
  return type.name === 'citext' ? STRING : OPAQUE;
};

/** Returns String with a maximum length. */
export const limitedString = (maxLength: Column['maxCharacters']): ScalarType =>
  maxLength === null ? STRING : { ...STRING, maxLength };

/** By the fixed oids of PostgreSQL's own types. */
const SCALARS_BY_OID: ReadonlyMap<number, ScalarType> = new Map([
  [16, BOOLEAN],
  [20, BIG_INT],
  [21, INT], // smallint
  [23, INT], // integer
  [25, STRING], // text
  [114, JSON_SCALAR], // json
  [700, FLOAT], // real
  [701, FLOAT], // double precision
  [1082, DATE],
  [1083, TIME], // without time zone
  [1114, DATETIME], // without time zone
  [1184, DATETIME], // with time zone
  [1700, BIG_FLOAT], // numeric
  [2950, UUID],
  [3802, JSON_SCALAR], // jsonb
]);

/** "char", bpchar, varchar. */
const LIMITED_TEXT_OIDS: ReadonlySet<number> = new Set([18, 1042, 1043]);

const enumValue = (name: string, description: string | null = null): EnumValue => ({
  name,
  description,
  label: name,
});

export const FILTER_IS: EnumType = {
  kind: 'ENUM',
  name: 'FilterIs',
  description: null,
  values: [enumValue('NULL'), enumValue('NOT_NULL')],
  role: { is: 'filterIs' },
};

export const ORDER_BY_DIRECTION: EnumType = {
  kind: 'ENUM',
  name: 'OrderByDirection',
  description: 'Defines a per-field sorting order',
  values: [
    enumValue('AscNullsFirst', 'Ascending order, nulls first'),
    enumValue('AscNullsLast', 'Ascending order, nulls last'),
    enumValue('DescNullsFirst', 'Descending order, nulls first'),
    enumValue('DescNullsLast', 'Descending order, nulls last'),
  ],
  role: { is: 'orderBy' },
};
