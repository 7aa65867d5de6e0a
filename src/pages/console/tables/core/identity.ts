/**
 * A row is identified by its primary key. If the table has no primary key, a row is identified by a unique index
 * without NULLs. Otherwise, a row is identified by the location of its current version (`ctid`). PostgreSQL can reuse a
 * location, so this key also contains the ID of the transaction that created the version (`xmin`).
 */
import { type Sql, sql } from '../../../../base/kernel/sql.ts';
import { ConsoleError } from '../../errors.ts';
import type { Relation, RowKey } from '../contract.ts';
import { columnOf } from './filters.ts';

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
