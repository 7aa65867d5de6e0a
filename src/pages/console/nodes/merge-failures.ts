/** Adds up the groups of failures of several nodes. */
import type { FailureGroup } from '../../../platform/telemetry/types.ts';

/** Returns the groups with the most frequent first. */
export function mergeGroups(groups: readonly FailureGroup[]): FailureGroup[] {
  const merged = new Map<string, FailureGroup>();
  for (const group of groups) {
    const other = merged.get(group.key);
    merged.set(
      group.key,
      other === undefined
        ? group
        : {
            ...(group.lastAt > other.lastAt ? group : other),
            count: group.count + other.count,
            firstAt: Math.min(group.firstAt, other.firstAt),
            lastAt: Math.max(group.lastAt, other.lastAt),
            steps: group.steps.map((count, step) => count + (other.steps[step] ?? 0)),
          },
    );
  }
  return [...merged.values()].sort((one, other) => other.count - one.count || other.lastAt - one.lastAt);
}
