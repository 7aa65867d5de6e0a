/** Compiles the fields of a query. Each is an expression for the JSON of the field. */

import type { Table } from '../catalog.ts';
import { fromLiteral } from '../coerce/given.ts';
import { check, readArgument } from '../coerce/input.ts';
import type { Slot } from '../coerce/slots.ts';
import { slotOf } from '../coerce/values.ts';
import { GraphqlError } from '../error.ts';
import type { Selected } from '../request/normalize.ts';
import type { Field, ObjectType } from '../schema/types.ts';
import { callOf } from './call.ts';
import { columnsEqual } from './conditions.ts';
import { connectionOf } from './connection.ts';
import { rejectOtherArguments } from './connection-arguments.ts';
import { type CompileContext, rowOf } from './context.ts';
import { qualified, type Sql, sql } from './fragments.ts';
import { fieldsOf } from './node.ts';
import { hasNodeId, readNodeId } from './node-id.ts';

/** Compiles a field of the query type, apart from those of introspection. */
export function queryField(field: Field, selected: Selected, context: CompileContext): Sql {
  const { source } = field;
  switch (source?.is) {
    case 'collection':
      return connectionOf({ field, selected }, { is: 'table' }, context);
    case 'nodeById':
      return nodeById(field, selected, context);
    case 'byPk':
      return nodeByKey(field, source.table, selected, context);
    case 'call':
      return callOf(field, source.function, selected, context);
    default:
      throw new Error(`${field.name} isn't a field of a query`);
  }
}

function nodeById(field: Field, selected: Selected, context: CompileContext): Sql {
  rejectOtherArguments(selected, ['nodeId']);
  const id = readNodeId(readArgument(field, 'nodeId', selected.arguments, context), context);
  const type = context.schema.nodeTypes.find(
    ({ role }) => role.is === 'node' && role.table.schema === id.schema && role.table.name === id.table,
  );
  if (type?.role.is !== 'node') {
    throw new GraphqlError('Collection referenced by nodeId did not match any known collection');
  }
  const { table } = type.role;
  const alias = context.aliases.next('b');
  const row = rowOf(table, alias);
  const object = fieldsOf({ type, selected }, row, context);
  const condition = hasNodeId(id, table, context);
  return sql`(select ${object} from ${qualified(table.schema, table.name)} as ${alias} where ${condition(row)} limit 1)`;
}

/** The types of a key's arguments aren't checked here, as upstream's aren't: PostgreSQL does it. */
function nodeByKey(field: Field, table: Table, selected: Selected, context: CompileContext): Sql {
  const type = nodeTypeOf(table, context);
  const values = new Map<string, Slot>();
  for (const { name, value } of selected.arguments) {
    const source = field.args.find((argument) => argument.name === name)?.source;
    if (source?.is !== 'column') continue;
    const given = fromLiteral(value, context);
    if (given.kind === 'absent') {
      throw new GraphqlError(
        'Encountered `Absent` value while transforming between GraphQL intermediate object notation and JSON',
      );
    }
    values.set(source.column.name, slotOf(check(OPAQUE, given, context)));
  }
  const missing = table.primaryKey.filter(({ name }) => !values.has(name));
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name).join(', ');
    throw new GraphqlError(`Missing primary key column(s): ${names}`);
  }
  const alias = context.aliases.next('b');
  const row = rowOf(table, alias);
  const object = fieldsOf(
    { type, selected, unknown: (name) => `Unknown field "${name}" on type ${type.name}` },
    row,
    context,
  );
  const slots = table.primaryKey.map(({ name }) => values.get(name) ?? null);
  const condition = columnsEqual(table.primaryKey, slots, context);
  return sql`(select ${object} from ${qualified(table.schema, table.name)} as ${alias} where ${condition(row)} limit 1)`;
}

const OPAQUE = { kind: 'SCALAR', name: 'Opaque', description: '', maxLength: null } as const;

export function nodeTypeOf(table: Table, { schema }: CompileContext): ObjectType {
  const type = schema.nodeOf(table);
  if (type === undefined) throw new Error(`${table.name} has no node type`);
  return type;
}
