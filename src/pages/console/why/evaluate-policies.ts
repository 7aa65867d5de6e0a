/** Evaluates the policies on a relation for a row, as the role to which the policies apply. */

import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Database, Setting, Transaction } from '../../../platform/database/types.ts';
import type { Identity } from '../persona/act.ts';
import type { EvaluatedExpression, EvaluatedPolicy, Gate, Value } from './contract.ts';
import { type Expression, parseExpression } from './core/expression.ts';
import { concerns, conditionOf, type GatePlan, type Policy, passes } from './core/gates.ts';
import type { RelationFacts } from './facts.ts';
import { operandsOf } from './functions.ts';
import type { Rows, WholeRow } from './rows.ts';
import { condition, messageOf, type Scope, type Unfolding } from './scope.ts';
import { inSessionAs } from './session.ts';
import { unfoldTest } from './unfold.ts';
import { unfoldingFor } from './unfolding.ts';

interface Evaluation {
  readonly relation: RelationFacts;
  readonly role: string;
  readonly plans: readonly GatePlan[];
  readonly policies: readonly Policy[];
  readonly rows: Rows;
  /** Whether the operator may read rows in a schema. */
  readonly mayRead: (schema: string) => boolean;
}

/** Evaluates the policies. @throws {PostgresErrorShape} if switching to the role isn't allowed */
export async function evaluatePolicies(
  database: Database,
  { relation, role, plans, policies, rows, mayRead }: Evaluation,
  identity: Identity,
  timeout: Setting,
): Promise<Gate[]> {
  if (plans.length === 0) return [];
  return inSessionAs(
    database,
    { identity, role },
    async (tx) => {
      const gates: Gate[] = [];
      const unfolding = unfoldingFor(database, { tx, identity, role, author: relation.owner, mayRead });
      for (const plan of plans) {
        const row = plan.row === 'old' ? rows.before : rows.after;
        const evaluated: EvaluatedPolicy[] = [];
        for (const policy of policies.filter((each) => concerns(each, plan.command)))
          evaluated.push(await evaluatePolicy(tx, relation, { plan, policy, row }, unfolding));
        gates.push({
          ...plan,
          relation: { schema: relation.schema, name: relation.name },
          role,
          policies: evaluated,
          passes: row === undefined ? null : passes(evaluated),
        });
      }
      return gates;
    },
    { end: 'rollback', readOnly: plans.every(({ row }) => row === 'old'), settings: [timeout] },
  );
}

interface PolicyOfGate {
  readonly plan: GatePlan;
  readonly policy: Policy;
  readonly row: WholeRow | undefined;
}

async function evaluatePolicy(
  tx: Transaction,
  relation: RelationFacts,
  { plan, policy, row }: PolicyOfGate,
  unfolding: Unfolding,
): Promise<EvaluatedPolicy> {
  const { name, permissive, command, roles, applies, functions } = policy;
  const facts = { name, permissive, command, roles, applies, functions };
  if (!applies || row === undefined) return { ...facts, value: null, error: null, tree: undefined };
  const scope = {
    tx,
    from: rowOf(relation, row.composite),
    show: (text: string) => text,
    unfolding,
    evaluate,
  };
  const tree = await evaluate(scope, parseExpression(conditionOf(policy, plan.clause)));
  return { ...facts, value: tree.value, error: tree.error, tree };
}

/**
 * Evaluates policy conditions for a row as the persona. Each part of a condition is evaluated separately, so that an
 * error can be attributed to the part that caused it.
 */
async function evaluate(scope: Scope, expression: Expression): Promise<EvaluatedExpression> {
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
function rowOf({ schema, name }: RelationFacts, row: string): Sql {
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
