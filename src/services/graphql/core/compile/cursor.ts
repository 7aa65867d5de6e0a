/**
 * Writes and reads cursors. A cursor is the base64 of a JSON array with the row's values of the columns that the
 * connection is ordered by.
 */

import { examineText, type InputScalar } from '../coerce/input.ts';
import type { Slot } from '../coerce/slots.ts';
import { type Reader, scalarSlot } from '../coerce/values.ts';
import { GraphqlError } from '../error.ts';
import type { CompileContext, Row } from './context.ts';
import { parseExactJson, textOfJson } from './exact-json.ts';
import { call, cast, literal, operator, type Sql, sql } from './fragments.ts';
import type { Order } from './order.ts';

/** An expression for the base64 of a JSON array. */
export const encoded = (items: readonly Sql[]): Sql => {
  const json = sql`${call('jsonb_build_array', ...items)}::pg_catalog.text`;
  const base64 = call('encode', call('convert_to', json, literal('utf-8')), literal('base64'));
  return call('translate', base64, literal('\n'), literal(''));
};

export const cursorOf = (row: Row, order: readonly Order[]): Sql =>
  encoded(order.map(({ column }) => row.column(column.name)));

/** A decoded cursor: one slot per value, in the order of the columns. Null is a null of the row. */
export type Cursor = readonly (Slot | null)[];

/**
 * Reads a cursor.
 *
 * @throws a GraphqlError if the text isn't a cursor.
 */
export function readCursor(input: InputScalar, context: CompileContext): Cursor {
  // The plan depends on the number of values and on which of them are null.
  const [shape = ''] = examineText(input.given, context, shapeOf);
  if (shape.startsWith('!')) throw new GraphqlError(shape.slice(1));
  return [...shape].map((kind, index) => {
    const read: Reader = (value) => textOfJson((decode(String(value)) as readonly unknown[])[index]);
    return kind === 'n' ? null : scalarSlot(input.given, read);
  });
}

function shapeOf(text: string): string {
  try {
    return decode(text)
      .map((value) => (textOfJson(value) === null ? 'n' : 'v'))
      .join('');
  } catch (error) {
    if (error instanceof GraphqlError) return `!${error.message}`;
    throw error;
  }
}

function decode(text: string): readonly unknown[] {
  const json = decodeBase64(text);
  if (json === 'base64') throw new GraphqlError('Failed to decode cursor, error 1');
  if (json === 'utf8') throw new GraphqlError('Failed to decode cursor, error 2');
  let value: unknown;
  try {
    value = parseExactJson(json.text);
  } catch {
    throw new GraphqlError('Failed to decode cursor, error 3');
  }
  if (!Array.isArray(value)) throw new GraphqlError('Failed to decode cursor, error 4');
  return value;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Decodes base64. Returns the step that failed. */
export function decodeBase64(text: string): { readonly text: string } | 'base64' | 'utf8' {
  if (!BASE64.test(text)) return 'base64';
  try {
    return { text: UTF8.decode(Buffer.from(text, 'base64')) };
  } catch {
    return 'utf8';
  }
}

/**
 * The condition that a row comes after a cursor. No row comes after an empty one.
 *
 * @throws a GraphqlError if the cursor has more values than the order has columns.
 */
export function isAfter(row: Row, order: readonly Order[], cursor: Cursor, context: CompileContext): Sql {
  if (cursor.length > order.length) {
    throw new GraphqlError('orderBy clause incompatible with pagination cursor');
  }
  return compareRows(row, order, cursor, context) ?? compareColumns(row, order, cursor, context);
}

/**
 * A comparison of rows, which PostgreSQL can answer from an index. Possible if no value can be null and all directions
 * are equal.
 */
function compareRows(
  row: Row,
  order: readonly Order[],
  cursor: Cursor,
  { schema }: CompileContext,
): Sql | undefined {
  const [first] = order;
  const compared = order.slice(0, cursor.length);
  const isComparable = compared.every(
    ({ column, direction }, index) =>
      cursor[index] !== null && column.notNull && direction.ascending === first?.direction.ascending,
  );
  if (first === undefined || compared.length === 0 || !isComparable) return undefined;
  const symbol = first.direction.ascending ? '>' : '<';
  const operators = compared.map(({ column }) => operator(symbol, column, schema.catalog));
  const [one] = operators;
  if (one === undefined || operators.some((other) => other.compile().text !== one.compile().text))
    return undefined;
  const columns = compared.map(({ column }) => row.column(column.name));
  const values = compared.map(({ column }, index) => cast(cursor[index] as Slot, column.typeName));
  return sql`(${sql.join(columns)}) ${one} (${sql.join(values)})`;
}

/** Compares column by column, from the last to the first. */
function compareColumns(
  row: Row,
  order: readonly Order[],
  cursor: Cursor,
  { schema: { catalog } }: CompileContext,
): Sql {
  let condition = sql.raw('false');
  for (const [index, { column, direction }] of [...order.slice(0, cursor.length).entries()].reverse()) {
    const value = row.column(column.name);
    const slot = cursor[index] ?? null;
    if (slot === null) {
      const isAfterNull = sql.raw(direction.nullsFirst ? 'is not null' : 'is null and false');
      condition = sql`(${value} ${isAfterNull} or ${value} is null and ${condition})`;
    } else {
      const given = cast(slot, column.typeName);
      const beyond = sql`${value} ${operator(direction.ascending ? '>' : '<', column, catalog)} ${given}`;
      const nulls = direction.nullsFirst || column.notNull ? sql.empty : sql` or ${value} is null`;
      const equal = sql`${value} ${operator('=', column, catalog)} ${given}`;
      condition = sql`(${beyond}${nulls} or ${equal} and ${condition})`;
    }
  }
  return condition;
}
