/** Compiles the fields of a row: columns, node ids, relationships and computed fields. */

import type { Column, Table } from '../catalog.ts';
import { GraphqlError } from '../error.ts';
import type { Selected } from '../request/normalize.ts';
import { fieldOf, namedType, nullable } from '../schema/lookup.ts';
import type { FieldSource, ObjectType } from '../schema/types.ts';
import { connectionOf } from './connection.ts';
import { rejectOtherArguments } from './connection-arguments.ts';
import { type CompileContext, type Row, rowOf, type Use } from './context.ts';
import {
  conjunction,
  jsonObject,
  literal,
  operator,
  output,
  type Pair,
  qualified,
  quoteLiteral,
  type Sql,
  sql,
} from './fragments.ts';
import { nodeIdOf } from './node-id.ts';

/** The keys and values of a row, for a field whose type is a node. */
export function nodeFields(use: Use, row: Row, context: CompileContext): readonly Pair[] {
  const { field, selected, moreArguments = [] } = use;
  rejectOtherArguments(selected, moreArguments);
  const type = namedType(field.type);
  if (type.kind !== 'OBJECT') throw new Error(`${field.name} isn't a node`);
  return nodePairs({ type, selected }, row, context);
}

/** The JSON of a row, for a field whose type is a node. */
const nodeObject = (use: Use, row: Row, context: CompileContext): Sql =>
  jsonObject(nodeFields(use, row, context));

export interface NodeUse {
  readonly type: ObjectType;
  readonly selected: Selected;
  /** The message for a field that the type doesn't have. */
  readonly unknown?: (name: string) => string;
}

/** The JSON of a row of a known type. */
export const fieldsOf = (use: NodeUse, row: Row, context: CompileContext): Sql =>
  jsonObject(nodePairs(use, row, context));

/** The keys and values of a row of a known type. */
export function nodePairs(
  { type, selected, unknown }: NodeUse,
  row: Row,
  context: CompileContext,
): readonly Pair[] {
  return selected.selections(type.name).map((part) => {
    const field = fieldOf(type, part.name);
    if (field === undefined) {
      throw new GraphqlError(unknown?.(part.name) ?? `Unknown field '${part.name}' on type '${type.name}'`);
    }
    const isTypename = field.source?.is === '__typename';
    return [part.key, isTypename ? literal(type.name) : fieldValue({ field, selected: part }, row, context)];
  });
}

function fieldValue(use: Use, row: Row, context: CompileContext): Sql {
  const { source } = use.field;
  switch (source?.is) {
    case 'column':
      return columnValue(source.column, row, context);
    case 'nodeId':
      return nodeIdOf(row, source.columns);
    case 'computed':
      return computed(use, source, row, context);
    case 'relation':
      return relation(use, source, row, context);
    default:
      throw new GraphqlError(`unexpected field type on node ${use.field.name}`);
  }
}

/** The value of a column. The labels of an enum are mapped to their GraphQL names. */
function columnValue(column: Column, row: Row, { schema }: CompileContext): Sql {
  const value = row.column(column.name);
  const mappings = schema.catalog.enums.get(column.typeOid)?.directives.mappings;
  if (mappings === undefined || mappings.size === 0) return output(value, column.typeOid);
  const text = sql`${value}::pg_catalog.text`;
  const cases = [...mappings].map(
    ([label, name]) => `when ${quoteLiteral(label)} then ${quoteLiteral(name)}`,
  );
  return sql`case ${text} ${sql.raw(cases.join(' '))} else ${text} end`;
}

type SourceOf<Is extends FieldSource['is']> = Extract<FieldSource, { readonly is: Is }>;

function computed(use: Use, source: SourceOf<'computed'>, row: Row, context: CompileContext): Sql {
  const { schema, name, returnTypeOid } = source.function;
  const call = sql`${qualified(schema, name)}(${row.whole()})`;
  const type = nullable(use.field.type);
  if (type.kind !== 'OBJECT') return output(call, returnTypeOid);
  if (type.role.is === 'connection') return connectionOf(use, { is: 'call', call }, context);
  if (type.role.is === 'node') return calledNode(use, call, type.role.table, context);
  throw new GraphqlError('invalid return type from function');
}

/** The row that a function returns. A row of nulls only is none. */
export function calledNode(use: Use, call: Sql, table: Table, context: CompileContext): Sql {
  const alias = context.aliases.next('b');
  const object = nodeObject(use, rowOf(table, alias), context);
  return sql`(select ${object} from ${call} as ${alias} where not (${alias} is null))`;
}

function relation(use: Use, source: SourceOf<'relation'>, parent: Row, context: CompileContext): Sql {
  const type = namedType(use.field.type);
  const join = joinOf(source, parent, context);
  if (type.kind === 'OBJECT' && type.role.is === 'connection') {
    return connectionOf(use, { is: 'table', join }, context);
  }
  if (type.kind !== 'OBJECT' || type.role.is !== 'node') {
    throw new Error(`${use.field.name} isn't a relationship`);
  }
  const { table } = type.role;
  const alias = context.aliases.next('b');
  const row = rowOf(table, alias);
  const object = nodeObject(use, row, context);
  return sql`(select ${object} from ${qualified(table.schema, table.name)} as ${alias} where ${join(row)})`;
}

/** Returns the condition that connects a row with its parent. */
function joinOf(
  { key: { local, referenced }, reverse }: SourceOf<'relation'>,
  parent: Row,
  { schema }: CompileContext,
): (row: Row) => Sql {
  const [own, other] = reverse ? [local, referenced] : [referenced, local];
  return (row) =>
    conjunction(
      own.columns.map((name, index) => {
        const column = row.table.columns.find((one) => one.name === name);
        if (column === undefined) throw new Error(`${row.table.name} has no column ${name}`);
        const equals = operator('=', column, schema.catalog);
        return sql`${row.column(name)} ${equals} ${parent.column(other.columns[index] ?? '')}`;
      }),
    );
}
