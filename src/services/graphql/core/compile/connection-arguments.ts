/** Reads the arguments of a connection. The order of the checks and their messages are upstream's. */

import { maxRowsOf, type Table } from '../catalog.ts';
import { examineText, type Input, type InputScalar, listOfNames, readArgument } from '../coerce/input.ts';
import { slotOf } from '../coerce/values.ts';
import { GraphqlError } from '../error.ts';
import type { Selected } from '../request/normalize.ts';
import { argumentOf, namedType } from '../schema/lookup.ts';
import type { Field, InputObjectType } from '../schema/types.ts';
import type { Condition } from './conditions.ts';
import type { CompileContext, Use } from './context.ts';
import { type Cursor, readCursor } from './cursor.ts';
import { readFilter } from './filter.ts';
import { type Sql, sql } from './fragments.ts';
import { type Order, readOrder } from './order.ts';

export interface ConnectionArguments {
  /** The size of a page, with the table's maximum. */
  readonly limit: Sql;
  readonly offset: Sql | undefined;
  readonly cursor: Cursor | undefined;
  /** Whether the page is the last one before a cursor or the end. */
  readonly backward: boolean;
  readonly filter: readonly Condition[];
  readonly order: readonly Order[];
}

const NAMES = ['first', 'last', 'before', 'after', 'offset', 'filter', 'orderBy'];

export function readConnectionArguments(
  { field, selected, moreArguments = [] }: Use,
  table: Table,
  context: CompileContext,
): ConnectionArguments {
  rejectOtherArguments(selected, [...NAMES, ...moreArguments]);
  const read = (name: string) => readArgument(field, name, selected.arguments, context);
  const maxRows = maxRowsOf(context.schema.catalog, table);
  const first = readLimit('first', read('first'), maxRows, context);
  const last = readLimit('last', read('last'), maxRows, context);
  const offset = readOffset(read('offset'), context);
  const before = readCursorArgument(read('before'), context);
  const after = readCursorArgument(read('after'), context);
  rejectConflicts({ first, last, offset, before, after });
  const filter = readFilter(read('filter'), { type: inputTypeOf(field, 'filter'), table, context });
  const order = readOrder(read('orderBy'), inputTypeOf(field, 'orderBy'), table);
  return {
    limit: first ?? last ?? sql.raw(String(maxRows)),
    offset,
    cursor: before ?? after,
    backward: last !== undefined || before !== undefined,
    filter,
    order,
  };
}

/** Rejects arguments that the field doesn't have. */
export function rejectOtherArguments(selected: Selected, names: readonly string[]): void {
  const extra = selected.arguments.map(({ name }) => name).filter((name) => !names.includes(name));
  if (extra.length > 0) throw new GraphqlError(`Input contains extra keys ${listOfNames(extra)}`);
}

export function inputTypeOf(field: Field, name: string): InputObjectType {
  const definition = argumentOf(field, name);
  const type = definition && namedType(definition.type);
  if (type?.kind !== 'INPUT_OBJECT') throw new Error(`${field.name} has no input object ${name}`);
  return type;
}

/**
 * The largest page size for which the statement contains its limit. PostgreSQL then keeps the statement's plan, which it
 * makes again for each execution if it doesn't know how many rows are needed.
 */
const MAX_CONSTANT_LIMIT = 1000;

function readLimit(name: string, input: Input, maxRows: number, context: CompileContext): Sql | undefined {
  if (input.kind !== 'scalar') return undefined;
  rejectNegative(name, input, context);
  if (maxRows > MAX_CONSTANT_LIMIT && input.given.place !== null) {
    return sql`least(${slotOf(input)}::bigint, ${sql.raw(String(maxRows))})`;
  }
  const [limit = ''] = examineText(input.given, context, (text) => String(Math.min(Number(text), maxRows)));
  return sql.raw(limit);
}

function readOffset(input: Input, context: CompileContext): Sql | undefined {
  if (input.kind !== 'scalar') return undefined;
  rejectNegative('offset', input, context);
  return sql`${slotOf(input)}::bigint`;
}

function rejectNegative(name: string, { given }: InputScalar, context: CompileContext): void {
  const signs = examineText(given, context, (text) => (Number(text) < 0 ? '-' : '+'));
  if (signs.includes('-')) throw new GraphqlError(`\`${name}\` must be an unsigned integer`);
}

/** A null cursor is like none, because clients send one for the first page. */
const readCursorArgument = (input: Input, context: CompileContext): Cursor | undefined =>
  input.kind === 'scalar' ? readCursor(input, context) : undefined;

interface Paging {
  readonly first: Sql | undefined;
  readonly last: Sql | undefined;
  readonly offset: Sql | undefined;
  readonly before: Cursor | undefined;
  readonly after: Cursor | undefined;
}

function rejectConflicts({ first, last, offset, before, after }: Paging): void {
  if (first && last) throw new GraphqlError('only one of "first" and "last" may be provided');
  if (before && after) throw new GraphqlError('only one of "before" and "after" may be provided');
  if (first && before) throw new GraphqlError('"first" may only be used with "after"');
  if (last && after) throw new GraphqlError('"last" may only be used with "before"');
  if (offset && (last || before)) {
    throw new GraphqlError('"offset" may only be used with "first" and "after"');
  }
}
