/**
 * Builds the statement whose result is explained. The names in the statement have already been checked against the
 * catalog.
 */
import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Operation } from './contract.ts';
import type { RelationFacts } from './facts.ts';

/** Values in PostgreSQL's text representation. */
export type Cells = Readonly<Record<string, string | null>>;

export interface WhyStatement {
  readonly operation: Operation;
  /** The row's key. Unused if the operation is an insert. */
  readonly key: Cells;
  /** The values that the statement writes. */
  readonly values: Cells;
  /** The columns in the SELECT list or in RETURNING. May be empty. */
  readonly returned: readonly string[];
}

const target = ({ schema, name }: RelationFacts): Sql => sql.id(schema, name);

/** Returns an alias for the row. The alias must not be a column name, because the column would take precedence. */
export function aliasOf({ columns }: RelationFacts): Sql {
  let alias = 'asked';
  while (columns.some(({ name }) => name === alias)) alias += '_';
  return sql.id(alias);
}

export const keyCondition = (key: Cells, alias: Sql): Sql =>
  sql.join(
    Object.entries(key).map(([name, value]) =>
      value === null ? sql`${alias}.${sql.id(name)} is null` : sql`${alias}.${sql.id(name)} = ${value}`,
    ),
    ' and ',
  );

/** Builds the statement. `returning` is used in place of the columns in RETURNING. */
export function statementOf(relation: RelationFacts, statement: WhyStatement, returning?: Sql): Sql {
  const { operation, key, values, returned } = statement;
  const alias = aliasOf(relation);
  const columns = sql.join(returned.map((name) => sql`${alias}.${sql.id(name)}`));
  const back = returning ?? (returned.length > 0 ? columns : undefined);
  const tail = back === undefined ? sql.empty : sql` returning ${back}`;
  switch (operation) {
    case 'select':
      return sql`select ${returning ?? (returned.length > 0 ? columns : sql.raw('1'))} from ${target(relation)} ${alias} where ${keyCondition(key, alias)}`;
    case 'insert': {
      const names = Object.keys(values);
      if (names.length === 0) return sql`insert into ${target(relation)} as ${alias} default values${tail}`;
      return sql`insert into ${target(relation)} as ${alias} (${sql.join(names.map((name) => sql.id(name)))})
        values (${sql.join(names.map((name) => sql`${values[name]}`))})${tail}`;
    }
    case 'update':
      return sql`update ${target(relation)} ${alias}
        set ${sql.join(Object.entries(values).map(([name, value]) => sql`${sql.id(name)} = ${value}`))}
        where ${keyCondition(key, alias)}${tail}`;
    case 'delete':
      return sql`delete from ${target(relation)} ${alias} where ${keyCondition(key, alias)}${tail}`;
  }
}
