/** Converts filters for rows to SQL conditions. */
import { type Sql, sql } from '../../../../base/kernel/sql.ts';
import { ConsoleError } from '../../errors.ts';
import type { Filter, Relation, RowKey } from '../contract.ts';

const comparisons = {
  eq: '=',
  neq: '<>',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
  like: 'like',
  ilike: 'ilike',
} as const;

/**
 * Returns the SQL identifier of a column.
 * @throws {ConsoleError} bad_request if the relation doesn't have this column
 */
export function columnOf(relation: Relation, name: string): Sql {
  if (!relation.columns.some((each) => each.name === name))
    throw new ConsoleError('bad_request', { message: `${relation.name} has no column ${name}.` });
  return sql.id(name);
}

/** Returns a condition that is true for rows that match all filters. Returns undefined if there aren't any filters. */
export function matching(relation: Relation, filters: readonly Filter[]): Sql | undefined {
  if (filters.length === 0) return undefined;
  return sql.join(
    filters.map((filter) => condition(relation, filter)),
    ' and ',
  );
}

export function where(...conditions: readonly (Sql | undefined)[]): Sql {
  const given = conditions.filter((each) => each !== undefined);
  return given.length === 0 ? sql.empty : sql`where ${sql.join(given, ' and ')}`;
}

function condition(relation: Relation, { column, operator, value }: Filter): Sql {
  const left = columnOf(relation, column);
  if (operator === 'is_null') return sql`${left} is null`;
  if (operator === 'not_null') return sql`${left} is not null`;
  if (operator === 'contains') return sql`strpos(lower(${left}::text), lower(${value}::text)) > 0`;
  const symbol = sql.raw(comparisons[operator]);
  // Only text can be compared with a pattern, so columns of other types are cast to text.
  return operator === 'like' || operator === 'ilike'
    ? sql`${left}::text ${symbol} ${value}`
    : sql`${left} ${symbol} ${value}`;
}

/** System columns. Their names can't be used for the columns of a table. */
const physicalKey = ['ctid', 'xmin'] as const;

/**
 * Returns the columns or system columns that identify a table's rows. Empty if the table's rows can't be identified.
 */
export function identifying({ key }: Relation): readonly string[] {
  if (key.kind === 'columns') return key.columns;
  return key.kind === 'place' ? physicalKey : [];
}

/** Returns a condition that selects the row with this key. @throws {ConsoleError} no_primary_key, bad_request */
export function isRow(relation: Relation, key: RowKey): Sql {
  const names = identifying(relation);
  if (names.length === 0) throw new ConsoleError('no_primary_key');
  return sql.join(
    names.map((name) => {
      const value = key[name];
      if (value === undefined)
        throw new ConsoleError('bad_request', { message: `The key doesn't contain ${name}.` });
      if (name === 'ctid' && relation.key.kind === 'place') return sql`ctid = ${value}::tid`;
      if (name === 'xmin' && relation.key.kind === 'place') return sql`xmin::text = ${value}`;
      return sql`${columnOf(relation, name)} = ${value}`;
    }),
    ' and ',
  );
}

/**
 * Returns the columns that identify a row, as text, for the list after SELECT or RETURNING.
 * @throws {ConsoleError} no_primary_key
 */
export function keyTexts(relation: Relation): Sql {
  const names = identifying(relation);
  if (names.length === 0) throw new ConsoleError('no_primary_key');
  return sql.join(names.map((name) => sql`${sql.id(name)}::text`));
}

export function keyFrom(relation: Relation, texts: readonly (string | null)[]): RowKey {
  return Object.fromEntries(identifying(relation).map((name, index) => [name, texts[index] ?? '']));
}
