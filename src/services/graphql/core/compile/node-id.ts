/**
 * Writes and reads node ids. A node id is the base64 of a JSON array with the schema, the table and the primary key's
 * values.
 */

import type { Column, Table } from '../catalog.ts';
import { examineText, type Input } from '../coerce/input.ts';
import type { Slot } from '../coerce/slots.ts';
import { type Reader, scalarSlot } from '../coerce/values.ts';
import { GraphqlError } from '../error.ts';
import { type Condition, columnsEqual } from './conditions.ts';
import type { CompileContext, Row } from './context.ts';
import { decodeBase64, encoded } from './cursor.ts';
import { parseExactJson, textOfJson } from './exact-json.ts';
import { literal, type Sql } from './fragments.ts';

export interface NodeId {
  readonly schema: string;
  readonly table: string;
  readonly values: readonly Slot[];
}

export const nodeIdOf = (row: Row, columns: readonly Column[]): Sql =>
  encoded([
    literal(row.table.schema),
    literal(row.table.name),
    ...columns.map((column) => row.column(column.name)),
  ]);

const INVALID = 'Invalid value passed to nodeId argument. Error';

/**
 * Reads a node id.
 *
 * @throws a GraphqlError if the text isn't one.
 */
export function readNodeId(input: Input, context: CompileContext): NodeId {
  if (input.kind !== 'scalar') throw new GraphqlError('Invalid value passed to nodeId argument, Error 1');
  const { given } = input;
  // The plan depends on the table and on the number of values.
  const [target = ''] = examineText(given, context, targetOf);
  if (target.startsWith('!')) throw new GraphqlError(target.slice(1));
  const { schema, table, count } = JSON.parse(target) as Target;
  const values = Array.from({ length: count }, (_, index) => {
    const read: Reader = (value) => textOfJson(decode(String(value))[index + 2]);
    return scalarSlot(given, read);
  });
  return { schema, table, values };
}

interface Target {
  readonly schema: string;
  readonly table: string;
  readonly count: number;
}

function targetOf(text: string): string {
  try {
    const [schema, table, ...values] = decode(text);
    for (const value of values) textOfJson(value);
    return JSON.stringify({ schema, table, count: values.length });
  } catch (error) {
    if (error instanceof GraphqlError) return `!${error.message}`;
    throw error;
  }
}

function decode(text: string): readonly unknown[] {
  const json = decodeBase64(text);
  if (json === 'base64') throw new GraphqlError(`${INVALID} 2`);
  if (json === 'utf8') throw new GraphqlError(`${INVALID} 3`);
  let value: unknown;
  try {
    value = parseExactJson(json.text);
  } catch {
    throw new GraphqlError(`${INVALID} 4`);
  }
  if (!Array.isArray(value)) throw new GraphqlError(`${INVALID} 10`);
  if (value.length < 3) throw new GraphqlError(`${INVALID} 5`);
  if (typeof value[0] !== 'string') throw new GraphqlError(`${INVALID} 6`);
  if (typeof value[1] !== 'string') throw new GraphqlError(`${INVALID} 7`);
  return value as readonly unknown[];
}

/**
 * The condition that a row of the table has this id.
 *
 * @throws a GraphqlError for an id of another table.
 */
export function hasNodeId(id: NodeId, table: Table, context: CompileContext): Condition {
  if (id.schema !== table.schema || id.table !== table.name) {
    throw new GraphqlError('nodeId belongs to a different collection');
  }
  const columns = table.primaryKey;
  if (columns.length === 0) throw new GraphqlError('Found table with no primary key');
  if (columns.length !== id.values.length) {
    throw new GraphqlError(
      `Primary key column count mismatch. Expected ${columns.length}, provided ${id.values.length}`,
    );
  }
  return columnsEqual(columns, id.values, context);
}
