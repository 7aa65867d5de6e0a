/** Finds the subselects that returned no row and therefore determined the result. */
import type { AccessReport, EvaluatedCall, EvaluatedRows, Judged } from './api.ts';

/** The number of causes that the summary lists. */
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

/** Returns the causes in the policies that didn't match, without duplicates. */
export function causesOf({ explanation, gates }: Pick<AccessReport, 'explanation' | 'gates'>): Cause[] {
  const gate = explanation.gate === null ? undefined : gates[explanation.gate];
  const trees = gate?.policies.flatMap(({ applies, value, tree }) =>
    applies && value !== true && tree !== undefined ? [tree] : [],
  );
  const causes = (trees ?? []).flatMap(causesIn);
  return [...new Map(causes.map((cause) => [JSON.stringify(cause), cause])).values()].slice(0, maxCauses);
}

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
