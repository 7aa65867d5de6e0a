/** Determines which base backups are needed for a retention window. */

export interface Dated {
  readonly id: string;
  /**
   * The time at which the base backup ended. The database can be restored from this backup to any later point in time.
   */
  readonly endedAtMs: number;
}

/**
 * Splits backups into those to keep and those to remove. The newest backup before the retention window is also kept,
 * because restoring the database to the start of the window requires this backup.
 */
export function retain<T extends Dated>(
  backups: readonly T[],
  windowStartMs: number,
): { readonly kept: readonly T[]; readonly expired: readonly T[] } {
  const newestFirst = [...backups].sort((a, b) => b.endedAtMs - a.endedAtMs);
  const base = newestFirst.findIndex(({ endedAtMs }) => endedAtMs <= windowStartMs);
  const kept = base < 0 ? newestFirst : newestFirst.slice(0, base + 1);
  return { kept, expired: newestFirst.slice(kept.length) };
}
