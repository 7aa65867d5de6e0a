/** Determines which types a column can have if it references another column. This module doesn't depend on React. */
import type { Column, Relation } from '../../../api/types.ts';
import type { TypeRef, Vocabulary } from './api.ts';
import { typeOf } from './drafts.ts';

const integers = ['smallint', 'integer', 'bigint'];

/** Types whose values can reference each other. */
const families = [
  integers,
  ['real', 'double precision'],
  ['text', 'varchar', 'char'],
  ['date', 'timestamp', 'timestamptz'],
  ['bit', 'bit varying'],
  ['inet', 'cidr'],
  ['macaddr', 'macaddr8'],
  ['oid', 'regclass'],
];

/** Types that can reference other types through an implicit cast, although the other types can't reference them. */
const casts = [
  { from: integers, to: ['numeric', 'real', 'double precision', 'oid', 'regclass'] },
  { from: ['numeric'], to: ['real', 'double precision'] },
  { from: ['time'], to: ['timetz', 'interval'] },
];

/**
 * Returns the column that a foreign key references. If no column name is given, returns the primary key. Returns
 * undefined if the primary key has several columns.
 */
export function referencedColumn({ columns }: Relation, targetColumn: string): Column | undefined {
  const [column, ...more] = columns.filter(({ name, primary_key }) =>
    targetColumn === '' ? primary_key : name === targetColumn,
  );
  return more.length === 0 ? column : undefined;
}

/** Returns false if PostgreSQL 18 would reject a foreign key between columns of these types. */
export function canReference(from: string, to: string, vocabulary: Vocabulary): boolean {
  const [own, other] = [typeOf(from, vocabulary), typeOf(to, vocabulary)];
  // A domain can reference its base type, so only PostgreSQL can compare the types of a project.
  if (own === undefined || other === undefined || own.schema !== undefined || other.schema !== undefined)
    return true;
  return own.array === other.array && (own.name === other.name || (!own.array && areComparable(own, other)));
}

const areComparable = (from: TypeRef, to: TypeRef): boolean =>
  families.some((family) => family.includes(from.name) && family.includes(to.name)) ||
  casts.some((cast) => cast.from.includes(from.name) && cast.to.includes(to.name));
