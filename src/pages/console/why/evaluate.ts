/**
 * Evaluates policy conditions for a row as the persona. Each part of a condition is evaluated separately, so that an
 * error can be attributed to the part that caused it.
 */
import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { EvaluatedExpression, Value } from './contract.ts';
import type { Expression } from './core/expression.ts';
import type { RelationFacts } from './facts.ts';
import { condition, messageOf, type Scope } from './scope.ts';
import { unfoldTest } from './unfold.ts';
import { operandsOf } from './visibility.ts';

export async function evaluate(scope: Scope, expression: Expression): Promise<EvaluatedExpression> {
  const own = await truthOf(scope, expression.text);
  const text = scope.show(expression.text);
  if (expression.kind === 'test') {
    const operands = await operandsOf(scope, expression.operands);
    return { kind: 'test', text, ...own, operands, ...(await unfoldTest(scope, expression.text)) };
  }
  const parts: EvaluatedExpression[] = [];
  for (const part of expression.parts) parts.push(await evaluate(scope, part));
  return { kind: expression.kind, text, ...own, parts };
}

/**
 * Returns a FROM item that provides the row. Conditions can refer to a column with or without the table's name, or to
 * the whole row. A function in FROM that returns the row type of the table makes all three kinds of reference possible.
 */
export function rowOf({ schema, name }: RelationFacts, row: string): Sql {
  const type = sql.id(schema, name);
  return sql`unnest(array[${row}::${type}]) as ${sql.id(name)}`;
}

async function truthOf({ tx, from }: Scope, text: string): Promise<Value> {
  try {
    const [row] = await tx.savepoint((inner) =>
      inner.query<{ value: boolean | null }>(sql`select ${condition(text)} as value from ${from}`),
    );
    return { value: row?.value ?? null, error: null };
  } catch (error) {
    return { value: null, error: messageOf(error) };
  }
}
