/** Compiles entry points that call a function. */

import type { SqlFunction } from '../catalog.ts';
import { readArgument } from '../coerce/input.ts';
import { slotOf } from '../coerce/values.ts';
import type { Selected } from '../request/normalize.ts';
import { namedType, nullable } from '../schema/lookup.ts';
import type { Field } from '../schema/types.ts';
import { connectionOf } from './connection.ts';
import { rejectOtherArguments } from './connection-arguments.ts';
import type { CompileContext } from './context.ts';
import { call, cast, output, qualified, type Sql, sql } from './fragments.ts';
import { calledNode } from './node.ts';

/** An expression for the JSON of what the function returns. */
export function callOf(
  field: Field,
  function_: SqlFunction,
  selected: Selected,
  context: CompileContext,
): Sql {
  const names = field.args.map(({ name }) => name);
  rejectOtherArguments(selected, names);
  const called = sql`${qualified(function_.schema, function_.name)}(${argumentsOf(field, selected, context)})`;
  const use = { field, selected, moreArguments: names };
  const type = nullable(field.type);
  if (type.kind === 'OBJECT') {
    if (type.role.is === 'connection') {
      return connectionOf(use, { is: 'call', call: called }, context);
    }
    if (type.role.is === 'node') return calledNode(use, called, type.role.table, context);
    throw new Error(`${namedType(field.type).name} can't be the type of a call`);
  }
  return call('to_json', output(called, function_.returnTypeOid));
}

/** Arguments without a value are left out, so that the function's defaults apply. */
function argumentsOf(field: Field, selected: Selected, context: CompileContext): Sql {
  const values = field.args.flatMap(({ name, source }) => {
    if (source?.is !== 'argument') return [];
    const input = readArgument(field, name, selected.arguments, context);
    if (input.kind === 'absent') return [];
    return [sql`${sql.id(source.name)} => ${cast(slotOf(input), source.typeName)}`];
  });
  return sql.join(values);
}
