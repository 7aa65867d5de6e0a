/**
 * Compiles the page of a connection: a subquery that selects the columns which the page's fields need. The query around
 * it aggregates the rows to JSON. To know whether there are more rows, the subquery reads one more than the page has.
 */

import type { Table } from '../catalog.ts';
import type { ConnectionArguments } from './connection-arguments.ts';
import { type CompileContext, type Row, SubqueryRow, unusedName } from './context.ts';
import { isAfter } from './cursor.ts';
import { call, type Sql, sql, where } from './fragments.ts';
import { orderBy, reversed } from './order.ts';

/** What the parts of a connection are compiled from. */
export interface Connection {
  readonly table: Table;
  readonly arguments: ConnectionArguments;
  /** A FROM item with the connection's rows, without an alias. */
  readonly from: Sql;
  /** The row of `from` under an alias. */
  readonly row: (alias: Sql) => Row;
  /** The conditions of the rows on all pages. */
  readonly restrict: (row: Row) => readonly Sql[];
  readonly context: CompileContext;
}

export interface PageNeeds {
  /** Whether it's asked for rows behind the page, in the direction of paging. */
  readonly more: boolean;
  /** Whether it's asked for rows before the page, in the direction of paging. */
  readonly less: boolean;
}

const COUNT = sql.raw('pg_catalog.count(*)');
const FALSE = sql.raw('false');

export class Page {
  readonly row: SubqueryRow;
  readonly #connection: Connection;
  readonly #needs: PageNeeds;
  readonly #inner: { readonly alias: Sql; readonly row: Row };
  readonly #alias: Sql;
  readonly #position: Sql;
  readonly #positionName: Sql;
  #isUsed = false;

  constructor(connection: Connection, needs: PageNeeds) {
    const { aliases } = connection.context;
    this.#connection = connection;
    this.#needs = needs;
    const alias = aliases.next('b');
    this.#inner = { alias, row: connection.row(alias) };
    this.#alias = aliases.next('p');
    this.#positionName = sql.id(unusedName(connection.table, 'position'));
    this.#position = sql`${this.#alias}.${this.#positionName}`;
    this.row = new SubqueryRow(this.#inner.row, this.#alias);
  }

  /** Aggregates a value over the rows of the page, in the order of the connection. */
  aggregate(name: string, value: Sql): Sql {
    this.#isUsed = true;
    const order = this.#connection.arguments.backward ? sql` order by ${this.#position} desc` : sql.empty;
    return sql`${call(name, sql`${value}${order}`)}${this.#onPage()}`;
  }

  /** The number of rows on the page. */
  count(): Sql {
    this.#isUsed = true;
    return sql`${COUNT}${this.#onPage()}`;
  }

  #onPage(): Sql {
    if (!this.#needs.more) return sql.empty;
    return sql` filter (where ${this.#position} <= ${this.#connection.arguments.limit})`;
  }

  /** Whether there are rows behind the page, in the direction of paging. */
  hasMore(): Sql {
    this.#isUsed = true;
    return sql`${COUNT} > ${this.#connection.arguments.limit}`;
  }

  /**
   * Whether there are rows before the page, in the direction of paging: whether the first of all rows isn't the page's
   * first. An empty page has none, as upstream's.
   */
  hasLess(): Sql {
    const { arguments: args, from, row: rowOf, restrict, context, table } = this.#connection;
    if (args.cursor === undefined) {
      if (args.offset === undefined) return FALSE;
      return sql`(${args.offset} > 0 and ${this.count()} > 0)`;
    }
    this.#isUsed = true;
    const alias = context.aliases.next('b');
    const row = rowOf(alias);
    const keyOf = (one: Row) =>
      call('jsonb_build_array', ...table.primaryKey.map(({ name }) => one.column(name)));
    const first = sql`(${call('array_agg', keyOf(this.row))} filter (where ${this.#position} = 1))[1]`;
    return sql`coalesce((select ${keyOf(row)} operator(pg_catalog.<>) ${first} from ${from} as ${alias}${where(restrict(row))}${orderBy(this.#order(), row)} limit 1), false)`;
  }

  /** The order in which rows are read. */
  #order() {
    const { backward, order } = this.#connection.arguments;
    return backward ? reversed(order) : order;
  }

  /** The FROM clause. Must be called last. Empty if nothing of the page is used. */
  from(): Sql {
    if (!this.#isUsed) return sql.empty;
    const { arguments: args, restrict, from, context } = this.#connection;
    const { alias, row } = this.#inner;
    const order = this.#order();
    const conditions = [...restrict(row)];
    if (args.cursor !== undefined) conditions.push(isAfter(row, order, args.cursor, context));
    const limit = this.#needs.more ? sql`${args.limit} + 1` : args.limit;
    const offset = args.offset === undefined ? sql.empty : sql` offset ${args.offset}`;
    const rows = sql`select ${this.row.list()} from ${from} as ${alias}${where(conditions)}${orderBy(order, row)} limit ${limit}${offset}`;
    const isNumbered = args.backward || this.#needs.more || this.#needs.less;
    if (!isNumbered) return sql` from (${rows}) as ${this.#alias}`;
    const numbered = context.aliases.next('n');
    return sql` from (select ${numbered}.*, pg_catalog.row_number() over () as ${this.#positionName} from (${rows}) as ${numbered}) as ${this.#alias}`;
  }
}
