/** Groups the entries of an operation that is recorded in batches, such as a bulk action. */
import type { AuditEntry } from './api.ts';

export interface AuditGroup {
  /** The ID of the operation, or of the entry if it doesn't belong to an operation. */
  readonly id: string;
  /** The entries in the order of the list. */
  readonly entries: readonly [AuditEntry, ...AuditEntry[]];
}

/** Returns the groups in the order of their first entries. */
export function groupByOperation(entries: readonly AuditEntry[]): AuditGroup[] {
  const groups = new Map<string, [AuditEntry, ...AuditEntry[]]>();
  for (const entry of entries) {
    const id = operationOf(entry) ?? entry.id;
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [entry]);
    else group.push(entry);
  }
  return Array.from(groups, ([id, grouped]) => ({ id, entries: grouped }));
}

/** Returns the number of users in the entries of a bulk action, including users for whom the action failed. */
export const usersIn = (entries: readonly AuditEntry[]): number =>
  entries.reduce(
    (sum, { detail: { userIds, failedIds } }) => sum + lengthOf(userIds) + lengthOf(failedIds),
    0,
  );

const operationOf = ({ detail: { operation } }: AuditEntry): string | undefined =>
  typeof operation === 'string' ? operation : undefined;

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);
