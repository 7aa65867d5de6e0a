/**
 * Combines policies into conditions that tell whether a role may access a row, in the same way as PostgreSQL (PostgreSQL
 * 18 documentation, CREATE POLICY, table 304).
 */
import { type Sql, sql } from '../../../../base/kernel/sql.ts';
import type { Operation } from '../contract.ts';
import { concerns, conditionOf, type Policy } from './gates.ts';

/** The parts of a policy that decide about access. */
export type Rule = Pick<Policy, 'name' | 'command' | 'permissive' | 'applies' | 'using' | 'check'>;

/** The policies of a table, for one role. */
export interface Rules {
  /** Whether row-level security applies to the role. If it doesn't, the role can access every row. */
  readonly isSecured: boolean;
  readonly policies: readonly Rule[];
}

/**
 * Returns a condition for a row that already exists. For `insert`, the row would be inserted as it is, and for `update`,
 * it would be saved without a change.
 */
export function allows(rules: Rules, access: Operation): Sql {
  if (!rules.isSecured) return sql`true`;
  const select = gate(rules.policies, 'select', 'using');
  switch (access) {
    case 'select':
      return select;
    case 'insert':
      return gate(rules.policies, 'insert', 'check');
    case 'update':
      return all([select, gate(rules.policies, 'update', 'using'), gate(rules.policies, 'update', 'check')]);
    case 'delete':
      return all([select, gate(rules.policies, 'delete', 'using')]);
  }
}

const all = (conditions: readonly Sql[]): Sql => sql`(${sql.join(conditions, ' and ')})`;

function gate(policies: readonly Rule[], command: Operation, clause: 'using' | 'check'): Sql {
  const concerned = policies.filter((policy) => policy.applies && concerns(policy, command));
  const permissive = concerned.filter((policy) => policy.permissive);
  if (permissive.length === 0) return sql`false`;
  return all([
    sql`(${sql.join(
      permissive.map((policy) => truthOf(policy, clause)),
      ' or ',
    )})`,
    ...concerned.filter((policy) => !policy.permissive).map((policy) => truthOf(policy, clause)),
  ]);
}

/** Returns the condition of one policy, which is false if it evaluates to NULL. */
export const truthOf = (policy: Pick<Rule, 'using' | 'check'>, clause: 'using' | 'check'): Sql =>
  // The text of a condition is already SQL. A line comment can be at its end.
  sql`coalesce((${sql.raw(conditionOf(policy, clause))}\n), false)`;
