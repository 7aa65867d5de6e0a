/** Compiles function calls. The SQL statement calls the function in its FROM clause, with named arguments. */
import { type Sql, sql } from '../../../../base/kernel/sql.ts';
import { returnsScalar, returnsSetOfScalar } from '../../schema-cache/types.ts';
import type { CallPlan } from '../plan/types.ts';
import { columnOf, nameOf, param, rowsOfCall } from './fragments.ts';
import { openedBody } from './write.ts';

const CALL = { schema: '', name: 'pgrst_call' };

/** Returns the query that calls a function. `isDistributed` specifies whether Citus plans the statement. */
export function callOf(plan: CallPlan, isDistributed: boolean): Sql {
  const { routine } = plan;
  const scalar = returnsScalar(routine) || returnsSetOfScalar(routine);
  const call = (given: Sql): Sql =>
    scalar
      ? sql`(select ${nameOf(routine)}(${given}) pgrst_scalar) pgrst_call`
      : sql`${rowsOfCall(sql`${nameOf(routine)}(${given})`, isDistributed && routine.returnsSet)} pgrst_call`;
  const list = scalar ? columnOf(CALL, 'pgrst_scalar') : returned(plan);
  return sql`select ${list} from ${fromOf(plan, call)}`;
}

function fromOf(plan: CallPlan, call: (given: Sql) => Sql): Sql {
  const { parameters } = plan;
  if (plan.arguments.kind === 'single') {
    const type = parameters[0]?.type ?? 'json';
    return call(sql`${param({ kind: 'body', hex: type === 'bytea' })}::${sql.raw(type)}`);
  }
  if (parameters.length === 0) return call(sql.empty);
  const prefix = (variadic: boolean) => sql.raw(variadic ? 'variadic ' : '');
  if (plan.arguments.kind === 'named') {
    const given = parameters.map(({ name, variadic, unboundedType }) => {
      const value = param({ kind: 'argument', name, variadic });
      return sql`${prefix(variadic)}${sql.id(name)} := ${value}::${sql.raw(unboundedType)}`;
    });
    return call(sql.join(given));
  }
  const { isObject } = plan.arguments;
  const json = sql`${param({ kind: 'body', hex: false })}::json`;
  const columns = parameters.map(({ name, unboundedType }) => ({
    name,
    type: unboundedType,
    transform: undefined,
  }));
  const body = openedBody(sql.raw('json'), json, columns, { isObject, firstRowOnly: !isObject });
  const given = parameters.map(
    ({ name, variadic }) => sql`${prefix(variadic)}${sql.id(name)} := pgrst_body.${sql.id(name)}`,
  );
  return sql`${body}, lateral ${call(sql.join(given))}`;
}

/** Selects the returned columns and the columns that only filters use. */
function returned(plan: CallPlan): Sql {
  if (plan.returning.length === 0) return sql.raw('*');
  if (plan.returning.length === 1 && plan.returning[0] === '*') return columnOf(CALL, '*');
  const names = [...new Set([...plan.returning, ...plan.filterColumns])].sort();
  return sql.join(names.map((name) => columnOf(CALL, name)));
}
