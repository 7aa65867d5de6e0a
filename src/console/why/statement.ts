/** The statement that somebody asks about. Names are checked against the catalog before they get here. */
import { type Sql, sql } from '../../kernel/sql.ts';
import type { Operation } from './contract.ts';
import type { RelationFacts } from './facts.ts';

/** Values as PostgreSQL's text. */
export type Cells = Readonly<Record<string, string | null>>;

export interface Asked {
  readonly operation: Operation;
  /** Which row; not for an insert. */
  readonly key: Cells;
  /** What is written. */
  readonly values: Cells;
  /** What a select wants, or what a write wants back; empty: nothing. */
  readonly returned: readonly string[];
}

const target = ({ schema, name }: RelationFacts): Sql => sql.id(schema, name);

/** The row's name in a statement: none that a column has, which would come before it. */
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

/** `returning`: instead of the columns that were asked for. */
export function statementOf(relation: RelationFacts, asked: Asked, returning?: Sql): Sql {
  const { operation, key, values, returned } = asked;
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
