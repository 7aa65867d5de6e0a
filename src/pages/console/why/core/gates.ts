/**
 * Determines which policies PostgreSQL evaluates for a command and a row, and how PostgreSQL combines them (PostgreSQL
 * 18 documentation, CREATE POLICY, table 304; `rowsecurity.c`).
 *
 * Glossary. *Gate*: the policies for a command that a row must pass. Permissive policies are combined with OR, and
 * restrictive policies with AND. *Effect*: the consequence if the row doesn't pass: the row is hidden or rejected
 * (42501). *Truth*: the actual result of running the persona's statement in a transaction that was rolled back.
 */
import type {
  EvaluatedPolicy,
  Explanation,
  Gate,
  Operation,
  PolicyFunction,
  Reason,
  Security,
} from '../contract.ts';

export interface Policy {
  readonly name: string;
  readonly command: 'all' | Operation;
  readonly permissive: boolean;
  /** The roles to which the policy applies. `public` stands for all roles. */
  readonly roles: readonly string[];
  /**
   * Whether the policy applies to the persona's role, either directly or through a role whose privileges the persona's
   * role inherits.
   */
  readonly applies: boolean;
  /** The policy's conditions in the format of `pg_get_expr`, with qualified names. */
  readonly using: string | null;
  readonly check: string | null;
  readonly functions: readonly PolicyFunction[];
}

/** A gate whose conditions haven't been evaluated yet. */
export interface GatePlan {
  readonly clause: Gate['clause'];
  readonly command: Operation;
  readonly row: Gate['row'];
  readonly effect: Gate['effect'];
}

/**
 * Returns the gates in the order in which they are evaluated. If a statement reads columns, for example in WHERE or
 * RETURNING, the row must also be allowed by the SELECT policies. An old row that the policies don't allow is hidden,
 * and a new row that they don't allow is rejected.
 */
export function gatesOf(operation: Operation, returns: boolean): GatePlan[] {
  const hides = (command: Operation): GatePlan => ({ clause: 'using', command, row: 'old', effect: 'hides' });
  const refuses = (command: Operation, clause: Gate['clause']): GatePlan => ({
    clause,
    command,
    row: 'new',
    effect: 'refuses',
  });
  switch (operation) {
    case 'select':
      return [hides('select')];
    case 'delete':
      return [hides('select'), hides('delete')];
    case 'insert':
      return returns
        ? [refuses('insert', 'check'), refuses('select', 'using')]
        : [refuses('insert', 'check')];
    case 'update':
      return [hides('select'), hides('update'), refuses('update', 'check'), refuses('select', 'using')];
  }
}

export const concerns = (policy: Pick<Policy, 'command'>, command: Operation): boolean =>
  policy.command === 'all' || policy.command === command;

/**
 * Returns the condition of a policy for a clause. If a policy has no WITH CHECK condition, its USING condition applies.
 * A policy with neither condition allows every row.
 */
export function conditionOf(policy: Pick<Policy, 'using' | 'check'>, clause: Gate['clause']): string {
  const text = clause === 'check' ? (policy.check ?? policy.using) : policy.using;
  return text ?? 'true';
}

/**
 * Whether the policies together allow the row. At least one permissive policy and all restrictive policies must
 * evaluate to true. A policy that evaluates to NULL doesn't allow the row.
 */
export function passes(policies: readonly EvaluatedPolicy[]): boolean | null {
  const statement = policies.filter(({ applies }) => applies);
  const permissive = statement.filter((policy) => policy.permissive);
  const restrictive = statement.filter((policy) => !policy.permissive);
  if (!permissive.some(({ value, error }) => value === true || error !== null)) return false;
  if (restrictive.some(({ value, error }) => value !== true && error === null)) return false;
  const isSure =
    permissive.some(({ value }) => value === true) && restrictive.every(({ value }) => value === true);
  return isSure ? true : null;
}

/** Predicts the result of a statement from the catalogs and the values of the policy conditions. */
export function explain(facts: {
  readonly holdsEverything: boolean;
  readonly security: Security;
  readonly operation: Operation;
  readonly rowExists: boolean;
  readonly isView: boolean;
  readonly gates: readonly Gate[];
}): Explanation {
  const { holdsEverything, security, operation, rowExists, isView, gates } = facts;
  if (!holdsEverything) return { verdict: 'refused', reason: 'grant', gate: null };
  if (operation !== 'insert' && !rowExists)
    return { verdict: 'hidden', reason: isView ? 'not-in-view' : 'no-row', gate: null };
  if (security !== 'on' && gates.length === 0)
    return { verdict: 'allowed', reason: 'not-secured', gate: null };
  for (const [index, gate] of gates.entries()) {
    if (gate.passes === true) continue;
    if (gate.passes === null) return { verdict: 'refused', reason: 'evaluation', gate: index };
    const verdict = gate.effect === 'hides' ? 'hidden' : 'refused';
    return { verdict, reason: reasonOf(gate), gate: index };
  }
  return { verdict: 'allowed', reason: 'passes', gate: null };
}

function reasonOf({ policies }: Gate): Reason {
  const permissive = policies.filter((policy) => policy.applies && policy.permissive);
  if (permissive.length === 0) return 'no-policy';
  return permissive.some(({ value }) => value === true) ? 'restrictive' : 'policy';
}
