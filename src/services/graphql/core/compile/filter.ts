/** Compiles the argument `filter`. */

import type { Column, Table } from '../catalog.ts';
import type { Input } from '../coerce/input.ts';
import { slotOf } from '../coerce/values.ts';
import { GraphqlError } from '../error.ts';
import { inputFieldOf } from '../schema/lookup.ts';
import type { InputObjectType, InputValue } from '../schema/types.ts';
import type { Condition } from './conditions.ts';
import type { CompileContext, Row } from './context.ts';
import { cast, castToArray, conjunction, operator, type Sql, sql } from './fragments.ts';
import { hasNodeId, readNodeId } from './node-id.ts';

/** What a filter applies to. */
export interface FilterScope {
  readonly type: InputObjectType;
  readonly table: Table;
  readonly context: CompileContext;
}

/** Returns the conditions of a filter, all of which must be true. */
export function readFilter(input: Input, scope: FilterScope): readonly Condition[] {
  if (input.kind !== 'object') return [];
  const conditions: Condition[] = [];
  for (const [name, value] of input.entries) {
    const definition = inputFieldOf(scope.type, name);
    if (definition === undefined || value.kind === 'absent' || value.kind === 'null') continue;
    if (definition.source !== undefined) {
      conditions.push(...valueConditions(definition, value, scope));
    } else if (name === 'not') {
      const inner = readFilter(value, scope);
      if (inner.length > 0) conditions.push((row) => sql`not (${allOf(inner, row)})`);
    } else if (value.kind === 'list') {
      conditions.push(...compoundConditions(name === 'or', value.items, scope));
    }
  }
  return conditions;
}

const allOf = (conditions: readonly Condition[], row: Row): Sql =>
  conjunction(conditions.map((condition) => condition(row)));

function compoundConditions(
  isOr: boolean,
  filters: readonly Input[],
  scope: FilterScope,
): readonly Condition[] {
  const groups = filters.map((filter) => readFilter(filter, scope)).filter((group) => group.length > 0);
  if (groups.length === 0) return [];
  return [
    (row) => {
      const terms = groups.map((group) => sql`(${allOf(group, row)})`);
      return sql`(${sql.join(terms, isOr ? ' or ' : ' and ')})`;
    },
  ];
}

/** The conditions on one column or on the nodeId: one per operator. */
function valueConditions(
  { source }: InputValue,
  input: Input,
  { table, context }: FilterScope,
): readonly Condition[] {
  const conditions: Condition[] = [];
  for (const [name, operand] of input.kind === 'object' ? input.entries : []) {
    if (operand.kind === 'absent') continue;
    if (source?.is === 'nodeId') {
      const id = readNodeId(operand, context);
      conditions.push(hasNodeId(id, table, context));
    } else if (source?.is === 'column') {
      conditions.push(columnCondition(source.column, name, operand, context));
    }
  }
  return conditions;
}

const OPERATORS: Readonly<Record<string, string | undefined>> = {
  eq: '=',
  neq: '<>',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
  startsWith: '^@',
  like: '~~',
  ilike: '~~*',
  regex: '~',
  iregex: '~*',
};

const ARRAY_OPERATORS: Readonly<Record<string, string | undefined>> = {
  contains: '@>',
  containedBy: '<@',
  overlaps: '&&',
};

function columnCondition(
  column: Column,
  name: string,
  operand: Input,
  { schema }: CompileContext,
): Condition {
  if (name === 'is') return isCondition(column, operand);
  const value = slotOf(operand);
  const { catalog } = schema;
  if (name === 'in') {
    const equals = operator('=', column, catalog);
    return (row) => sql`${row.column(column.name)} ${equals} any (${castToArray(value, column.typeName)})`;
  }
  const symbol = OPERATORS[name] ?? ARRAY_OPERATORS[name];
  if (symbol === undefined) throw new GraphqlError(`Invalid filter operation: ${name}`);
  const compares = operator(symbol, column, catalog);
  const castValue = ARRAY_OPERATORS[name] === undefined ? cast : castToArray;
  return (row) => sql`${row.column(column.name)} ${compares} ${castValue(value, column.typeName)}`;
}

function isCondition(column: Column, operand: Input): Condition {
  if (operand.kind !== 'scalar') throw new GraphqlError('Error transpiling Is filter value type');
  const test = operand.given.text === 'NULL' ? 'is null' : 'is not null';
  return (row) => sql`${row.column(column.name)} ${sql.raw(test)}`;
}
