/** Defines what the compiler knows of a request, and the rows that fields are read from. */

import type { Column, Table } from '../catalog.ts';
import type { InputContext } from '../coerce/input.ts';
import type { Introspection } from '../introspection.ts';
import type { Selected } from '../request/normalize.ts';
import type { Field, Schema } from '../schema/types.ts';
import { type Aliases, type Pair, qualified, type Sql, sql } from './fragments.ts';

export interface CompileContext extends InputContext {
  readonly schema: Schema;
  readonly aliases: Aliases;
  readonly introspection: Introspection;
  /** Compiles the fields of a row. Connections and rows contain each other. */
  readonly nodeFields: (use: Use, row: Row, context: CompileContext) => readonly Pair[];
}

/** A field that a request selects, with its definition. */
export interface Use {
  readonly field: Field;
  readonly selected: Selected;
  /** The arguments that a function takes beside those of the field's type. */
  readonly moreArguments?: readonly string[];
}

/** A row of a table within a statement. */
export interface Row {
  readonly table: Table;
  readonly column: (name: string) => Sql;
  /** The row as a value of the table's row type, which functions of the row take. */
  readonly whole: () => Sql;
}

/** The row of a table, view or function in FROM. */
export const rowOf = (table: Table, alias: Sql): Row => ({
  table,
  column: (name) => sql`${alias}.${sql.id(name)}`,
  whole: () => alias,
});

/** The row of a common table expression, which isn't of the table's row type. */
export const untypedRowOf = (table: Table, alias: Sql): Row => ({
  ...rowOf(table, alias),
  whole: () => sql`${alias}::${qualified(table.schema, table.name)}`,
});

/**
 * The row of a subquery. It selects the columns that are read while the query around it is compiled, so `list` must be
 * called last.
 */
export class SubqueryRow implements Row {
  readonly table: Table;
  readonly #inner: Row;
  readonly #alias: Sql;
  readonly #columns = new Set<string>();
  #wholeName: string | undefined;

  constructor(inner: Row, alias: Sql) {
    this.table = inner.table;
    this.#inner = inner;
    this.#alias = alias;
  }

  column = (name: string): Sql => {
    this.#columns.add(name);
    return sql`${this.#alias}.${sql.id(name)}`;
  };

  whole = (): Sql => {
    this.#wholeName ??= unusedName(this.table, 'row');
    return sql`${this.#alias}.${sql.id(this.#wholeName)}`;
  };

  /** The select list of the subquery. */
  list(): Sql {
    const items = [...this.#columns].map((name) => this.#inner.column(name));
    if (this.#wholeName !== undefined) {
      items.push(sql`${this.#inner.whole()} as ${sql.id(this.#wholeName)}`);
    }
    return sql.join(items);
  }
}

/** Returns a name that no column of the table has. */
export function unusedName(table: Table, name: string): string {
  const used = new Set(table.columns.map((column) => column.name));
  let unused = name;
  while (used.has(unused)) unused = `_${unused}`;
  return unused;
}

/** The columns whose values the role may read. */
export const readableColumns = (table: Table): readonly Column[] =>
  table.columns.filter((column) => column.privileges.select);
