/**
 * Identifies a row by its primary key, else by a unique index without NULLs, else by the location of its current version
 * (`ctid`). A location can be reused later, so the version's transaction (`xmin`) is part of the key.
 */
import { type Sql, sql } from '../../../kernel/sql.ts';
import { ConsoleError } from '../../errors.ts';
import type { Relation, RowKey } from '../contract.ts';
import { columnOf } from './filters.ts';

/** System columns. A table's own column can't have these names. */
const place = ['ctid', 'xmin'] as const;

/** Returns the columns or system columns that identify a row. Empty if nothing does. */
export function identifying({ key }: Relation): readonly string[] {
  if (key.kind === 'columns') return key.columns;
  return key.kind === 'place' ? place : [];
}

/** @throws {ConsoleError} no_primary_key, bad_request */
export function isRow(relation: Relation, key: RowKey): Sql {
  const names = identifying(relation);
  if (names.length === 0) throw new ConsoleError('no_primary_key');
  return sql.join(
    names.map((name) => {
      const value = key[name];
      if (value === undefined) throw new ConsoleError('bad_request', { message: `The key lacks ${name}.` });
      if (name === 'ctid' && relation.key.kind === 'place') return sql`ctid = ${value}::tid`;
      if (name === 'xmin' && relation.key.kind === 'place') return sql`xmin::text = ${value}`;
      return sql`${columnOf(relation, name)} = ${value}`;
    }),
    ' and ',
  );
}

/** Returns the identifying columns as text, for a SELECT or RETURNING list. @throws {ConsoleError} no_primary_key */
export function keyTexts(relation: Relation): Sql {
  const names = identifying(relation);
  if (names.length === 0) throw new ConsoleError('no_primary_key');
  return sql.join(names.map((name) => sql`${sql.id(name)}::text`));
}

export function keyFrom(relation: Relation, texts: readonly (string | null)[]): RowKey {
  return Object.fromEntries(identifying(relation).map((name, index) => [name, texts[index] ?? '']));
}
