/** Adds up the parts of a chart or of a list of groups, because the server stops a long search and continues it later. */
import type { FailureGroup, LogChart, LogFailureGroups } from './api.ts';

const added = (one: readonly number[], other: readonly number[]): number[] =>
  one.map((value, step) => value + (other[step] ?? 0));

export function chartOf(parts: readonly LogChart[]): LogChart | undefined {
  const [first] = parts;
  const last = parts.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const sum = (name: 'succeeded' | 'refused' | 'failed' | 'lines' | 'warnings'): readonly number[] =>
    parts.slice(1).reduce((all, part) => added(all, part[name]), first[name]);
  return {
    ...first,
    ...{ succeeded: sum('succeeded'), refused: sum('refused'), failed: sum('failed') },
    ...{ lines: sum('lines'), warnings: sum('warnings'), next: last.next, searchedTo: last.searchedTo },
  };
}

export function failuresOf(parts: readonly LogFailureGroups[]): LogFailureGroups | undefined {
  const [first] = parts;
  const last = parts.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const groups = new Map<string, FailureGroup>();
  for (const group of parts.flatMap((part) => part.groups)) {
    const known = groups.get(group.key);
    // Later parts contain earlier failures, so the example of the first part is the latest one.
    groups.set(
      group.key,
      known === undefined
        ? group
        : {
            ...known,
            count: known.count + group.count,
            firstAt: Math.min(known.firstAt, group.firstAt),
            steps: added(known.steps, group.steps),
          },
    );
  }
  return {
    ...first,
    groups: [...groups.values()].sort((one, other) => other.count - one.count || other.lastAt - one.lastAt),
    others: parts.reduce((sum, { others }) => sum + others, 0),
    next: last.next,
    searchedTo: last.searchedTo,
  };
}
