/** The statement that somebody asks about. Names are checked against the catalog before they get here. */
import { type Sql, sql } from '../../kernel/sql.ts';
import type { Operation } from './core/types.ts';
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

export const keyCondition = (key: Cells): Sql =>
  sql.join(
    Object.entries(key).map(([name, value]) =>
      value === null ? sql`r.${sql.id(name)} is null` : sql`r.${sql.id(name)} = ${value}`,
    ),
    ' and ',
  );

/** `returning`: instead of the columns that were asked for. */
export function statementOf(relation: RelationFacts, asked: Asked, returning?: Sql): Sql {
  const { operation, key, values, returned } = asked;
  const columns = sql.join(returned.map((name) => sql`r.${sql.id(name)}`));
  const back = returning ?? (returned.length > 0 ? columns : undefined);
  const tail = back === undefined ? sql.empty : sql` returning ${back}`;
  switch (operation) {
    case 'select':
      return sql`select ${returning ?? (returned.length > 0 ? columns : sql.raw('1'))} from ${target(relation)} r where ${keyCondition(key)}`;
    case 'insert': {
      const names = Object.keys(values);
      if (names.length === 0) return sql`insert into ${target(relation)} as r default values${tail}`;
      return sql`insert into ${target(relation)} as r (${sql.join(names.map((name) => sql.id(name)))})
        values (${sql.join(names.map((name) => sql`${values[name]}`))})${tail}`;
    }
    case 'update':
      return sql`update ${target(relation)} r
        set ${sql.join(Object.entries(values).map(([name, value]) => sql`${sql.id(name)} = ${value}`))}
        where ${keyCondition(key)}${tail}`;
    case 'delete':
      return sql`delete from ${target(relation)} r where ${keyCondition(key)}${tail}`;
  }
}
