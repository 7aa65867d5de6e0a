/** Evaluates the policies on a relation for a row, as the role to which the policies apply. */
import type { Database, Setting, Transaction } from '../../../platform/database/types.ts';
import type { Identity } from '../persona/act.ts';
import type { EvaluatedPolicy, Gate } from './contract.ts';
import { parseExpression } from './core/expression.ts';
import { concerns, conditionOf, passes } from './core/gates.ts';
import type { GatePlan, Policy } from './core/types.ts';
import { evaluate, rowOf } from './evaluate.ts';
import type { RelationFacts } from './facts.ts';
import type { Rows, WholeRow } from './rows.ts';
import type { Unfolding } from './scope.ts';
import { inSessionAs } from './session.ts';
import { unfoldingFor } from './unfolding.ts';

export interface Evaluation {
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
    identity,
    role,
    async (tx) => {
      const gates: Gate[] = [];
      const unfolding = unfoldingFor(database, { tx, identity, role, author: relation.owner, mayRead });
      for (const plan of plans) {
        const row = plan.row === 'old' ? rows.before : rows.after;
        const evaluated: EvaluatedPolicy[] = [];
        for (const policy of policies.filter((each) => concerns(each, plan.command)))
          evaluated.push(await evaluatePolicy(tx, relation, plan, policy, row, unfolding));
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

async function evaluatePolicy(
  tx: Transaction,
  relation: RelationFacts,
  plan: GatePlan,
  policy: Policy,
  row: WholeRow | undefined,
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
