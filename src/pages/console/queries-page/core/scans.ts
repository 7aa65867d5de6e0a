/** Finds the sequential scans in a plan that have a condition. */
import { isRecord } from '../../../../base/shared/json.ts';

export interface Scan {
  readonly schema: string;
  readonly table: string;
  readonly filter: string;
  /** The estimated number of rows that satisfy the scan's condition. */
  readonly kept: number;
}

/**
 * Returns the sequential scans in a plan that have a condition. The plan must be verbose, because only verbose plans
 * contain schema names.
 */
export function filteredScans(plan: unknown): Scan[] {
  if (!isRecord(plan)) return [];
  const {
    Plans: children,
    'Node Type': type,
    'Relation Name': table,
    Schema: schema,
    Filter: filter,
    'Plan Rows': kept,
  } = plan;
  const inner = isRecord(plan.Plan)
    ? filteredScans(plan.Plan)
    : Array.isArray(children)
      ? children.flatMap(filteredScans)
      : [];
  const isScan = type === 'Seq Scan' && typeof table === 'string' && typeof filter === 'string';
  return isScan
    ? [
        {
          schema: typeof schema === 'string' ? schema : 'public',
          table,
          filter,
          kept: Number(kept ?? 0),
        },
        ...inner,
      ]
    : inner;
}
