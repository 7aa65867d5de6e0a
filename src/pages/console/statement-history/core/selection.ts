/** Selects the statements that are stored individually. */
import { added, type Counter, callsSince, type Totals } from './totals.ts';

/** The number of statements per minute that are stored individually, for the project's roles and for Plinth's services. */
const maxPerMinute = { project: 100, services: 50 } as const;

interface Named {
  readonly id: string;
  readonly role: string;
}

/** The ID of the sum of the statements that aren't stored individually. PostgreSQL never uses it as a query ID. */
export const otherId = '0';

export const keyOf = ({ id, role }: Named): string => `${id} ${role}`;

type Entry = Counter & Named & { readonly isOutermost: boolean };
const entryKeyOf = (entry: Entry): string => `${keyOf(entry)} ${entry.isOutermost}`;

export const byEntry = (entries: readonly Entry[]): ReadonlyMap<string, Counter> =>
  new Map(entries.map((entry) => [entryKeyOf(entry), entry]));

/** Returns the calls of each statement since the earlier reading. */
export function callsOf(before: ReadonlyMap<string, Counter>, entries: readonly Entry[]): (Totals & Named)[] {
  const found = new Map<string, Totals & Named>();
  for (const entry of entries) {
    const calls = callsSince(before.get(entryKeyOf(entry)), entry);
    if (calls === undefined) continue;
    const { id, role } = entry;
    const key = keyOf(entry);
    const other = found.get(key);
    found.set(key, { id, role, ...(other === undefined ? calls : added(other, calls)) });
  }
  return [...found.values()];
}

/** Returns the statements that took the most time, and for each role the sum of its other statements. */
export function selected<S extends Totals & Named>(
  statements: readonly S[],
  isService: (role: string) => boolean,
): { readonly kept: readonly S[]; readonly others: readonly (Totals & Named)[] } {
  const kept: S[] = [];
  const others = new Map<string, Totals & Named>();
  const left: Record<keyof typeof maxPerMinute, number> = { ...maxPerMinute };
  for (const each of statements.toSorted((one, other) => other.totalMs - one.totalMs)) {
    const group = isService(each.role) ? 'services' : 'project';
    if (left[group] > 0) {
      left[group] -= 1;
      kept.push(each);
      continue;
    }
    const { role } = each;
    const sum = others.get(role);
    others.set(role, { id: otherId, role, ...(sum === undefined ? withoutName(each) : added(sum, each)) });
  }
  return { kept, others: [...others.values()] };
}

const withoutName = ({ calls, rows, totalMs, squares }: Totals): Totals => ({
  calls,
  rows,
  totalMs,
  squares,
});
