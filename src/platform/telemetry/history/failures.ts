/** Groups the failures of a range. */
import { fits } from '../core/entries.ts';
import { groupOf, isFailure, keyOf } from '../core/failure-groups.ts';
import type { FailureGroup, LogEntry, LogFailures, LogFilter } from '../types.ts';
import { readBackward, type Steps } from './counts.ts';
import type { Budget } from './lines.ts';
import type { Source } from './pages.ts';
import type { Block } from './segment.ts';

/** The maximum number of groups in memory. Failures in other groups are only counted. */
const maxGroups = 1000;
const maxListed = 200;

type Growing = { -readonly [Name in keyof FailureGroup]: FailureGroup[Name] } & { steps: number[] };

export async function groupFailures(
  { memory, blocks, filesUntil }: Source,
  given: LogFilter,
  { start, stepMs, steps, before }: Steps,
  budget: Budget,
): Promise<LogFailures> {
  const end = start + steps * stepMs;
  const filter = {
    ...given,
    since: Math.max(start, given.since ?? start),
    until: Math.min(before ?? end, given.until ?? end, end),
  };
  const groups = new Map<string, Growing>();
  let others = 0;
  const add = (entry: LogEntry): void => {
    if (!isFailure(entry)) return;
    const fields = groupOf(entry, filter.shown);
    const key = keyOf(fields);
    const known = groups.get(key);
    if (known === undefined && groups.size >= maxGroups) {
      others++;
      return;
    }
    const { at } = entry;
    const counts = Array.from({ length: steps }, () => 0);
    const group = known ?? {
      ...fields,
      key,
      count: 0,
      firstAt: at,
      lastAt: at,
      steps: counts,
      example: entry,
    };
    if (known === undefined) groups.set(key, group);
    group.count++;
    group.firstAt = Math.min(group.firstAt, at);
    if (at > group.lastAt) Object.assign(group, { lastAt: at, example: exampleOf(entry) });
    const step = Math.floor((at - start) / stepMs);
    group.steps[step] = (group.steps[step] ?? 0) + 1;
  };
  for (const entry of memory) if (fits(filter, entry)) add(entry);
  const searchedTo = await readBackward(blocks.filter(hasFailures), filter, { filesUntil, budget }, add);
  const sorted = [...groups.values()].sort(
    (one, other) => other.count - one.count || other.lastAt - one.lastAt,
  );
  return {
    ...{ start, stepMs, steps },
    groups: sorted.slice(0, maxListed),
    others: sorted.slice(maxListed).reduce((sum, { count }) => sum + count, others),
    ...(searchedTo === undefined ? {} : { searchedTo }),
  };
}

/** Whether a block contains a status of at least 400, a warning or an error. */
const hasFailures = ({ statuses, levels }: Block): boolean => statuses >> 4 > 0 || levels >> 2 > 0;

const maxExampleChars = 2000;

/** Returns the fields of an entry that a list shows. An answer to another node has a limited size. */
const exampleOf = ({
  at,
  level,
  kind,
  service,
  message,
  requestId,
  method,
  path,
  status,
}: LogEntry): LogEntry => ({
  ...{ at, level, kind, service, requestId, method, status },
  path: path?.slice(0, maxExampleChars),
  message: message.slice(0, maxExampleChars),
});
