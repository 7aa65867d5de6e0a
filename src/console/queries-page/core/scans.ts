/** Finds the sequential scans with a condition in a plan. */
import { isRecord } from '../../../shared/is-record.ts';

export interface Scan {
  readonly schema: string;
  readonly table: string;
  readonly filter: string;
}

/** The plan must be verbose because only then does it contain schemas. */
export function filteredScans(plan: unknown): Scan[] {
  if (!isRecord(plan)) return [];
  const { Plans: children, 'Node Type': type, 'Relation Name': table, Schema: schema, Filter: filter } = plan;
  const inner = isRecord(plan.Plan)
    ? filteredScans(plan.Plan)
    : Array.isArray(children)
      ? children.flatMap(filteredScans)
      : [];
  const isScan = type === 'Seq Scan' && typeof table === 'string' && typeof filter === 'string';
  return isScan
    ? [{ schema: typeof schema === 'string' ? schema : 'public', table, filter }, ...inner]
    : inner;
}
