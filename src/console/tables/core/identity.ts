/**
 * What names one row: its primary key, else a unique index without NULLs, else the place of its present version. A place
 * is used again once the version is gone, so the version's transaction (`xmin`) belongs to it.
 */
import { type Sql, sql } from '../../../kernel/sql.ts';
import { ConsoleError } from '../../errors.ts';
import type { Relation, RowKey } from '../contract.ts';
import { columnOf } from './filters.ts';

/** No column of a table can have these names. */
const place = ['ctid', 'xmin'] as const;

/** Names of the columns, or system columns, that identify a row; empty when nothing does. */
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

/** The identifying columns as text, for a select or returning list. @throws {ConsoleError} no_primary_key */
export function keyTexts(relation: Relation): Sql {
  const names = identifying(relation);
  if (names.length === 0) throw new ConsoleError('no_primary_key');
  return sql.join(names.map((name) => sql`${sql.id(name)}::text`));
}

export function keyFrom(relation: Relation, texts: readonly (string | null)[]): RowKey {
  return Object.fromEntries(identifying(relation).map((name, index) => [name, texts[index] ?? '']));
}
