/** Reads the argument `orderBy`, and orders rows. */

import type { Column, Table } from '../catalog.ts';
import type { Input } from '../coerce/input.ts';
import { GraphqlError } from '../error.ts';
import { inputFieldOf } from '../schema/lookup.ts';
import type { InputObjectType } from '../schema/types.ts';
import type { Row } from './context.ts';
import { type Sql, sql } from './fragments.ts';

export interface Order {
  readonly column: Column;
  readonly direction: Direction;
}

export interface Direction {
  readonly ascending: boolean;
  readonly nullsFirst: boolean;
}

const DIRECTIONS: Readonly<Record<string, Direction | undefined>> = {
  AscNullsFirst: { ascending: true, nullsFirst: true },
  AscNullsLast: { ascending: true, nullsFirst: false },
  DescNullsFirst: { ascending: false, nullsFirst: true },
  DescNullsLast: { ascending: false, nullsFirst: false },
};

/** Returns the order of a connection. The primary key comes last, so that the order is total. */
export function readOrder(input: Input, type: InputObjectType, table: Table): readonly Order[] {
  const order: Order[] = [];
  for (const element of input.kind === 'list' ? input.items : []) {
    if (element.kind !== 'object') continue;
    for (const [name, value] of element.entries) {
      if (value.kind !== 'scalar') continue;
      const direction = DIRECTIONS[value.given.text];
      const source = inputFieldOf(type, name)?.source;
      if (direction === undefined || source?.is !== 'column') {
        throw new Error(`${type.name}.${name} can't order rows`);
      }
      order.push({ column: source.column, direction });
    }
  }
  if (table.primaryKey.length === 0) throw new GraphqlError('Found table with no primary key');
  for (const column of table.primaryKey) {
    order.push({ column, direction: { ascending: true, nullsFirst: false } });
  }
  return order;
}

export const reversed = (order: readonly Order[]): readonly Order[] =>
  order.map(({ column, direction: { ascending, nullsFirst } }) => ({
    column,
    direction: { ascending: !ascending, nullsFirst: !nullsFirst },
  }));

export function orderBy(order: readonly Order[], row: Row): Sql {
  const terms = order.map(({ column, direction: { ascending, nullsFirst } }) => {
    const suffix = `${ascending ? 'asc' : 'desc'} nulls ${nullsFirst ? 'first' : 'last'}`;
    return sql`${row.column(column.name)} ${sql.raw(suffix)}`;
  });
  return sql` order by ${sql.join(terms)}`;
}
