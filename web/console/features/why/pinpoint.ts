/**
 * Finds the parts of the policies that determined the result: the policies that came closest to allowing the row, the
 * conditions on which they failed, and the subselects that returned no row.
 */
import type { AccessReport, EvaluatedCall, EvaluatedPolicy, EvaluatedRows, Judged, Operand } from './api.ts';

/** The number of causes, policies and conditions that the summary lists. */
const maxCauses = 3;

export interface Cause {
  readonly from: string;
  /**
   * A part of the condition that no row matches, even without the other parts. Undefined if there are rows that match
   * each part, but no row that matches all parts.
   */
  readonly condition: string | undefined;
  /** The number of matching rows that row-level security hides. */
  readonly hidden: number;
}

/** A policy that didn't allow the row. */
export interface NearMiss {
  readonly name: string;
  /** The relation to which the policy belongs. */
  readonly relation: { readonly schema: string; readonly name: string };
  /** The conditions that would have to be true, with the values that they compare. */
  readonly conditions: readonly FailedCondition[];
  /** The number of further conditions that are false. */
  readonly more: number;
}

interface FailedCondition {
  readonly text: string;
  readonly operands: readonly Operand[];
}

/**
 * Returns the policies that the headline names. If permissive policies reject the row, these are the policies that came
 * closest to allowing it. If none of several policies came close, the result is empty, because any choice would be
 * arbitrary. Each restrictive policy that rejects the row is a cause by itself, so all of them are returned.
 */
export function nearMisses(report: Pick<AccessReport, 'explanation' | 'gates'>): NearMiss[] {
  const gate = decisiveGate(report);
  if (gate === undefined) return [];
  return decisivePolicies(report).map(({ policy, failed }) => ({
    name: policy.name,
    relation: gate.relation,
    conditions: failed.slice(0, maxCauses),
    more: Math.max(0, failed.length - maxCauses),
  }));
}

/** Returns the causes in the policies that didn't match, without duplicates. */
export function causesOf(report: Pick<AccessReport, 'explanation' | 'gates'>): Cause[] {
  const named = decisivePolicies(report).map(({ policy }) => policy);
  const all = decisiveGate(report)?.policies.filter(isMiss) ?? [];
  const causes = (named.length > 0 ? named : all).flatMap(({ tree }) =>
    tree === undefined ? [] : causesIn(tree),
  );
  return [...new Map(causes.map((cause) => [JSON.stringify(cause), cause])).values()].slice(0, maxCauses);
}

const decisiveGate = ({ explanation, gates }: Pick<AccessReport, 'explanation' | 'gates'>) =>
  explanation.gate === null ? undefined : gates[explanation.gate];

const isMiss = ({ applies, value, error, tree }: EvaluatedPolicy): boolean =>
  applies && value !== true && error === null && tree !== undefined;

interface Miss {
  readonly failed: readonly FailedCondition[];
  /** The number of conditions that are true. */
  readonly met: number;
}

function decisivePolicies(
  report: Pick<AccessReport, 'explanation' | 'gates'>,
): (Miss & { readonly policy: EvaluatedPolicy })[] {
  const { reason } = report.explanation;
  if (reason !== 'policy' && reason !== 'restrictive') return [];
  const misses = (decisiveGate(report)?.policies ?? [])
    .filter((policy) => isMiss(policy) && policy.permissive === (reason === 'policy'))
    .flatMap((policy) => (policy.tree === undefined ? [] : [{ policy, ...missOf(policy.tree) }]));
  if (reason === 'restrictive') return misses.slice(0, maxCauses);
  const [nearest, ...others] = misses.toSorted(compareMisses);
  if (nearest === undefined || (others.length > 0 && nearest.met === 0)) return [];
  return [nearest, ...others.filter((each) => compareMisses(nearest, each) === 0)].slice(0, maxCauses);
}

/**
 * A policy with a condition that is true came closer than a policy without one: it was probably written for this kind
 * of row and user. Among these policies, fewer false conditions are closer, then more true conditions.
 */
const compareMisses = (left: Miss, right: Miss): number =>
  Number(right.met > 0) - Number(left.met > 0) ||
  left.failed.length - right.failed.length ||
  right.met - left.met;

/** Returns the fewest conditions that would have to change for a false condition to become true. */
function missOf(part: Judged): Miss {
  if (part.value === true) return { failed: [], met: countTests(part) };
  if (part.kind === 'and') {
    const parts = part.parts.map(missOf);
    return {
      failed: parts.flatMap(({ failed }) => failed),
      met: parts.reduce((sum, { met }) => sum + met, 0),
    };
  }
  if (part.kind === 'or') {
    const [nearest] = part.parts.map(missOf).toSorted(compareMisses);
    return nearest ?? { failed: [], met: 0 };
  }
  // The body of a function says more than its name, if the body is a condition.
  const [call] = part.kind === 'test' && part.calls.length === 1 ? part.calls : [];
  if (call?.tree != null && call.tree.value !== true && call.tree.kind !== 'test') return missOf(call.tree);
  return { failed: [{ text: part.text, operands: part.kind === 'test' ? part.operands : [] }], met: 0 };
}

const countTests = (part: Judged): number =>
  part.kind === 'and' ? part.parts.reduce((sum, each) => sum + countTests(each), 0) : 1;

function causesIn(part: Judged): Cause[] {
  if (part.value === true) return [];
  if (part.kind === 'test') return [...part.rows.flatMap(causeOf), ...part.calls.flatMap(causesOfCall)];
  // If a NOT expression is false because its operand is true, no row is missing.
  if (part.kind === 'not') return [];
  return part.parts.flatMap(causesIn);
}

function causesOfCall({ value, tree, rows, calls }: EvaluatedCall): Cause[] {
  if (value === 'true') return [];
  return [...(tree === null ? [] : causesIn(tree)), ...rows.flatMap(causeOf), ...calls.flatMap(causesOfCall)];
}

function causeOf({ from, matched, hidden, conditions }: EvaluatedRows): Cause[] {
  if (matched > 0) return [];
  const alone = conditions.find((condition) => condition.matched === 0);
  return [{ from, condition: (hidden ?? 0) > 0 ? undefined : alone?.text, hidden: hidden ?? 0 }];
}
