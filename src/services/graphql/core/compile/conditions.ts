/** Defines conditions on rows. */

import type { Column } from '../catalog.ts';
import { constant, type Slot } from '../coerce/slots.ts';
import type { CompileContext, Row } from './context.ts';
import { cast, conjunction, operator, type Sql, sql } from './fragments.ts';

/** A condition that can be applied to any row of its table. */
export type Condition = (row: Row) => Sql;

/** The condition that columns have these values. */
export const columnsEqual =
  (columns: readonly Column[], values: readonly (Slot | null)[], { schema }: CompileContext): Condition =>
  (row) =>
    conjunction(
      columns.map((column, index) => {
        const value = cast(values[index] ?? constant(null), column.typeName);
        return sql`${row.column(column.name)} ${operator('=', column, schema.catalog)} ${value}`;
      }),
    );
